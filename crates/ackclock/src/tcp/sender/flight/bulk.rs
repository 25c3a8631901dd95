//! The data in flight for images that do not need to know when each part was sent: a few sequence numbers
//! between SND.UNA and SND.NXT, instead of a record for each transmission.
//!
//! Lost data always begins at SND.UNA, since without SACK blocks no later hole is known. One segment at a
//! time is timed (RFC 6298 section 3).

use super::*;
use core::marker::PhantomData;

/// The data in flight, as a few sequence numbers.
#[derive(Debug)]
pub struct BulkFlight<'a, P> {
    una: SeqNumber,
    nxt: SeqNumber,
    /// End of the timed segment, or else of the lost data; SND.UNA if there is neither.
    end: SeqNumber,
    /// Lost data from here on is still to be retransmitted.
    resend_from: SeqNumber,
    is_timed: bool,
    /// When the timed segment was sent.
    sent_at: Instant,
    /// Length in bytes of the longest segment since the flight was empty.
    piece: u32,
    memory: PhantomData<(&'a (), P)>,
}

impl<'a, P: Profile> Flight for BulkFlight<'a, P> {
    type Memory = FlightMemory<'a, P>;

    fn new(start: SeqNumber, _memory: Self::Memory, _limit: usize) -> Self {
        const {
            let asks_for_records =
                P::SACK || P::SEGMENTATION || P::PATH_PROBING || times_matter::<P>();
            assert!(!asks_for_records, "a part of this profile needs Flight = Records");
        }
        BulkFlight {
            una: start,
            nxt: start,
            end: start,
            resend_from: start,
            is_timed: false,
            sent_at: Instant::ZERO,
            piece: 0,
            memory: PhantomData,
        }
    }

    fn into_memory(self) -> Self::Memory {
        Default::default()
    }

    fn is_empty(&self) -> bool {
        self.una == self.nxt
    }

    fn len(&self) -> usize {
        usize::from(!self.is_empty())
    }

    fn outstanding(&self) -> u32 {
        distance(self.una, self.nxt)
    }

    fn lost(&self) -> u32 {
        if self.is_timed { 0 } else { distance(self.una, self.end) }
    }

    fn unrepaired(&self) -> u32 {
        distance(self.resend_from, self.end)
    }

    fn pipe(&self) -> u32 {
        self.outstanding() - self.unrepaired()
    }

    fn push(&mut self, now: Instant, range: SeqRange, piece: u32) -> bool {
        // The FIN after a full segment makes it longer by one.
        if self.is_empty() || piece > self.piece + 1 {
            self.piece = piece;
        }
        // Time this segment only if nothing before it is lost or timed: an ack that also covers a
        // retransmission gives no sample (Karn's algorithm).
        if self.end == self.una {
            (self.end, self.resend_from) = (range.end, range.end);
            (self.is_timed, self.sent_at) = (true, now);
        }
        self.nxt = range.end;
        true
    }

    fn acknowledge(&mut self, una: SeqNumber, delivered: &mut Delivered) -> Acked {
        delivered.bytes += distance(self.una, una);
        self.una = una;
        let sent_at = self.is_timed.then_some(self.sent_at);
        if self.end.at_or_before(una) {
            self.unmark_lost();
            return Acked { sent_at, resent_at: 0 };
        }
        self.resend_from = self.resend_from.max(una);
        Acked::default()
    }

    fn mark_first_lost(&mut self) -> Losses {
        if self.lost() > 0 {
            return Losses::default();
        }
        self.mark_lost(self.piece.min(self.outstanding()))
    }

    fn mark_first_lost_again(&mut self) -> Losses {
        let bytes = self.lost().max(self.piece.min(self.outstanding()));
        self.mark_lost(bytes)
    }

    fn mark_all_lost(&mut self) {
        self.mark_lost(self.outstanding());
    }

    fn unmark_lost(&mut self) {
        self.mark_lost(0);
    }

    fn first_lost(&mut self) -> Option<SeqRange> {
        let len = self.unrepaired().min(self.piece);
        (len > 0).then_some(SeqRange::from_len(self.resend_from, len))
    }

    fn first(&self) -> Option<SeqRange> {
        (!self.is_empty()).then_some(SeqRange::new(self.una, self.nxt))
    }

    fn begins_with(&self, seq: SeqNumber) -> bool {
        seq == self.una
    }

    fn mark_probed(&mut self, _start: SeqNumber) {
        if self.is_timed {
            self.unmark_lost();
        }
    }

    fn mark_resent(&mut self, _now: Instant, range: SeqRange) -> bool {
        self.resend_from = range.end;
        false
    }

    fn take_back(&mut self) {
        self.nxt = self.una;
        self.unmark_lost();
    }

    fn cut_anew(&mut self, _now: Instant, _una: SeqNumber, piece: u32) {
        self.piece = piece;
    }

    fn broken_invariant(&self, una: SeqNumber, nxt: SeqNumber) -> Option<&'static str> {
        let flight = SeqRange::new(self.una, self.nxt);
        if flight != SeqRange::new(una, nxt) {
            return Some("the flight is what lies between SND.UNA and SND.NXT");
        }
        let in_order = flight.covers(SeqRange::new(self.una, self.resend_from))
            && flight.covers(SeqRange::new(self.resend_from, self.end));
        (!in_order).then_some("what is lost or timed is in flight")
    }
}

impl<P: Profile> BulkFlight<'_, P> {
    /// Marks the first `bytes` of the flight lost, and none of them retransmitted.
    fn mark_lost(&mut self, bytes: u32) -> Losses {
        (self.resend_from, self.end, self.is_timed) = (self.una, self.una + bytes, false);
        Losses { bytes, ..Losses::default() }
    }
}

/// The distance from `earlier` to `later`, which is not before it.
fn distance(earlier: SeqNumber, later: SeqNumber) -> u32 {
    later.distance(earlier) as u32
}
