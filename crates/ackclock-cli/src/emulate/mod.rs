//! An emulated path between two TUN interfaces, in real time.
//!
//! The links are the emulator's, the loop is the host's; this joins the two, and tells what happens
//! while it does.

mod direction;
mod end;
mod json;
mod meter;
mod text;

use crate::capture::Captured;
use crate::commands::emulate::Emulate;
use crate::failure::Failure;
use crate::interrupt;
use crate::values::{path_text, there_and_back};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{LiveLink, Path};
use ackclock_host::bridge::{self, Bridge, BridgeError, Ended};
use ackclock_host::counters::Counters;
use ackclock_host::tun::{Tun, TunError};
use direction::{Direction, Totals};
use end::End;
use meter::{Interval, Meter};
use std::io::{self, Write};

/// How often what happens is told, unless that is said.
const INTERVAL: Duration = Duration::from_secs(1);

/// What is to be done. In arrays what is on the left, or leads away from there, comes first.
struct Order<'o> {
    ends: [End; 2],
    paths: [Path; 2],
    options: &'o Emulate,
    /// How often a sample is taken.
    interval: Option<Duration>,
}

/// What was done, likewise.
struct Summary {
    duration: Duration,
    /// Time in which the loop did not wait.
    busy: Duration,
    intervals: Vec<Interval>,
    totals: [Totals; 2],
    interrupted: bool,
    error: Option<String>,
}

/// Two interfaces and the path between them.
struct Emulation {
    bridge: Bridge<Captured<Tun>, Direction>,
    counters: [Counters; 2],
    /// What the counters showed at the beginning.
    dropped_before: [u64; 2],
}

/// Carries packets until the time is up or the user ends it.
///
/// # Errors
/// Why it could not begin, or what broke it, after the report has been written.
pub(crate) fn run(options: &Emulate) -> Result<(), Failure> {
    let order = Order::new(options)?;
    let mut emulation = Emulation::new(&order)?;
    let waker = emulation.bridge.waker();
    interrupt::on_request(move || waker.stop())?;
    announce(&order);
    let begin = emulation.bridge.now();
    let end = options.time.map_or(Instant::FAR_FUTURE, |time| begin + time);
    let mut meter = Meter::new(order.interval, !options.report.json, begin);
    let broken = emulation.carry(&order, end, &mut meter).err();
    let duration = emulation.bridge.now().min(end).saturating_since(begin);
    let intervals = meter.conclude(begin + duration, emulation.bridge.wires_mut());
    let summary = emulation.summary(duration, intervals, broken.as_ref());
    let [left, _] = emulation.bridge.devices_mut();
    left.finish()?;
    if options.report.json {
        json::write(&order, &summary)?;
    } else {
        text::write(&summary)?;
    }
    broken.map_or(Ok(()), Err)
}

impl<'o> Order<'o> {
    fn new(options: &'o Emulate) -> Result<Self, Failure> {
        let end = |option: &str, text: &str| -> Result<End, Failure> {
            text.parse().map_err(|error| Failure::Usage(format!("{option} '{text}': {error}")))
        };
        let (left, right) = (end("--left", &options.left)?, end("--right", &options.right)?);
        if left.is_same_interface(&right) {
            return Err(Failure::Usage(format!(
                "--left and --right are the same interface, {left}: a path has two ends"
            )));
        }
        let unless_json = (!options.report.json).then_some(INTERVAL);
        Ok(Order {
            ends: [left, right],
            paths: there_and_back(&options.path, options.path_back.as_deref())?,
            options,
            interval: options.report.interval.or(unless_json),
        })
    }
}

/// Says on standard error what is emulated, and that packets may come now.
fn announce(order: &Order<'_>) {
    let [left, right] = &order.ends;
    let path = path_text(&order.paths);
    let mut stderr = io::stderr().lock();
    // The emulation does not depend on anybody's reading this.
    let _ = writeln!(stderr, "emulating {left} to {right}: {path}; Ctrl-C ends");
    if left.is_beside(right) {
        let _ = writeln!(
            stderr,
            "note: both interfaces are in one namespace, whose kernel delivers between its own \
             addresses without them; 'ackclock help emulate' shows two namespaces"
        );
    }
}

impl Emulation {
    fn new(order: &Order<'_>) -> Result<Self, Failure> {
        let [left, right] = &order.ends;
        let [there, back] = &order.paths;
        let left = left.open(there.mtu, order.options.pcap.as_deref())?;
        let right = right.open(back.mtu, None)?;
        let wires = LiveLink::pair([there, back], order.options.seed).map(Direction::new);
        let bridge = Bridge::new([left.device, right.device], wires).map_err(|error| {
            Failure::Environment(format!("{error}: raise the limit with 'ulimit -n 1024'"))
        })?;
        let mut counters = [left.counters, right.counters];
        let dropped_before = counters.each_mut().map(dropped);
        Ok(Emulation { bridge, counters, dropped_before })
    }

    /// Carries packets and takes samples.
    fn carry(&mut self, order: &Order<'_>, end: Instant, meter: &mut Meter) -> Result<(), Failure> {
        while !meter.is_unheard() {
            let until = meter.next_at().min(end);
            let ended = self.bridge.run_until(until);
            let ended = ended.map_err(|error| broken(error, &order.ends))?;
            if ended == Ended::Stopped || until == end {
                break;
            }
            meter.sample(until, self.bridge.wires_mut());
        }
        Ok(())
    }

    fn summary(
        &mut self,
        duration: Duration,
        intervals: Vec<Interval>,
        broken: Option<&Failure>,
    ) -> Summary {
        let [left, right] = self.counters.each_mut().map(dropped);
        let [left_before, right_before] = self.dropped_before;
        let [at_left, at_right] = self.bridge.refused();
        let busy = self.bridge.busy();
        let [there, back] = self.bridge.wires_mut();
        let totals = [
            there.totals(left.saturating_sub(left_before), at_right),
            back.totals(right.saturating_sub(right_before), at_left),
        ];
        let error = broken.map(ToString::to_string);
        let interrupted = interrupt::requested();
        Summary { duration, busy, intervals, totals, interrupted, error }
    }
}

/// Packets that the kernel dropped in front of an interface; none if the interface is gone.
fn dropped(counters: &mut Counters) -> u64 {
    counters.transmit_dropped().unwrap_or_default()
}

/// What broke the bridge, and what to do about it.
fn broken(error: BridgeError<TunError>, ends: &[End; 2]) -> Failure {
    let [left, right] = ends;
    let at = |end: bridge::End| match end {
        bridge::End::Left => left,
        bridge::End::Right => right,
    };
    match error {
        BridgeError::Device(end, error) => at(end).placed(Failure::Environment(error.to_string())),
        BridgeError::Gone(end) => at(end).gone(),
        error => Failure::Environment(error.to_string()),
    }
}
