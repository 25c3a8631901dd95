#!/usr/bin/env python3
"""Counts the places of an image from which the code can panic, by function of the source.

    panics.py IMAGE [--write]

They may only become fewer: the number for each function is in panics.txt. With --write it is brought
up to date.
"""

import collections
import os
import re
import subprocess
import sys

BASELINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "panics.txt")
# Ours and nobody's business to panic.
NEVER = re.compile(r"^crates/ackclock/src/(tcp|congestion|stack|wire|storage|link)/")
# What never returns, and is called where something is wrong.
PANIC = re.compile(
    r"core::panicking|core::option::(unwrap|expect)_failed|core::result::unwrap_failed"
    r"|core::cell::panic|::(slice_index_fail|len_mismatch_fail|do_panic|panic_const)\b"
    r"|core::slice::index::slice_|core::str::slice_error_fail|_fail(ed)?(::|$)"
)
OUTLINED = re.compile(r"^(OUTLINED_FUNCTION|core::|<core::|<u\d+>::|<usize>::)")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
JUMP = re.compile(r"^\s*([0-9a-f]+):\s+b[a-z.]*\s+[0-9a-f]+ <(.*)>$")


def call_sites(image):
    """Addresses of calls of what panics, in functions that are not themselves of that kind."""
    text = subprocess.run(
        ["arm-none-eabi-objdump", "-d", "-C", "--no-show-raw-insn", image],
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
    if "/library/" in path:
        return None
    for pattern in (r".*/(crates/.*)", r".*/(examples/firmware/.*)", r".*/registry/src/[^/]*/(.*)"):
        if found := re.match(pattern, path):
            return re.sub(r"-\d[^/]*(?=/)", "", found[1])
    return path


def count(image):
    sites = call_sites(image)
    if not sites:
        return collections.Counter()
    answer = subprocess.run(
        ["arm-none-eabi-addr2line", "-e", image, "-a", "-i", "-f", "-C", *map(hex, sites)],
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


def main():
    image, *rest = sys.argv[1:]
    found = count(image)
    if rest == ["--write"]:
        with open(BASELINE, "w", encoding="utf-8") as file:
            file.writelines(f"{number} {function}\n" for function, number in sorted(found.items()))
    with open(BASELINE, encoding="utf-8") as file:
        allowed = {name: int(number) for number, name in (line.strip().split(" ", 1) for line in file)}
    well = True
    for function, number in sorted(found.items()):
        if number > allowed.get(function, 0):
            print(f"{function}: {number} places can panic, {allowed.get(function, 0)} could before")
            well = False
    for function in sorted(set(allowed)):
        if found.get(function, 0) < allowed[function]:
            print(f"{function}: fewer than {allowed[function]} now; say so with --write")
            well = False
    ours = sum(number for function, number in found.items() if NEVER.match(function))
    print(f"{sum(found.values())} places can panic, {ours} of them in ackclock's core")
    sys.exit(not well)


if __name__ == "__main__":
    main()
