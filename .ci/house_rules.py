"""Checks the rules of CONTRIBUTING.md that no other tool knows. Prints one line per problem."""

import os
import re
import sys

sys.dont_write_bytecode = True
import import_cycles
import ratchets

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SKIPPED = {".git", "target", "corpus-work", "artifacts"}
LONGEST_FILE = 600  # lines

# Crates in which no modules of one folder import each other in a circle. The others have circles yet:
# 'python3 .ci/import_cycles.py crates/ackclock-host' shows those of a crate.
ONE_WAY = ["capi", "cli", "fuzz", "net", "smoltcp-peer", "testkit", "trace"]

# Absolute paths that exist on one machine only.
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:root|work|home/\w+|Users/\w+)/")
# Tests that do not run, and code that is not there.
UNFINISHED = re.compile(r"#\[ignore|\b(?:todo|unimplemented)!\(")


def files():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        for name in sorted(set(names) - SKIPPED):
            yield os.path.relpath(os.path.join(folder, name), ROOT)


def problems(path):
    try:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            lines = file.read().splitlines()
    except UnicodeDecodeError:
        return  # not text
    if path.endswith((".rs", ".py", ".sh")) and len(lines) > LONGEST_FILE:
        yield f"{path}: {len(lines)} lines; split it, {LONGEST_FILE} is the limit"
    for number, line in enumerate(lines, 1):
        if MACHINE_PATH.search(line):
            yield f"{path}:{number}: a path of one machine"
        if path.endswith(".rs") and UNFINISHED.search(line):
            yield f"{path}:{number}: unfinished code or an ignored test"


found = [problem for path in files() for problem in problems(path)]
for name in ONE_WAY:
    found += import_cycles.problems(f"crates/ackclock-{name}", ROOT)
found += ratchets.problems()
print("\n".join(found) if found else "house rules hold")
sys.exit(bool(found))
