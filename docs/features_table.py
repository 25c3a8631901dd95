#!/usr/bin/env python3
"""Checks the list of what TCPs are compared by, docs/features.toml, and docs/features.md, made of it.

    docs/features_table.py            says what is wrong, one line each; status 1 if anything is
    docs/features_table.py --write    makes the page anew

Each feature says what the stack has of it and names what shows it: the code, the setting that switches it
(a field of `Config`, or a function), a packet script or another test, and a test against a kernel. All
that is named exists; what is not there in full says what is missing.
"""

import os
import re
import sys
import tomllib

from check_conformance import reference_problems, items

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIST = os.path.join("docs", "features.toml")
PAGE = os.path.join("docs", "features.md")
CONFIG = os.path.join(ROOT, "crates", "ackclock", "src", "tcp", "config", "mod.rs")
KERNEL = "crates/ackclock-host/tests/kernel/"

STATES = ("full", "part", "none")
KEYS = {"name", "rfc", "state", "code", "switch", "test", "kernel", "note"}
GROUP_KEYS = {"name", "feature"}

ABOUT = """\
One row for each feature that people compare TCPs by. *code* is where to begin to read, below
`crates/ackclock/src/`; *switch* is the field of `Config`, or the function, that turns it on, off or round;
*test* shows it in virtual time, mostly a packet script; *kernel* is a test with the kernel's TCP at the
other end. An empty *kernel* means that the kernel cannot be made to show it, or that no test does: the
remark says which.

This page is made: edit [docs/features.toml](features.toml), then run `docs/features_table.py --write`.
`.ci/run` checks that both agree and that all that is named exists. What the RFCs ask sentence by sentence is
in [conformance.md](conformance.md); what this stack and the kernel agree on, and that every byte arrives then, in
[interop.md](interop.md).
"""


def fields():
    with open(CONFIG, encoding="utf-8") as file:
        return set(re.findall(r"^    pub (\w+):", file.read(), re.M))


def switch_problems(switch, known):
    name = switch.removeprefix("Config::")
    if name != switch:
        if name not in known:
            yield f"switch: Config has no field {name}"
    else:
        yield from reference_problems(switch, "code")


def feature_problems(feature, known):
    for key in feature.keys() - KEYS:
        yield f"unknown key {key}"
    state = feature.get("state")
    if state not in STATES:
        yield f"no such state: {state}"
    if state != "full" and not feature.get("note"):
        yield f"{state}, but no note says what is missing"
    if state != "none" and not (feature.get("code") and feature.get("test")):
        yield f"{state}, but names no code or no test"
    if state == "full" and not feature.get("kernel") and not feature.get("note"):
        yield "no kernel test, and no note says why"
    for reference in feature.get("code", []):
        if "::" in reference:
            yield from reference_problems(reference, "code")
        elif items(reference) is None:
            yield f"code: no file {reference}"
    for switch in feature.get("switch", []):
        yield from switch_problems(switch, known)
    for kind in ("test", "kernel"):
        for reference in feature.get(kind, []):
            yield from reference_problems(reference, "test")


def problems(groups):
    known, seen = fields(), set()
    for group in groups:
        for key in group.keys() - GROUP_KEYS:
            yield f"{group['name']}: unknown key {key}"
        for feature in group["feature"]:
            name = feature["name"]
            if name in seen:
                yield f"{name}: twice"
            seen.add(name)
            yield from (f"{name}: {problem}" for problem in feature_problems(feature, known))


def code_spans(references):
    return ", ".join(f"`{reference.removeprefix(KERNEL)}`" for reference in references)


def page(groups):
    states = [feature["state"] for group in groups for feature in group["feature"]]
    yield "# Features\n"
    yield ABOUT
    full, part, none = (states.count(state) for state in STATES)
    yield f"**{full} of {len(states)} in full, {part} in part, {none} not.**\n"
    for group in groups:
        yield f"## {group['name']}\n"
        yield "| feature | RFC | has it | code | switch | test | kernel | remark |"
        yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
        for feature in group["feature"]:
            row = [feature["name"], ", ".join(map(str, feature.get("rfc", []))), feature["state"]]
            row += [code_spans(feature.get(kind, [])) for kind in ("code", "switch", "test", "kernel")]
            yield "| " + " | ".join([*row, feature.get("note", "")]) + " |"
        yield ""


def main():
    with open(os.path.join(ROOT, LIST), "rb") as file:
        groups = tomllib.load(file)["group"]
    found = [f"{LIST}: {problem}" for problem in problems(groups)]
    text = "\n".join(page(groups)).rstrip() + "\n"
    path = os.path.join(ROOT, PAGE)
    if "--write" in sys.argv[1:]:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    elif not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
        found.append(f"{PAGE} is not what {LIST} says: run docs/features_table.py --write")
    for problem in found:
        print(problem)
    if not found:
        print(f"{sum(len(group['feature']) for group in groups)} features, all as they are listed")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
