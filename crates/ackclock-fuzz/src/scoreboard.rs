//! Acks and SACK blocks of any kind for what is in flight, against a naive set of segments.

use crate::peer::{PEER_ISN, Peer, Sent, any_law, header};
use ackclock::congestion::Fixed;
use ackclock::seq::{SeqNumber, SeqRange};
use ackclock::tcp::{Config, RecoveryAlgorithm};
use ackclock::time::Duration;
use ackclock::wire::{Header, Options, SackBlocks};
use arbitrary::{Result, Unstructured};

const MSS: u32 = 100;
/// Acks and waits of one run.
const MOST_STEPS: u32 = 200;
/// Timers that fire in one wait.
const MOST_TIMERS: u32 = 20;

pub(crate) fn run(data: &[u8]) {
    // Input that ends early is not worth more.
    let _ = steps(&mut Unstructured::new(data));
}

/// A segment in flight, by offsets in our stream.
#[derive(Debug)]
struct InFlight {
    start: i64,
    end: i64,
    sacked: bool,
}

struct Model {
    peer: Peer,
    recovery: RecoveryAlgorithm,
    una: i64,
    nxt: i64,
    flight: Vec<InFlight>,
    /// Neither the timer nor the peer's going back on its word has cleared the scoreboard.
    exact: bool,
}

fn steps(u: &mut Unstructured<'_>) -> Result<()> {
    let recovery = *u.choose(RecoveryAlgorithm::ALL)?;
    let mut config = Config::default();
    config.mss = Some(MSS as u16);
    config.timestamps = false;
    config.window_scaling = false;
    config.send_buffer = 100 * MSS;
    config.recovery = recovery;
    let options = Options { mss: Some(MSS as u16), sack_permitted: true, ..Options::default() };
    let law = match u.int_in_range(0..=100)? {
        0 => any_law(u)?,
        segments => Fixed::segments(segments).into(),
    };
    let mut peer = Peer::new(law);
    peer.establish(&config, options);
    let mut model =
        Model { peer, recovery, una: 0, nxt: 0, flight: Vec::new(), exact: recovery.needs_sack() };
    for _ in 0..MOST_STEPS {
        if u.is_empty() {
            break;
        }
        match u.int_in_range(0..=15)? {
            0 => model.wait(u.int_in_range(0..=2_000)?),
            1..=3 => {
                let sent = model.peer.write(u.int_in_range(0..=20 * MSS as usize)?);
                model.on_sent(&sent);
            }
            _ => {
                let ack = model.offset(u)?;
                let mut blocks = Vec::new();
                for _ in 0..u.int_in_range(0..=SackBlocks::MAX)? {
                    blocks.push((model.offset(u)?, model.offset(u)?));
                }
                model.ack(ack, &blocks);
            }
        }
        model.check();
    }
    model.finish();
    Ok(())
}

impl Model {
    /// A place in or about the flight, often at the edge of a segment.
    fn offset(&self, u: &mut Unstructured<'_>) -> Result<i64> {
        let pieces = i64::from(u.int_in_range(-4..=104)?);
        let bytes = if u.ratio(1, 4)? { i64::from(u.int_in_range(0..=MSS)?) } else { 0 };
        Ok(self.una + pieces * i64::from(MSS) + bytes)
    }

    fn seq(&self, offset: i64) -> SeqNumber {
        self.peer.our_isn + 1 + offset as u32
    }

    fn on_sent(&mut self, sent: &[Sent]) {
        for Sent { header, payload } in sent {
            let start = i64::from(header.seq.distance(self.peer.our_isn + 1));
            let end = start + payload.len() as i64;
            if payload.is_empty() {
                continue;
            }
            if start == self.nxt {
                self.flight.push(InFlight { start, end, sacked: false });
                self.nxt = end;
                continue;
            }
            assert!(self.una <= start && end <= self.nxt, "only what is in flight goes again");
            let again = self.flight.iter().filter(|piece| piece.start < end && start < piece.end);
            if self.exact {
                assert!(again.into_iter().all(|piece| !piece.sacked), "what was SACKed goes again");
            }
        }
    }

    fn wait(&mut self, millis: u64) {
        let timeouts = self.timeouts();
        let sent = self.peer.wait(Duration::from_millis(millis), MOST_TIMERS);
        self.exact &= self.timeouts() == timeouts;
        self.on_sent(&sent);
    }

    fn timeouts(&self) -> u64 {
        self.peer.info().map_or(0, |info| info.timeouts)
    }

    fn ack(&mut self, ack: i64, blocks: &[(i64, i64)]) {
        let mut sack = SackBlocks::EMPTY;
        for (start, end) in blocks {
            sack.push(SeqRange::new(self.seq(*start), self.seq(*end)));
        }
        // An ack that was overtaken still tells what it SACKs (RFC 5961 section 5.2: not if it is older).
        let oldest = self.una - i64::from(header().window);
        if (oldest..=self.nxt).contains(&ack) {
            self.apply(ack, blocks);
        }
        let options = Options { sack, ..Options::default() };
        let sent =
            self.peer.says(&Header { seq: PEER_ISN + 1, ack: self.seq(ack), options, ..header() });
        self.on_sent(&sent);
    }

    fn apply(&mut self, ack: i64, blocks: &[(i64, i64)]) {
        let una = self.una.max(ack);
        self.una = una;
        self.flight.retain(|piece| piece.end > una);
        if let Some(first) = self.flight.first_mut() {
            // A peer that acknowledges up to what it had SACKed has thrown that away.
            self.exact &= !first.sacked;
        }
        for (index, &(start, end)) in blocks.iter().enumerate() {
            let within = blocks.get(index + 1).is_some_and(|next| next.0 <= start && end <= next.1);
            // RFC 2883: the first block may be what arrived twice.
            let duplicate = index == 0 && (end <= ack || within);
            if duplicate || start >= end || start < una || end > self.nxt {
                continue;
            }
            for piece in &mut self.flight {
                piece.sacked |= start <= piece.start && piece.end <= end;
            }
        }
        self.exact &= self.flight.first().is_none_or(|first| !first.sacked);
    }

    fn check(&self) {
        self.peer.check();
        let info = self.peer.info().expect("open");
        if self.exact {
            let sacked = self.flight.iter().filter(|piece| piece.sacked);
            let sacked: i64 = sacked.map(|piece| piece.end - piece.start).sum();
            assert_eq!(i64::from(info.sacked), sacked, "{:?} {info:?}", self.recovery);
        }
    }

    /// The peer acknowledges everything: nothing is left.
    fn finish(&mut self) {
        for _ in 0..1_000 {
            if self.peer.info().is_none_or(|info| info.send_queue == 0 || info.error.is_some()) {
                break;
            }
            let nxt = self.nxt;
            self.ack(nxt, &[]);
            self.wait(500);
        }
        let info = self.peer.info().expect("open");
        if info.error.is_none() {
            let left = (info.send_queue, info.unacked, info.sacked, info.lost, info.in_flight);
            assert_eq!(left, (0, 0, 0, 0, 0), "{info:?}");
            assert_eq!(info.timers.retransmit, None);
        }
    }
}
