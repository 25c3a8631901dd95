#!/usr/bin/env python3
"""The table of docs/papers.md: every number that a paper prints and the laboratory measures, with its
verdict, why it has none, and the mutants that turn it red. From the results of a run:

    ackclock lab run all --out report
    docs/papers_table.py report/results.json            says what is not told, and whether the page has another
                                                        table; exits 1 if anything is so
    docs/papers_table.py report/results.json --write    writes the table into docs/papers.md

Of several files the experiments of the later ones count.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/papers.md"
TURNED = ROOT / "crates/ackclock-lab/turned.json"
BEGIN, END = "<!-- table of all numbers: docs/papers_table.py -->", "<!-- end of the table -->"


def family(quantity):
    """A quantity without its numbers, as the laboratory has it: mutants are tried in quick runs."""
    return re.sub(r"\d[\d.]*", "#", quantity)


def number(value):
    """Four digits at most, but all before the point."""
    if abs(value) >= 1000:
        return f"{value:.0f}"
    text = f"{value:.3f}" if abs(value) < 10 else f"{value:.4g}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def measured(finding):
    spread = finding["measured"]
    if finding["tolerance"] == "holds":
        return "so" if spread["median"] == 1 else "not so"
    middle, least, most = (number(spread[key]) for key in ("median", "least", "most"))
    return middle if least == most else f"{middle} ({least} to {most})"


def cell(text):
    return " ".join(str(text).replace("|", "/").split())


def shortened(text, width=70):
    text = cell(text)
    return text if len(text) <= width else text[: width - 1].rsplit(" ", 1)[0] + " ..."


def mutants_of(turned, experiment, quantity):
    of = turned.get(experiment, {})
    if quantity in of:
        return of[quantity]
    alike = [names for each, names in of.items() if family(each) == family(quantity)]
    return sorted({name for names in alike for name in names})


def main():
    files = [argument for argument in sys.argv[1:] if argument != "--write"]
    runs = [json.loads(pathlib.Path(file).read_text()) for file in files]
    experiments = {each["id"]: each for run in runs for each in run["experiments"]}
    turned = json.loads(TURNED.read_text())
    counts = {"holds": 0, "fails": 0, "misses": 0, "reported": 0}
    lines, untold = [], []
    for identity, experiment in experiments.items():
        for finding in experiment["findings"] or []:
            if finding["paper"] is None:
                continue
            verdict, quantity = finding["verdict"], finding["quantity"]
            counts[verdict] += 1
            mutants = mutants_of(turned, identity, quantity)
            if verdict in ("misses", "reported") and not finding["note"]:
                untold.append(f"{identity}: {quantity}: {verdict}, and why is not told")
            if verdict in ("holds", "fails") and not mutants:
                untold.append(f"{identity}: {quantity}: judged, and no mutant turns it")
            judged = verdict in ("holds", "fails")
            why = verdict if judged else f"{verdict}: {cell(finding['note'] or '')}"
            turning = ", ".join(mutants[:3]) + (f" and {len(mutants) - 3} more" if len(mutants) > 3 else "")
            columns = (f"`{identity}`", quantity, shortened(finding["paper"]), measured(finding), why,
                       turning if judged else "")
            lines.append("| " + " | ".join(map(cell, columns)) + " |")
    judged = counts["holds"] + counts["fails"]
    run = "`lab run all --quick`" if runs[0]["quick"] else "`lab run all`"
    head = (f"Of {run}. {len(lines)} rows have a number or a claim of a paper beside what was measured: {judged} are judged, of "
            f"which {counts['fails']} fail, {counts['misses']} miss as is told, {counts['reported']} are reported "
            "only.\n\n| experiment | quantity | paper | measured | verdict, or why there is none | turned by |\n"
            "| --- | --- | --- | --- | --- | --- |\n")
    print(head.split("\n")[0])
    print("\n".join(untold))
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    made = before + BEGIN + "\n" + head + "\n".join(lines) + "\n" + END + after
    if "--write" in sys.argv:
        PAGE.write_text(made)
    elif made != page:
        untold.append(f"{PAGE.relative_to(ROOT)} has another table: write it with --write")
        print(untold[-1])
    return 1 if untold else 0


if __name__ == "__main__":
    sys.exit(main())
