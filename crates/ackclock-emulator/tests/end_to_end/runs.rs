//! A run is a function of its seed, its applications and nothing else.

use crate::common::{add_transfer, capture, capture_in_memory, far_end, pair, pair_observed};
use ackclock::apps::{Application, Service, SourceConfig, StartError};
use ackclock::stack::{Event, Stack};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::scenario::Scenario;
use ackclock_emulator::{Emulator, Ended, LEFT};
use siphasher::sip::SipHasher13;

const PATH: &str = "rate=10mbit,delay=20ms,loss=1%,queue=64";

/// The capture of an echo of a megabyte, run for 20 s in slices of `slice`.
fn capture_of(seed: u64, slice: Duration) -> Vec<u8> {
    let mut emulator = pair_observed(PATH, seed, capture_in_memory());
    let mut config = SourceConfig::new(far_end(true, 7));
    config.echo = true;
    add_transfer(&mut emulator, Service::Echo, config);
    let end = Instant::from_secs(20);
    while emulator.now() < end {
        let limit = end.min(emulator.now() + slice);
        emulator.run_until(limit);
        assert_eq!(emulator.now(), limit);
    }
    assert!(emulator.is_done());
    emulator.into_observer().finish().unwrap()
}

#[test]
fn the_same_seed_gives_the_same_capture_and_another_seed_another() {
    let whole = Duration::from_secs(20);
    let first = capture_of(1, whole);
    assert!(first.len() > 2 << 20);
    assert!(first == capture_of(1, whole));
    assert!(first != capture_of(2, whole));
}

#[test]
fn a_run_in_slices_is_the_same_run() {
    let whole = capture_of(3, Duration::from_secs(20));
    assert!(whole == capture_of(3, Duration::from_secs(1)));
    assert!(whole == capture_of(3, Duration::from_nanos(7_654_321)));
}

#[test]
fn a_capture_is_in_the_order_of_time_and_every_packet_in_it_is_sound() {
    let packets = capture::read(&capture_of(4, Duration::from_secs(20)));
    assert!(packets.is_sorted_by_key(|packet| packet.at));
    // `segment` also verifies the checksum.
    let payload: usize = packets.iter().map(|packet| packet.segment().payload.len()).sum();
    assert!(payload >= 2 << 20);
}

/// A scenario of two flows with every kind of randomness and every decision by floating point.
const EVERYTHING: &str = r#"
seed = 42
duration = "20s"
law = "fixed:40"

# What hardly changes any more, so that the digest does not either.
[connection]
recovery = "newreno"
ecn = "off"

[[hosts]]
name = "left"
[[hosts]]
name = "right"
law = "fixed:30"
processing = "0.1ms"
[[routers]]
name = "one"
[[routers]]
name = "two"

[[links]]
between = ["left", "one"]
path = "rate=10mbit/2mbit@5s/7mbit@6s,delay=3ms,loss=gilbert:0.1%:30%:80%:0.01%,queue=red:5:15:0.02:0.1:40"
back = "rate=10mbit,delay=3ms,loss=0.1%,corrupt=0.1%,impair=ingress"
[[links]]
between = ["one", "two"]
path = "rate=5mbit,delay=10ms,jitter=2ms,loss=0,queue=codel,duplicate=0.5%,outage=8s..8.2s"
back = "rate=5mbit,delay=10ms,jitter=1ms:reorder,loss=0,queue=fq_codel,mtu=1400"
[[links]]
between = ["two", "right"]
path = "rate=10mbit,delay=1ms,loss=every:500,queue=64kB,reorder=1%:3,overhead=+18,min=64"

[[flows]]
from = "left"
to = "right"
[[flows]]
from = "right"
to = "left"
start = "0s..3s"
service = "echo"
"#;

/// The digest of a capture, which must be the same on every platform. If stacks have come to send
/// other packets on purpose, the digest that is found is the new one.
#[test]
fn a_capture_is_the_same_to_the_last_bit_on_every_platform() {
    let scenario = Scenario::parse(EVERYTHING, "everything").unwrap();
    let mut run = scenario.start(capture_in_memory()).unwrap();
    run.run_until(scenario.end()).unwrap();
    for flow in run.results().flows {
        assert!(flow.delivered > 100_000 && flow.error.is_none(), "{}", flow.name);
    }
    let capture = run.into_observer().finish().unwrap();
    let digest = SipHasher13::new_with_keys(0, 0).hash(&capture);
    assert_eq!((capture.len(), format!("{digest:016x}")), (17_371_986, "7257d419c9b9c9a1".into()));
}

/// An application that asks to be woken at given times and records when it was woken.
struct Sleeper {
    alarms: Vec<Instant>,
    woken: Vec<Instant>,
}

impl<'a, C> Application<'a, C> for Sleeper {
    fn start(&mut self, _now: Instant, _stack: &mut Stack<'a, C>) -> Result<(), StartError> {
        Ok(())
    }

    fn on_event(&mut self, _now: Instant, _stack: &mut Stack<'a, C>, _event: &Event) {}

    fn wake_at(&self) -> Instant {
        self.alarms.get(self.woken.len()).copied().unwrap_or(Instant::FAR_FUTURE)
    }

    fn on_wake(&mut self, now: Instant, _stack: &mut Stack<'a, C>) {
        self.woken.push(now);
    }

    fn is_done(&self) -> bool {
        self.woken.len() == self.alarms.len()
    }
}

fn assert_punctual(mut emulator: Emulator) {
    let alarms: Vec<_> = [1, 2, 20_000_000, 20_000_001, 333_333_333, 2_000_000_007, 9_000_000_000]
        .map(Instant::from_nanos)
        .into();
    let sleeper = Sleeper { alarms: alarms.clone(), woken: Vec::new() };
    let id = emulator.add_application(LEFT, sleeper).unwrap();
    emulator.run_until(Instant::from_secs(10));
    assert_eq!(emulator.application(id).unwrap().woken, alarms);
}

#[test]
fn an_application_is_woken_at_the_nanosecond_it_asked_for() {
    assert_punctual(pair(PATH, 1));
    let mut busy = pair(PATH, 1);
    add_transfer(&mut busy, Service::Discard, SourceConfig::new(far_end(false, 9)));
    assert_punctual(busy);
}

#[test]
fn a_run_without_anything_to_do_says_so() {
    let mut emulator = pair(PATH, 1);
    assert_eq!(emulator.run_until_done(Instant::from_secs(1)), Ended::Done);
    let sleeper = Sleeper { alarms: vec![Instant::FAR_FUTURE], woken: Vec::new() };
    emulator.add_application(LEFT, sleeper).unwrap();
    assert_eq!(emulator.run_until_done(Instant::from_secs(1)), Ended::Stuck);
    assert_eq!(emulator.now(), Instant::ZERO);
}
