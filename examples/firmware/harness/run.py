#!/usr/bin/env python3
"""Runs the images in QEMU against the TCP of this machine's kernel. Needs root; each case has a
network namespace of its own, and no packet leaves the machine.

    run.py [--json FILE] TARGET=FOLDER...

TARGET is as in machine.py, FOLDER has its images.
"""

import argparse
import json
import multiprocessing
import os
import statistics
import sys
import time
import traceback

import cases
from network import enter_namespace

CASE_SECONDS = 120
# Each speed is the median of so many runs, of so many seconds each.
ROUNDS, SECONDS, LOSSY_SECONDS = 3, 1.0, 3.0


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


def measure(lab, function, seconds):
    """Median speeds of our image and of smoltcp's, taken in turns."""
    rounds = [
        [isolated(function, lab, image, seconds)() for image in (cases.OURS, cases.THEIRS)]
        for _ in range(ROUNDS)
    ]
    problems = [problem for pair in rounds for _, _, problem in pair if problem]
    if problems:
        raise AssertionError(problems[0])
    return {
        name: [statistics.median(pair[side][0][name] for pair in rounds) for side in range(2)]
        for name in rounds[0][0][0]
    }


def check(lab):
    """The functional cases, two at a time; returns what they found out, and whether all is well."""
    found, well = {}, True
    waiting = list(cases.FUNCTIONAL)
    running = []
    while waiting or running:
        while waiting and len(running) < 2:
            case = waiting.pop(0)
            running.append((case, isolated(case, lab)))
        # The first case takes long; the others pass it by.
        case, wait = running.pop(-1)
        result, seconds, problem = wait()
        print(f"  {case.__name__.replace('_', ' '):24} {'FAILED' if problem else 'ok':6} {seconds:6.1f} s", flush=True)
        if problem:
            print(problem, flush=True)
            well = False
        found.update(result or {})
    return found, well


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    parser.add_argument("--only", choices=["checks", "speeds"])
    parser.add_argument("images", nargs="+", metavar="TARGET=FOLDER")
    arguments = parser.parse_args()
    results, well = {}, True
    for pair in arguments.images:
        target, folder = pair.split("=", 1)
        lab = cases.Lab(target, folder)
        print(target, flush=True)
        result = {"sizes": {name: lab.image(name).sizes() for name in cases.SIZED}}
        if arguments.only != "speeds":
            result["found"], passed = check(lab)
            well &= passed
        if arguments.only != "checks":
            result["speeds"] = measure(lab, cases.speed, SECONDS) | measure(lab, cases.speed_with_loss, LOSSY_SECONDS)
        results[target] = result
        show(result)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    sys.exit(not well)


def show(result):
    for name, sizes in result["sizes"].items():
        print(f"  {name:24}", *(f"{kind} {size:7,}" for kind, size in sizes.items()))
    for what, value in result.get("found", {}).items():
        print(f"  {what}: {value}")
    for name, (ours, theirs) in result.get("speeds", {}).items():
        print(f"  {name:24} {ours:7.1f} Mbit/s, smoltcp {theirs:7.1f} Mbit/s, ratio {ours / theirs:.2f}")
    print(flush=True)


if __name__ == "__main__":
    main()
