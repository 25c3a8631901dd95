//! Two opposite transfers over one bottleneck: how busy each direction of the bottleneck is, and how
//! long its queue becomes. Zhang, Shenker and Clark (1991) print 1.00 and 0.86 with queues of 55 and
//! 23 packets for a small pipe, and 0.81 and 0.70 with 23 and 23 for a large one.
//!
//! With the names of scenario files it runs those instead.

use ackclock_emulator::scenario::{Scenario, ScenarioError};
use std::process::ExitCode;

fn show(scenario: &Scenario, name: &str) -> Result<(), ScenarioError> {
    let results = scenario.run()?;
    let seconds = |time: ackclock::time::Instant| time.as_nanos() as f64 / 1e9;
    println!("{name}, from {} s to {} s", seconds(results.from), seconds(results.until));
    for flow in &results.flows {
        let retransmitted = flow.info.map_or(0, |info| info.retransmitted);
        let [name, kilobits] = [flow.name.clone(), format!("{:.1}", flow.throughput / 1e3)];
        println!("  {name:20} {kilobits:>9} kbit/s, {retransmitted} retransmitted");
    }
    for link in &results.links {
        let [from, to] = &link.ends;
        let (utilisation, longest) = (link.utilisation, link.statistics.longest_queue);
        let name = format!("{from}>{to}");
        println!("  {name:20} utilisation {utilisation:.3}, longest queue {longest} packets");
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), ScenarioError> {
    let files: Vec<_> = std::env::args().skip(1).collect();
    for file in &files {
        show(&Scenario::load(file)?, file)?;
    }
    if files.is_empty() {
        for (name, text) in [
            ("two_way.toml", include_str!("scenarios/two_way.toml")),
            ("two_way_large_pipe.toml", include_str!("scenarios/two_way_large_pipe.toml")),
        ] {
            show(&Scenario::parse(text, name)?, name)?;
        }
    }
    Ok(())
}
