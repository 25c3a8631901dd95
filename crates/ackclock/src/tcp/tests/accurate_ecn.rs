//! More accurate congestion notification (RFC 9768) between two connections of ours.

use super::*;
use crate::congestion::{Ack, Congestion, InitialWindow, Marks, Start};
use crate::test_random::Random;
use crate::wire::{AccurateEcnOption, SackBlocks};
use std::collections::BTreeMap;
use std::vec;

/// A law whose window never changes and which counts marks, as an L4S law does.
#[derive(Clone, Debug, Default)]
struct Counts {
    packets: u32,
    bytes: u32,
    events: u32,
}

impl CongestionController for Counts {
    fn name(&self) -> &'static str {
        "counts"
    }
    fn on_start(&mut self, _start: &Start) {}
    fn on_ack(&mut self, _ack: &Ack) {}
    fn on_marks(&mut self, marks: &Marks) {
        self.packets += marks.packets;
        self.bytes += marks.bytes;
    }
    fn on_congestion(&mut self, _event: &Congestion) {
        self.events += 1;
    }
    fn on_mss_change(&mut self, _mss: u32) {}
    fn window(&self) -> u32 {
        20 * MSS
    }
    fn slow_start_threshold(&self) -> u32 {
        u32::MAX
    }
    fn counts_marks(&self) -> bool {
        true
    }
}

fn asking() -> Config {
    Config { ecn: EcnMode::RequestAccurate, ..config() }
}

fn counters(fields: [u32; 3], len: u8) -> SackBlocks {
    let mut options = Options::default();
    options.set_accurate_ecn(Some(AccurateEcnOption { ect1_first: false, len, fields }));
    options.sack
}

#[test]
fn a_law_that_counts_marks_hears_of_each_and_of_no_echo() {
    let mut test = Test::connecting_with(asking(), Counts::default());
    test.sent();
    let options = Options { mss: Some(MSS as u16), ..Options::default() };
    let flags = SYN | ACK | Flags::from_ace(0b010);
    let _ = test.segment(Header { options, ..header(IRS, ISS + 1, flags) }, &[]);
    test.queue(0, 10 * MSS);
    assert_eq!(test.data().len(), 10);
    for (acked, ace, told) in [(2, 6, 1_000), (4, 6, 1_000), (10, 1, 4_000)] {
        let sack = counters([2_001, told, 0], 2);
        let options = Options { sack, ..Options::default() };
        let flags = ACK | Flags::from_ace(ace);
        let _ =
            test.segment(Header { options, ..header(IRS + 1, ISS + 1 + acked * MSS, flags) }, &[]);
    }
    let law = test.connection.sender.controller();
    assert_eq!((law.packets, law.bytes, law.events), (4, 4_000, 0));
}

/// A segment on its way: to which end, and its parts.
type Packet = (usize, Header, Ecn, Vec<u8>);

/// A path with trouble in both directions, on which a third of the segments that may be are marked, and two
/// connections that begin at once.
struct Path {
    random: Random,
    ends: [Connection<'static, BuiltIn>; 2],
    path: BTreeMap<(Instant, u32), Packet>,
    sent: u32,
    now: Instant,
    /// In percent, and in milliseconds.
    loss: u32,
    jitter: u32,
    /// Ends of the segments with CE that the receiver has counted.
    counted: Vec<SeqNumber>,
}

impl Path {
    fn new(seed: u64, loss: u32, jitter: u32) -> Path {
        let mut random = Random((seed * 0x9e37_79b9) | 1);
        let now = Instant::from_secs(1_000);
        let config = Config {
            mss: Some(MSS as u16),
            timestamps: random.one_in(2),
            ecn: EcnMode::RequestAccurate,
            initial_window: InitialWindow::segments(10),
            ..Config::default()
        };
        let ends = [1_000, 4_000_000_000].map(|iss| {
            let open = Open {
                iss: SeqNumber(iss),
                timestamp_offset: 0,
                mtu: 1_500,
                ip_header: 20,
                random: 1,
                clock_phase: 0,
            };
            Connection::connect(now, &config, BuiltIn::default(), buffers(), &open)
        });
        Path { random, ends, path: BTreeMap::new(), sent: 0, now, loss, jitter, counted: vec![] }
    }

    /// What both have to send.
    fn transmit(&mut self) {
        for (index, end) in self.ends.iter_mut().enumerate() {
            while let Some(outgoing) = end.poll_transmit(self.now, 0) {
                let payload = end.payload(&outgoing).concat();
                end.on_transmitted(self.now, &outgoing);
                self.sent += 1;
                let opens = outgoing.header.flags.contains(SYN);
                if !opens && self.random.below(100) < self.loss {
                    continue;
                }
                let late = if opens { 0 } else { self.random.below(self.jitter + 1) };
                let at = self.now + Duration::from_millis(u64::from(10 + late));
                let marked = outgoing.ecn == Ecn::Ect0 && self.random.one_in(3);
                let ecn = if marked { Ecn::Ce } else { outgoing.ecn };
                self.path.insert((at, self.sent), (1 - index, outgoing.header, ecn, payload));
            }
        }
    }

    /// The next thing happens.
    fn go_on(&mut self) {
        let arrival = self.path.keys().next().map_or(Instant::FAR_FUTURE, |(at, _)| *at);
        let timers = self.ends.iter().map(|end| end.poll_timeout());
        self.now = self.now.max(timers.fold(arrival, Instant::min));
        for end in &mut self.ends {
            end.on_timeout(self.now);
        }
        while let Some(entry) = self.path.first_entry().filter(|entry| entry.key().0 <= self.now) {
            let (index, header, ecn, payload) = entry.remove();
            let ip = IpInfo {
                source: IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2)).into(),
                destination: IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)).into(),
                hop_limit: 64,
                dscp: 0,
                ecn,
            };
            let end = &mut self.ends[index];
            let before = end.info(self.now).accurate_ecn.unwrap_or_default().ce_packets;
            let _ = end.on_segment(self.now, &Segment { header, ip, payload: &payload });
            let after = end.info(self.now).accurate_ecn.unwrap_or_default().ce_packets;
            if after > before {
                self.counted.push(header.seq + payload.len() as u32);
            }
            let mut bytes = [0; 65_536];
            let _ = end.receive(&mut bytes);
        }
    }

    /// Sends so many full segments from the first end to the second, and checks at each step that the sender
    /// knows all the marks of what is acknowledged.
    fn carry(&mut self, segments: u32) {
        let data = vec![7; (segments * MSS) as usize];
        let mut queued = 0;
        self.transmit();
        for _ in 0..200_000 {
            if self.ends[0].state() == State::Established && queued < data.len() {
                queued += self.ends[0].send(self.now, &data[queued..]).expect("open");
            }
            self.transmit();
            self.go_on();
            let una = self.ends[0].sender.snd_una();
            let known = self.counted.iter().filter(|end| end.at_or_before(una)).count() as u32;
            let told = self.ends[0].info(self.now).accurate_ecn.unwrap_or_default();
            assert!(told.told_ce_packets >= known, "{} of {known}", told.told_ce_packets);
            if queued == data.len() && self.ends[0].info(self.now).send_queue == 0 {
                return;
            }
        }
        panic!("it does not end");
    }
}

/// Section 3.2.2.5.2, with loss and reordering both ways.
#[test]
fn the_sender_is_never_behind_what_the_acks_tell() {
    let mut counted = 0;
    for seed in 1..=40 {
        let mut path = Path::new(seed, (seed % 4) as u32 * 8, (seed % 3) as u32 * 15);
        path.carry(300);
        counted += path.counted.len();
    }
    assert!(counted > 1_000, "{counted}");
}

/// On a path that loses nothing both ends have counted the same.
#[test]
fn both_ends_count_the_same_where_nothing_is_lost() {
    for seed in 1..=10 {
        let mut path = Path::new(seed, 0, 0);
        path.carry(300);
        let [sender, receiver] =
            path.ends.each_ref().map(|end| end.info(path.now).accurate_ecn.expect("in use"));
        assert_eq!(sender.told_ce_packets, receiver.ce_packets);
        assert_eq!(sender.told_ce_bytes, receiver.ce_bytes);
        assert_eq!(sender.told_ect0_bytes, receiver.ect0_bytes);
        assert_eq!(receiver.ce_bytes + receiver.ect0_bytes, 300 * MSS);
        assert!(receiver.ce_packets > 50);
    }
}
