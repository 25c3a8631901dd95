#!/usr/bin/env python3
"""Counts the places of all images from which the code can panic, by function of the source.

    panics.py [--write] [TARGET...]

They may only become fewer: the number for each function of each image is in panics.txt, which --write
brings up to date. In the core and in the library for C there is none.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BASELINE = os.path.join(HERE, "panics.txt")
IMAGES = os.environ.get("CARGO_TARGET_DIR", os.path.join(HERE, "..", "..", "target"))
NAMES = ["echo", "echo-least", "services", "client"]
# What the tools for a target are called, and its images: `c-all` has all that the library for C has.
TARGETS = {
    "thumbv6m-none-eabi": ("arm-none-eabi-", NAMES),
    "thumbv7m-none-eabi": ("arm-none-eabi-", [*NAMES, "embassy-echo", "c-echo", "c-all"]),
    "thumbv7em-none-eabihf": ("arm-none-eabi-", NAMES),
    "riscv32imac-unknown-none-elf": ("riscv64-unknown-elf-", NAMES),
}
# Ours and nobody's business to panic.
NEVER = re.compile(r"\bcrates/ackclock(-capi)?/src/")
# What never returns, and is called where something is wrong.
PANIC = re.compile(
    r"core::panicking|core::option::(unwrap|expect)_failed|core::result::unwrap_failed"
    r"|core::cell::panic|::(slice_index_fail|len_mismatch_fail|do_panic|panic_const)\b"
    r"|core::slice::index::slice_|core::str::slice_error_fail|_fail(ed)?(::|$)"
)
OUTLINED = re.compile(r"^(OUTLINED_FUNCTION|core::|<core::|<u\d+>::|<usize>::)")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
JUMP = re.compile(r"^\s*([0-9a-f]+):\s+[bj]\S*\s.*?[0-9a-f]+ <(.*)>$")


def call_sites(tools, image):
    """Addresses of calls of what panics, in functions that are not themselves of that kind."""
    text = subprocess.run(
        [tools + "objdump", "-d", "-C", "--no-show-raw-insn", image],
        check=True, capture_output=True, text=True,
    ).stdout
    calls, function = [], ""
    for line in text.splitlines():
        if begin := FUNCTION.match(line):
            function = begin[1]
        elif jump := JUMP.match(line):
            address, callee = jump.groups()
            # A jump within a function is none to another one.
            if not callee.startswith(function + "+"):
                calls.append((int(address, 16), function, callee))
    panics = {callee for _, _, callee in calls if PANIC.search(callee)}
    # What the library or the compiler made a function panics for whoever calls it.
    while more := {f for _, f, callee in calls if callee in panics and OUTLINED.match(f)} - panics:
        panics |= more
    return [address for address, f, callee in calls if callee in panics and f not in panics]


def origin(path):
    """A path that is the same on every machine; none for the library."""
    if "/rust/library/" in path or path.startswith("/rustc/"):
        return None
    for pattern in (r".*/(crates/.*)", r".*/(examples/firmware/.*)", r".*/registry/src/[^/]*/(.*)"):
        if found := re.match(pattern, path):
            return re.sub(r"-\d[^/]*(?=/)", "", found[1])
    return path


def count(tools, image):
    with tempfile.TemporaryDirectory() as folder:
        # Labels within a function are no functions.
        clean = os.path.join(folder, "image")
        command = [tools + "objcopy", "--wildcard", "--strip-symbol=.L*", image, clean]
        subprocess.run(command, check=True)
        return count_clean(tools, clean)


def count_clean(tools, image):
    sites = call_sites(tools, image)
    if not sites:
        return collections.Counter()
    answer = subprocess.run(
        [tools + "addr2line", "-e", image, "-a", "-i", "-f", "-C", *map(hex, sites)],
        check=True, capture_output=True, text=True,
    ).stdout
    functions = collections.Counter()
    for frames in re.split(r"^0x[0-9a-f]+\n", answer, flags=re.M)[1:]:
        lines = frames.splitlines()
        for name, place in zip(lines[::2], lines[1::2]):
            path = origin(place.rsplit(":", 1)[0])
            if path is not None:
                functions[f"{path} {name}"] += 1
                break
        else:
            functions["the library " + lines[0]] += 1
    return functions


def read():
    with open(BASELINE, encoding="utf-8") as file:
        lines = [line.strip().split(" ", 1) for line in file]
    return {place: int(number) for number, place in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="bring panics.txt up to date")
    parser.add_argument("targets", nargs="*", default=list(TARGETS), metavar="TARGET")
    arguments = parser.parse_args()
    found = {}
    for target in arguments.targets:
        tools, names = TARGETS[target]
        for name in names:
            counted = count(tools, os.path.join(IMAGES, target, "release", name))
            print(f"{target}: {name}: {counted.total()} places can panic")
            found |= {f"{target} {name} {place}": number for place, number in counted.items()}
    # Other targets are not looked at.
    others, allowed = {}, {}
    for place, number in read().items():
        (allowed if place.split(" ")[0] in arguments.targets else others)[place] = number
    if arguments.write:
        allowed = found
        with open(BASELINE, "w", encoding="utf-8") as file:
            places = sorted((others | found).items())
            file.writelines(f"{number} {place}\n" for place, number in places)
    well = True
    for place in sorted(found.keys() | allowed.keys()):
        now, before = found.get(place, 0), allowed.get(place, 0)
        if now > before:
            print(f"{place}: {now} places can panic, {before} could before")
        elif now < before:
            print(f"{place}: fewer than {before} now; say so with --write")
        elif NEVER.search(place):
            print(f"{place}: it must not panic at all")
        else:
            continue
        well = False
    sys.exit(not well)


if __name__ == "__main__":
    main()
