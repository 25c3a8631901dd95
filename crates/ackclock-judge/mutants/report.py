"""What came of the mutants: who killed how many, and why others survive.

`equivalent.toml` has those that nobody can kill, `survivors.toml` the reasons of the others.
"""

import tomllib
from pathlib import Path

import lot

HERE = Path(__file__).resolve().parent


def reasons(file):
    """Reasons by the names of mutants, those by lot by their numbers, from the tables of a file beside this one."""
    tables = tomllib.loads((HERE / file).read_text())
    return {name: (kind, reason) for kind, table in tables.items() for name, reason in table.items()}


def key(number, mutant):
    """What the tables call a mutant."""
    return number if int(number) > 1000 else mutant["name"]


def show(mutants, state, tells_unseen):
    """Prints the table of docs/judge.md, and below it each mutant that survives; the unseen ones if asked for."""
    equivalent, surviving = reasons("equivalent.toml"), reasons("survivors.toml")
    keys = {number: key(number, mutant) for number, mutant in mutants.items()}
    for name in sorted((equivalent.keys() | surviving.keys()) - set(keys.values())):
        print(f"no such mutant any more: {name}")
    groups = [("that break a named sentence (the judge alone)", 1, 1000),
              ("by lot over the core's lines", 1000, lot.UNSEEN), ("by lot, not looked at before", lot.UNSEEN, 9999)]
    print("| mutants | of them | equivalent | killed by the judge | by the gauntlet's other oracles "
          "| by the swarm | survive | of these no packet is different |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    details = []
    for title, low, high in groups:
        counts = dict.fromkeys(("equivalent", "judge", "others", "swarm", "survived", "not run"), 0)
        numbers = [n for n in mutants if low <= int(n) < high]
        unchanged = 0
        for number in numbers:
            result, mutant = state.get(number, {"outcome": "not run", "line": ""}), mutants[number]
            outcome = result["outcome"]
            # With the judge alone other oracles do not count.
            outcome = "survived" if outcome.startswith("survived") else outcome
            killed = outcome not in ("survived", "not run")
            if killed and keys[number] in equivalent:
                print(f"not equivalent, killed: {number}")
            if not killed and keys[number] in equivalent:
                outcome = "equivalent"
            counts[outcome if outcome in counts else "others"] += 1
            if outcome == "survived":
                unchanged += result.get("unchanged", False)
            if outcome in ("survived", "not run") and (low < lot.UNSEEN or tells_unseen):
                kind, reason = surviving.get(keys[number], ("", "no reason is known"))
                details.append(f"{outcome}: {number} {mutant['file']}: {mutant['what']}: {kind}: {reason} "
                               f"[{result['line'][:120]}]")
        counted = len(numbers) - counts["equivalent"]
        share = lambda count: f"{count} ({100 * count / max(counted, 1):.0f} %)" if count else "0"
        print(f"| {title} | {len(numbers)} | {counts['equivalent']} | {share(counts['judge'])} "
              f"| {share(counts['others'])} | {share(counts['swarm'])} | {share(counts['survived'])} | {unchanged} |"
              + (f" not run: {counts['not run']}" if counts["not run"] else ""))
    print("\n".join(details))
