//! A bulk transfer over a path whose every packet's fate the test decides, by a law that keeps
//! account of what it hears: what recovery may cost.

use super::*;
use crate::congestion::{
    Ack, Congestion, CongestionController, CongestionKind, Cubic, LARGEST_WINDOW, Loss,
    Sent as SentBytes, Start,
};
use crate::test_random::Random;
use std::boxed::Box;
use std::collections::BTreeMap;

/// A law that remembers what it was told of.
#[derive(Clone, Debug)]
pub(super) struct Accounted {
    law: BuiltIn,
    /// Kinds of congestion in order, and false alarms as `None`.
    heard: Vec<Option<CongestionKind>>,
    /// The window before the reduction that can be taken back.
    before: u32,
    /// A window after a false alarm was below that.
    fell_short: bool,
    mss: u32,
    /// The first promise that the law did not keep.
    broken: Option<&'static str>,
}

impl Accounted {
    fn count(&self, kind: Option<CongestionKind>) -> usize {
        self.heard.iter().filter(|heard| **heard == kind).count()
    }

    pub(super) fn reductions(&self) -> usize {
        self.count(Some(CongestionKind::FastRetransmit))
    }

    pub(super) fn broken(&self) -> Option<&'static str> {
        self.broken
    }

    fn check(&mut self) {
        if !(self.mss..=LARGEST_WINDOW.max(self.mss)).contains(&self.law.window()) {
            self.broken =
                self.broken.or(Some("a window is at least a segment and at most its cap"));
        }
    }
}

impl CongestionController for Accounted {
    fn name(&self) -> &'static str {
        self.law.name()
    }

    fn on_start(&mut self, start: &Start) {
        self.mss = start.mss;
        self.law.on_start(start);
    }

    fn on_sent(&mut self, sent: &SentBytes) {
        self.law.on_sent(sent);
    }

    fn on_ack(&mut self, ack: &Ack) {
        let before = self.law.window();
        self.law.on_ack(ack);
        // BBR's window follows its model of the path, not the flight.
        let grown = self.law.window() > before && self.law.name() != "bbr";
        if grown && !ack.window_limited {
            self.broken = self.broken.or(Some("a window grows only while the flight reaches it"));
        }
        self.check();
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.law.on_loss(loss);
        self.check();
    }

    fn on_recovery_exit(&mut self, now: Instant, in_flight: u32) {
        self.law.on_recovery_exit(now, in_flight);
        self.check();
    }

    fn on_congestion(&mut self, event: &Congestion) {
        if event.kind != CongestionKind::RepeatedTimeout {
            self.before = self.law.window();
        }
        self.heard.push(Some(event.kind));
        self.law.on_congestion(event);
        self.check();
    }

    fn on_undo(&mut self, now: Instant) {
        self.heard.push(None);
        self.law.on_undo(now);
        self.fell_short |= self.law.window() < self.before;
        self.check();
    }

    fn on_mss_change(&mut self, mss: u32) {
        self.mss = mss;
        self.law.on_mss_change(mss);
    }

    fn window(&self) -> u32 {
        self.law.window()
    }

    fn slow_start_threshold(&self) -> u32 {
        self.law.slow_start_threshold()
    }

    fn pacing_rate(&self) -> Option<u64> {
        self.law.pacing_rate()
    }

    fn send_quantum(&self) -> Option<u32> {
        self.law.send_quantum()
    }

    fn wants_prr(&self) -> bool {
        self.law.wants_prr()
    }

    fn wants_delivery_rate(&self) -> bool {
        self.law.wants_delivery_rate()
    }

    fn limits_itself(&self) -> bool {
        self.law.limits_itself()
    }
}

/// A segment of the sender's, as the path sees it.
pub(super) struct OnPath {
    now: Instant,
    /// First byte.
    at: u32,
    again: bool,
}

type Fate = Box<dyn FnMut(&OnPath) -> Option<Duration>>;

pub(super) struct Bulk {
    pub(super) sender: Connection<'static, Accounted>,
    receiver: Connection<'static, BuiltIn>,
    now: Instant,
    /// What is on its way, and to whom.
    path: BTreeMap<(Instant, u32), (bool, Header, Vec<u8>)>,
    packets: u32,
    /// How much is to be sent, and was queued.
    pub(super) total: u32,
    send_buffer: u32,
    written: u32,
    highest: u32,
    /// Segments sent again, and how many of them were lost.
    again: u32,
    pub(super) lost_again: u32,
    /// How long a segment of the sender's takes to the receiver; `None`: it is lost.
    fate: Fate,
}

/// Payload of a full segment: MSS less the timestamps option.
const SEGMENT: u32 = MSS - 12;

const WAY_BACK: Duration = Duration::from_millis(20);

impl Bulk {
    pub(super) fn new(
        config: &Config,
        law: BuiltIn,
        fate: impl FnMut(&OnPath) -> Option<Duration> + 'static,
    ) -> Bulk {
        let config = Config { mss: Some(MSS as u16), ..*config };
        let open = |iss| Open {
            iss: SeqNumber(iss),
            timestamp_offset: 0,
            mtu: 1_500,
            ip_header: 20,
            random: 1,
            clock_phase: 0,
        };
        let now = Instant::from_secs(100);
        let law = Accounted {
            law,
            heard: Vec::new(),
            before: 0,
            fell_short: false,
            mss: 0,
            broken: None,
        };
        let receiver = Config { ack_policy: AckPolicy::EverySegment, ..config };
        let law_of_receiver = Reno::default().into();
        let mut bulk = Bulk {
            sender: Connection::connect(now, &config, law, buffers(), &open(ISS)),
            // Both open at the same time: neither needs a listener.
            receiver: Connection::connect(now, &receiver, law_of_receiver, buffers(), &open(IRS)),
            now,
            path: BTreeMap::new(),
            packets: 0,
            total: 0,
            send_buffer: config.send_buffer,
            written: 0,
            highest: 0,
            again: 0,
            lost_again: 0,
            fate: Box::new(fate),
        };
        bulk.transmit();
        bulk.run_while(|bulk| bulk.sender.state() != State::Established);
        bulk
    }

    /// Queues what there is room for.
    fn fill(&mut self) {
        let queued = self.sender.sender.queue().len() as u32;
        let room = self.send_buffer - queued;
        let len = room.min(self.total - self.written);
        if len > 0 {
            let taken = self.sender.send(self.now, &std::vec![0; len as usize]);
            assert_eq!(taken, Ok(len as usize));
            self.written += len;
        }
    }

    fn transmit(&mut self) {
        self.fill();
        while let Some(outgoing) = self.sender.poll_transmit(self.now, 0) {
            let payload = self.sender.payload(&outgoing).concat();
            self.sender.on_transmitted(self.now, &outgoing);
            let at = outgoing.header.seq.0.wrapping_sub(ISS + 1);
            let again = at < self.highest;
            let fate = if payload.is_empty() {
                Some(WAY_BACK)
            } else {
                self.highest = self.highest.max(at + payload.len() as u32);
                (self.fate)(&OnPath { now: self.now, at, again })
            };
            self.again += u32::from(again);
            self.lost_again += u32::from(again && fate.is_none());
            if let Some(delay) = fate {
                self.packets += 1;
                let key = (self.now + delay, self.packets);
                self.path.insert(key, (true, outgoing.header, payload));
            }
        }
        while let Some(outgoing) = self.receiver.poll_transmit(self.now, 0) {
            self.receiver.on_transmitted(self.now, &outgoing);
            self.packets += 1;
            let key = (self.now + WAY_BACK, self.packets);
            self.path.insert(key, (false, outgoing.header, Vec::new()));
        }
    }

    /// Sends so many bytes, and runs until they are acknowledged.
    pub(super) fn run(&mut self, total: u32) {
        self.total = total;
        self.run_while(|bulk| bulk.info().bytes_acked < u64::from(total));
    }

    pub(super) fn run_while(&mut self, mut goes_on: impl FnMut(&mut Bulk) -> bool) {
        while goes_on(self) {
            self.transmit();
            let next = self.path.keys().next().map_or(Instant::FAR_FUTURE, |(at, _)| *at);
            let timeouts = self.sender.poll_timeout().min(self.receiver.poll_timeout());
            self.now = self.now.max(next.min(timeouts));
            assert!(!next.min(timeouts).is_never(), "nobody has anything to do");
            self.sender.on_timeout(self.now);
            self.receiver.on_timeout(self.now);
            while let Some(entry) =
                self.path.first_entry().filter(|entry| entry.key().0 <= self.now)
            {
                let (forth, header, payload) = entry.remove();
                let ip = IpInfo {
                    source: IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)).into(),
                    destination: IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2)).into(),
                    hop_limit: 64,
                    dscp: 0,
                    ecn: Ecn::NotEct,
                };
                let segment = Segment { header, ip, payload: &payload };
                let verdict = if forth {
                    self.receiver.on_segment(self.now, &segment)
                } else {
                    self.sender.on_segment(self.now, &segment)
                };
                assert_eq!(verdict, Verdict::Done);
                let _ = self.receiver.receive(&mut [0; 10_000]);
                self.transmit();
            }
        }
    }

    pub(super) fn law(&self) -> &Accounted {
        self.sender.sender.controller()
    }

    pub(super) fn info(&self) -> Info {
        self.sender.info(self.now)
    }
}

pub(super) fn config_of(name: &str) -> Config {
    Config { recovery: name.parse().expect("a recovery"), ..Config::default() }
}

const MODERN: [&str; 4] = ["newreno", "rfc6675", "rack", "sack-pipe"];

#[test]
fn each_episode_reduces_once_and_each_lost_retransmission_once_more_at_most() {
    let mut all_episodes = 0;
    for (name, seed) in MODERN.into_iter().flat_map(|name| (0..10).map(move |seed| (name, seed))) {
        let mut random = Random(seed * 77 + 5);
        let loss = [5, 20, 60, 150, 300][seed as usize % 5];
        let fate =
            move |_: &OnPath| (random.below(1_000) >= loss).then_some(Duration::from_millis(20));
        let law = if seed % 2 == 0 { Reno::default().into() } else { Cubic::default().into() };
        let mut bulk = Bulk::new(&config_of(name), law, fate);
        bulk.run(250_000);
        let (episodes, reductions) = (bulk.info().fast_recoveries, bulk.law().reductions() as u64);
        assert!(reductions >= episodes, "{name} {seed}: the law hears of each");
        let most = episodes + u64::from(bulk.lost_again) + bulk.info().tail_probes;
        assert!(reductions <= most, "{name} {seed}: {reductions} in {episodes} episodes");
        all_episodes += episodes;
    }
    assert!(all_episodes > 300, "{all_episodes}");
}

/// Everything arrives, some of it late: in the end every reduction was taken back.
#[test]
fn what_only_delay_has_caused_is_taken_back_exactly() {
    let mut all_alarms = 0;
    for (name, seed) in ["rfc6675", "rack", "newreno"]
        .into_iter()
        .flat_map(|name| (0..12).map(move |seed| (name, seed)))
    {
        let mut random = Random(seed * 31 + 9);
        let mut stalled_until = Instant::ZERO;
        // Every so often the path stands still for up to a second and a half.
        let fate = move |segment: &OnPath| {
            if random.one_in(150) {
                let stall = Duration::from_millis(u64::from(random.below(1_500)));
                stalled_until = stalled_until.max(segment.now + stall);
            }
            Some(stalled_until.saturating_since(segment.now) + Duration::from_millis(20))
        };
        let mut bulk = Bulk::new(&config_of(name), Reno::default().into(), fate);
        bulk.run(200_000);
        bulk.run_while(|bulk| !bulk.path.is_empty());
        let law = bulk.law();
        let alarms = law.reductions() + law.count(Some(CongestionKind::Timeout));
        assert_eq!(law.count(None), alarms, "{name} {seed}: {:?}", law.heard);
        assert!(!law.fell_short, "{name} {seed}");
        all_alarms += alarms;
    }
    assert!(all_alarms > 30, "{all_alarms}");
}

/// The path stands still for a second, two seconds after the beginning.
#[test]
fn a_delay_spike_costs_one_segment_for_each_timer_and_no_window() {
    for name in ["rfc6675", "rack", "newreno"] {
        let spike = Instant::from_secs(102);
        let fate = move |segment: &OnPath| {
            let stall = segment.now >= spike && segment.now < spike + Duration::from_secs(1);
            let held = (spike + Duration::from_secs(1)).saturating_since(segment.now);
            let held = if stall { held } else { Duration::ZERO };
            Some(held + Duration::from_millis(20))
        };
        let config = Config { send_buffer: 50_000, receive_buffer: 50_000, ..config_of(name) };
        let mut bulk = Bulk::new(&config, Reno::default().into(), fate);
        bulk.total = u32::MAX;
        bulk.run_while(|bulk| bulk.now < spike);
        let before = bulk.info().cwnd;
        bulk.run_while(|bulk| bulk.now < spike + Duration::from_secs(3));
        let info = bulk.info();
        assert!(info.timeouts > 0, "{name}");
        assert!(u64::from(bulk.again) <= info.timeouts + info.tail_probes, "{name}");
        assert_eq!(info.undos, 1, "{name}");
        assert!(info.cwnd >= before, "{name}: {} after {before}", info.cwnd);
    }
}

/// Half a window lost at once: everything is sent again within two round trips of its detection.
#[test]
fn a_burst_loss_of_half_a_window_is_repaired_within_two_round_trips() {
    for (name, seed) in
        ["rack", "rfc6675"].into_iter().flat_map(|name| (0..9).map(move |seed| (name, seed)))
    {
        // The window is 64 segments; half of it is lost from some segment on.
        let first = (1_000 + seed * 7) * SEGMENT;
        let lost = first..first + 32 * SEGMENT;
        let times: std::rc::Rc<std::cell::RefCell<Vec<Instant>>> = std::rc::Rc::default();
        let seen = times.clone();
        let fate = move |segment: &OnPath| {
            if segment.again {
                seen.borrow_mut().push(segment.now);
            } else if lost.contains(&segment.at) {
                return None;
            }
            Some(Duration::from_millis(20))
        };
        let config =
            Config { send_buffer: 64 * SEGMENT, receive_buffer: 1_000_000, ..config_of(name) };
        let mut bulk = Bulk::new(&config, Reno::default().into(), fate);
        bulk.run(2_000 * SEGMENT);
        let times = times.borrow();
        assert_eq!((times.len(), bulk.info().timeouts), (32, 0), "{name} {seed}");
        let took =
            times.last().zip(times.first()).map(|(last, first)| last.saturating_since(*first));
        assert!(took <= Some(Duration::from_millis(2 * 40)), "{name} {seed}: {took:?}");
    }
}
