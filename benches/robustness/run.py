#!/usr/bin/env python3
"""Attacks `ackclock serve` and the kernel's TCP, and writes the table of docs/robustness.md.

`sudo benches/robustness/run.py [NAME...]` runs all attacks or those that are named, each in network
namespaces of its own, against the release build, and against the kernel's TCP. `--before PROGRAM`
attacks that build instead. What is measured replaces what `results.json` had, and the table is written
from there. `--list` names the attacks; `--table` only writes the table. It needs root, ip, ethtool and
/dev/net/tun. Nothing leaves the namespaces.
"""

import argparse
import json
import os
import platform
import sys

import subjects
from attacks import ATTACKS

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
RESULTS = os.path.join(FOLDER, "results.json")
PAGE = os.path.join(ROOT, "docs", "robustness.md")
BEGIN, END = "<!-- table -->\n", "<!-- end of the table -->\n"
COLUMNS = {"before": "before", "now": "now", "linux": "Linux"}


def victim(column, world, name, program):
    _, _, service, _, way = ATTACKS[name]
    if column == "linux":
        return subjects.Kernel(world, service)
    options = ["--offload", "off"] if way == "no offload" else []
    return subjects.Ours(world, service, program, options, packet=way == "packet")


def measure(column, name, program):
    """Runs one attack against one victim."""
    with subjects.World() as world, victim(column, world, name, program) as subject:
        before = subject.memory()
        result = subjects.attack(world, name, ATTACKS[name][3])
        if subject.process.poll() is not None:
            result["result"] += "; the victim has ended"
        elif before:
            now, most = subject.memory()
            result["megabytes"] = {"before": before[0], "after": now, "most": most}
    return result


def cell(result):
    if not result:
        return "–"
    memory = result.get("megabytes")
    grown = memory and memory["most"] - memory["before"] >= 1
    return result["result"] + (f"; {memory['most']:,.0f} MB" if grown else "")


def table(results):
    """The table, with the conditions under which each column was measured."""
    lines = ["| attack | " + " | ".join(COLUMNS.values()) + " |", "| --- |" + " --- |" * len(COLUMNS)]
    for name, (_, title, *_) in ATTACKS.items():
        cells = [cell(results.get(column, {}).get(name)) for column in COLUMNS]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    rates = [f"{results[column]['syn-flood']['syns_per_second']:,} ({text})"
             for column, text in COLUMNS.items() if "syns_per_second" in
             results.get(column, {}).get("syn-flood", {})]
    machine = results.get("machine", {})
    lines += ["", f"Linux is {machine.get('kernel')}, on {machine.get('processors')} processors, which the "
              f"attacker, the clients and the victim share. The flood had {', '.join(rates)} SYNs per second."]
    return "\n".join(lines) + "\n"


def write(results):
    with open(RESULTS, "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1, sort_keys=True)
        file.write("\n")
    with open(PAGE, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN)
    after = rest.split(END)[1]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + table(results) + END + after)


def read():
    try:
        with open(RESULTS, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="attacks; all if none is named")
    parser.add_argument("--before", metavar="PROGRAM", help="attack this build, for the first column")
    parser.add_argument("--program", default=os.path.join(ROOT, "target", "release", "ackclock"))
    parser.add_argument("--only", choices=COLUMNS, action="append", help="fill this column only")
    parser.add_argument("--list", action="store_true", help="name the attacks")
    parser.add_argument("--table", action="store_true", help="measure nothing, write the table")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    subjects.raise_limit()
    if options.serve:
        return subjects.serve(options.serve)
    if options.inside:
        return print(json.dumps(ATTACKS[options.inside][0]()))
    if options.list:
        return print("\n".join(f"{name:20} {title}" for name, (_, title, *_) in ATTACKS.items()))
    unknown = set(options.names) - set(ATTACKS)
    if unknown:
        sys.exit(f"no such attack: {', '.join(unknown)}; --list names them")
    results = read()
    if not options.table:
        results["machine"] = {"kernel": platform.release().split("-")[0], "processors": os.cpu_count()}
        columns = options.only or (["before"] if options.before else ["now", "linux"])
        for name in options.names or ATTACKS:
            for column in columns:
                program = os.path.abspath(options.before or options.program)
                result = measure(column, name, program)
                results.setdefault(column, {})[name] = result
                print(f"{name:20} {COLUMNS[column]:8} {cell(result)}", flush=True)
                write(results)
    write(results)


if __name__ == "__main__":
    main()
