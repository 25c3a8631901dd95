#!/usr/bin/env python3
"""The table of docs/papers.md of what the papers would have seen with today's TCP: the headline quantities of each
experiment in which this stack sends, with the paper's TCP and with those of today. From the results of a sweep:

    ackclock lab run all --quick --seeds 1 --sweep tcp=paper,today,today-bbr --out today
    docs/papers_today.py today/results.json             says whether the page has another table; exits 1 if so
    docs/papers_today.py today/results.json --write     writes the table into docs/papers.md

Of a run that was stopped early no table is made.
"""

import json
import pathlib
import statistics
import sys

from papers_table import PAGE, ROOT, number

BEGIN, END = "<!-- table of today: docs/papers_today.py -->", "<!-- end of the table of today -->"
TCPS = ("paper", "today", "today-bbr")
# Of each experiment, as many as a reader can take in.
QUANTITIES = 2
VARIANTS = 4


def medians(samples):
    """Medians of each quantity over the seeds, by variant without its tcp, by tcp."""
    found = {}
    for name, seeds in samples.items():
        words = name.split(" ")
        tcp = next((word[4:] for word in words if word.startswith("tcp=")), None)
        variant = " ".join(word for word in words if not word.startswith("tcp=")) or "as stated"
        of = {}
        for sample in seeds.values():
            for quantity, value in sample.items():
                of.setdefault(quantity, []).append(value)
        found.setdefault(variant, {})[tcp] = {key: statistics.median(values) for key, values in of.items()}
    return found


def rows(experiment):
    """Rows of an experiment."""
    variants = list(medians(experiment["samples"]).items())
    # From all over the list: neighbours differ least.
    for variant, of in variants[:: max(1, -(-len(variants) // VARIANTS))]:
        quantities = [each for each in experiment["headline"] if all(each in of.get(tcp, {}) for tcp in TCPS)]
        for quantity in quantities[:QUANTITIES]:
            values = " | ".join(number(of[tcp][quantity]) for tcp in TCPS)
            words = quantity.replace("_", " ")
            yield f"| `{experiment['id']}` | {experiment['shows']} | {variant} | {words} | {values} |"


def main():
    files = [argument for argument in sys.argv[1:] if argument != "--write"]
    if len(files) != 1:
        sys.exit(__doc__)
    run = json.loads(pathlib.Path(files[0]).read_text())
    missing = [f"{experiment['id']} ({experiment['missing_jobs']})" for experiment in run["experiments"]
               if experiment["missing_jobs"]]
    if missing:
        sys.exit(f"runs are missing of {', '.join(missing)}: let `ackclock lab run` go on to its end")
    lines = [row for experiment in run["experiments"] for row in rows(experiment)]
    head = ("| experiment | shows | variant | quantity | the paper's TCP | today's, CUBIC | today's, BBR |\n"
            "| --- | --- | --- | --- | --- | --- | --- |\n")
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    made = before + BEGIN + "\n" + head + "\n".join(lines) + "\n" + END + after
    if "--write" in sys.argv:
        PAGE.write_text(made)
    elif made != page:
        print(f"{PAGE.relative_to(ROOT)} has another table: write it with --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
