//! `first_finding FIRST..END [--skip FILE] [--all] [--twins]`: the first finding of these seeds, in their order, on one thread.
//!
//! Findings are not made smaller. FILE names seeds to leave out. With `--all` no finding ends it, and each seed has a
//! line that begins with its number of segments. With `--twins` every seed that oracles of one run judge is run again without
//! the predicted road afterwards, which must be the same in every packet.
//!
//! | exit code | line | what |
//! | --- | --- | --- |
//! | 0 | `clean: N seeds, N segments, digest D` | nothing; the digest is of every packet of all runs |
//! | 5 | `SEED: ORACLE: TEXT` | an oracle found something |
//!
//! The mutants of the stack (`crates/ackclock-judge/mutants`) run it.

use ackclock_swarm::{Case, case_of, judge};
use std::collections::HashSet;
use std::ops::Range;
use std::process::ExitCode;

/// What the command line asks for.
#[derive(Default)]
struct Options {
    seeds: Range<u64>,
    skip: HashSet<u64>,
    all: bool,
    twins: bool,
}

fn options() -> Result<Options, String> {
    let mut options = Options::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let number = |text: &str| text.trim().parse().map_err(|_| format!("{text}: no number"));
        match argument.as_str() {
            "--all" => options.all = true,
            "--twins" => options.twins = true,
            "--skip" => {
                let file = arguments.next().ok_or("--skip wants a file")?;
                let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
                options.skip = text.lines().map(number).collect::<Result<_, _>>()?;
            }
            seeds => {
                let (first, end) = seeds.split_once("..").ok_or("write seeds as 0..1000")?;
                options.seeds = number(first)?..number(end)?;
            }
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    let Options { seeds, skip, all, twins } = match options() {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::from(64);
        }
    };
    std::panic::set_hook(Box::new(|_| {}));
    let (mut count, mut segments, mut digest, mut code) = (0_u64, 0, 0_u64, 0);
    let seeds = seeds.filter(|seed| !skip.contains(seed));
    let cases = seeds.clone().map(|seed| (seed, case_of(seed)));
    let twins = seeds.filter(|_| twins).map(|seed| (seed, case_of(seed)));
    let twins = twins.filter(|(_, case)| case.oracle.is_none()).map(|(seed, case)| {
        (seed, Case { oracle: Some("indifference:prediction".into()), ..case })
    });
    for (seed, case) in cases.chain(twins) {
        let verdict = judge(&case);
        (count, segments) = (count + 1, segments + verdict.segments);
        digest = digest.rotate_left(1) ^ verdict.digest;
        if all {
            println!("{} segments: seed {seed}", verdict.segments);
        }
        if let Some(finding) = verdict.finding {
            println!("{seed}: {}: {}", finding.oracle, finding.text);
            code = 5;
            if !all {
                return ExitCode::from(code);
            }
        }
    }
    if code == 0 {
        println!("clean: {count} seeds, {segments} segments, digest {digest:016x}");
    }
    ExitCode::from(code)
}
