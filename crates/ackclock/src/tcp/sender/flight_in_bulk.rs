//! What is in the network where nobody asks when each part of it was sent: numbers between SND.UNA and
//! SND.NXT, instead of a record for each transmission.
//!
//! What is lost begins at SND.UNA, as without SACK blocks nobody knows of a later hole. One segment at
//! a time is timed (RFC 6298 section 3).

use super::DeliveryRecord;
use crate::profile::Profile;
use crate::seq::{SeqNumber, SeqRange};
use crate::storage::Buffer;
use crate::time::Instant;
use core::marker::PhantomData;

/// Without links that segment a transmission is one piece.
pub(crate) const MAX_PIECES: u32 = 1;
/// Nobody asks when it was that what arrived or was lost had been sent.
pub(crate) const TIMES_MATTER: bool = false;

/// Memory that is lent for these is not used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlightRecord;

impl FlightRecord {
    /// A record of nothing, for memory that is to be lent.
    pub const EMPTY: Self = FlightRecord;
}

/// What a cumulative ack took out of the flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Acked {
    /// When the segment was sent that was timed, if it was acknowledged.
    pub(crate) sent_at: Option<Instant>,
}

/// What an ack delivered.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Delivered {
    pub(crate) believed_until: u64,
    /// Sequence numbers.
    pub(crate) bytes: u32,
    pub(crate) sent: Option<DeliveryRecord>,
}

/// What was newly found lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Losses {
    /// Sequence numbers.
    pub(crate) bytes: u32,
    /// Not known.
    pub(crate) in_flight_when_sent: u32,
}

/// Transmissions that are acknowledged together, which nobody makes up without records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) bytes: u32,
    pub(crate) end: SeqNumber,
    pub(crate) sent_at: Instant,
}

/// What was sent and not acknowledged.
#[derive(Debug)]
pub(crate) struct Flight<'a, P> {
    una: SeqNumber,
    nxt: SeqNumber,
    /// Where the segment ends that is timed, or else what is lost; SND.UNA if there is neither.
    end: SeqNumber,
    /// Up to here nothing is to be sent again.
    resend_from: SeqNumber,
    is_timed: bool,
    /// When the timed segment was sent.
    sent_at: Instant,
    /// The longest segment since nothing was in flight, in bytes.
    piece: u32,
    memory: PhantomData<&'a ()>,
}

impl<'a, P: Profile> Flight<'a, P> {
    /// Nothing; `start` will be sent first.
    pub(crate) fn new(
        start: SeqNumber,
        _records: Buffer<'a, FlightRecord>,
        _limit: usize,
        _delivery: Buffer<'a, DeliveryRecord>,
    ) -> Self {
        Flight {
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

    pub(crate) fn into_buffers(self) -> (Buffer<'a, FlightRecord>, Buffer<'a, DeliveryRecord>) {
        (Buffer::default(), Buffer::default())
    }

    pub(crate) fn is_measuring(&self) -> bool {
        false
    }

    pub(crate) fn release(&mut self) {}

    pub(crate) fn is_empty(&self) -> bool {
        self.una == self.nxt
    }

    /// At least how many transmissions are in flight.
    pub(crate) fn len(&self) -> usize {
        usize::from(!self.is_empty())
    }

    pub(crate) fn has_place(&self) -> bool {
        true
    }

    pub(crate) fn has_room(&mut self) -> bool {
        true
    }

    pub(crate) fn last_contains(&self, _seq: SeqNumber) -> bool {
        false
    }

    /// FlightSize (RFC 5681): sent and not cumulatively acknowledged.
    pub(crate) fn outstanding(&self) -> u32 {
        distance(self.una, self.nxt)
    }

    pub(crate) fn sacked(&self) -> u32 {
        0
    }

    pub(crate) fn lost(&self) -> u32 {
        if self.is_timed { 0 } else { distance(self.una, self.end) }
    }

    pub(crate) fn renegings(&self) -> u64 {
        0
    }

    pub(crate) fn has_reneged(&self) -> bool {
        false
    }

    /// Of what is lost, what was not sent again.
    pub(crate) fn unrepaired(&self) -> u32 {
        distance(self.resend_from, self.end)
    }

    /// What is thought to be in the network.
    pub(crate) fn pipe(&self) -> u32 {
        self.outstanding() - self.unrepaired()
    }

    /// New data was sent, in segments of `piece` bytes.
    pub(crate) fn push(&mut self, now: Instant, range: SeqRange, piece: u32) {
        // Behind a full one a FIN makes a segment longer by one.
        if self.is_empty() || piece > self.piece + 1 {
            self.piece = piece;
        }
        // What is acknowledged together with something that was sent again measures nothing (Karn's
        // rule).
        if self.end == self.una {
            (self.end, self.resend_from) = (range.end, range.end);
            (self.is_timed, self.sent_at) = (true, now);
        }
        self.nxt = range.end;
    }

    pub(crate) fn remember(&mut self, _start: SeqNumber, _sent: DeliveryRecord) {}

    pub(crate) fn last_lost(&self, _losses: &Losses) -> Option<DeliveryRecord> {
        None
    }

    /// Everything before `una` was acknowledged, which is added to `delivered`.
    pub(crate) fn acknowledge(&mut self, una: SeqNumber, delivered: &mut Delivered) -> Acked {
        delivered.bytes += distance(self.una, una);
        self.una = una;
        let sent_at = self.is_timed.then_some(self.sent_at);
        if self.end.at_or_before(una) {
            self.unmark_lost();
            return Acked { sent_at };
        }
        self.resend_from = self.resend_from.max(una);
        Acked::default()
    }

    pub(crate) fn go_on_within_piece(&mut self, _una: SeqNumber, _mss: u32) {}

    pub(crate) fn untouched(&self, _una: SeqNumber) -> Option<Run> {
        None
    }

    pub(crate) fn is_single(&self) -> bool {
        false
    }

    pub(crate) fn acknowledge_single(&mut self, _end: SeqNumber) {}

    pub(crate) fn acknowledge_run(&mut self, _run: &Run) {}

    /// Marks the first segment lost, unless it is.
    pub(crate) fn mark_first_lost(&mut self) -> Losses {
        if self.lost() > 0 {
            return Losses::default();
        }
        self.mark_lost(self.piece.min(self.outstanding()))
    }

    /// Marks the first segment lost, also if it was sent again already, and what was sent again behind
    /// it: nobody knows of that.
    pub(crate) fn mark_first_lost_again(&mut self) -> Losses {
        let bytes = self.lost().max(self.piece.min(self.outstanding()));
        self.mark_lost(bytes)
    }

    /// Everything is lost, also what was sent again.
    pub(crate) fn mark_all_lost(&mut self) {
        self.mark_lost(self.outstanding());
    }

    fn mark_lost(&mut self, bytes: u32) -> Losses {
        (self.resend_from, self.end, self.is_timed) = (self.una, self.una + bytes, false);
        Losses { bytes, ..Losses::default() }
    }

    pub(crate) fn unmark_lost(&mut self) {
        self.mark_lost(0);
    }

    /// The first segment of what is lost and was not sent again.
    pub(crate) fn first_lost(&mut self) -> Option<SeqRange> {
        let len = self.unrepaired().min(self.piece);
        (len > 0).then_some(SeqRange::from_len(self.resend_from, len))
    }

    pub(crate) fn last_unsacked(&self) -> Option<SeqRange> {
        None
    }

    /// All of it, if there is any.
    pub(crate) fn first(&self) -> Option<SeqRange> {
        (!self.is_empty()).then_some(SeqRange::new(self.una, self.nxt))
    }

    /// Whether `seq` is the first number.
    pub(crate) fn begins_with(&self, seq: SeqNumber) -> bool {
        seq == self.una
    }

    /// A closed window was probed.
    pub(crate) fn mark_probed(&mut self, _start: SeqNumber) {
        if self.is_timed {
            self.unmark_lost();
        }
    }

    /// `range` was sent again.
    pub(crate) fn mark_resent(&mut self, _now: Instant, range: SeqRange) {
        self.resend_from = range.end;
    }

    /// The path takes smaller segments than before, of `piece` bytes.
    pub(crate) fn cut_anew(&mut self, _now: Instant, piece: u32) {
        self.piece = piece;
    }

    pub(crate) fn sack(&mut self, _block: SeqRange, _delivered: &mut Delivered) {}

    pub(crate) fn discard_sacks(&mut self) {}

    #[cfg(any(all(test, feature = "alloc"), feature = "invariants"))]
    /// What does not hold between SND.UNA and SND.NXT.
    pub(crate) fn broken_invariant(&self, una: SeqNumber, nxt: SeqNumber) -> Option<&'static str> {
        let flight = SeqRange::new(self.una, self.nxt);
        if flight != SeqRange::new(una, nxt) {
            return Some("the flight is what lies between SND.UNA and SND.NXT");
        }
        let in_order = flight.covers(SeqRange::new(self.una, self.resend_from))
            && flight.covers(SeqRange::new(self.resend_from, self.end));
        (!in_order).then_some("what is lost or timed is in flight")
    }
}

/// How far `later`, which is not before `earlier`, is after it.
fn distance(earlier: SeqNumber, later: SeqNumber) -> u32 {
    later.distance(earlier) as u32
}

/// Microseconds.
pub(crate) fn micros(at: Instant) -> u64 {
    at.as_micros()
}
