#!/usr/bin/env python3
"""Finds the normative sentences of an RFC, and prints them as the beginning of its list.

    docs/sentences/extract.py rfc6298.txt > docs/sentences/rfc6298.toml

The text is as the RFC Editor publishes it, or the Markdown source of a draft (`.md`). Each sentence
comes with its section, its level and the state `unchecked`; who adds an RFC then reads each of them,
says what is so, and throws out what only looks like one (`--lower` finds requirements in lower case
too, of which an older RFC has many and means few). `--against LIST` compares a list with the text
instead: which quotes are no longer there word by word, and which sentences the list does not have.
"""

import argparse
import os
import re
import sys
import tomllib

LEVELS = (
    "MUST NOT", "SHALL NOT", "SHOULD NOT", "NOT RECOMMENDED", "MAY NOT", "MUST", "SHALL", "SHOULD",
    "RECOMMENDED", "REQUIRED", "MAY", "OPTIONAL",
)
# Which of several levels in one sentence it is listed under: the strictest.
RANK = ("MUST", "MUST NOT", "REQUIRED", "SHALL", "SHALL NOT", "SHOULD", "SHOULD NOT", "RECOMMENDED",
        "NOT RECOMMENDED", "MAY", "MAY NOT", "OPTIONAL")
UPPER = re.compile(r"\b(" + "|".join(LEVELS).replace(" ", r"\s+") + r")\b(?!-\d)")
LOWER = re.compile(UPPER.pattern, re.IGNORECASE)
NUMBERED = re.compile(r"\b((?:MUST|SHLD|MAY|REC)-\d+)\b")
NUMBERED_LEVELS = {"SHLD": "SHOULD", "REC": "RECOMMENDED"}
HEADING = re.compile(r"^(?:Appendix )?((?:\d+|[A-Z])(?:\.\d+)*)\.?\s+(\S.*)$")
MARKDOWN_HEADING = re.compile(r"^(#+)\s+(.*?)(?:\s*\{#.*\})?$")
FURNITURE = re.compile(r"^\S.*\[Page \d+\]\s*$|^RFC \d+\s{2,}\S.*\d{4}\s*$|^Internet-Draft\s.*\d{4}\s*$")
BULLET = re.compile(r"^\s*(?:o|\*|-|\+|\(?\d{1,2}[.)]|\(\w{1,2}\)|\([\d.]+\)|[A-Za-z]\.\d?[.)]?)\s+\S")
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|cf|vs|etc|al|Fig|Sec|Eq|resp|No|approx)|\b[A-Z])\.$")
END = re.compile(r"[.?!][\"')\]]*(?=\s+[\"'(\[]*[A-Z0-9])")


def lines_of(text):
    """The lines without what only a printed page needs; None, once, where a page ended."""
    rows = []
    for line in text.replace("\r", "").split("\n"):
        if "\f" in line or FURNITURE.match(line):
            while rows and not rows[-1]:
                rows.pop()
            rows.append(None)
        elif line.strip() or (rows and rows[-1] is not None):
            rows.append(line.rstrip())
    return rows


def paragraphs(lines):
    """Sections and paragraphs: ("heading", number, title) and ("text", sentence material)."""
    parts, broken = [], False

    def flush():
        nonlocal parts
        if parts and not parts[0].startswith(("|", "+-", "+=")):
            yield "text", re.sub(r"(?<=\w-) ", "", " ".join(parts))
        parts = []

    for line in lines:
        if line is None:
            broken = True
            continue
        # What another RFC says stands behind a bar; a table ends with one.
        line = re.sub(r"^(\s+)\|(?:  (?=.*[^|]$)|\s*$)", r"\1", line)
        heading = HEADING.match(line)
        if heading and not line.startswith(" "):
            yield from flush()
            broken = False
            yield "heading", heading[1], heading[2]
        elif not line.strip():
            yield from flush()
        else:
            # A page may end within a paragraph.
            if broken and parts and re.search(r"[.:?!;]['\")\]]*$", parts[-1]):
                yield from flush()
            elif BULLET.match(line) and not (parts and parts[-1].endswith("-")):
                yield from flush()
            broken = False
            parts.append(line.strip())
    yield from flush()


def markdown_paragraphs(text):
    """The same of a draft's source: headings are counted."""
    counters, parts, fenced, body = [], [], False, False
    for line in text.split("\n"):
        heading = MARKDOWN_HEADING.match(line)
        if line.startswith("~~~") or line.startswith("```") or line.strip() == "$$":
            fenced = not fenced
            continue
        if line.startswith("--- middle"):
            body = True
        if not body or fenced:
            continue
        if heading or not line.strip() or re.match(r"^\s*[-*] ", line):
            if parts:
                yield "text", " ".join(parts)
            parts = []
        if heading:
            depth = len(heading[1])
            counters = counters[:depth] + [0] * (depth - len(counters))
            counters[depth - 1] += 1
            yield "heading", ".".join(map(str, counters)), heading[2]
        elif line.strip():
            parts.append(without_markup(line.strip()))
    if parts:
        yield "text", " ".join(parts)


def without_markup(line):
    """What a reader of the draft sees: `*cwnd<sub>prior</sub>*` is cwnd_prior."""
    line = re.sub(r"\{\{\{(\S+?)\}\{?\}?\}\}", r"\1", line)
    line = re.sub(r"\{\{[!?]?([\w.-]+)(?:[^}]*)\}\}", r"[\1]", line)
    line = re.sub(r"<sub>(\w+)</sub>", r"_\1", line)
    return line.replace("*", "")


def sentences(text):
    """A paragraph cut after each sentence."""
    start = 0
    for end in END.finditer(text):
        if ABBREVIATION.search(text[: end.start() + 1]):
            continue
        yield text[start : end.end()].strip()
        start = end.end()
    yield text[start:].strip()


def clean(text):
    """In one line, without the bullet."""
    return re.sub(r"^(?:o|\*|-|\+) ", "", re.sub(r"\s+", " ", text).strip())


def level_of(sentence, pattern):
    found = [re.sub(r"\s+", " ", m[1]).upper() for m in pattern.finditer(sentence)]
    return min(found, key=RANK.index) if found else None


def pieces_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    return markdown_paragraphs(text) if path.endswith(".md") else paragraphs(lines_of(text))


def extract(path, lower):
    """The sections, and of each normative sentence section, level, numbers and quote."""
    pattern = LOWER if lower else UPPER
    section, sections, found = "0", [], []
    for piece in pieces_of(path):
        if piece[0] == "heading":
            section = piece[1]
            if section not in sections:
                sections.append(section)
            continue
        for sentence in map(clean, sentences(piece[1])):
            if "key words" in sentence.lower() or "keywords" in sentence.lower():
                continue
            level, numbers = level_of(sentence, pattern), NUMBERED.findall(sentence)
            if numbers and not level:
                kind = numbers[0].split("-")[0]
                level = NUMBERED_LEVELS.get(kind, kind)
            if level:
                found.append((section, level, numbers, sentence))
    return sections, found


def wrapped(text, width=100):
    rows = [""]
    for word in text.split(" "):
        if rows[-1] and len(rows[-1]) + 1 + len(word) > width:
            rows.append("")
        rows[-1] += (" " if rows[-1] else "") + word
    return "\n".join(rows)


def listed(sentence, ordinal):
    section, level, numbers, quote = sentence
    rows = ["[[sentence]]", f'id = "{section}#{ordinal}"', f'level = "{level}"']
    if numbers:
        rows.append("number = [" + ", ".join(f'"{n}"' for n in numbers) + "]")
    escaped = wrapped(quote).replace("\\", "\\\\").replace('"""', '""\\"')
    rows += [f'quote = """\n{escaped}"""', 'state = "unchecked"']
    return "\n".join(rows)


def compare(path, list_path, lower):
    with open(list_path, "rb") as file:
        entries = tomllib.load(file)["sentence"]
    text = clean(" ".join(piece[1] for piece in pieces_of(path) if piece[0] == "text"))
    quotes = [clean(entry["quote"]) for entry in entries]
    for entry, quote in zip(entries, quotes):
        if quote not in text:
            print(f"{entry['id']}: not in the text: {quote[:70]}")
    for section, level, _, quote in extract(path, lower)[1]:
        if quote not in quotes:
            print(f"section {section}: not listed: {level}: {quote[:90]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("text")
    parser.add_argument("--lower", action="store_true", help="requirements in lower case too")
    parser.add_argument("--against", metavar="LIST", help="compare a list with the text")
    options = parser.parse_args()
    if options.against:
        return compare(options.text, options.against, options.lower)
    sections, found = extract(options.text, options.lower)
    number = re.search(r"\d{3,5}", os.path.basename(options.text))
    print(f"rfc = {number[0] if number else 0}")
    print('title = ""')
    print("sections = [" + ", ".join(f'"{section}"' for section in sections) + "]")
    ordinals = {}
    for sentence in found:
        ordinals[sentence[0]] = ordinals.get(sentence[0], 0) + 1
        print("\n" + listed(sentence, ordinals[sentence[0]]))


if __name__ == "__main__":
    sys.exit(main())
