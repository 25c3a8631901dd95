//! Scratch.
use std::time::Instant;
fn main() {
    let mut args = std::env::args().skip(1);
    let from: u64 = args.next().unwrap().parse().unwrap();
    let to: u64 = args.next().unwrap().parse().unwrap();
    let begun = Instant::now();
    let (mut segments, mut time, mut cut) = (0, 0.0, 0);
    for seed in from..to {
        let case = ackclock_swarm::draw(seed);
        let t = Instant::now();
        let outcome = match ackclock_swarm::run(&case, ackclock_swarm::MOST_SEGMENTS) {
            Ok(o) => o,
            Err(e) => {
                println!("{seed}: {e}\n{}", case.to_toml(""));
                continue;
            }
        };
        segments += outcome.facts.segments;
        time += outcome.time.as_micros() as f64 / 1e6;
        cut += u64::from(outcome.cut_short);
        if t.elapsed().as_millis() > 2000 {
            println!(
                "{seed} slow: {:?} {} segments {:?}",
                t.elapsed(),
                outcome.facts.segments,
                outcome.time
            );
        }
        for finding in &outcome.findings {
            println!("{seed}: {} {}", finding.oracle, finding.text);
        }
        if to - from == 1 {
            println!("{}{:?}", case.to_toml(""), outcome);
        }
    }
    println!(
        "{segments} segments, {:?}, {:.0}/s, {time} s, {cut} cut short",
        begun.elapsed(),
        segments as f64 / begun.elapsed().as_secs_f64()
    );
}
