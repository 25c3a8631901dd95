#!/usr/bin/env python3
"""Judgement of the connections of all kernel tests, both ends of each.

    kernel.py run       runs the kernel tests with a watch over their namespaces (as root)
    kernel.py report    prints the table of docs/judge.md, and the verdicts that nobody has explained

`run` ends with the report too. Exit status 1: there are verdicts that `habits.toml` does not explain. Everything made lies in
`target/judged` of the workspace.
"""

import collections
import os
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
WORK = ROOT / "target" / "judged"

# What has tests with the kernel: a name, and the arguments of cargo test.
SUITES = [
    ("stack and kernel (`ackclock-host`)", ["-p", "ackclock-host", "--test", "kernel"]),
    ("sockets (`ackclock-net`)", ["-p", "ackclock-net", "--test", "tun", "--test", "queues"]),
    ("command (`ackclock-cli`)", ["-p", "ackclock-cli", *(word for test in (
        "tun", "ways", "proxy", "fast_open", "signatures", "queues", "kernel_service", "small_internet", "trace",
    ) for word in ("--test", test))]),
    ("programs", ["-p", "ackclock-programs", "--tests"]),
]
PLACES = {
    "here": "this machine: Linux, or a stack over raw sockets",
    "behind-tun": "a stack behind a TUN device",
    "afar": "behind another interface",
    "through": "behind this machine, which forwards",
}


def run():
    WORK.mkdir(parents=True, exist_ok=True)
    for number, (name, arguments) in enumerate(SUITES):
        file = WORK / f"{number}.tsv"
        file.unlink(missing_ok=True)
        environment = os.environ | {"ACKCLOCK_JUDGED": str(file), "ACKCLOCK_REQUIRE_KERNEL_TESTS": "1"}
        print(name, flush=True)
        subprocess.run(["cargo", "test", *arguments], cwd=ROOT, env=environment, check=True)


def pairs(text):
    """`name=count` items, separated by commas."""
    return {name: int(count) for name, count in (item.split("=") for item in text.split(",") if item)}


def explained(habits, test, place, sentence):
    """The habit that explains a verdict, if one does."""
    return next((habit for habit in habits
                 if place in habit["places"] and sentence in habit["sentences"]
                 and test.startswith(tuple(habit.get("tests", [""])))), None)


def report():
    habits = tomllib.loads((HERE / "habits.toml").read_text())["habit"]
    news, by_habit, missed = [], collections.Counter(), 0
    print("| tests | end | connections | segments judged | cannot tell | verdicts: Linux | verdicts: capture |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    totals = collections.Counter()
    for number, (name, _) in enumerate(SUITES):
        file = WORK / f"{number}.tsv"
        rows = collections.defaultdict(collections.Counter)
        for line in file.read_text().splitlines() if file.exists() else []:
            if line.startswith("!"):
                test, place, sentence, verdict = line[1:].split("\t")
                if not explained(habits, test, place, sentence):
                    news.append((test, place, verdict))
                continue
            test, place, connections, judged, dropped, unknown, counts = line.split("\t")
            row = rows[place]
            row["connections"] += int(connections)
            row["judged"] += int(judged)
            row["unknown"] += sum(pairs(unknown).values())
            missed += int(dropped) if place == "here" else 0
            for sentence, count in pairs(counts).items():
                habit = explained(habits, test, place, sentence)
                if habit:
                    row[habit["kind"]] += count
                    by_habit[", ".join(habit["sentences"]) + ": " + habit["reason"]] += count
        for place, row in sorted(rows.items(), key=lambda item: list(PLACES).index(item[0])):
            share = 100 * row["unknown"] / max(row["unknown"] + row["judged"], 1)
            print(f"| {name} | {PLACES[place]} | {row['connections']:,} | {row['judged']:,} | {share:.1f} % "
                  f"| {row['Linux']:,} | {row['capture']:,} |")
            totals.update(row)
    print(f"\n{totals['connections']:,} ends of connections, {totals['judged']:,} segments; "
          f"{missed:,} packets were not captured for want of room.\n")
    for text, count in by_habit.most_common():
        print(f"- {count:,} of {text}")
    for test, place, verdict in news:
        print(f"not explained: {test}, {place}: {verdict}")
    return 1 if news else 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in ("run", "report"):
        sys.exit(__doc__)
    if sys.argv[1] == "run":
        run()
    sys.exit(report())
