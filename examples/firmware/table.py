#!/usr/bin/env python3
"""Writes the tables of docs/embedded.md from what harness/run.py --json found out.

table.py RESULTS.json
"""

import json
import os
import sys

DOCUMENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "embedded.md")
BEGIN, END = "<!-- tables: made by examples/firmware/table.py -->\n", "<!-- end of tables -->\n"


def rows(head, lines):
    yield "| " + " | ".join(head) + " |"
    yield "| " + " | ".join(["---"] + ["---:"] * (len(head) - 1)) + " |"
    for line in lines:
        yield "| " + " | ".join(str(cell) for cell in line) + " |"
    yield ""


def sizes(results):
    for target, result in results.items():
        for name, size in result["sizes"].items():
            stack = result.get("found", {}).get(f"stack of {name}", "")
            total = size["data"] + size["bss"] + stack if stack else ""
            connection = size.get("connection", "")
            row = size["text"], size["data"], size["bss"], stack, total, connection
            yield f"{target}: {name}", *row


def speeds(results):
    for target, result in results.items():
        for name, (ours, theirs) in result.get("speeds", {}).items():
            yield f"{target}: {name}", f"{ours:.1f}", f"{theirs:.1f}", f"{ours / theirs:.2f}"


def shortfalls(results):
    """Where the wish for speed is missed: as fast as smoltcp, and three times as fast with losses."""
    for label, _, _, ratio in speeds(results):
        if float(ratio) < (3 if "lost" in label else 1):
            yield f"{label} ({ratio})"


def wish(results):
    missed = "; ".join(shortfalls(results))
    verdict = f"It is **missed** by: {missed}." if missed else "It is met everywhere."
    return f"The aim is a ratio of at least 1, and of at least 3 where 2 % are lost. {verdict}\n"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        results = json.load(file)
    lines = [
        "Sizes in bytes.\n",
        *rows(["image", "text", "data", "bss", "deepest stack", "RAM in all", "a connection"], sizes(results)),
        *rows(["speed", "ackclock", "smoltcp", "ratio"], speeds(results)),
        wish(results),
    ]
    with open(DOCUMENT, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN)
    after = rest.split(END)[1]
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + after)


if __name__ == "__main__":
    main()
