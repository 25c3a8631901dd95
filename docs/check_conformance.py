#!/usr/bin/env python3
"""Checks the lists of what RFCs ask, docs/sentences/*.toml, and docs/conformance.md, made of them.

    docs/check_conformance.py            says what is wrong, one line each; status 1 if anything is
    docs/check_conformance.py --write    makes the page anew

Each sentence says what the stack makes of it; what is done names code and a test, and both exist.
RFC 9293's numbered requirements are all there. Sections that comments of the source cite exist. How
many sentences nobody has checked, and how many done ones no test shows, may only fall.
docs/sentences/README.md tells what the lists hold.
"""

import glob
import os
import re
import sys
import textwrap
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LISTS = os.path.join("docs", "sentences")
PAGE = os.path.join("docs", "conformance.md")
CORE = os.path.join("crates", "ackclock", "src")
SCRIPTS = os.path.join("crates", "ackclock-testkit", "tests")

# Ratchets: so many sentences are unchecked, and so many are done without a test that shows it.
UNCHECKED = 0
UNTESTED = 11

STATES = ("done", "partly", "not", "not ours", "unchecked")
LEVELS = (
    "MUST", "MUST NOT", "REQUIRED", "SHALL", "SHALL NOT", "SHOULD", "SHOULD NOT", "RECOMMENDED",
    "NOT RECOMMENDED", "MAY", "MAY NOT", "OPTIONAL", "rule",
)
LIST_KEYS = {"rfc", "title", "text", "about", "sections", "sentence"}
KEYS = {"id", "level", "number", "quote", "state", "code", "test", "note"}

# How many requirements of each kind RFC 9293 numbers.
REQUIREMENTS = [("MUST", 69), ("SHLD", 31), ("MAY", 18), ("REC", 1)]
NUMBERS = [f"{kind}-{n}" for kind, last in REQUIREMENTS for n in range(1, last + 1)]

REFERENCE = re.compile(r"([\w./-]+\.rs)::(\w+)")
ITEM = re.compile(
    r"(?:pub(?:\([\w: ]+\))? )?(?:const |unsafe |async )*"
    r"(fn|const|static|struct|enum|type|trait|mod) (?:mut )?(\w+)"
)
SECTION = r"(?:Appendix )?(?:\d+|[A-Z])(?:\.\d+)*"
CITATION = re.compile(rf"RFC (\d{{3,5}}),? section ({SECTION})\b")
CITATIONS = re.compile(rf"RFC (\d{{3,5}}),? sections ({SECTION}(?:(?:, and|,| and| to) {SECTION})+)\b")
COMMENT = re.compile(r"^//[/!]? ?")

ABOUT = """\
One entry for each normative sentence of the RFCs that this stack follows. *done* names the code that
does it and a test that would fail without it; *partly* and *not* say what is missing, or why;
*not ours* binds somebody else, such as routers, or belongs to an option that is not implemented.
Paths without `crates/` are below `crates/ackclock/src/`, those that begin with `scripts/` below
`crates/ackclock-testkit/tests/`. An entry that is called a *rule* has no keyword in the RFC.

This page is made: edit [docs/sentences](sentences/README.md), then run
`docs/check_conformance.py --write`. `.ci/run` checks that both agree and that all that is named here
exists.
"""


def source_path(path):
    """Where a file that a list names is, from the root."""
    if path.startswith("crates/"):
        return path
    return os.path.join(SCRIPTS if path.startswith("scripts/") else CORE, path)


def items(path, cache={}):
    """The items of a source file: name, and whether it is a test that runs. None: no such file."""
    if path not in cache:
        full = os.path.join(ROOT, source_path(path))
        cache[path] = read_items(full) if os.path.isfile(full) else None
    return cache[path]


def read_items(full):
    found, attributes = {}, []
    with open(full, encoding="utf-8") as file:
        for line in map(str.strip, file):
            item = ITEM.match(line)
            if line.startswith("#["):
                attributes.append(line)
            elif item:
                is_test = "#[test]" in attributes and not any("ignore" in a for a in attributes)
                found[item[2]] = found.get(item[2], False) or is_test
                attributes = []
            elif line and not line.startswith("//"):
                attributes = []
    return found


def reference_problems(reference, kind):
    parts = REFERENCE.fullmatch(reference)
    known = parts and items(parts[1])
    if not parts:
        yield f"{kind}: {reference} is not FILE.rs::NAME"
    elif known is None:
        yield f"{kind}: no file {parts[1]}"
    elif parts[2] not in known:
        yield f"{kind}: no {parts[2]} in {parts[1]}"
    elif known[parts[2]] != (kind == "test"):
        yield f"{kind}: {reference} is {'no test that runs' if kind == 'test' else 'a test'}"


def sentence_problems(sentence, sections):
    for key in sentence.keys() - KEYS:
        yield f"unknown key {key}"
    section, _, ordinal = sentence["id"].partition("#")
    if section not in sections or not ordinal.isdigit():
        yield "the id is not one of the sections, # and a number"
    if sentence.get("level") not in LEVELS:
        yield f"no such level: {sentence.get('level')}"
    if not sentence.get("quote", "").strip():
        yield "no quote"
    state, note = sentence.get("state"), sentence.get("note")
    code, test = sentence.get("code", []), sentence.get("test", [])
    if state not in STATES:
        yield f"no such state: {state}"
    if state == "done" and not code:
        yield "done, but names no code"
    if state == "done" and not test and not note:
        yield "done, but names no test, nor says in a note why there is none"
    if state in ("partly", "not", "not ours") and not note:
        yield f"{state}, but no note says why"
    for kind, references in ("code", code), ("test", test):
        for reference in references:
            yield from reference_problems(reference, kind)


def list_problems(path, rfc):
    for key in rfc.keys() - LIST_KEYS:
        yield f"{path}: unknown key {key}"
    if path != os.path.join(LISTS, f"rfc{rfc['rfc']}.toml") or not rfc.get("title"):
        yield f"{path}: the file is named rfcNUMBER.toml, and has a title"
    sections, place = rfc["sections"], (0, 0)
    for sentence in rfc["sentence"]:
        problems = list(sentence_problems(sentence, sections))
        section, _, ordinal = sentence["id"].partition("#")
        if not problems:
            after = (sections.index(section), int(ordinal))
            if after <= place and place != (0, 0):
                problems.append("out of order, or twice")
            place = after
        yield from (f"{path}: {sentence['id']}: {problem}" for problem in problems)
    if rfc["rfc"] == 9293:
        listed = [number for s in rfc["sentence"] for number in s.get("number", [])]
        for number in sorted(set(NUMBERS) ^ set(listed)):
            yield f"{path}: {number} is {'not listed' if number in NUMBERS else 'no requirement'}"


def citations(path):
    """What the comments of a source file cite: RFC and section."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        lines = [COMMENT.sub("", line.strip()) for line in file]
    text = " ".join(lines)
    for rfc, section in CITATION.findall(text):
        yield int(rfc), section
    for rfc, several in CITATIONS.findall(text):
        for section in re.findall(rf"\b{SECTION}\b", several):
            yield int(rfc), section


def citation_problems(rfcs):
    sections = {rfc["rfc"]: set(rfc["sections"]) for rfc in rfcs}
    for full in sorted(glob.glob(os.path.join(ROOT, "crates", "**", "*.rs"), recursive=True)):
        path = os.path.relpath(full, ROOT)
        for rfc, section in citations(path):
            if rfc in sections and section.replace("Appendix ", "") not in sections[rfc]:
                yield f"{path}: RFC {rfc} has no section {section}"


def ratchet_problems(rfcs):
    for name, allowed, found in (
        ("UNCHECKED", UNCHECKED, count(rfcs, is_unchecked)),
        ("UNTESTED", UNTESTED, count(rfcs, is_untested)),
    ):
        if found != allowed:
            change = "the number may only fall" if found > allowed else f"make it {found}"
            yield f"docs/check_conformance.py: {name} is {allowed}, and there are {found}: {change}"


def is_unchecked(sentence):
    return sentence["state"] == "unchecked"


def is_untested(sentence):
    return sentence["state"] == "done" and not sentence.get("test")


def count(rfcs, condition):
    return sum(condition(sentence) for rfc in rfcs for sentence in rfc["sentence"])


def table(rfcs):
    yield "| RFC | title | " + " | ".join(STATES) + " | done without a test |"
    yield "| --- | --- |" + " --: |" * (len(STATES) + 1)

    def row(head, those):
        counts = [count(those, lambda s, state=state: s["state"] == state) for state in STATES]
        cells = " | ".join(str(n) for n in [*counts, count(those, is_untested)])
        return f"| {head} | {cells} |"

    for rfc in rfcs:
        yield row(f"[{rfc['rfc']}](#rfc-{rfc['rfc']}) | {rfc['title']}", [rfc])
    yield row("all | ", rfcs)


def wrapped(text, indent=""):
    return textwrap.wrap(
        text, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def escaped(text):
    """Prose as Markdown, to which < and * are markup; what stands in backquotes stays."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([<*])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def entry(sentence):
    state, level = sentence["state"], sentence["level"]
    numbers = ", ".join(sentence.get("number", []))
    head = f"**{state}** {sentence['id']} {numbers or level}"
    quote = escaped(" ".join(sentence["quote"].split()))
    note = escaped(" ".join(sentence.get("note", "").split()))
    if state == "not ours":
        return wrapped(f"- {head}: {quote} — *{note.rstrip('.')}*", "  ")
    rows = wrapped(f"- {head}: {quote}", "  ")
    for name in ("code", "test"):
        references = ", ".join(f"`{reference}`" for reference in sentence.get(name, []))
        if references:
            rows += wrapped(f"  - {name}: {references}", "    ")
    if note:
        rows += wrapped(f"  - note: {note}", "    ")
    return rows


def page(rfcs):
    yield from ["# What the RFCs ask, sentence by sentence", "", *ABOUT.split("\n")]
    unchecked = count(rfcs, is_unchecked)
    yield f"**{unchecked} sentences are unchecked**: nobody has compared them with the code."
    yield ""
    yield from table(rfcs)
    for rfc in rfcs:
        yield from ["", f"## RFC {rfc['rfc']}", "", f"{rfc['title']}."]
        for key, label in ("text", "Text: "), ("about", ""):
            if key in rfc:
                text = escaped(" ".join(rfc[key].split())).rstrip(".")
                yield from ["", *wrapped(f"{label}{text}.")]
        section = None
        for sentence in rfc["sentence"]:
            here = sentence["id"].partition("#")[0]
            if here != section:
                section = here
                name = f"Section {here}" if here[0].isdigit() else f"Appendix {here}"
                yield from ["", f"### {name} of RFC {rfc['rfc']}", ""]
            yield from entry(sentence)


def main():
    paths = glob.glob(os.path.join(ROOT, LISTS, "rfc*.toml"))
    lists = []
    for full in paths:
        with open(full, "rb") as file:
            lists.append((os.path.relpath(full, ROOT), tomllib.load(file)))
    # What everything else builds on comes first.
    lists.sort(key=lambda item: (item[1]["rfc"] != 9293, item[1]["rfc"]))
    rfcs = [rfc for _, rfc in lists]
    made = "\n".join(page(rfcs)) + "\n"
    if sys.argv[1:] == ["--write"]:
        with open(os.path.join(ROOT, PAGE), "w", encoding="utf-8") as file:
            file.write(made)
    elif sys.argv[1:]:
        sys.exit(__doc__)
    problems = [problem for path, rfc in lists for problem in list_problems(path, rfc)]
    problems += [*citation_problems(rfcs), *ratchet_problems(rfcs)]
    with open(os.path.join(ROOT, PAGE), encoding="utf-8") as file:
        if file.read() != made:
            problems.append(f"{PAGE}: not what the lists say: run docs/check_conformance.py --write")
    if problems:
        sys.exit("\n".join(problems))
    counts = ", ".join(f"{count(rfcs, lambda s, st=st: s['state'] == st)} {st}" for st in STATES)
    print(f"{count(rfcs, lambda s: True)} sentences of {len(rfcs)} RFCs: {counts}")


if __name__ == "__main__":
    main()
