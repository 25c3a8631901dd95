//! What is measured, and how it is told.

mod kernel;
mod minimal;
mod ours;
mod queues;
mod smoltcp;

use ackclock::stack::Cidr;
use ackclock_benches::report::{self, Row, median};
use ackclock_host::setup::TunSetup;
use ackclock_host::tun::{Offload, Tun};
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::thread;
use std::time::{Duration, Instant};

/// The stack's address, and the kernel's.
const OURS: Cidr = Cidr { address: IpAddr::V4(Ipv4Addr::new(10, 7, 0, 2)), prefix: 24 };
const KERNEL: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 7, 0, 1));

/// The stack's port where the kernel connects to it.
const PORT: u16 = 7000;

/// Send buffer and receive buffer of every stack, in bytes.
const BUFFER: usize = 256 * 1024;

/// Bytes of a request, and of its answer.
const PING: usize = 64;

/// Payload of a segment in bytes: what timestamps leave of 1500.
const SEGMENT: usize = 1448;

/// The kernel's own law is set to one that does not pace: BBR, which some systems have as the default,
/// would hold segments back and make them small.
const LAW_OF_THE_KERNEL: &str = "/proc/sys/net/ipv4/tcp_congestion_control";

/// What a stack is to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Job {
    /// Connect to the kernel and send so many bytes.
    Send(u64),
    /// Take so many bytes from the kernel.
    Receive(u64),
    /// Send back what comes, until the kernel has got so many answers.
    Answer(u64),
}

impl Job {
    fn name(self) -> &'static str {
        match self {
            Job::Send(_) => "send",
            Job::Receive(_) => "receive",
            Job::Answer(_) => "ping-pong",
        }
    }
}

/// Does a job over a device; `remote` is where the kernel listens, if it does.
type Contender = fn(Tun, Job, SocketAddr);

/// A row of the table: with offload or without, and who takes part.
struct Case {
    job: Job,
    offload: bool,
    contenders: &'static [(&'static str, Contender)],
}

const SENDERS: &[(&str, Contender)] = &[
    ("minimal driver", minimal::run),
    ("ackclock", ours::run),
    ("smoltcp", smoltcp::run),
    ("ackclock, in place", ours::run_in_place),
    ("smoltcp, in place", smoltcp::run_in_place),
];
const RECEIVERS: &[(&str, Contender)] =
    &[("minimal driver", minimal::run), ("ackclock", ours::run), ("smoltcp", smoltcp::run)];
const LARGE_SENDERS: &[(&str, Contender)] = &[
    ("minimal driver", minimal::run),
    ("ackclock", ours::run),
    ("ackclock, in place", ours::run_in_place),
];
const LARGE_RECEIVERS: &[(&str, Contender)] =
    &[("minimal driver", minimal::run), ("ackclock", ours::run)];
const STACKS: &[(&str, Contender)] = &[("smoltcp", smoltcp::run), ("ackclock", ours::run)];

const CASES: [Case; 5] = [
    Case { job: Job::Send(256 << 20), offload: false, contenders: SENDERS },
    Case { job: Job::Receive(256 << 20), offload: false, contenders: RECEIVERS },
    Case { job: Job::Send(2 << 30), offload: true, contenders: LARGE_SENDERS },
    Case { job: Job::Receive(2 << 30), offload: true, contenders: LARGE_RECEIVERS },
    Case { job: Job::Answer(100_000), offload: false, contenders: STACKS },
];

/// What a run took.
struct Taken {
    wall: Duration,
    processor: Duration,
}

/// Measures one queue and two, so many times.
pub(crate) fn measure_queues(rounds: usize) {
    queues::measure(rounds);
}

/// Measures every case so many times, the contenders in turns.
pub(crate) fn measure(rounds: usize) {
    let mut all: Vec<Vec<Vec<f64>>> =
        CASES.iter().map(|case| vec![Vec::new(); case.contenders.len()]).collect();
    for round in 0..rounds {
        for (case, results) in CASES.iter().zip(&mut all) {
            for ((name, contender), results) in case.contenders.iter().zip(results) {
                let taken = run(case, *contender);
                let seconds = taken.processor.as_secs_f64();
                let mut line = json!({
                    "bench": "tun",
                    "case": case.job.name(),
                    "offload": case.offload,
                    "contender": name,
                    "round": round,
                    "wall_seconds": taken.wall.as_secs_f64(),
                    "cpu_seconds": seconds,
                });
                let figure = match case.job {
                    Job::Send(bytes) | Job::Receive(bytes) => {
                        line["bytes"] = bytes.into();
                        line["cpu_seconds_per_gigabyte"] = (seconds * 1e9 / bytes as f64).into();
                        bytes as f64 * 8.0 / seconds / 1e9
                    }
                    Job::Answer(count) => count as f64 / seconds / 1e3,
                };
                let unit = match case.job {
                    Job::Answer(_) => "thousand_round_trips_per_cpu_second",
                    _ => "gbit_per_cpu_second",
                };
                line[unit] = figure.into();
                println!("{line}");
                results.push(figure);
            }
        }
    }
    tables(&all);
}

/// Medians, and how they compare with the first of each case, which ran in turns with the others.
fn tables(all: &[Vec<Vec<f64>>]) {
    for (case, results) in CASES.iter().zip(all) {
        let offload = if case.offload { "with" } else { "without" };
        let name = format!("{}, {offload} offload", case.job.name());
        let row = |((contender, _), figures): (&(&str, Contender), &Vec<f64>)| {
            let mut row = Row::new("over TUN", &name, contender, "byte or round trip");
            let figure = median(figures.clone());
            match case.job {
                Job::Answer(_) => row.ns = Some(1e6 / figure),
                _ => row.gbit_per_second = Some(figure),
            }
            let ratios = figures.iter().zip(&results[0]).map(|(figure, first)| figure / first);
            row.times_reference = Some(median(ratios.collect()));
            row.reference = Some(case.contenders[0].0.into());
            row
        };
        let rows: Vec<_> = case.contenders.iter().zip(results).map(row).collect();
        report::print(&rows);
    }
}

/// Lets a contender do its job over a device of its own.
fn run(case: &Case, contender: Contender) -> Taken {
    let name = "tun0".parse().expect("a usable name");
    let offload = if case.offload { Offload::On } else { Offload::Off };
    let tun = Tun::open_with(&name, offload).expect("a TUN device");
    let setup = TunSetup { mtu: Some(1500), ..TunSetup::new(name, vec![OURS]) };
    let configured = setup.configuration().expect("a usable address").run();
    configured.expect("a configured interface");
    std::fs::write(LAW_OF_THE_KERNEL, "reno").expect("a law that every kernel has");
    let (remote, kernel_side) = kernel::prepare(case.job);
    let (began, spent) = (Instant::now(), processor_time());
    thread::scope(|scope| {
        scope.spawn(kernel_side);
        contender(tun, case.job, remote);
    });
    Taken { wall: began.elapsed(), processor: processor_time() - spent }
}

/// Processor time of this process.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
