#!/usr/bin/env python3
"""Runs the images in QEMU against the TCP of this machine's kernel. Needs root; each case has a
network namespace of its own, and no packet leaves the machine.
"""

import argparse
import json
import multiprocessing
import os
import sys
import time
import traceback

import cases
import limits
from machine import MACHINES
from network import enter_namespace

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
IMAGES = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
DEFAULT = list(MACHINES)
# Where images are that are not in the folder of their target.
FOLDERS = {"an500": os.path.join("an500", "thumbv7em-none-eabihf")}
# A Cortex-M0 is not there to be fast, and a Cortex-M7 runs as fast as an M4 in the emulator.
SPEEDS = [target for target in MACHINES if target not in ("thumbv6m-none-eabi", "an500")]
CASE_SECONDS = 120
# Each speed is the best of so many runs, of so many seconds each: whatever else the machine does slows
# a run down.
ROUNDS, SECONDS = 5, 0.7
LOSSY_ROUNDS, LOSSY_SECONDS = 3, 1.5


def isolated(function, *arguments):
    """Starts a function in a process and a network namespace of its own; returns what waits for its
    result."""
    ours, theirs = multiprocessing.Pipe()

    def work():
        os.setpgrp()
        enter_namespace()
        begin = time.monotonic()
        try:
            result = function(*arguments)
            theirs.send((result, time.monotonic() - begin, None))
        except Exception:
            theirs.send((None, time.monotonic() - begin, traceback.format_exc()))

    process = multiprocessing.Process(target=work)
    process.start()

    def wait():
        if not ours.poll(CASE_SECONDS):
            os.killpg(process.pid, 9)
            return None, CASE_SECONDS, "it takes too long"
        answer = ours.recv()
        process.join()
        return answer

    return wait


def measure(lab, function, count, seconds):
    """Best speeds of our image and of smoltcp's, taken in turns."""
    rounds = [
        [isolated(function, lab, image, seconds)() for image in (cases.OURS, cases.THEIRS)]
        for _ in range(count)
    ]
    problems = [problem for pair in rounds for _, _, problem in pair if problem]
    if problems:
        raise AssertionError(problems[0])
    return {
        name: [max(pair[side][0][name] for pair in rounds) for side in range(2)]
        for name in rounds[0][0][0]
    }


def with_stacks(case, lab):
    """What a case finds out, and how deep the stacks of its images were."""
    found = case(lab) or {}
    return found | lab.stacks


def merge(found, more):
    """The deepest stack of all cases is the one that counts."""
    for name, value in more.items():
        found[name] = max(found[name], value) if name in found else value


def check(labs):
    """The functional cases; returns what they found out for each lab, and whether all is well."""
    found, well = [{} for _ in labs], True
    # Those that mostly wait go on beside all others.
    slow = [(lab, case, isolated(with_stacks, case, lab)) for lab in labs for case in cases.SLOW]
    quick = [(lab, case) for lab in labs for case in cases.QUICK if cases.applies(case, lab)]
    for lab, case, wait in [*((*pair, None) for pair in quick), *slow]:
        result, seconds, problem = (wait or isolated(with_stacks, case, lab))()
        verdict = "FAILED" if problem else "ok"
        name = case.__name__.replace("_", " ")
        print(f"{lab.target:30} {name:20} {verdict:6} {seconds:6.1f} s", flush=True)
        if problem:
            print(problem, flush=True)
            well = False
        merge(found[labs.index(lab)], result or {})
    return found, well


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", help="write what was found out to this file")
    parser.add_argument("--only", choices=["checks", "speeds"])
    parser.add_argument("--images", default=IMAGES, help="the target folder of cargo")
    parser.add_argument("targets", nargs="*", default=DEFAULT, metavar="TARGET")
    arguments = parser.parse_args()
    labs = [
        cases.Lab(target, os.path.join(arguments.images, FOLDERS.get(target, target), "release"))
        for target in arguments.targets
    ]
    results, well = [{"sizes": lab.sizes()} for lab in labs], True
    if arguments.only != "speeds":
        found, well = check(labs)
        for result, facts in zip(results, found):
            result["found"] = facts
    for lab, result in zip(labs, results):
        if arguments.only != "checks" and lab.target in SPEEDS:
            result["speeds"] = measure(lab, cases.speed, ROUNDS, SECONDS)
            lossy = measure(lab, cases.speed_with_loss, LOSSY_ROUNDS, LOSSY_SECONDS)
            result["speeds"] |= lossy
        print(f"\n{lab.target}")
        show(result)
        for problem in limits.problems(lab.target, result):
            print(f"  FAILED: {problem}")
            well = False
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(dict(zip(arguments.targets, results)), file, indent=1)
    sys.exit(not well)


def show(result):
    for name, sizes in result["sizes"].items():
        print(f"  {name:18}", ", ".join(f"{kind} {size:6,} B" for kind, size in sizes.items()))
    for what, value in result.get("found", {}).items():
        print(f"  {what}: {value}")
    for name, (ours, theirs) in result.get("speeds", {}).items():
        ratio = ours / max(theirs, 1e-3)
        print(f"  {name:32} {ours:7.1f}, smoltcp {theirs:7.1f}, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
