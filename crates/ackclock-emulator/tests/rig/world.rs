//! Two hosts and their applications, which do what a script says.

use crate::promises::{Promises, stream};
use crate::report;
use crate::script::{Action, Setting, Side};
use ackclock::congestion::BuiltIn;
use ackclock::stack::{Handle, ListenConfig, Listener, Stack};
use ackclock::tcp::{Error, Info, Keepalive};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Emulator, HostId, LEFT, PcapNgCapture, RIGHT, Topology};
use std::net::SocketAddr;

/// The time after the last action in which a run must end, far more than any needs (timeouts are at
/// most 120 s).
const ENOUGH: Duration = Duration::from_secs(1_000_000);

type Watched = Emulator<BuiltIn, (Promises, PcapNgCapture<Vec<u8>>)>;

/// How an end left, if it did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Left {
    No,
    Closed,
    Aborted,
}

/// One application.
#[derive(Debug)]
struct End {
    host: HostId,
    listener: Option<Listener>,
    handle: Option<Handle>,
    reads: bool,
    left: Left,
    keepalive: bool,
    written: u64,
    received: u64,
}

impl End {
    fn new(side: Side) -> Self {
        End {
            host: [LEFT, RIGHT][side as usize],
            listener: None,
            handle: None,
            reads: true,
            left: Left::No,
            keepalive: false,
            written: 0,
            received: 0,
        }
    }
}

/// A run.
pub(crate) struct World {
    setting: Setting,
    done: Vec<Action>,
    /// The emulator; `None` once the run is over.
    emulator: Option<Watched>,
    ends: [End; 2],
}

fn address(side: Side, ipv6: bool) -> SocketAddr {
    let text = match (side, ipv6) {
        (Side::Left, false) => "10.0.0.1:1001",
        (Side::Right, false) => "10.0.0.2:1002",
        (Side::Left, true) => "[fd00::1]:1001",
        (Side::Right, true) => "[fd00::2]:1002",
    };
    text.parse().expect("an address")
}

fn emulator(setting: &Setting) -> Watched {
    let topology = Topology::pair(setting.paths.map(|path| path.path()));
    let capture = PcapNgCapture::new(&topology, Vec::new()).expect("memory takes it");
    let observers = (Promises::new(setting.ipv6), capture);
    let [left, right] = setting.ends.map(|end| end.law());
    let law = |host| if host == LEFT { left } else { right };
    Emulator::new(&topology, setting.seed, law, observers).expect("a pair of hosts")
}

/// Opens the left end's connection.
fn connect(emulator: &mut Watched, setting: &Setting, side: Side) -> Handle {
    let [own, peer] = [side, side.other()].map(|side| address(side, setting.ipv6));
    let config = setting.ends[side as usize].config();
    let host = [LEFT, RIGHT][side as usize];
    emulator
        .with_stack(host, |now, stack| stack.connect(now, peer, Some(own), &config))
        .expect("it connects")
}

/// When the left end has to connect for its sequence numbers to wrap where the setting says:
/// initial sequence numbers follow a clock of 4 microseconds (RFC 6528 section 3).
fn start(setting: &Setting) -> Instant {
    let Some(after) = setting.wraps_after else {
        return Instant::ZERO;
    };
    let mut probe = emulator(setting);
    connect(&mut probe, setting, Side::Left);
    let iss = probe.observer().0.iss(Side::Left).expect("a SYN");
    let ticks = 0u32.wrapping_sub(after).wrapping_sub(iss.0);
    Instant::from_micros(4 * u64::from(ticks))
}

impl World {
    /// A run whose ends have been opened.
    pub(crate) fn new(setting: &Setting) -> Self {
        let mut emulator = emulator(setting);
        emulator.run_until(start(setting));
        let mut ends = Side::BOTH.map(End::new);
        if setting.simultaneous {
            ends[1].handle = Some(connect(&mut emulator, setting, Side::Right));
        } else {
            let mut listen = ListenConfig::new(address(Side::Right, setting.ipv6));
            listen.connection = setting.ends[1].config();
            let listener = emulator.with_stack(RIGHT, |_, stack| stack.listen(listen));
            ends[1].listener = Some(listener.expect("it listens"));
        }
        ends[0].handle = Some(connect(&mut emulator, setting, Side::Left));
        if let Some(after) = setting.wraps_after {
            let iss = emulator.observer().0.iss(Side::Left).expect("a SYN");
            assert_eq!(iss.0, 0u32.wrapping_sub(after), "it begins where it should");
        }
        World { setting: *setting, done: Vec::new(), emulator: Some(emulator), ends }
    }

    /// Does one action of the script.
    pub(crate) fn act(&mut self, action: Action) {
        self.done.push(action);
        match action {
            Action::Run { micros } => self.run(Duration::from_micros(micros)),
            Action::Write { side, bytes } => self.write(side, bytes),
            Action::Read { side, bytes } => self.read(side, bytes as usize),
            Action::SetReading { side, on } => self.ends[side as usize].reads = on,
            Action::Shutdown { side } => {
                self.on(side, |now, stack, handle| stack.shutdown(now, handle).expect("open"));
            }
            Action::Close { side } => {
                self.on(side, |now, stack, handle| stack.close(now, handle).expect("open"));
                self.leave(side, Left::Closed);
            }
            Action::Abort { side } => {
                self.on(side, |now, stack, handle| stack.abort(now, handle).expect("open"));
                self.leave(side, Left::Aborted);
            }
            Action::Nagle { side, kind } => {
                self.on(side, |now, stack, handle| {
                    stack.set_nagle(now, handle, kind).expect("open")
                });
            }
            Action::Cork { side, on } => {
                self.on(side, |now, stack, handle| stack.set_cork(now, handle, on).expect("open"));
            }
            Action::Keepalive { side, on } => {
                let second = Duration::from_secs(1);
                let settings = Keepalive { idle: second, interval: second, count: 3 };
                let settings = on.then_some(settings);
                let switched = self.on(side, |now, stack, handle| {
                    stack.set_keepalive(now, handle, settings).expect("open");
                });
                self.ends[side as usize].keepalive |= switched.is_some();
            }
            Action::Dscp { side, dscp } => {
                self.on(side, |now, stack, handle| {
                    stack.set_dscp(now, handle, dscp).expect("open")
                });
            }
            Action::ClockJump { side, millis } => {
                let host = self.ends[side as usize].host;
                self.net().with_stack(host, |now, stack| {
                    let size = Duration::from_millis(millis.unsigned_abs());
                    let at = if millis < 0 {
                        now.as_nanos() - size.as_nanos().min(now.as_nanos())
                    } else {
                        (now + size).as_nanos()
                    };
                    stack.on_timeout(Instant::ZERO + Duration::from_nanos(at));
                });
            }
        }
        self.look();
    }

    fn net(&mut self) -> &mut Watched {
        self.emulator.as_mut().expect("the run goes on")
    }

    /// Does something with an end's connection, if it has one.
    fn on<R>(
        &mut self,
        side: Side,
        call: impl FnOnce(Instant, &mut Stack<'static, BuiltIn>, Handle) -> R,
    ) -> Option<R> {
        let End { host, handle, .. } = self.ends[side as usize];
        let handle = handle?;
        Some(self.net().with_stack(host, |now, stack| call(now, stack, handle)))
    }

    fn leave(&mut self, side: Side, how: Left) {
        let end = &mut self.ends[side as usize];
        if end.handle.take().is_some() {
            end.left = how;
        }
    }

    /// Lets time pass, in which both ends look at their connections twenty times.
    fn run(&mut self, time: Duration) {
        let end = self.net().now() + time;
        for slice in (0..20u64).rev() {
            let rest = Duration::from_nanos(time.as_nanos() / 20 * slice);
            self.net().run_until(Instant::ZERO + end.saturating_since(Instant::ZERO + rest));
            self.look();
        }
    }

    /// Accepts, reads, and checks what must be true at every moment.
    fn look(&mut self) {
        for side in Side::BOTH {
            let End { host, listener, reads, .. } = self.ends[side as usize];
            if let Some(listener) = listener {
                let accepted = self.net().with_stack(host, |_, stack| stack.accept(listener));
                if accepted.is_some() {
                    self.net().with_stack(host, |now, stack| stack.close_listener(now, listener));
                    let end = &mut self.ends[side as usize];
                    (end.listener, end.handle) = (None, accepted);
                }
            }
            if reads {
                self.read(side, usize::MAX);
            }
            if let Some(info) = self.info(side) {
                self.check_info(side, &info);
            }
        }
        for host in [LEFT, RIGHT] {
            let broken = self.net().stack(host).broken_invariant();
            assert_eq!(broken, None, "an invariant of {host:?} holds");
        }
        if let Some(broken) = self.net().observer().0.broken() {
            panic!("a promise was broken: {broken}");
        }
    }

    fn info(&mut self, side: Side) -> Option<Info> {
        self.on(side, |now, stack, handle| stack.info(now, handle)).flatten()
    }

    fn check_info(&self, side: Side, info: &Info) {
        let setting = &self.setting.ends[side as usize];
        // The pipe variable of Fall and Floyd misses what lost duplicate acks would have told.
        let estimates = info.recovery == "sack-pipe";
        assert!(estimates || info.in_flight <= info.unacked, "{side:?}: {info:?}");
        assert!(info.sacked + info.lost <= info.unacked, "{side:?}: {info:?}");
        assert!(info.send_queue <= setting.send_buffer, "{side:?}: {info:?}");
        let held = info.receive_queue + info.out_of_order;
        assert!(held <= setting.receive_buffer, "{side:?}: {info:?}");
        assert!(info.bytes_retransmitted <= info.bytes_sent, "{side:?}: {info:?}");
    }

    fn write(&mut self, side: Side, bytes: u32) {
        let offset = self.ends[side as usize].written;
        let mut data = vec![0; bytes as usize];
        stream(side).fill(offset, &mut data);
        let taken = self.on(side, |now, stack, handle| stack.send(now, handle, &data));
        self.ends[side as usize].written += taken.and_then(Result::ok).unwrap_or(0) as u64;
    }

    fn read(&mut self, side: Side, most: usize) {
        let pattern = stream(side.other());
        let offset = self.ends[side as usize].received;
        let taken = self.on(side, |now, stack, handle| {
            let mut taken = 0;
            while let Ok([part, _]) = stack.received(handle) {
                let part = &part[..part.len().min(most - taken)];
                if part.is_empty() {
                    break;
                }
                let wrong = pattern.first_mismatch(offset + taken as u64, part);
                assert_eq!(wrong, None, "{side:?} reads what was sent, from {offset} + {taken} on");
                let n = part.len();
                taken += n;
                stack.consume(now, handle, n).expect("open");
            }
            taken
        });
        let received = &mut self.ends[side as usize].received;
        *received += taken.unwrap_or(0) as u64;
        let written = self.ends[side.other() as usize].written;
        assert!(
            self.ends[side as usize].received <= written,
            "{side:?} reads no more than was sent"
        );
    }

    /// Lets both ends send what is left, and brings the run to its end.
    pub(crate) fn conclude(mut self) {
        for side in Side::BOTH {
            self.ends[side as usize].reads = true;
        }
        self.look();
        let limit = self.net().now() + ENOUGH;
        let mut step = Duration::from_millis(1);
        while !Side::BOTH.into_iter().all(|side| self.is_over(side)) {
            assert!(
                self.net().now() < limit,
                "the run ends: {:?}",
                Side::BOTH.map(|side| self.info(side))
            );
            for side in Side::BOTH {
                self.on(side, |now, stack, handle| {
                    stack.set_cork(now, handle, false).expect("open");
                    stack.shutdown(now, handle).expect("open");
                });
            }
            let until = self.net().now() + step;
            self.net().run_until(until);
            self.look();
            step = step.saturating_mul(2).min(Duration::from_secs(10));
        }
        for side in Side::BOTH {
            self.check_end(side);
        }
        self.emulator = None;
    }

    /// Whether nothing more is to be expected of an end.
    fn is_over(&mut self, side: Side) -> bool {
        let peer_is_gone = self.is_gone(side.other());
        let readiness = self.on(side, |_, stack, handle| stack.readiness(handle));
        match readiness.flatten() {
            // The end has left, or the peer left before it could accept anything.
            None => self.ends[side as usize].left != Left::No || peer_is_gone,
            // A peer that went without a word, or whose RST was lost, is never heard of again by
            // an end that has nothing to send.
            Some(ready) => ready.closed || (ready.flushed && (ready.finished || peer_is_gone)),
        }
    }

    /// Whether an end has left, or its connection has failed.
    fn is_gone(&mut self, side: Side) -> bool {
        let failed = self.info(side).is_some_and(|info| info.error.is_some());
        failed || self.ends[side as usize].left != Left::No
    }

    /// Checks that an end got everything, or has an excuse in the script.
    fn check_end(&mut self, side: Side) {
        let Some(info) = self.info(side) else {
            return;
        };
        let peer_is_gone = self.is_gone(side.other());
        let [own, peer] = [side, side.other()].map(|side| &self.ends[side as usize]);
        let excused = match info.error {
            None => peer_is_gone,
            Some(Error::Reset | Error::Refused) => peer.left != Left::No || peer.keepalive,
            Some(Error::KeepaliveTimeout) => own.keepalive,
            Some(_) => false,
        };
        let complete = info.error.is_none() && own.received == peer.written;
        assert!(
            complete || excused,
            "{side:?} got {} of {} bytes: {info:?}",
            own.received,
            peer.written
        );
    }
}

impl Drop for World {
    /// Writes the report of a run that fails.
    fn drop(&mut self) {
        if let (true, Some(emulator)) = (std::thread::panicking(), self.emulator.take()) {
            let capture = emulator.into_observer().1.finish().unwrap_or_default();
            report::write(&self.setting, &self.done, &capture);
        }
    }
}
