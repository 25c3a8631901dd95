//! Two connections joined by a path that loses, repeats and reorders, with settings and
//! applications drawn at random: both streams arrive whole, and both ends come to their end.

use super::*;
use crate::test_random::Random;
use std::collections::BTreeMap;
use std::string::String;

/// How many runs.
const SEEDS: u32 = 60;
/// After so many transmissions the path is perfect, so that each run ends.
const TROUBLED_TRANSMISSIONS: u32 = 1_500;
/// No run takes so many transmissions unless both ends talk for ever.
const MOST_TRANSMISSIONS: u32 = 30_000;
/// No run takes longer, in virtual time, unless one end waits for ever.
const LONGEST: Duration = Duration::from_secs(4 * 60 * 60);

fn any_nagle(random: &mut Random) -> Nagle {
    random.pick(&Nagle::ALL)
}

fn byte(index: u32) -> u8 {
    (index ^ index >> 8).wrapping_mul(167) as u8
}

pub(super) fn random_config(random: &mut Random) -> Config {
    let give_up = Duration::from_secs(100_000);
    Config {
        mss: Some(random.pick(&[1, 2, 7, 100, 536, 1_000, 1_460]) as u16),
        send_buffer: random.pick(&[1, 10, 500, 2_000, 8_000, 70_000]),
        receive_buffer: random.pick(&[1, 3, 100, 999, 5_000, 70_000, 1_000_000]),
        flight_records: random.pick(&[1, 2, 5, 1_000]),
        reassembly_ranges: random.pick(&[0, 1, 3, 64]),
        window_scaling: random.one_in(2),
        timestamps: random.one_in(2),
        sack: !random.one_in(3),
        ecn: random.pick(&[
            EcnMode::Off,
            EcnMode::Request,
            EcnMode::RequestAccurate,
            EcnMode::RequestAccurate,
        ]),
        recovery: RecoveryAlgorithm::ALL
            [random.below(RecoveryAlgorithm::ALL.len() as u32) as usize],
        nagle: any_nagle(random),
        ack_policy: match random.below(3) {
            0 => AckPolicy::EverySegment,
            1 => AckPolicy::Bsd43,
            _ => AckPolicy::Delayed { timeout: Duration::from_millis(40), quick_acks: 2 },
        },
        ack_timer: if random.one_in(3) { AckTimer::BSD } else { AckTimer::PerSegment },
        rto: random_rto(random),
        give_up,
        syn_give_up: give_up,
        ..Config::default()
    }
}

fn random_rto(random: &mut Random) -> RtoConfig {
    let words =
        ["rfc6298", "rfc793", "jacobson88", "jacobson88-k2:ticks", "rfc793:ticks=100ms/1:one"];
    let word = random.pick(&words);
    let backoff = match random.below(8) {
        0 => RtoBackoff::None,
        1 => RtoBackoff::Linear,
        _ => RtoBackoff::Exponential,
    };
    let max = Duration::from_secs(10);
    RtoConfig { max, backoff, ..word.parse().expect("a timer") }
}

/// A segment on its way: to which end, and its parts.
type Packet = (usize, Header, Ecn, Vec<u8>);

/// One end: connection and application.
struct End {
    connection: Connection<'static, BuiltIn>,
    max_payload: u32,
    to_send: u32,
    written: u32,
    read: u32,
    to_read: u32,
    /// Whether the connection is given up as soon as everything is written and read.
    closes: bool,
    closed: bool,
    corks: bool,
    next_action: Instant,
    slowness: u32,
    iss: SeqNumber,
    /// The rightmost edge that its segments have told.
    edge: Option<SeqNumber>,
}

impl End {
    fn new(random: &mut Random, now: Instant, to_send: u32, to_read: u32) -> End {
        let config = random_config(random);
        config.validate().expect("usable settings");
        let iss = SeqNumber(0u32.wrapping_sub(random.below(2_000)));
        let open = Open {
            iss,
            timestamp_offset: random.below(u32::MAX),
            mtu: random.pick(&[576, 1_500, 9_000]),
            ip_header: 20,
            random: u64::from(random.below(1_000)),
            clock_phase: random.below(u32::MAX),
        };
        End {
            connection: Connection::connect(now, &config, BuiltIn::default(), buffers(), &open),
            max_payload: random.pick(&[0, 3_000, 65_535]),
            to_send,
            written: 0,
            read: 0,
            to_read,
            closes: random.one_in(3),
            closed: false,
            corks: random.one_in(4),
            next_action: now,
            slowness: random.pick(&[10, 100, 3_000]),
            iss,
            edge: None,
        }
    }

    fn act(&mut self, random: &mut Random, now: Instant) {
        self.next_action = now + Duration::from_millis(1 + u64::from(random.below(self.slowness)));
        if self.closed {
            self.next_action = Instant::FAR_FUTURE;
            return;
        }
        if self.corks && random.one_in(3) {
            self.connection.set_cork(now, random.one_in(2));
        }
        if random.one_in(20) {
            self.connection.set_nagle(any_nagle(random));
        }
        let amount = 1 + random.below(3_000);
        let end = self.to_send.min(self.written + amount);
        let data: Vec<u8> = (self.written..end).map(byte).collect();
        if !data.is_empty() {
            self.written += self.connection.send(now, &data).expect("open") as u32;
        }
        if self.written == self.to_send && random.one_in(2) {
            self.connection.set_cork(now, false);
            self.corks = false;
            self.connection.shutdown(now);
        }
        let amount = 1 + random.below(3_000);
        let mut bytes = std::vec![0; amount as usize];
        let n = match self.connection.receive(&mut bytes) {
            Ok(n) => n,
            Err(ReceiveError::WouldBlock | ReceiveError::Finished) => 0,
            Err(error) => panic!("{error:?}"),
        };
        for value in &bytes[..n] {
            assert_eq!(*value, byte(self.read), "byte {}", self.read);
            self.read += 1;
        }
        let open = self.connection.state().is_synchronized();
        if self.closes && open && self.written == self.to_send && self.read == self.to_read {
            self.connection.close(now);
            self.closed = true;
        }
    }

    fn is_done(&self) -> bool {
        self.read == self.to_read
            && matches!(self.connection.state(), State::TimeWait | State::Closed)
    }

    /// What it sends now, cut into segments.
    fn sent(&mut self, now: Instant) -> Vec<(Header, Ecn, Vec<u8>)> {
        let mut sent = Vec::new();
        while let Some(outgoing) = self.connection.poll_transmit(now, self.max_payload) {
            let again = self.connection.poll_transmit(now, self.max_payload).expect("the same");
            assert_eq!((again.header, again.len), (outgoing.header, outgoing.len));
            let payload = self.connection.payload(&outgoing).concat();
            assert_eq!(payload.len(), outgoing.len);
            self.connection.on_transmitted(now, &outgoing);
            let header = outgoing.header;
            assert!(!header.flags.contains(RST), "nothing went wrong");
            self.check_edge(&header);
            let size = match outgoing.segment_size {
                0 => payload.len().max(1),
                size => usize::from(size),
            };
            let count = payload.len().div_ceil(size).max(1);
            for index in 0..count {
                let part = payload.chunks(size).nth(index).unwrap_or_default();
                let mut header = header;
                header.seq += (index * size) as u32;
                if index + 1 < count {
                    header.flags = Flags::from_bits(header.flags.bits() & !FIN.bits());
                }
                sent.push((header, outgoing.ecn, part.to_vec()));
            }
            assert!(sent.len() < 5_000, "it stops sending");
        }
        sent
    }

    /// The edge of the window never moves left, but for the rounding of its scale (RFC 7323
    /// section 2.4).
    fn check_edge(&mut self, header: &Header) {
        if !header.flags.contains(ACK) {
            return;
        }
        let shift = match self.connection.agreement.our_shift {
            _ if header.flags.contains(SYN) => 0,
            shift => shift,
        };
        let edge = header.ack + (u32::from(header.window) << shift);
        let known = self.edge.unwrap_or(edge);
        assert!((edge + (1 << shift)).after(known), "the edge moved left: {known} {edge}");
        self.edge = Some(known.max(edge));
    }
}

fn tell(seed: u32, ends: &[End; 2], now: Instant) -> String {
    let [one, other] = ends.each_ref().map(|end| {
        let info = end.connection.info(now);
        std::format!("{info:#?} {} of {} read", end.read, end.to_read)
    });
    std::format!("seed {seed} at {now}: {one}\n{other}")
}

/// The run of one seed; what went wrong is told in a panic.
fn run(seed: u32) {
    let mut random = Random(u64::from(seed) * 0x9e37_79b9 + 0x1234_5678_9abc);
    let start = Instant::from_secs(1_000);
    let mut now = start;
    let largest = random.pick(&[0, 1, 300, 3_000, 30_000]);
    let (up, down) = (random.below(largest + 1), random.below(largest + 1));
    let mut ends = [End::new(&mut random, now, up, down), End::new(&mut random, now, down, up)];
    // No more segments than a run has transmissions for.
    let least =
        ends.iter().map(|end| end.connection.settings.mss().unwrap_or(1)).min().unwrap_or(1);
    let window = ends.iter().map(|end| end.connection.receiver.limit()).min().unwrap_or(1);
    let queue = ends.iter().map(|end| end.connection.sender.queue().limit()).min().unwrap_or(1);
    let unit = usize::from(least).min(window).min(queue) as u32;
    for (end, to_send, to_read) in [(0, up, down), (1, down, up)] {
        ends[end].to_send = to_send.min(unit * 300);
        ends[end].to_read = to_read.min(unit * 300);
    }
    let (loss, repeat, shuffle) = (random.below(35), random.below(10), random.below(3));
    let delay = random.pick(&[0, 1, 20, 300]);
    let mut path: BTreeMap<(Instant, u32), Packet> = BTreeMap::new();
    let mut transmissions = 0;
    while !ends.iter().all(End::is_done) {
        assert!(transmissions < MOST_TRANSMISSIONS, "it does not end: {}", tell(seed, &ends, now));
        assert!(
            now.saturating_since(start) < LONGEST,
            "it takes too long: {}",
            tell(seed, &ends, now)
        );
        for (index, end) in ends.iter_mut().enumerate() {
            for (header, ecn, payload) in end.sent(now) {
                transmissions += 1;
                let trouble = transmissions < TROUBLED_TRANSMISSIONS;
                let copies = match random.below(100) {
                    n if trouble && n < loss => 0,
                    n if trouble && n < loss + repeat => 2,
                    _ => 1,
                };
                for _ in 0..copies {
                    let jitter = if trouble && shuffle > 0 {
                        random.below(50) * random.below(shuffle + 1)
                    } else {
                        0
                    };
                    let at = now + Duration::from_millis(u64::from(delay + jitter));
                    transmissions += 1;
                    let marked = trouble && ecn == Ecn::Ect0 && random.one_in(20);
                    let ecn = if marked { Ecn::Ce } else { ecn };
                    path.insert((at, transmissions), (1 - index, header, ecn, payload.clone()));
                }
            }
        }
        let mut next = path.keys().next().map_or(Instant::FAR_FUTURE, |(at, _)| *at);
        for end in &ends {
            next = next.min(end.connection.poll_timeout()).min(end.next_action);
        }
        assert!(!next.is_never(), "nobody has anything left to do: {}", tell(seed, &ends, now));
        now = now.max(next);
        for end in &mut ends {
            if end.connection.poll_timeout() <= now {
                end.connection.on_timeout(now);
                assert!(
                    end.connection.poll_timeout() > now,
                    "seed {seed}: a timer stays due: {:#?}",
                    end.connection.info(now)
                );
            }
            if end.next_action <= now {
                end.act(&mut random, now);
            }
            if random.one_in(3_000) {
                let kind =
                    crate::wire::IcmpErrorKind::PacketTooBig { mtu: random.pick(&[0, 600, 1_000]) };
                let seq = end.connection.sender.snd_una();
                end.connection.on_icmp_error(now, kind, seq);
            }
        }
        while let Some(entry) = path.first_entry().filter(|entry| entry.key().0 <= now) {
            let (index, header, ecn, payload) = entry.remove();
            let ip = IpInfo {
                source: IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2)).into(),
                destination: IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)).into(),
                hop_limit: 64,
                dscp: 0,
                ecn,
            };
            let connection = &mut ends[index].connection;
            let verdict = connection.on_segment(now, &Segment { header, ip, payload: &payload });
            let closed = connection.state() == State::Closed;
            assert!(verdict == Verdict::Done || closed, "seed {seed}: a reset");
            assert_eq!(
                connection.error(),
                None,
                "seed {seed}: {:?} {:?}",
                connection.state(),
                header
            );
        }
        for end in &ends {
            let sender = &end.connection.sender;
            assert!(sender.snd_una().at_or_before(sender.snd_nxt()));
            assert!(sender.snd_una().since(end.iss) <= end.written + 2);
        }
    }
}

#[test]
fn streams_arrive_whole_whatever_the_path_does() {
    for seed in 1..=SEEDS {
        run(seed);
    }
}
