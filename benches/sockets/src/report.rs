//! How it is told: a JSON line for each run, and for each case a table of medians and ratios, once more as
//! JSON lines.

use crate::cases::{Case, Figure};
use crate::contestants::{ALL, Contestant, IPSTACK, NETSTACK};
use serde_json::json;

const BENCH: &str = "sockets";

/// The figures of the rounds of one contestant; `None` where it failed.
pub type Rounds = Vec<Option<Vec<f64>>>;

/// Prints a run.
pub fn tell(case: &str, contestant: &Contestant, round: usize, run: &std::io::Result<Vec<f64>>) {
    let mut line = json!({
        "bench": BENCH, "case": case, "contender": contestant.name, "round": round,
    });
    match run {
        Ok(figures) => line["figures"] = json!(figures),
        Err(error) => line["failed"] = json!(error.to_string()),
    }
    println!("{line}");
}

/// Prints what the rounds of all contestants come to.
pub fn conclude(case: &Case, name: &str, all: &[Rounds]) {
    let of = |name: &str| ALL.iter().position(|contestant| contestant.name == name);
    for (contestant, rounds) in ALL.iter().zip(all) {
        let mut cells = Vec::new();
        for (at, Figure { name, ratios }) in case.figures.iter().enumerate() {
            let values = rounds.iter().flatten().map(|figures| figures[at]).collect();
            cells.push((name.to_string(), median(values)));
            let references = [contestant.run_loop, IPSTACK, NETSTACK];
            let short = ["the run loop", IPSTACK, NETSTACK];
            for (reference, short) in references.iter().zip(short).filter(|_| *ratios) {
                let others = of(reference).map_or(&[][..], |at| &all[at][..]);
                let pairs = rounds.iter().zip(others).filter_map(|(one, other)| {
                    Some(one.as_ref()?[at] / other.as_ref()?[at])
                });
                cells.push((format!("times {short}"), median(pairs.collect())));
            }
        }
        let failed = rounds.iter().filter(|round| round.is_none()).count();
        let line = json!({
            "bench": BENCH, "case": name, "contender": contestant.name, "cells": cells,
            "rounds": rounds.len(), "failed": failed,
        });
        println!("{line}");
    }
}

/// The value in the middle; `None` if there is none.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
