//! What is measured, and how it is told.

mod kernel;
mod minimal;
mod ours;
mod queues;
mod smoltcp;

use ackclock::stack::Cidr;
use ackclock_benches::report::{self, Ratio, Row, median};
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

/// Does a job over a device; `remote` is where the kernel listens, if it does.
type Perform = fn(Tun, Job, SocketAddr);

/// One of those that take turns.
struct Contender {
    name: &'static str,
    offload: Offload,
    perform: Perform,
}

impl Contender {
    const fn plain(name: &'static str, perform: Perform) -> Self {
        Contender { name, offload: Offload::Off, perform }
    }

    /// With segmentation offload.
    const fn large(name: &'static str, perform: Perform) -> Self {
        Contender { name, offload: Offload::On, perform }
    }
}

/// What they do.
struct Case {
    name: &'static str,
    job: Job,
    contenders: &'static [Contender],
}

/// With whom the others of a case are compared where they take part.
const REFERENCES: [&str; 2] = ["minimal driver", "smoltcp"];

const CASES: [Case; 5] = [
    Case {
        name: "send, without offload",
        job: Job::Send(256 << 20),
        contenders: &[
            Contender::plain("minimal driver", minimal::run),
            Contender::plain("ackclock", ours::run),
            Contender::plain("smoltcp", smoltcp::run),
            Contender::plain("ackclock, in place", ours::run_in_place),
            Contender::plain("smoltcp, in place", smoltcp::run_in_place),
        ],
    },
    Case {
        name: "receive, without offload",
        job: Job::Receive(256 << 20),
        contenders: &[
            Contender::plain("minimal driver", minimal::run),
            Contender::plain("ackclock", ours::run),
            Contender::plain("smoltcp", smoltcp::run),
        ],
    },
    Case {
        name: "send, with offload",
        job: Job::Send(2 << 30),
        contenders: &[
            Contender::large("minimal driver", minimal::run),
            Contender::large("ackclock", ours::run),
            Contender::large("ackclock, in place", ours::run_in_place),
        ],
    },
    Case {
        name: "receive, with offload",
        job: Job::Receive(2 << 30),
        contenders: &[
            Contender::large("minimal driver", minimal::run),
            Contender::large("ackclock", ours::run),
        ],
    },
    Case {
        name: "ping-pong",
        job: Job::Answer(100_000),
        contenders: &[
            Contender::plain("smoltcp", smoltcp::run),
            Contender::plain("ackclock", ours::run),
            Contender::large("ackclock, with offload", ours::run),
        ],
    },
];

/// What a run took.
struct Taken {
    wall: Duration,
    processor: Duration,
}

impl Taken {
    /// What was done in a second of processor time, in gigabits of payload or thousands of round trips.
    fn rate(&self, job: Job) -> f64 {
        let seconds = self.processor.as_secs_f64();
        match job {
            Job::Send(bytes) | Job::Receive(bytes) => bytes as f64 * 8.0 / seconds / 1e9,
            Job::Answer(count) => count as f64 / seconds / 1e3,
        }
    }
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
        for (case, rates) in CASES.iter().zip(&mut all) {
            for (contender, rates) in case.contenders.iter().zip(rates) {
                let taken = run(case.job, contender);
                tell(case, contender.name, round, &taken);
                rates.push(taken.rate(case.job));
            }
        }
    }
    for (case, rates) in CASES.iter().zip(&all) {
        report::print(&rows(case, rates));
    }
}

/// Prints a line of JSON for one run.
fn tell(case: &Case, contender: &str, round: usize, taken: &Taken) {
    let mut line = json!({
        "bench": "over TUN",
        "case": case.name,
        "contender": contender,
        "round": round,
        "wall_seconds": taken.wall.as_secs_f64(),
        "cpu_seconds": taken.processor.as_secs_f64(),
    });
    let rate = taken.rate(case.job);
    match case.job {
        Job::Send(bytes) | Job::Receive(bytes) => {
            line["bytes"] = bytes.into();
            line["gbit_per_cpu_second"] = rate.into();
            line["cpu_seconds_per_gigabyte"] = (8.0 / rate).into();
        }
        Job::Answer(_) => line["thousand_round_trips_per_cpu_second"] = rate.into(),
    }
    println!("{line}");
}

/// Medians of a case, and how they compare with the references, which ran in turns with them.
fn rows(case: &Case, rates: &[Vec<f64>]) -> Vec<Row> {
    let names = || case.contenders.iter().map(|contender| contender.name);
    let references: Vec<_> =
        names().zip(rates).filter(|(name, _)| REFERENCES.contains(name)).collect();
    let row = |(name, rates): (&str, &Vec<f64>)| {
        let rate = median(rates.clone());
        let mut row = Row::new("over TUN", case.name, name, "round trip");
        match case.job {
            Job::Answer(_) => row.ns = Some(1e6 / rate),
            _ => {
                row.unit = "byte";
                row.gbit_per_second = Some(rate);
                row.cpu_seconds_per_gigabyte = Some(8.0 / rate);
            }
        }
        let ratios = references.iter().map(|(name, other)| Ratio::of_rounds(name, rates, other));
        row.ratios = ratios.collect();
        row
    };
    names().zip(rates).map(row).collect()
}

/// Lets a contender do its job over a device of its own.
fn run(job: Job, contender: &Contender) -> Taken {
    let name = "tun0".parse().expect("a usable name");
    let tun = Tun::open_with(&name, contender.offload).expect("a TUN device");
    let setup = TunSetup { mtu: Some(1500), ..TunSetup::new(name, vec![OURS]) };
    let configured = setup.configuration().expect("a usable address").run();
    configured.expect("a configured interface");
    std::fs::write(LAW_OF_THE_KERNEL, "reno").expect("a law that every kernel has");
    let (remote, kernel_side) = kernel::prepare(job);
    let (began, spent) = (Instant::now(), processor_time());
    thread::scope(|scope| {
        scope.spawn(kernel_side);
        (contender.perform)(tun, job, remote);
    });
    Taken { wall: began.elapsed(), processor: processor_time() - spent }
}

/// Processor time of this process.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
