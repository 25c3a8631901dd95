//! Scratch.
use ackclock_swarm::*;
use std::sync::atomic::AtomicBool;
struct P;
impl Progress for P {
    fn found(&self, found: &Found) {
        println!(
            "SEED {} {} {}\n{}",
            found.seed,
            found.finding.oracle,
            found.finding.text,
            found.case.to_toml("")
        );
    }
    fn done(&self, _: &Total, _: &SeedsDone) {}
}
fn main() {
    let mut args = std::env::args().skip(1);
    let from: u64 = args.next().unwrap().parse().unwrap();
    let to: u64 = args.next().unwrap().parse().unwrap();
    let jobs = args.next().map_or(2, |j| j.parse().unwrap());
    let shrink = std::time::Duration::from_secs(args.next().map_or(20, |j| j.parse().unwrap()));
    let swarm = Swarm { seeds: from..to, time: None, jobs, shrink };
    let done = format!("0..{from}").parse().unwrap();
    let (total, _) = swarm.run(done, &AtomicBool::new(false), &P);
    println!("{total:?} {} {}", total.years_per_hour(), total.segments_per_second());
}
