#!/usr/bin/env python3
"""Mutants of the stack, and how many of them the judge kills.

    mutants.py check              whether the core still has the places of the named ones
    mutants.py build              copies the tree, puts all mutants into the copy, and builds it once
    mutants.py run [--jobs N] [--only ID,...] [--survivors] [--judge-alone]
                                  runs the gauntlet with each mutant, and the swarm with those by lot that pass it,
                                  until something is wrong or for 60 s of one core
    mutants.py report             what was killed by whom, and what survived

Each mutant is a branch in the copy, taken if `ACKCLOCK_MUTANT` is its number. Those of `named.toml` (1 and up)
each break one sentence of an RFC in one place. Those by lot (1001 and up) were drawn over the lines of the core
with the operators of cargo-mutants, those from 1121 on with another seed; `drawn.json` keeps them, and without
it `build` draws anew. Everything made lies in
`target/mutants` of the workspace; `run` goes on where it was stopped.
"""

import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import lot
import report

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
WORK = ROOT / "target" / "mutants"
DRAWN = HERE / "drawn.json"
TREE = WORK / "tree"
SCRIPTS = WORK / "scripts"
STATE = WORK / "state.json"
BUILT = WORK / "built.json"
SKIPPED = WORK / "skipped.txt"
SKIPPED_SEEDS = WORK / "skipped-seeds.txt"
CRATES = [
    "ackclock", "ackclock-judge", "ackclock-emulator", "ackclock-testkit", "ackclock-smoltcp-peer", "ackclock-swarm",
]
CORE = Path("crates/ackclock/src")
EXAMPLES = WORK / "build/release/examples"
# Copies, so that a build does not change what runs.
RUNS = WORK / "runs"
GAUNTLET = RUNS / "gauntlet"
SWARM = RUNS / "first_finding"
PLAYED = RUNS / "scripts"
# Of one core, in all, and for the gauntlet, which the stack itself passes in some three.
SECONDS = 60
GAUNTLET_SECONDS = 30
# Of the swarm, without the few seeds that take most of the time: some 10 s of the stack itself.
SEEDS = "0..600"
MOST_SEGMENTS = 10_000
MEMORY = 4 << 30

# Which mutant runs: a number from the environment, read once. The judge, and whoever writes the peer's packets,
# shares the reading of headers with the stack, and must not share its mutants.
MODULE = """
/// The mutant that runs.
#[allow(missing_docs)]
pub mod mutant {
    use core::cell::Cell;
    use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

    const UNREAD: u32 = u32::MAX;
    static CHOSEN: AtomicU32 = AtomicU32::new(UNREAD);
    std::thread_local! {
        static PAUSED: Cell<bool> = const { Cell::new(false) };
    }

    #[inline(always)]
    pub fn is(number: u32) -> bool {
        let chosen = CHOSEN.load(Relaxed);
        (chosen == number || chosen == UNREAD) && is_now(number)
    }

    #[cold]
    fn is_now(number: u32) -> bool {
        let mut chosen = CHOSEN.load(Relaxed);
        if chosen == UNREAD {
            chosen = std::env::var("ACKCLOCK_MUTANT").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
            CHOSEN.store(chosen, Relaxed);
        }
        chosen == number && !PAUSED.get()
    }

    #[derive(Debug)]
    pub struct Pause(bool);

    pub fn pause() -> Pause {
        Pause(PAUSED.replace(true))
    }

    impl Drop for Pause {
        fn drop(&mut self) {
            PAUSED.set(self.0);
        }
    }
}
"""

# Functions that run without a mutant: they judge, or are another host.
PAUSED = {
    "crates/ackclock-judge/src/judge.rs": ["on_sent", "on_received", "on_call", "on_time", "finish"],
    "crates/ackclock-testkit/src/script/conversation.rs": ["read", "write", "write_error"],
    "crates/ackclock-swarm/src/host/liar.rs": ["tell"],
    "crates/ackclock-emulator/src/network/router.rs": ["complain"],
}

# What the tests of the testkit check is written to files first.
DUMP = """
pub fn check(script: &str) {
    if let Ok(folder) = std::env::var("ACKCLOCK_SCRIPTS") {
        use std::hash::{Hash, Hasher};
        let mut hasher = std::hash::DefaultHasher::new();
        script.hash(&mut hasher);
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("script").replace("::", ".");
        let path = format!("{folder}/{name}.{:08x}.txt", hasher.finish() as u32);
        std::fs::write(path, script).expect("a folder for scripts");
    }
"""


def fail(text):
    sys.exit(f"mutants.py: {text}")


class Mutant:
    """A change of one place: `number`, what it breaks, and the new text of a span of a file."""

    def __init__(self, number, name, file, start, end, render, what, closed=False):
        self.number, self.name, self.file = number, name, file
        self.start, self.end, self.render, self.what = start, end, render, what
        self.closed = closed  # There can be no other mutant within it.

    def digest(self):
        return hashlib.sha256(f"{self.file}:{self.render('ORIGINAL')}".encode()).hexdigest()[:16]


def form(number, original, mutated, raw):
    """How the mutated text is chosen: as statements, as an expression, or as the text says itself."""
    chosen = f"crate::mutant::is({number})"
    if raw:
        return lambda text: mutated.replace("{is}", chosen).replace("{original}", text)
    if original.rstrip().endswith((";", "}")) and not original.lstrip().startswith("("):
        return lambda text: f"if {chosen} {{ {mutated} }} else {{ {text} }}"
    return lambda text: f"(if {chosen} {{ {mutated} }} else {{ {text} }})"


def named(sources):
    """The mutants of named.toml."""
    mutants = []
    table = tomllib.loads((HERE / "named.toml").read_text())
    seen = set()
    for number, entry in enumerate(table["mutant"], 1):
        name, file, original = entry["id"], entry["file"], entry["from"].strip("\n")
        if name in seen:
            fail(f"{name}: twice")
        seen.add(name)
        text = sources.get(file)
        if text is None:
            fail(f"{name}: no file {file}")
        where = entry.get("in", original)
        if text.count(where) != 1:
            fail(f"{name}: {where!r} occurs {text.count(where)} times in {file}")
        if where.count(original) != 1:
            fail(f"{name}: {original!r} occurs {where.count(original)} times in its place")
        start = text.index(where) + where.index(original)
        render = form(number, original, entry["to"].strip("\n"), entry.get("raw", False))
        closed, end = entry.get("raw", False), start + len(original)
        mutants.append(Mutant(number, name, file, start, end, render, entry["breaks"], closed))
    return mutants


def by_lot(sources, out):
    """The mutants by lot but those that were taken out: those that were drawn before, or new ones."""
    if DRAWN.exists():
        return [of_place(number, str(number), place) for number, place in lot.drawn_before(sources, DRAWN)]
    mutants = []
    for first, seed, count in lot.DRAWS:
        number = first
        for place in lot.draw(sources, seed):
            if number >= first + count:
                break
            if place.key() not in out:
                mutants.append(of_place(number, place.key(), place))
                number += 1
    return mutants


def of_place(number, name, place):
    def render(text):
        return place.render(f"crate::mutant::is({number})", text)

    return Mutant(number, name, place.file, place.start, place.end, render, place.what)


def rewrite(text, mutants):
    """The text with the mutants in it, the inner ones within the outer ones' originals."""
    mutants = sorted(mutants, key=lambda m: (m.start, -m.end, m.number))

    def within(start, end, those):
        parts, at, index = [], start, 0
        while index < len(those):
            outer = those[index]
            inner = []
            index += 1
            while index < len(those) and those[index].start < outer.end:
                if those[index].end > outer.end:
                    fail(f"{outer.name} and {those[index].name} overlap")
                inner.append(those[index])
                index += 1
            parts.append(text[at : outer.start])
            parts.append(outer.render(within(outer.start, outer.end, inner)))
            at = outer.end
        parts.append(text[at:end])
        return "".join(parts)

    return within(0, len(text), mutants)


def without_overlaps(mutants):
    """Mutants by lot that overlap others in part are left out."""
    kept = []
    for mutant in mutants:
        crosses = any(
            other.file == mutant.file
            and other.start < mutant.end
            and mutant.start < other.end
            and not (other.start <= mutant.start and mutant.end <= other.end)
            and not (mutant.start <= other.start and other.end <= mutant.end)
            for other in kept
        )
        crosses |= any(
            other.closed and other.file == mutant.file
            and other.start <= mutant.start and mutant.end <= other.end
            for other in kept
        )
        if crosses and mutant.number > 1000:
            yield mutant
        else:
            kept.append(mutant)


def patch(path, change):
    text = path.read_text()
    changed = change(text)
    if changed == text:
        fail(f"{path}: nothing to patch")
    path.write_text(changed)


def put_if_new(source, target):
    """Copies a file if it differs, so that cargo builds no more than it must."""
    if isinstance(source, str):
        data = source.encode()
    else:
        data = source.read_bytes()
    if not target.exists() or target.read_bytes() != data:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def copy_tree(files):
    """The crates that the gauntlet needs; `files` replaces what they say."""
    known = set()
    for crate in CRATES:
        base = ROOT / "crates" / crate
        for source in sorted(base.rglob("*")):
            if not source.is_file() or "mutants" in source.parts[len(base.parts) :]:
                continue
            place = source.relative_to(ROOT)
            known.add(str(place))
            put_if_new(files.get(str(place), source), TREE / place)
    for old in (TREE / "crates").rglob("*"):
        if old.is_file() and str(old.relative_to(TREE)) not in known:
            old.unlink()


def manifest():
    text = (ROOT / "Cargo.toml").read_text()
    members = ", ".join(f'"crates/{crate}"' for crate in CRATES)
    text = re.sub(r"members = \[.*?\]", f"members = [{members}]", text, count=1, flags=re.S)
    text = re.sub(r"default-members = \[.*?\]\n", "", text, count=1, flags=re.S)
    text = text[: text.index("[profile.release]")]
    return text + '[profile.release]\nopt-level = 2\ncodegen-units = 16\ndebug-assertions = false\n'


def patches():
    """What is different in the copy besides the mutants, by file."""
    files = {}
    lib = (ROOT / CORE / "lib.rs").read_text()
    files[str(CORE / "lib.rs")] = lib + MODULE
    for crate in ["ackclock", "ackclock-emulator"]:
        text = (ROOT / "crates" / crate / "Cargo.toml").read_text()
        text = re.sub(r"\[dev-dependencies\]\n.*?\n(?=\[)", "", text, count=1, flags=re.S)
        text = re.sub(r"\[\[example\]\]\n.*?\n(?=\[)", "", text, count=1, flags=re.S)
        files[f"crates/{crate}/Cargo.toml"] = text
    for file, functions in PAUSED.items():
        text = (ROOT / file).read_text()
        for function in functions:
            pattern = rf"( *pub(?:\(crate\))? fn {function}\([^{{]*\{{\n)"
            text, count = re.subn(pattern, r"\1        let _pause = ackclock::mutant::pause();\n", text)
            if count != 1:
                fail(f"{file}: {count} functions {function}")
        files[file] = text
    script = ROOT / "crates/ackclock-testkit/src/script/mod.rs"
    files["crates/ackclock-testkit/src/script/mod.rs"] = script.read_text().replace(
        "\npub fn check(script: &str) {\n", DUMP
    )
    return files


def sources():
    """The core's files that can have mutants, by their path."""
    base = ROOT / CORE
    return {str(path.relative_to(base)): path.read_text() for path in sorted(base.rglob("*.rs"))}


def cargo(*words, **options):
    environment = dict(os.environ, CARGO_TARGET_DIR=str(WORK / "build"), CARGO_INCREMENTAL="0", RUSTFLAGS="-Awarnings")
    environment.update(options.pop("env", {}))
    return subprocess.run(["cargo", *words], cwd=TREE, env=environment, **options)


def blamed(output, mutants):
    """The mutants at which the compiler's errors point."""
    numbers = {mutant.number for mutant in mutants}
    found, unexplained = set(), []
    for line in output.splitlines():
        message = json.loads(line).get("message") if line.startswith("{") else None
        if not isinstance(message, dict) or message.get("level") != "error":
            continue
        here = set()
        for span in message["spans"]:
            path = TREE / span["file_name"]
            if not path.is_file():
                continue
            lines = path.read_text().splitlines()
            text = "\n".join(lines[span["line_start"] - 1 : span["line_end"]])
            here |= {int(n) for n in re.findall(r"mutant::is\((\d+)\)", text)} & numbers
            if not here:
                text = "\n".join(lines[max(0, span["line_start"] - 4) : span["line_end"] + 2])
                here |= {int(n) for n in re.findall(r"mutant::is\((\d+)\)", text)} & numbers
        code = (message.get("code") or {}).get("code")
        if not here and code == "E0004":
            # An arm of the match that begins there.
            span = next(span for span in message["spans"] if span["is_primary"])
            lines = (TREE / span["file_name"]).read_text().splitlines()
            text = "\n".join(lines[span["line_start"] - 1 : span["line_start"] + 120])
            arms = {mutant.number for mutant in mutants if "match arm deleted" in mutant.what}
            here |= {int(n) for n in re.findall(r"mutant::is\((\d+)\)", text)} & arms
        found |= here
        if not here:
            unexplained.append(message.get("rendered", "?"))
    return found, unexplained


def build(_arguments):
    WORK.mkdir(parents=True, exist_ok=True)
    files, texts = patches(), sources()
    out = set()
    (TREE).mkdir(parents=True, exist_ok=True)
    put_if_new(manifest(), TREE / "Cargo.toml")
    put_if_new(ROOT / "Cargo.lock", TREE / "Cargo.lock")
    for _attempt in range(30):
        mutants = named(texts) + by_lot(texts, out)
        crossing = list(without_overlaps(mutants))
        if crossing:
            out |= {mutant.name for mutant in crossing}
            continue
        changed = {}
        for file in {mutant.file for mutant in mutants}:
            place = str(CORE / file)
            text = rewrite(texts[file], [mutant for mutant in mutants if mutant.file == file])
            changed[place] = text
        lib = str(CORE / "lib.rs")
        changed[lib] = changed.get(lib, texts["lib.rs"]) + MODULE
        copy_tree({**files, **changed})
        checked = cargo(
            "check", "--release", "-p", "ackclock", "--message-format=json",
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        if checked.returncode == 0:
            break
        wrong, unexplained = blamed(checked.stdout, mutants)
        breakers = [mutant for mutant in mutants if mutant.number in wrong]
        named_ones = [mutant.name for mutant in breakers if mutant.number < 1000]
        if named_ones:
            fail(f"do not compile: {', '.join(named_ones)}\n{rendered(checked.stdout)}")
        for mutant in breakers:
            print(f"taken out, does not compile: {mutant.name}", flush=True)
            out.add(mutant.name)
        if not wrong:
            fail("the copy does not compile:\n" + "\n".join(unexplained) + checked.stderr[-2000:])
    else:
        fail("too many mutants do not compile")
    for crate, example in [("ackclock-judge", "gauntlet"), ("ackclock-swarm", "first_finding")]:
        if cargo("build", "--release", "-p", crate, "--example", example).returncode:
            fail(f"{example} does not build")
    dump_scripts()
    if not DRAWN.exists():
        lot.keep(texts, mutants, DRAWN)
    table = {
        str(mutant.number): {
            "name": mutant.name, "file": mutant.file, "what": mutant.what, "digest": mutant.digest(),
        }
        for mutant in mutants
    }
    BUILT.write_text(json.dumps({"mutants": table, "taken_out": sorted(out)}, indent=1))
    print(f"built: {len(table)} mutants, {len(out)} of the draw taken out")


def rendered(output):
    messages = [json.loads(line).get("message") for line in output.splitlines() if line[:1] == "{"]
    errors = [m["rendered"] for m in messages if isinstance(m, dict) and m.get("level") == "error"]
    return "\n".join(errors[:40])


def dump_scripts():
    """Every script that the testkit's tests check, as a file."""
    shutil.rmtree(SCRIPTS, ignore_errors=True)
    SCRIPTS.mkdir(parents=True)
    for script in (HERE / "scripts").glob("*.txt"):
        shutil.copy(script, SCRIPTS / f"own.{script.name}")
    # The build stays that of the gauntlet: the tests only write their scripts.
    cargo(
        "test", "--release", "-q", "-p", "ackclock-testkit", "--test", "scripts",
        env={"ACKCLOCK_SCRIPTS": str(SCRIPTS), "ACKCLOCK_MUTANT": "0"},
        stdout=(WORK / "testkit.log").open("w"),
    )
    print(f"{len(list(SCRIPTS.iterdir()))} scripts")


OUTCOMES = {0: "survived", 1: "judge", 2: "panic", 3: "hang", 4: "bytes", 5: "swarm", 6: "numbers"}


def play(number, words, seconds):
    """Runs a program with a mutant; its outcome and its last line."""

    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 2))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.nice(5)

    environment = dict(os.environ, ACKCLOCK_MUTANT=str(number))
    try:
        done = subprocess.run(
            [str(word) for word in words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            preexec_fn=limits, timeout=20 * SECONDS,
        )
        code, lines = done.returncode, done.stdout.decode(errors="replace").splitlines()
    except subprocess.TimeoutExpired as late:
        code, lines = -signal.SIGXCPU, (late.stdout or b"").decode(errors="replace").splitlines()
    outcome = OUTCOMES.get(code, "time" if code in (-signal.SIGXCPU, -signal.SIGKILL) else "crash")
    return outcome, (lines or [""])[-1][:400]


def one(number, judge_alone):
    """Runs one mutant: its outcome, what was said last, and the seconds that it took."""
    began, used = time.monotonic(), used_by_children()
    words = [GAUNTLET, "--scripts", PLAYED, "--skip", SKIPPED] + ["--judge-alone"] * judge_alone
    outcome, line = play(number, words, GAUNTLET_SECONDS)
    if judge_alone and outcome in ("panic", "hang", "bytes", "numbers"):
        outcome = f"survived the judge, not {outcome}"
    if outcome == "survived" and not judge_alone:
        left = max(1, round(SECONDS - (used_by_children() - used)))
        outcome, found = play(number, [SWARM, SEEDS, "--twins", "--skip", SKIPPED_SEEDS], left)
        if outcome == "time":
            # It may be slow only.
            outcome, found = "survived", "no seed in time"
        line = f"{line}; {found}"
    return {"outcome": outcome, "line": line, "seconds": round(time.monotonic() - began, 1)}


def used_by_children():
    """Seconds of a core; with several jobs at a time too many."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def skip_what_the_stack_does_not_pass():
    """What the unmutated stack does not pass cannot tell a mutant from it."""
    environment = dict(os.environ, ACKCLOCK_MUTANT="0")
    words = [str(GAUNTLET), "--scripts", str(PLAYED), "--all"]
    done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    names = [line.split("ms  ", 1)[1] for line in done.stdout.splitlines() if "ms  " in line]
    bad = [line for line in done.stdout.splitlines() if line.startswith(FAULTS)]
    skipped = [name for name in names if any(f": {name}: " in line for line in bad)]
    SKIPPED.write_text("\n".join(skipped))
    for line in bad:
        print(f"the stack itself: {line[:160]}", flush=True)
    words = [str(SWARM), SEEDS, "--all", "--twins"]
    done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    skipped = []
    for line in done.stdout.splitlines():
        first, _, rest = line.partition(": ")
        if first.isdigit():
            skipped.append(first)
            print(f"the stack itself: seed {line[:160]}", flush=True)
        elif first.endswith(" segments") and int(first.split()[0]) > MOST_SEGMENTS:
            skipped.append(rest.split()[-1])
    SKIPPED_SEEDS.write_text("\n".join(skipped))


FAULTS = ("judge: ", "panic: ", "hang: ", "bytes: ", "numbers: ")


def load():
    return json.loads(STATE.read_text()) if STATE.exists() else {}


def run(arguments):
    mutants = json.loads(BUILT.read_text())["mutants"]
    state = load()
    RUNS.mkdir(exist_ok=True)
    for program in (GAUNTLET, SWARM):
        program.unlink(missing_ok=True)
        shutil.copy(EXAMPLES / program.name, program)
    shutil.rmtree(PLAYED, ignore_errors=True)
    shutil.copytree(SCRIPTS, PLAYED)
    skip_what_the_stack_does_not_pass()
    result = one(0, False)
    print(f"without a mutant: {result}", flush=True)
    state["0"] = {**result, "digest": ""}
    if result["outcome"] != "survived":
        fail("the stack itself does not pass")
    wanted, equivalent = [], report.reasons("equivalent.toml")
    for number, mutant in mutants.items():
        if report.key(number, mutant) in equivalent and not arguments.equivalents:
            continue
        known = state.get(number)
        is_known = known and known["digest"] == mutant["digest"]
        if arguments.only:
            continue
        elif not is_known or (arguments.survivors and known["outcome"] != "judge"):
            wanted.append(number)
    for each in arguments.only.split(",") if arguments.only else []:
        wanted += [number for number, mutant in mutants.items() if each in (number, mutant["name"])]
    if arguments.seen:
        wanted = [number for number in wanted if int(number) < lot.UNSEEN]

    def take(number):
        # What breaks a sentence the judge has to see by itself.
        judge_alone = arguments.judge_alone or int(number) < 1000
        result = one(int(number), judge_alone)
        mutant = mutants[number]
        name = mutant["name"] if int(number) < lot.UNSEEN else "unseen"
        shown = result["line"][:150] if int(number) < lot.UNSEEN else ""
        print(f"{number:>5} {result['outcome']:9} {result['seconds']:6} s  {name}  {shown}", flush=True)
        # Every run had as many segments, and in the swarm the same ones, as without a mutant.
        unchanged = result["line"] == state["0"]["line"]
        state[number] = {**result, "digest": mutant["digest"], "unchanged": unchanged}
        STATE.write_text(json.dumps(state, indent=1))

    with ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(take, wanted))


def check(_arguments):
    """Looks all places up; the named ones must be there, and of those by lot it says which are not."""
    texts = sources()
    print(f"{len(named(texts))} named mutants and {len(by_lot(texts, set()))} by lot have their places")


def show(arguments):
    report.show(json.loads(BUILT.read_text())["mutants"], load(), arguments.unseen)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    commands.add_parser("check").set_defaults(call=check)
    commands.add_parser("build").set_defaults(call=build)
    running = commands.add_parser("run")
    running.add_argument("--jobs", type=int, default=1)
    running.add_argument("--only")
    running.add_argument("--survivors", action="store_true", help="once more what the judge did not kill")
    running.add_argument("--judge-alone", action="store_true", help="also for mutants by lot")
    running.add_argument("--equivalents", action="store_true", help="equivalent ones too")
    running.add_argument("--seen", action="store_true", help="leave the unseen ones out")
    running.set_defaults(call=run)
    reporting = commands.add_parser("report")
    reporting.add_argument("--unseen", action="store_true", help="tell the unseen ones' survivors too")
    reporting.set_defaults(call=show)
    arguments = parser.parse_args()
    arguments.call(arguments)


if __name__ == "__main__":
    main()
