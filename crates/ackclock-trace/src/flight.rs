//! What one end has sent and the other has not acknowledged yet, as the capture saw it.

use ackclock::time::Instant;
use std::collections::VecDeque;

/// A position in a direction's sequence space that does not wrap: [`Flight::ORIGIN`] is the first
/// sequence number that was seen.
pub(crate) type Offset = u64;

/// A piece of the sequence space that was sent, the same number of times throughout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sent {
    pub(crate) start: Offset,
    pub(crate) end: Offset,
    pub(crate) first: Instant,
    pub(crate) last: Instant,
    pub(crate) transmissions: u16,
    /// Of the last transmission.
    pub(crate) ip_id: u16,
    /// Timestamp value of the last transmission, 0 without the option.
    pub(crate) timestamp: u32,
    /// It filled a hole, so that its first transmission may be unknown.
    pub(crate) filled_hole: bool,
    pub(crate) sampled: bool,
}

/// Class of a segment, compared with earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Overlap {
    /// Numbers that were seen before.
    pub(crate) seen: u64,
    /// Numbers that were not, though later ones were.
    pub(crate) holes: u64,
    /// Numbers beyond all seen before.
    pub(crate) new: u64,
    /// The first piece that it repeats, as it was before.
    pub(crate) repeated: Option<Sent>,
    /// The piece above the hole that it fills.
    pub(crate) above: Option<Sent>,
}

/// A bounded record of the data in flight.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flight {
    /// In order, without overlap; holes are data that were not seen.
    sent: VecDeque<Sent>,
    /// What was acknowledged last: of segments that come again after that, too, it matters when they
    /// were sent before.
    past: VecDeque<Sent>,
    /// Everything below is done with: acknowledged, or forgotten for want of room.
    floor: Offset,
}

impl Flight {
    /// The first offset: far from 0, so that data from before the capture have offsets too.
    pub(crate) const ORIGIN: Offset = 1 << 32;

    /// Maximum number of pieces; the oldest are dropped.
    pub(crate) const MOST: usize = 1 << 16;

    /// Acknowledged pieces that are remembered.
    const MOST_PAST: usize = 32;

    pub(crate) fn len(&self) -> usize {
        self.sent.len() + self.past.len()
    }

    /// Records a transmission of `sent.start..sent.end`, `next` being the end of all before it.
    pub(crate) fn record(&mut self, sent: Sent, next: Offset) -> Overlap {
        let mut overlap =
            Overlap { new: sent.end.saturating_sub(next.max(sent.start)), ..Overlap::default() };
        if sent.start >= next {
            self.push(sent);
            return overlap;
        }
        let old_end = sent.end.min(next);
        let below = self.floor.clamp(sent.start, old_end);
        overlap.seen = below - sent.start;
        if overlap.seen > 0 {
            overlap.repeated = self.repeat_past(&sent);
        }
        let mut at = below;
        let mut index = self.sent.partition_point(|piece| piece.end <= at);
        while at < old_end {
            match self.sent.get(index).copied() {
                Some(piece) if piece.start <= at => {
                    let end = piece.end.min(old_end);
                    overlap.seen += end - at;
                    overlap.repeated.get_or_insert(piece);
                    index = self.repeat(index, at, end, &sent);
                    at = end;
                }
                piece => {
                    let end = piece.map_or(old_end, |piece| piece.start.min(old_end));
                    overlap.holes += end - at;
                    overlap.above = overlap.above.or(piece);
                    let filling = Sent { start: at, end, filled_hole: true, ..sent };
                    self.sent.insert(index, filling);
                    index += 1;
                    at = end;
                }
            }
        }
        if overlap.new > 0 {
            self.push(Sent { start: next, ..sent });
        }
        self.make_room();
        overlap
    }

    /// Counts another transmission of `from..to`, which lies in the piece at `index`, and returns
    /// the index behind it.
    fn repeat(&mut self, index: usize, from: Offset, to: Offset, again: &Sent) -> usize {
        let Some(piece) = self.sent.get_mut(index) else { return index };
        let whole = *piece;
        *piece = Sent {
            start: from,
            end: to,
            first: whole.first,
            transmissions: whole.transmissions.saturating_add(1),
            filled_hole: whole.filled_hole,
            sampled: whole.sampled,
            ..*again
        };
        if to < whole.end {
            self.sent.insert(index + 1, Sent { start: to, ..whole });
        }
        if whole.start < from {
            self.sent.insert(index, Sent { end: from, ..whole });
            return index + 2;
        }
        index + 1
    }

    /// The same for acknowledged data.
    fn repeat_past(&mut self, again: &Sent) -> Option<Sent> {
        let holds = |piece: &&mut Sent| piece.start <= again.start && again.start < piece.end;
        let piece = self.past.iter_mut().rev().find(holds)?;
        let before = *piece;
        piece.transmissions = piece.transmissions.saturating_add(1);
        (piece.last, piece.ip_id, piece.timestamp) = (again.last, again.ip_id, again.timestamp);
        Some(before)
    }

    fn push(&mut self, sent: Sent) {
        self.sent.push_back(sent);
        self.make_room();
    }

    fn make_room(&mut self) {
        while self.sent.len() > Self::MOST {
            if let Some(oldest) = self.sent.pop_front() {
                self.floor = self.floor.max(oldest.end);
            }
        }
    }

    /// The piece that holds `offset`.
    pub(crate) fn piece(&mut self, offset: Offset) -> Option<&mut Sent> {
        let index = self.sent.partition_point(|piece| piece.end <= offset);
        self.sent.get_mut(index).filter(|piece| piece.start <= offset)
    }

    /// Forgets what lies below `ack`. Returns how much of that was never seen, given that all
    /// below `from` was accounted for, and when any of it was sent last.
    pub(crate) fn acknowledge(&mut self, from: Offset, ack: Offset) -> (u64, Option<Instant>) {
        let mut missing = 0;
        let mut latest = None;
        let mut at = from.max(self.floor);
        while let Some(piece) = self.sent.front_mut().filter(|piece| piece.start < ack) {
            missing += piece.start.saturating_sub(at);
            at = at.max(piece.end.min(ack));
            latest = latest.max(Some(piece.last));
            let done = Sent { end: piece.end.min(ack), ..*piece };
            if self.past.len() == Self::MOST_PAST {
                self.past.pop_front();
            }
            self.past.push_back(done);
            if piece.end > ack {
                piece.start = ack;
                break;
            }
            self.sent.pop_front();
        }
        self.floor = self.floor.max(ack);
        (missing + ack.saturating_sub(at), latest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const O: Offset = Flight::ORIGIN;

    fn sent(at: u64, start: Offset, end: Offset) -> Sent {
        let time = Instant::from_millis(at);
        Sent {
            start: O + start,
            end: O + end,
            first: time,
            last: time,
            transmissions: 1,
            ip_id: 0,
            timestamp: 0,
            filled_hole: false,
            sampled: false,
        }
    }

    fn pieces(flight: &Flight) -> Vec<(u64, u64, u16)> {
        flight.sent.iter().map(|of| (of.start - O, of.end - O, of.transmissions)).collect()
    }

    #[test]
    fn a_part_that_is_sent_again_is_a_piece_of_its_own() {
        let mut flight = Flight::default();
        flight.record(sent(0, 0, 3000), O);
        let overlap = flight.record(sent(50, 1000, 2000), O + 3000);
        assert_eq!((overlap.seen, overlap.holes, overlap.new), (1000, 0, 0));
        assert_eq!(overlap.repeated, Some(sent(0, 0, 3000)));
        assert_eq!(pieces(&flight), [(0, 1000, 1), (1000, 2000, 2), (2000, 3000, 1)]);
    }

    #[test]
    fn a_segment_may_repeat_fill_and_go_on_at_once() {
        let mut flight = Flight::default();
        flight.record(sent(0, 0, 1000), O);
        flight.record(sent(1, 2000, 3000), O + 1000);
        let overlap = flight.record(sent(50, 500, 3500), O + 3000);
        assert_eq!((overlap.seen, overlap.holes, overlap.new), (1500, 1000, 500));
        assert_eq!(overlap.above, Some(sent(1, 2000, 3000)));
        assert_eq!(
            pieces(&flight),
            [(0, 500, 1), (500, 1000, 2), (1000, 2000, 1), (2000, 3000, 2), (3000, 3500, 1)]
        );
    }

    #[test]
    fn what_is_below_an_ack_counts_as_seen() {
        let mut flight = Flight::default();
        flight.record(sent(0, 0, 1000), O);
        flight.record(sent(1, 2000, 3000), O + 1000);
        let acknowledged = flight.acknowledge(O, O + 2500);
        assert_eq!(acknowledged, (1000, Some(Instant::from_millis(1))));
        assert_eq!(pieces(&flight), [(2500, 3000, 1)]);
        let overlap = flight.record(sent(9, 1000, 2600), O + 3000);
        assert_eq!((overlap.seen, overlap.holes, overlap.new), (1600, 0, 0));
    }

    #[test]
    fn the_oldest_pieces_give_way() {
        let mut flight = Flight::default();
        for n in 0..Flight::MOST as u64 + 10 {
            flight.record(sent(n, n * 10, n * 10 + 10), O + n * 10);
        }
        assert_eq!(flight.len(), Flight::MOST);
        let end = O + (Flight::MOST as u64 + 10) * 10;
        assert_eq!(flight.record(sent(1 << 20, 0, 100), end).seen, 100);
        assert_eq!(flight.len(), Flight::MOST);
    }
}
