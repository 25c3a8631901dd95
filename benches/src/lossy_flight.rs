//! A sender with a large fixed window over a path that loses segments at random, in the steady state:
//! each ack lets another segment go, and there are about as many holes as the path loses in a round trip.

use crate::end::{End, IRS, ISS};
use ackclock::seq::{SeqNumber, SeqRange};
use ackclock::time::{Duration, Instant};
use ackclock::wire::{Flags, Options, SackBlocks, Timestamps};
use std::collections::VecDeque;
use std::ops::Range;

/// Payload of a segment: so little that the copies into the send queue do not hide the acks.
const PIECE: u16 = 64;

/// How long a segment keeps the line busy: 1,500 bytes at 10 Gbit/s, of which 86,000 are 100 ms.
const SERIALISATION: Duration = Duration::from_nanos(1_163);

/// One of so many segments is lost.
const LOST_ONE_OF: u64 = 1_000;

/// What is queued for sending and acknowledged, in windows: a segment that is lost twice holds back what
/// is acknowledged for three round trips.
const QUEUE: u32 = 4;

/// Acks after which the application writes again.
const ACKS_PER_WRITE: u32 = 64;

/// A segment on its way.
struct Crossing {
    arrival: Instant,
    segment: u64,
    timestamp: u32,
    lost: bool,
}

/// The way there and back.
struct Path {
    under_way: VecDeque<Crossing>,
    round_trip: Duration,
    free_at: Instant,
    random: u64,
}

impl Path {
    fn send(&mut self, now: Instant, segment: u64, timestamp: u32) {
        // Knuth's linear congruential generator (MMIX).
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let lost = (self.random >> 33).is_multiple_of(LOST_ONE_OF);
        self.free_at = self.free_at.max(now) + SERIALISATION;
        let arrival = self.free_at + self.round_trip;
        self.under_way.push_back(Crossing { arrival, segment, timestamp, lost });
    }
}

/// A receiver that acknowledges each segment. Segments are counted from 0.
#[derive(Default)]
struct Peer {
    /// All before it have arrived.
    next: u64,
    /// What has arrived beyond.
    ranges: VecDeque<Range<u64>>,
    /// The last timestamp that came in order.
    recent: u32,
}

impl Peer {
    /// A segment arrives; returns what to report first, if it is out of order.
    fn take(&mut self, segment: u64, timestamp: u32) -> Option<Range<u64>> {
        if segment <= self.next {
            self.recent = timestamp;
        }
        if segment == self.next {
            self.next += 1;
            if let Some(range) = self.ranges.pop_front_if(|range| range.start == self.next) {
                self.next = range.end;
            }
        }
        if segment < self.next {
            return None;
        }
        let place = self.ranges.partition_point(|range| range.start <= segment);
        let behind = place.checked_sub(1).filter(|place| self.ranges[*place].end >= segment);
        let range = behind.unwrap_or_else(|| {
            self.ranges.insert(place, segment..segment);
            place
        });
        self.ranges[range].end = self.ranges[range].end.max(segment + 1);
        if let Some(after) = self.ranges.get(range + 1)
            && after.start == self.ranges[range].end
        {
            self.ranges[range].end = after.end;
            self.ranges.remove(range + 1);
        }
        Some(self.ranges[range].clone())
    }

    /// Three ranges that have arrived, the first of them `first`, the others the latest.
    fn blocks(&self, first: Option<Range<u64>>) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        let others = self.ranges.iter().rev().filter(|range| first.as_ref() != Some(range));
        for range in first.iter().chain(others).take(3) {
            blocks.push(SeqRange::new(number(range.start), number(range.end)));
        }
        blocks
    }
}

fn number(segment: u64) -> SeqNumber {
    SeqNumber((ISS + 1).wrapping_add((segment as u32).wrapping_mul(PIECE.into())))
}

/// The sender, the path and the peer.
pub struct LossyFlight {
    end: End,
    path: Path,
    peer: Peer,
    data: Vec<u8>,
    acks: u32,
}

impl LossyFlight {
    /// With so many segments in flight, in the steady state.
    ///
    /// # Panics
    /// If the connection does not come about.
    pub fn new(window: u32) -> Self {
        let end = End::established(window, QUEUE * window, PIECE);
        let round_trip = SERIALISATION.saturating_mul(window.into());
        let path = Path { under_way: VecDeque::new(), round_trip, free_at: end.now, random: 1 };
        let data = vec![0; 64 * 1024];
        let mut flight = LossyFlight { end, path, peer: Peer::default(), data, acks: 0 };
        flight.write();
        flight.send();
        // The first losses are found and repaired meanwhile.
        for _ in 0..2 * window {
            flight.ack();
        }
        flight
    }

    fn write(&mut self) {
        let (now, whole) = (self.end.now, Ok(self.data.len()));
        while self.end.connection.send(now, &self.data) == whole {}
    }

    fn send(&mut self) {
        let LossyFlight { end, path, peer, .. } = self;
        end.send(|now, outgoing| {
            let beyond = outgoing.header.seq.0.wrapping_sub(number(peer.next).0) as i32;
            let segment = peer.next.saturating_add_signed((beyond / i32::from(PIECE)).into());
            let timestamps = outgoing.header.options.timestamps.expect("timestamps");
            path.send(now, segment, timestamps.value);
        });
    }

    /// Lets timers fire that are due until then.
    fn fire(&mut self, until: Instant) {
        while self.end.connection.poll_timeout() <= until {
            self.end.now = self.end.now.max(self.end.connection.poll_timeout());
            self.end.connection.on_timeout(self.end.now);
            self.send();
        }
    }

    /// The next ack arrives, and lets go what it lets go.
    ///
    /// # Panics
    /// If nothing is in flight any more.
    pub fn ack(&mut self) {
        let crossing = loop {
            let crossing = self.path.under_way.pop_front().expect("segments under way");
            if !crossing.lost {
                break crossing;
            }
        };
        self.fire(crossing.arrival);
        self.end.now = crossing.arrival;
        let first = self.peer.take(crossing.segment, crossing.timestamp);
        let value = self.end.now.as_millis() as u32;
        let options = Options {
            timestamps: Some(Timestamps { value, echo: self.peer.recent }),
            sack: self.peer.blocks(first),
            ..Options::default()
        };
        self.end.take(IRS + 1, number(self.peer.next).0, Flags::NONE, options, &[]);
        self.acks += 1;
        if self.acks.is_multiple_of(ACKS_PER_WRITE) {
            self.write();
        }
        self.send();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_stays_full_and_losses_are_repaired_without_timeouts() {
        let mut flight = LossyFlight::new(860);
        let before = flight.end.connection.info(flight.end.now);
        for _ in 0..20_000 {
            flight.ack();
        }
        let after = flight.end.connection.info(flight.end.now);
        assert_eq!([before.in_flight, after.in_flight], [860 * u32::from(PIECE); 2]);
        assert_eq!((after.timeouts, after.tail_probes), (0, 0));
        let resent = after.retransmitted - before.retransmitted;
        assert!((10..40).contains(&resent), "{resent} segments sent again");
    }

    #[test]
    fn the_peer_reports_what_it_has() {
        let mut peer = Peer::default();
        assert_eq!(peer.take(0, 7), None);
        assert_eq!(peer.take(2, 8), Some(2..3));
        assert_eq!(peer.take(5, 8), Some(5..6));
        assert_eq!(peer.take(3, 8), Some(2..4));
        assert_eq!(peer.take(4, 8), Some(2..6), "the ranges have met");
        assert_eq!((peer.next, peer.recent), (1, 7));
        assert_eq!(peer.take(1, 9), None);
        assert_eq!((peer.next, peer.recent, peer.ranges.len()), (6, 9, 0));
    }
}
