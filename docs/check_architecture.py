#!/usr/bin/env python3
"""Checks docs/architecture.md and docs/glossary.md against the source tree.

Every path that stands in backticks, and every source file that a drawing names, exists: below the
repository's root, below the core's `src`, or below the `src` of another crate. Of `path::name` the
file defines the name. One line per problem; exits with status 1 if there is any.
"""

import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCUMENTS = [os.path.join("docs", name) for name in ("architecture.md", "glossary.md")]
CORE = os.path.join("crates", "ackclock", "src")

SPAN = re.compile(r"`([^`]+)`")
# In a drawing only source files can be told from words.
DRAWN = re.compile(r"[\w./-]+\.rs(?:::\w+)*")
REFERENCE = re.compile(r"([\w.-]+(?:/[\w.-]+)*/?)((?:::\w+)*)")
FILE = re.compile(r"\.(?:md|py|rs|sh|toml|txt)$")
DEFINITION = r"\b(?:const|enum|fn|macro_rules!|mod|static|struct|trait|type)\s+{}\b"


def references(path):
    """Number of the line, path and names of each reference in a document."""
    in_drawing = False
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("```"):
                in_drawing = not in_drawing
                continue
            for text in (DRAWN if in_drawing else SPAN).findall(line):
                reference = REFERENCE.fullmatch(text)
                if reference and ("/" in reference[1] or FILE.search(reference[1])):
                    yield number, reference[1], reference[2].split("::")[1:]


def find(path):
    """Where that path is; `None` if it is nowhere."""
    places = ["", CORE, *sorted(glob.glob(os.path.join("crates", "*", "src"), root_dir=ROOT))]
    found = (os.path.join(ROOT, place, path) for place in places)
    return next(filter(os.path.exists, found), None)


def problem(path, names):
    """What is wrong with a reference; `None` if nothing is."""
    place = find(path)
    if place is None:
        return f"no file {path}"
    if names:
        if not os.path.isfile(place):
            return f"{path} is no file that could define {names[-1]}"
        with open(place, encoding="utf-8") as file:
            text = file.read()
        for name in names:
            if not re.search(DEFINITION.format(re.escape(name)), text):
                return f"no definition of {name} in {path}"
    return None


def main():
    checked, problems = 0, []
    for document in DOCUMENTS:
        for number, path, names in references(document):
            checked += 1
            found = problem(path, names)
            if found:
                problems.append(f"{document}:{number}: {found}")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{checked} references to files and names hold")


main()
