//! Emulated path between two TUN interfaces, in real time.
//!
//! This module joins the links of the emulator crate to the loop of the host crate, and reports what
//! happens.

mod direction;
mod end;
mod json;
mod meter;
mod settings;
mod summary;
mod text;

pub(crate) use end::End;
pub(crate) use settings::EmulateSettings;

use crate::capture::Captured;
use crate::failure::Failure;
use crate::interrupt;
use crate::values::path_text;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::LiveLink;
use ackclock_host::bridge::{self, Bridge, BridgeError, Ended};
use ackclock_host::counters::Counters;
use ackclock_host::tun::{Tun, TunError};
use direction::{Direction, Interval};
use meter::Meter;
use std::io::{self, Write};
use summary::Summary;

/// Two interfaces and the path between them.
struct Emulation {
    bridge: Bridge<Captured<Tun>, Direction>,
    counters: [Counters; 2],
    /// Packets that the counters showed as dropped at the beginning.
    dropped_before: [u64; 2],
}

/// Carries packets until the time is up or the user ends the emulation.
///
/// # Errors
/// Why the emulation could not begin, or what broke it, after the report has been written.
pub(crate) fn run(settings: &EmulateSettings) -> Result<(), Failure> {
    let mut emulation = Emulation::new(settings)?;
    let waker = emulation.bridge.waker();
    interrupt::on_request(move || waker.stop())?;
    announce(settings);
    let begin = emulation.bridge.now();
    let end = settings.time.map_or(Instant::FAR_FUTURE, |time| begin + time);
    let mut meter = Meter::new(settings.interval, !settings.json, begin);
    let broken = emulation.carry(settings, end, &mut meter).err();
    let duration = emulation.bridge.now().min(end).saturating_since(begin);
    let intervals = meter.conclude(begin + duration, emulation.bridge.wires_mut());
    let summary = emulation.summary(duration, intervals, broken.as_ref());
    let [left, _] = emulation.bridge.devices_mut();
    left.finish()?;
    if settings.json {
        json::write(settings, &summary)?;
    } else {
        text::write(&summary)?;
    }
    broken.map_or(Ok(()), Err)
}

/// Writes the emulated path to standard error, which shows the user that it is ready for packets.
fn announce(settings: &EmulateSettings) {
    let [left, right] = &settings.ends;
    let path = path_text(&settings.paths);
    let mut stderr = io::stderr().lock();
    // The emulation works even if the lines cannot be written.
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
    fn new(settings: &EmulateSettings) -> Result<Self, Failure> {
        let [left, right] = &settings.ends;
        let [there, back] = &settings.paths;
        let left = left.open(there.mtu, settings.pcap.as_deref())?;
        let right = right.open(back.mtu, None)?;
        let wires = LiveLink::pair([there, back], settings.seed).map(Direction::new);
        let bridge = Bridge::new([left.device, right.device], wires).map_err(|error| {
            Failure::Environment(format!("{error}: raise the limit with 'ulimit -n 1024'"))
        })?;
        let mut counters = [left.counters, right.counters];
        let dropped_before = counters.each_mut().map(dropped);
        Ok(Emulation { bridge, counters, dropped_before })
    }

    /// Carries packets and takes samples.
    fn carry(
        &mut self,
        settings: &EmulateSettings,
        end: Instant,
        meter: &mut Meter,
    ) -> Result<(), Failure> {
        while !meter.output_failed() {
            let until = meter.next_at().min(end);
            let ended = self.bridge.run_until(until);
            let ended = ended.map_err(|error| broken(error, &settings.ends))?;
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

/// Packets that the kernel dropped before they could be read from an interface; 0 if the interface is
/// gone.
fn dropped(counters: &mut Counters) -> u64 {
    counters.transmit_dropped().unwrap_or_default()
}

/// Failure with the reason why the bridge ended, and the remedy.
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
