//! One queue and two, with a stack each, on one processor and on two: whether more queues carry more.
//!
//! Everything that is done for a queue stays on its processor: the stack's loop, and the thread with the
//! kernel's socket, in which most of the kernel's own work is done too (a write to the device goes up to
//! the socket's queue, a write to the socket down to the device). So two queues on two processors are
//! compared with one on one; one queue with the stack on one processor and the kernel's side on the
//! other shows what is to be had without several queues.

use super::kernel;
use super::ours::{Giver, connection};
use super::{Job, LAW_OF_THE_KERNEL, OURS};
use ackclock::apps::{Amount, Application, Source, SourceConfig, StartError};
use ackclock::congestion::BuiltIn;
use ackclock::link::Link;
use ackclock::stack::{Event, Stack, StackConfig, Storage};
use ackclock::time::Instant as Time;
use ackclock_benches::clock::processor_time;
use ackclock_benches::report::{self, Ratio, Row, median};
use ackclock_host::queues::{self, Queue};
use ackclock_host::run_loop::{Ended, RunLoop};
use ackclock_host::setup::TunSetup;
use ackclock_host::tun::{Offload, Tun};
use rustix::thread::{CpuSet, sched_setaffinity};
use serde_json::json;
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

/// Where the loop and the kernel's side of each queue run.
type Placement = &'static [(usize, usize)];

/// What is compared, the reference first.
const CONTENDERS: [(&str, Placement); 3] = [
    ("one queue, one processor", &[(0, 0)]),
    ("one queue, the kernel's side on another processor", &[(0, 1)]),
    ("two queues, two processors", &[(0, 0), (1, 1)]),
];

/// Bytes of all queues together, without offload and with it.
const BYTES: [u64; 2] = [256 << 20, 2 << 30];

/// What a run took.
struct Taken {
    wall: Duration,
    /// Processor time of each queue's loop and kernel's side.
    threads: Vec<[Duration; 2]>,
    /// What each processor did for us.
    busiest: Duration,
    /// Time in softirqs, of both processors and for whomever.
    softirq: Duration,
}

/// Measures every case so many times, the contenders in turns.
pub(super) fn measure(rounds: usize) {
    if thread::available_parallelism().map_or(1, usize::from) < 2 {
        return println!("two queues need two processors");
    }
    for (offload, bytes) in [false, true].into_iter().zip(BYTES) {
        for sends in [true, false] {
            let case = format!(
                "{}, {} offload",
                if sends { "send" } else { "receive" },
                if offload { "with" } else { "without" }
            );
            let mut all: Vec<Vec<Figures>> = CONTENDERS.iter().map(|_| Vec::new()).collect();
            for round in 0..rounds {
                for ((name, placement), figures) in CONTENDERS.iter().zip(&mut all) {
                    let taken = run(sends, offload, bytes, placement);
                    figures.push(tell(&case, name, round, bytes, &taken));
                }
            }
            print(&case, &all);
        }
    }
}

/// What is told of each run.
struct Figures {
    /// Payload Gbit/s by the time of the busier processor.
    by_busiest: f64,
    /// Payload Gbit/s by the clock on the wall.
    by_wall: f64,
    /// Seconds of all processors for 10^9 bytes of payload.
    cpu_seconds_per_gigabyte: f64,
}

/// Prints a line of JSON.
fn tell(case: &str, name: &str, round: usize, bytes: u64, taken: &Taken) -> Figures {
    let wall = taken.wall.as_secs_f64();
    let share = |time: &Duration| time.as_secs_f64() / wall;
    let [loops, sockets] =
        [0, 1].map(|side| taken.threads.iter().map(|each| share(&each[side])).collect::<Vec<_>>());
    let rate = |time: Duration| bytes as f64 * 8.0 / time.as_secs_f64() / 1e9;
    let spent: Duration = taken.threads.iter().flatten().sum();
    let figures = Figures {
        by_busiest: rate(taken.busiest),
        by_wall: rate(taken.wall),
        cpu_seconds_per_gigabyte: spent.as_secs_f64() * 1e9 / bytes as f64,
    };
    let line = json!({
        "bench": "several queues",
        "case": case,
        "contender": name,
        "round": round,
        "wall_seconds": wall,
        "gbit_per_second": figures.by_wall,
        "gbit_per_second_of_the_busier_processor": figures.by_busiest,
        "cpu_seconds_per_gigabyte": figures.cpu_seconds_per_gigabyte,
        "share_of_loops": loops,
        "share_of_kernel_sides": sockets,
        "share_of_softirqs": share(&taken.softirq),
    });
    println!("{line}");
    figures
}

/// Medians, and how they compare with one queue's, by the busier processor's time and by the clock on
/// the wall.
fn print(case: &str, all: &[Vec<Figures>]) {
    let of = |figures: &[Figures], figure: fn(&Figures) -> f64| -> Vec<f64> {
        figures.iter().map(figure).collect()
    };
    let reference = &all[0];
    let name_of_reference = CONTENDERS[0].0;
    let rows: Vec<_> = CONTENDERS
        .iter()
        .zip(all)
        .map(|((name, _), figures)| {
            let ratio = |named: &str, figure| {
                Ratio::of_rounds(named, &of(figures, figure), &of(reference, figure))
            };
            let mut row = Row::new("several queues", case, name, "byte");
            row.gbit_per_second = Some(median(of(figures, |figures| figures.by_busiest)));
            let cpu_seconds = of(figures, |figures| figures.cpu_seconds_per_gigabyte);
            row.cpu_seconds_per_gigabyte = Some(median(cpu_seconds));
            let by_wall = format!("{name_of_reference}, by the clock on the wall");
            row.ratios.push(ratio(name_of_reference, |figures| figures.by_busiest));
            row.ratios.push(ratio(&by_wall, |figures| figures.by_wall));
            row
        })
        .collect();
    report::print(&rows);
}

/// Transfers with a connection on each queue.
fn run(sends: bool, offload: bool, bytes: u64, placement: Placement) -> Taken {
    let name = "tun0".parse().expect("a usable name");
    let wanted = if offload { Offload::On } else { Offload::Off };
    let tuns = Tun::open_queues(&name, wanted, placement.len()).expect("a TUN device");
    let setup = TunSetup { mtu: Some(1500), ..TunSetup::new(name, vec![OURS]) };
    let configured = setup.configuration().expect("a usable address").run();
    configured.expect("a configured interface");
    std::fs::write(LAW_OF_THE_KERNEL, "reno").expect("a law that every kernel has");

    let whole = StackConfig::new(tuns[0].capabilities(), [1, 2]);
    let loops = RunLoop::of_queues(tuns).expect("loops");
    let count = placement.len() as u16;
    let with_stack = |(index, run_loop)| {
        let (config, law) = (whole.share(index, count), BuiltIn::default());
        let mut stack = Stack::new(config, law, Storage::growing()).expect("a stack");
        stack.add_address(OURS).expect("a usable address");
        Queue { run_loop, stack }
    };
    let mut all: Vec<_> = (0..).zip(loops).map(with_stack).collect();

    let each = bytes / placement.len() as u64;
    let (softirq, began) = (softirq_time(), Instant::now());
    let threads = thread::scope(|scope| {
        let mut sides = Vec::new();
        let mut applications = Vec::new();
        for &(own, other) in placement {
            // Our stacks connect in either case: what they send tells the kernel their queue.
            let (remote, kernel_side) =
                if sends { kernel::prepare(Job::Send(each)) } else { kernel::offer(each) };
            applications.push(Placed::new(own, sends, each, remote));
            sides.push(scope.spawn(move || {
                stay_on(other);
                kernel_side();
                processor_time()
            }));
        }
        let ended = queues::run(&mut all, &mut applications);
        assert_eq!(ended.expect("a working device"), Ended::Done);
        let own = applications.iter().map(|application| application.spent);
        let sides = sides.into_iter().map(|side| side.join().expect("a kernel's side"));
        own.zip(sides).map(|(own, side)| [own, side]).collect::<Vec<_>>()
    });
    let wall = began.elapsed();
    let on = |processor: usize| {
        let pairs = placement.iter().zip(&threads);
        let of_ours = |(&(own, other), spent): (&(usize, usize), &[Duration; 2])| {
            let on = |place, spent| if place == processor { spent } else { Duration::ZERO };
            on(own, spent[0]) + on(other, spent[1])
        };
        pairs.map(of_ours).sum::<Duration>()
    };
    Taken { wall, busiest: on(0).max(on(1)), softirq: softirq_time() - softirq, threads }
}

/// An application that keeps its thread on a processor.
struct Placed {
    processor: usize,
    application: Traffic,
    begun: Duration,
    /// Processor time of the thread.
    spent: Duration,
}

enum Traffic {
    Giver(Giver),
    Taker(Box<Source>, u64),
}

impl Placed {
    fn new(processor: usize, sends: bool, bytes: u64, remote: SocketAddr) -> Self {
        let application = if sends {
            Traffic::Giver(Giver::new(remote, bytes))
        } else {
            let mut config = SourceConfig::new(remote);
            config.connection = connection();
            config.amount = Amount::Bytes(0);
            Traffic::Taker(Box::new(Source::new(config)), bytes)
        };
        Placed { processor, application, begun: Duration::ZERO, spent: Duration::ZERO }
    }

    fn application(&mut self) -> &mut dyn Application<'static, BuiltIn> {
        match &mut self.application {
            Traffic::Giver(giver) => giver,
            Traffic::Taker(taker, _) => taker.as_mut(),
        }
    }
}

impl Application<'static, BuiltIn> for Placed {
    fn start(&mut self, now: Time, stack: &mut Stack<'static>) -> Result<(), StartError> {
        stay_on(self.processor);
        self.begun = processor_time();
        self.application().start(now, stack)
    }

    fn on_event(&mut self, now: Time, stack: &mut Stack<'static>, event: &Event) {
        self.application().on_event(now, stack, event);
        if self.is_done() {
            self.spent = processor_time() - self.begun;
            if let Traffic::Taker(taker, bytes) = &self.application {
                assert_eq!(taker.received(), *bytes);
            }
        }
    }

    fn is_done(&self) -> bool {
        match &self.application {
            Traffic::Giver(giver) => Application::<BuiltIn>::is_done(giver),
            Traffic::Taker(taker, _) => Application::<BuiltIn>::is_done(taker.as_ref()),
        }
    }
}

/// Keeps this thread on a processor.
fn stay_on(processor: usize) {
    let mut set = CpuSet::new();
    set.set(processor);
    sched_setaffinity(None, &set).expect("a processor");
}

/// Time that all processors have spent in softirqs (proc_stat(5)).
fn softirq_time() -> Duration {
    /// Ticks of proc_stat(5) in a second.
    const TICKS: u64 = 100;
    let text = std::fs::read_to_string("/proc/stat").expect("statistics");
    let ticks = text.split_whitespace().nth(7).and_then(|ticks| ticks.parse::<u64>().ok());
    Duration::from_millis(ticks.expect("a count") * 1_000 / TICKS)
}
