//! What is measured.

use crate::workloads::{self, Times, Workload};
use std::time::Duration;

/// A workload, how long it goes on, and what its figures are.
pub struct Case {
    pub name: &'static str,
    pub workload: Workload,
    pub times: Times,
    pub figures: &'static [Figure],
    /// Whether one round of it is enough.
    pub once: bool,
}

/// What is printed of one figure.
#[derive(Clone, Copy)]
pub struct Figure {
    pub name: &'static str,
    /// Times the run loop of its kind, and times ipstack and netstack-smoltcp.
    pub ratios: bool,
}

const fn plain(name: &'static str) -> Figure {
    Figure { name, ratios: false }
}

const fn compared(name: &'static str) -> Figure {
    Figure { name, ratios: true }
}

const BULK: &[Figure] = &[compared("Gbit/s"), compared("CPU s per GB")];
const IDLE: &[Figure] = &[plain("CPU ms in all")];
const PING_PONG: &[Figure] =
    &[compared("per second"), plain("p50 µs"), plain("p99 µs"), compared("CPU µs for each")];
const SHORT: &[Figure] = &[
    compared("per second"),
    plain("p50 µs"),
    plain("p99 µs"),
    plain("failed"),
    compared("CPU µs for each"),
];

const fn case(
    name: &'static str,
    workload: Workload,
    figures: &'static [Figure],
    seconds: u64,
) -> Case {
    let times = Times { warm_up: Duration::from_millis(500), measured: Duration::from_secs(seconds) };
    Case { name, workload, times, figures, once: false }
}

/// Without delay or loss.
pub const DIRECT: [Case; 7] = [
    case("bulk to the stack", workloads::bulk_to, BULK, 2),
    case("bulk from the stack", workloads::bulk_from, BULK, 2),
    case("bulk both ways at once", workloads::bulk_both, BULK, 2),
    case("ping-pong of 64 bytes", workloads::ping_pong, PING_PONG, 2),
    case("a short connection each millisecond", workloads::short, SHORT, 3),
    case("bulk to the stack beside 1,000 idle connections", workloads::busy, BULK, 2),
    Case { once: true, ..case("1,000 idle connections for 10 s", workloads::idle, IDLE, 10) },
];

/// The path of the others.
pub const PATH: &str = "rate=100mbit,delay=50ms,loss=2%,queue=1000";

const fn lossy(name: &'static str, workload: Workload) -> Case {
    let mut case = case(name, workload, BULK, 30);
    case.times.warm_up = Duration::from_secs(3);
    case
}

/// Over the path.
pub const LOSSY: [Case; 2] = [
    lossy("2 % loss and 100 ms, to the stack", workloads::bulk_to),
    lossy("2 % loss and 100 ms, from the stack", workloads::bulk_from),
];
