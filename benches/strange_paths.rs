//! The tables of strange paths in docs/robustness.md. Nothing here depends on how fast the machine is.

use ackclock::tcp::Info;
use ackclock_benches::strange_paths::{SEEDS, duplicated, lossy_both_ways};

/// A row: what it is, the mean of the figures, the least and the largest, and the mean of what the
/// senders have counted.
fn row(what: &str, runs: &[(f64, Info)], counts: &[fn(&Info) -> u64]) {
    let figures = || runs.iter().map(|(figure, _)| *figure);
    let mean = figures().sum::<f64>() / runs.len() as f64;
    let (least, most) = (figures().fold(f64::MAX, f64::min), figures().fold(0.0, f64::max));
    print!("| {what} | {mean:.2} | {least:.2} to {most:.2} |");
    for count in counts {
        let sum: u64 = runs.iter().map(|(_, info)| count(info)).sum();
        print!(" {:.1} |", sum as f64 / runs.len() as f64);
    }
    println!();
}

fn main() {
    println!("| duplicates | Mbit/s | runs | retransmitted | D-SACKs | undone |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: |");
    for duplicates in [0, 2, 5, 10] {
        let runs: Vec<_> = (1..=SEEDS).map(|seed| duplicated(duplicates, seed)).collect();
        let counts: [fn(&Info) -> u64; 3] =
            [|info| info.retransmitted, |info| info.dsacks_received, |info| info.undos];
        row(&format!("{duplicates} %"), &runs, &counts);
    }
    println!("\n| timestamps | s | runs | retransmitted | timeouts |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    for (timestamps, what) in [(false, "without"), (true, "with")] {
        let runs: Vec<_> = (1..=SEEDS).map(|seed| lossy_both_ways(timestamps, seed)).collect();
        row(what, &runs, &[|info| info.retransmitted, |info| info.timeouts]);
    }
}
