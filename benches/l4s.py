#!/usr/bin/env python3
"""Makes docs/l4s_figures.md anew: what L4S gets behind a coupled dual queue (RFC 9332), and CUBIC without one.

    benches/l4s.py [COMMAND]     COMMAND: a built ackclock, else `cargo run --release`

Runs examples/experiments/rfc9332.toml and rfc9332_drop_tail.toml with all their seeds. The figures are of
virtual time, so they do not depend on the machine. Takes some minutes.
"""

import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join("docs", "l4s_figures.md")
FILES = ("rfc9332.toml", "rfc9332_drop_tail.toml")
HEAD = """# Figures of L4S

Made by `benches/l4s.py`; [congestion.md](congestion.md#l4s) says what they mean. Means of ten seeds, with the least
and the most; 60 s each, after 10 s. A ratio is the rate of the first flow over that of the second; delays are the 99th
percentile of the time until a packet is put on the line, in milliseconds.
"""


def run(command):
    """The results of both experiments, by their names."""
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join("examples", "experiments", name) for name in FILES]
        subprocess.run([*command, "lab", "run", *files, "--out", folder], cwd=ROOT, check=True)
        with open(os.path.join(folder, "results.json"), encoding="utf-8") as file:
            return json.load(file)


def spread(values, scale):
    """Mean, least and most."""
    mean, *ends = (value / scale for value in (sum(values) / len(values), min(values), max(values)))
    return f"{mean:.2f} ({ends[0]:.2f} to {ends[1]:.2f})"


def rows(samples, measures):
    """A row for each variant: its name, and each measure over all seeds."""
    for variant, seeds in samples.items():
        cells = [spread([values[name] for values in seeds.values()], scale) for name, _, scale in measures]
        yield [f"`{variant or 'as it is'}`", *cells]


def table(samples, measures):
    heads = ["variant", *(head for _, head, _ in measures)]
    lines = [heads, ["---", *("---:" for _ in measures)], *rows(samples, measures)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main():
    results = run(sys.argv[1:] or ["cargo", "run", "--quiet", "--release", "--"])
    parts = [HEAD]
    for name, measures in (
        ("rfc9332.coexistence", (
            ("ratio", "ratio", 1), ("first_rate", "first, Mbit/s", 1e6), ("second_rate", "second, Mbit/s", 1e6),
            ("first_delay", "delay of the first", 1), ("second_delay", "delay of the second", 1),
            ("utilisation", "utilisation", 1),
        )),
        ("rfc9332.drop_tail", (("rate", "Mbit/s", 1e6), ("delay", "delay", 1))),
    ):
        samples = next(it for it in results["experiments"] if it["id"] == name)["samples"]
        parts.append(f"## {name}\n\n{table(samples, measures)}\n")
    with open(os.path.join(ROOT, PAGE), "w", encoding="utf-8") as page:
        page.write("\n".join(parts))


main()
