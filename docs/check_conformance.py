#!/usr/bin/env python3
"""Checks docs/conformance.md against RFC 9293's numbering and against the source tree.

Every requirement has one row, in order; every row says whether it is met; a row that is met names
a function that does it and a test that shows it, and both exist. One line per problem; exits with
status 1 if there is any.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "docs", "conformance.md")
CORE = os.path.join("crates", "ackclock", "src")

# How many requirements of each kind RFC 9293 numbers.
REQUIREMENTS = [("MUST", 69), ("SHLD", 31), ("MAY", 18)]
EXPECTED = [f"{kind}-{n}" for kind, last in REQUIREMENTS for n in range(1, last + 1)]

ROW = re.compile(r"^\| *((?:MUST|SHLD|MAY)-\d+) *\|")
REFERENCE = re.compile(r"`([\w./-]+\.rs)::((?:\w+::)*)(\w+)`")
NONE = "–"  # stands in a row that is not met


def rows():
    """The rows of the table: number of the line, and cells."""
    with open(TABLE, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if ROW.match(line):
                yield number, [cell.strip() for cell in line.strip().strip("|").split("|")]


def functions(path, cache={}):
    """Functions of a source file: name, and whether it is a test that runs."""
    if path not in cache:
        full = os.path.join(ROOT, path)
        if not os.path.isfile(full):
            full = os.path.join(ROOT, CORE, path)
        cache[path] = read_functions(full) if os.path.isfile(full) else None
    return cache[path]


def read_functions(full):
    found = {}
    attributes = []
    with open(full, encoding="utf-8") as file:
        for line in map(str.strip, file):
            name = re.match(r"(?:pub(?:\([\w ]+\))? )?(?:const )?(?:async )?fn (\w+)", line)
            if line.startswith("#["):
                attributes.append(line)
            elif name:
                is_test = "#[test]" in attributes and not any("ignore" in a for a in attributes)
                found[name[1]] = found.get(name[1], False) or is_test
                attributes = []
            elif line and not line.startswith("//"):
                attributes = []
    return found


def reference_problems(cell, column):
    references = REFERENCE.findall(cell)
    if not references:
        yield f"no {column} named"
    for path, _, name in references:
        known = functions(path)
        if known is None:
            yield f"{column}: no file {path}"
        elif name not in known:
            yield f"{column}: no function {name} in {path}"
        elif column == "test" and not known[name]:
            yield f"test: {name} in {path} is not a test that runs"


def row_problems(cells):
    if len(cells) != 6:
        yield f"{len(cells)} cells instead of 6"
        return
    _, section, asks, met, function, test = cells
    if not section or not asks:
        yield "section and requirement must be filled"
    if met == "yes":
        yield from reference_problems(function, "function")
        yield from reference_problems(test, "test")
    elif re.match(r"(?:no|n\.a\.): \w", met):
        for cell, column in (function, "function"), (test, "test"):
            if cell != NONE:
                yield from reference_problems(cell, column)
    else:
        yield "met must be `yes`, `no: reason` or `n.a.: reason`"


def main():
    table = list(rows())
    problems = [
        f"docs/conformance.md:{number}: {cells[0]}: {problem}"
        for number, cells in table
        for problem in row_problems(cells)
    ]
    listed = [cells[0] for _, cells in table]
    for requirement in EXPECTED:
        if listed.count(requirement) != 1:
            problems.append(f"{requirement}: {listed.count(requirement)} rows instead of one")
    if not problems and listed != EXPECTED:
        problems.append("the rows are out of order")
    if problems:
        sys.exit("\n".join(problems))
    met = [cells[3].split(":")[0] for _, cells in table]
    counts = ", ".join(f"{met.count(answer)} {answer}" for answer in ("yes", "no", "n.a."))
    print(f"{len(table)} requirements: {counts}")


main()
