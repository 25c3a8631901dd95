#!/usr/bin/env python3
"""The tables of docs/packetdrill.md about the profiles of the packetdrill library, made of docs/profiles.toml.

    docs/profiles_table.py            says what is wrong, one line each; status 1 if anything is
    docs/profiles_table.py --write    writes the tables into the page

That the values are those of the code is a test of the library; here all that is named as a test has to be one, and what is
"the same" in the kernel has to be a script that the kernel plays as it is written.
"""

import pathlib
import re
import sys
import tomllib

from check_conformance import reference_problems

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST, PAGE = ROOT / "docs/profiles.toml", ROOT / "docs/packetdrill.md"
DIFFERENCES, PLAYED = ROOT / "crates/ackclock-kernel-player/differences.toml", ROOT / "docs/kernel_scripts.md"
SCRIPTS = "crates/ackclock-packetdrill/tests/scripts/"
PROFILES = ("linux", "freebsd", "rfc")
KEYS = {
    "choice": {"setting", "what", "test", *PROFILES, *(f"{profile}_source" for profile in PROFILES)},
    "item": {"part", "what", "test", "ours", "kernel"},
}
END = "<!-- end of the table -->"


def begin(kind):
    return f"<!-- {kind}s: docs/profiles_table.py -->"


def link(test):
    path, name = test.split("::")
    return f"[{name}](../{path})"


def choices(entries):
    yield "| | `linux` | `freebsd` | `rfc` | sources: Linux, FreeBSD, RFCs | checked by |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for entry in entries:
        values = [f"`{entry[profile]}`" for profile in PROFILES]
        sources = "; ".join(entry[f"{profile}_source"] for profile in PROFILES)
        cells = [f"{entry['what']} (`{entry['setting']}`)", *values, sources, link(entry["test"])]
        yield f"| {' | '.join(cells)} |"


def items(entries):
    yield "| item | | shown by | ours | the kernel's (Linux 6.18) |"
    yield "| --- | --- | --- | --- | --- |"
    for entry in entries:
        cells = [str(entry["part"]), entry["what"], link(entry["test"]), entry["ours"], entry["kernel"]]
        yield f"| {' | '.join(cells)} |"


def unlike():
    """Scripts that the kernel plays otherwise than they are written, or not at all."""
    reasons = tomllib.loads(DIFFERENCES.read_text(encoding="utf-8"))["reason"]
    differ = {script for reason in reasons for script in (*reason.get("scripts", ()), *reason.get("times", ()))}
    _, _, rest = PLAYED.read_text(encoding="utf-8").partition("\n## Scripts that are not played\n")
    if not rest:
        sys.exit(f"{PLAYED.name} does not say which scripts are not played")
    return differ | set(re.findall(r"^- `([^`]+)`", rest.partition("\n## ")[0], re.MULTILINE))


def claims(entries):
    """What the items say of the kernel and its play does not show."""
    others = unlike()
    for entry in entries:
        path, name = entry["test"].split("::")
        script = f"packetdrill/{pathlib.Path(path).stem}.{name}"
        if path.startswith(SCRIPTS) and entry["kernel"].startswith("the same") and script in others:
            yield f"{entry['what']}: the kernel is not the same: {PLAYED.name} has {script}"


def problems(listed):
    for kind, keys in KEYS.items():
        for entry in listed.get(kind, []):
            if entry.keys() != keys:
                yield f"{entry.get('what')}: its keys are not {', '.join(sorted(keys))}"
            else:
                for problem in reference_problems(entry["test"], "test"):
                    yield f"{entry['what']}: {problem}"


def page_with(text, kind, lines):
    head, _, rest = text.partition(begin(kind))
    _, mark, tail = rest.partition(END)
    if not mark:
        sys.exit(f"{PAGE.name} has no {begin(kind)} and no {END} behind it")
    return head + begin(kind) + "\n" + "\n".join(lines) + "\n" + END + tail


def main():
    listed = tomllib.loads(LIST.read_text(encoding="utf-8"))
    found = list(problems(listed)) or list(claims(listed["item"]))
    if not found:
        page = PAGE.read_text(encoding="utf-8")
        made = page_with(page, "choice", choices(listed["choice"]))
        made = page_with(made, "item", items(listed["item"]))
        if "--write" in sys.argv:
            PAGE.write_text(made, encoding="utf-8")
        elif made != page:
            found.append("docs/packetdrill.md has other tables: run docs/profiles_table.py --write")
    print("\n".join(found) or f"{len(listed['choice'])} choices and {len(listed['item'])} items, all as they are listed")
    sys.exit(bool(found))


main()
