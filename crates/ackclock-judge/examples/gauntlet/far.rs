//! Ways of seconds over which some is lost: a law that grows by the clock has much to make up for in each round trip, and may
//! not do so at once (RFC 9438 section 4.2 bounds its target by one and a half windows).

use crate::actor::{Plan, QUIET};
use crate::emulated::Run;
use ackclock::tcp::Config;
use ackclock::time::Duration;

/// With a round trip of 16 s timeouts prove spurious before the first round trip is measured: until then they leave the
/// timer backed off (RFC 4015 section 3.6).
const PATHS: [&str; 4] = [
    "rate=20mbit,delay=1s,loss=0.1%",
    "rate=20mbit,delay=2s,loss=0.2%",
    "rate=20mbit,delay=4s,loss=0.2%",
    "rate=20mbit,delay=8s,loss=0.2%",
];
const SEEDS: [u64; 3] = [1, 2, 3];

fn run(law: &'static str, path: &'static str, seed: u64) -> (String, Run) {
    let mut config = Config::default();
    (config.receive_buffer, config.send_buffer) = (1 << 22, 1 << 22);
    let run = Run {
        law,
        configs: [config; 2],
        plans: [Plan { amount: 4_000_000, ..QUIET }, QUIET],
        seed,
        limit: Duration::from_secs(3_600),
        ..Run::new(path)
    };
    (format!("a long way, {law}, {path}, seed {seed}"), run)
}

/// A law that grows by acks, and one that grows by the clock.
pub(crate) fn all() -> Vec<(String, Run)> {
    let of_law =
        |law| PATHS.into_iter().flat_map(move |path| SEEDS.map(|seed| run(law, path, seed)));
    ["reno", "cubic"].into_iter().flat_map(of_law).collect()
}
