//! The data in flight, and its scoreboard.
//!
//! [`Flight`] is the interface for the sender and its recovery. An image has one of two implementations
//! ([`choice`]): a record for each transmission (`records.rs`), for all features that need to know of single
//! transmissions, or a few totals (`bulk.rs`).

mod bulk;
pub mod choice;
mod invariants;
mod pieces;
mod record;
mod records;
mod sacked;
mod split;
#[cfg(all(test, feature = "alloc"))]
mod tests;
mod time;

pub(crate) use choice::FlightOf;
pub(crate) use pieces::PieceChoice;
pub use record::FlightRecord;
pub(crate) use record::{max_pieces, micros, times_matter};
pub(crate) use time::{Delivered, Overdue, Transmission};

use super::DeliveryRecord;
use crate::profile::Profile;
use crate::seq::{SeqNumber, SeqRange};
use crate::storage::Buffer;
use crate::time::Instant;
use core::fmt::Debug;
use pieces::PieceSet;
use record::PiecesOf;

/// What a cumulative ack removed from the flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Acked {
    /// When the most recently sent of the acknowledged pieces was sent; `None` if one of them was
    /// retransmitted.
    pub(crate) sent_at: Option<Instant>,
    /// When the last retransmission of an acknowledged piece was sent, in microseconds; 0 if there was none,
    /// or if no feature needs it.
    pub(crate) resent_at: u64,
}

/// A run: whole records at the front of the flight that were sent one after the other, none of which was
/// SACKed, lost or retransmitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// Number of records.
    records: usize,
    /// Number of sequence numbers.
    pub(crate) bytes: u32,
    /// End of the first piece of the first record, ...
    pub(crate) first_end: SeqNumber,
    /// ... and end of the last record.
    pub(crate) end: SeqNumber,
    /// When the last record was sent.
    pub(crate) sent_at: Instant,
}

impl Run {
    /// The last transmission of the run.
    pub(crate) fn newest(&self) -> Transmission {
        Transmission { at: micros(self.sent_at), end: self.end, again: false }
    }
}

/// Data newly found lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Losses {
    /// Number of sequence numbers.
    pub(crate) bytes: u32,
    /// Bytes in flight when the last lost segment was first sent; 0 if nothing was lost or this is not known.
    pub(crate) in_flight_when_sent: u32,
    /// Number of contiguous ranges; 0 if congestion control does not use it.
    pub(crate) ranges: u32,
    /// End of the last range.
    pub(super) end: SeqNumber,
    /// Position of the record that holds the last lost segment.
    pub(super) position: usize,
}

impl Losses {
    fn add<P: Profile>(&mut self, position: usize, record: &FlightRecord<P>, mask: PiecesOf<P>) {
        if mask.any() {
            self.bytes += record.bytes(mask);
            if times_matter::<P>() {
                self.in_flight_when_sent = record.in_flight;
                self.position = position;
            }
            if P::DELIVERY_RATE {
                let goes_on = self.ranges > 0 && record.piece_range(mask.first()).start == self.end;
                self.ranges += mask.runs() - u32::from(goes_on);
                self.end = record.piece_range(mask.last()).end;
            }
        }
    }
}

impl core::ops::AddAssign for Losses {
    fn add_assign(&mut self, later: Self) {
        self.bytes += later.bytes;
        if later.bytes > 0 {
            self.in_flight_when_sent = later.in_flight_when_sent;
            self.position = later.position;
            self.ranges += later.ranges;
            self.end = later.end;
        }
    }
}

/// The memory of a flight: its records, and the delivery record of each.
pub(crate) type FlightMemory<'a, P> = (Buffer<'a, FlightRecord<P>>, Buffer<'a, DeliveryRecord>);

/// The data in flight: sent and not cumulatively acknowledged, from SND.UNA to SND.NXT, in pieces of one
/// segment each. A piece may be SACKed, or lost; a lost piece may have been retransmitted since.
///
/// Methods with a default body matter only with records; without records they do nothing.
pub(crate) trait Flight: Debug + Sized {
    /// Type of the memory to lend to a flight.
    type Memory;

    /// An empty flight; `start` is the sequence number to be sent first. `limit` is the most records in
    /// memory that grows.
    fn new(start: SeqNumber, memory: Self::Memory, limit: usize) -> Self;

    /// Gives back the memory, for use by another flight.
    fn into_memory(self) -> Self::Memory;

    /// Whether delivery records are kept.
    fn is_measuring(&self) -> bool {
        false
    }

    /// Frees owned memory if nothing is in flight.
    fn release(&mut self) {}

    /// Whether nothing is in flight.
    fn is_empty(&self) -> bool;

    /// Number of transmissions in flight; without records only 0 or 1.
    fn len(&self) -> usize;

    /// Whether another transmission can be recorded in the present memory.
    fn has_place(&self) -> bool {
        true
    }

    /// Whether another transmission can be recorded. Memory that grows is allocated now, so that a segment is
    /// certainly recorded once it is sent.
    fn has_room(&mut self) -> bool {
        true
    }

    /// Whether a single segment is in flight.
    fn is_one_piece(&self) -> bool {
        false
    }

    /// Whether the last segment contains this sequence number and others.
    fn last_contains(&self, _seq: SeqNumber) -> bool {
        false
    }

    /// FlightSize (RFC 5681): sent and not cumulatively acknowledged.
    fn outstanding(&self) -> u32;

    /// Bytes in flight that the peer has SACKed.
    fn sacked(&self) -> u32 {
        0
    }

    /// Bytes in flight found lost, retransmitted or not.
    fn lost(&self) -> u32;

    /// How often the peer was found to have reneged: to have discarded data that it had SACKed.
    fn renegings(&self) -> u64 {
        0
    }

    /// Bytes found lost and not retransmitted.
    fn unrepaired(&self) -> u32;

    /// RFC 6675's pipe: bytes considered to be in the network.
    fn pipe(&self) -> u32;

    /// End of the highest SACKed piece.
    fn highest_sacked(&self) -> Option<SeqNumber> {
        None
    }

    /// Records new data that was sent, at most [`max_pieces`] pieces; `piece` is the segment size in bytes.
    /// Returns false if all records are in use.
    fn push(&mut self, now: Instant, range: SeqRange, piece: u32) -> bool;

    /// Stores the delivery record of the transmission that begins at `start` and was just sent.
    fn remember(&mut self, _start: SeqNumber, _sent: DeliveryRecord) {}

    /// The delivery record of the last transmission in `losses`, which were just found.
    fn last_lost(&self, _losses: &Losses) -> Option<DeliveryRecord> {
        None
    }

    /// Removes everything before `una`, which was acknowledged; adds to `delivered` what had not been SACKed
    /// before.
    fn acknowledge(&mut self, una: SeqNumber, delivered: &mut Delivered) -> Acked;

    /// Continues the retransmission of the first piece, after SND.UNA moved to `una`. Where segments have become
    /// shorter ([`cut_anew`](Self::cut_anew), SACK blocks beside data) only its beginning was retransmitted; the
    /// rest becomes due once that is acknowledged. An ack within a piece that was retransmitted whole may bring its
    /// end twice.
    fn go_on_within_piece(&mut self, _una: SeqNumber) {}

    /// The run of records before `una`: up to the first that ends after it, or that was SACKed, lost or
    /// retransmitted. `None` if there are none.
    fn untouched(&self, _una: SeqNumber) -> Option<Run> {
        None
    }

    /// Number of segments in flight before `una`, if that is known: each was sent once, and arrives once.
    fn segments_before(&self, _una: SeqNumber) -> Option<u32> {
        None
    }

    /// Removes the acknowledged records of a run, from [`untouched`](Self::untouched).
    fn acknowledge_run(&mut self, _run: &Run) {}

    /// Marks the first piece lost, unless it is, whatever the scoreboard says (three duplicate acks, or a
    /// partial ack in NewReno).
    fn mark_first_lost(&mut self) -> Losses;

    /// Marks the first piece lost, even if it was already retransmitted. Without records all that was
    /// retransmitted after it is marked lost too.
    fn mark_first_lost_again(&mut self) -> Losses;

    /// Marks everything lost that was not SACKed, including retransmissions. If the peer has SACKed the first
    /// piece without acknowledging it, it has reneged, and all its SACKs are ignored (RFC 2018 section 8).
    fn mark_all_lost(&mut self);

    /// Unmarks all lost pieces: none was lost, and retransmissions may still be in the network.
    fn unmark_lost(&mut self);

    /// The first piece that is lost and not retransmitted.
    fn first_lost(&mut self) -> Option<SeqRange>;

    /// The first piece below the highest SACKed one that is neither SACKed nor lost nor retransmitted (RFC
    /// 6675 NextSeg rule 3).
    fn first_unsacked_hole(&self) -> Option<SeqRange> {
        None
    }

    /// The last piece, unless it was SACKed (RFC 6675 NextSeg rule 4).
    fn last_unsacked(&self) -> Option<SeqRange> {
        None
    }

    /// The piece that `seq` lies in, if its record has others too.
    fn part(&self, _seq: SeqNumber) -> Option<SeqRange> {
        None
    }

    /// The first piece, whatever its state; without records the whole flight.
    fn first(&self) -> Option<SeqRange>;

    /// Whether `seq`, which is in flight, lies in the first piece; without records whether it is SND.UNA.
    fn begins_with(&self, seq: SeqNumber) -> bool;

    /// Notes that the piece at `start` was sent as a window probe: if the peer has discarded it, this is no
    /// loss, but it gives no round-trip sample.
    fn mark_probed(&mut self, start: SeqNumber);

    /// Notes that the piece at `start` was retransmitted. If it was not marked lost (NextSeg rules 3 and 4)
    /// it is marked now; it counts once in the pipe either way. If it is longer than what was retransmitted (a
    /// path MTU probe, or a segment that went without SACK blocks), it is cut into pieces of that length if a
    /// record can tell them apart, and the result is true.
    fn mark_resent(&mut self, now: Instant, range: SeqRange) -> bool;

    /// Empties the flight, as if nothing had been sent.
    fn take_back(&mut self);

    /// Cuts the flight, from SND.UNA on, into pieces of `piece` bytes, because the path MTU was lowered. The
    /// caller marks all of it lost; SACKs are forgotten, as the peer's next acks repeat them.
    fn cut_anew(&mut self, now: Instant, una: SeqNumber, piece: u32);

    /// Cuts the first transmission, a single piece, into pieces of `piece` bytes. What was not SACKed of it
    /// is lost, and nothing else.
    fn mark_only_first_lost(&mut self, _piece: u32) {}

    /// Applies a SACK block: marks the pieces that lie wholly in it, and adds what is newly SACKed to
    /// `delivered`. The block must lie between `una` and the end of the flight.
    fn sack(&mut self, _block: SeqRange, _delivered: &mut Delivered) {}

    /// Whether at least `count` pieces are SACKed.
    fn has_sacked_pieces(&self, _count: u32) -> bool {
        false
    }

    /// Whether the peer has reneged: it has SACKed the first piece without acknowledging it.
    fn has_reneged(&self) -> bool {
        false
    }

    /// Applies RFC 6675's IsLost to all pieces, and marks those newly lost: a piece is lost once `threshold`
    /// separate SACKed ranges, or more than `threshold - 1` segments' worth of bytes, lie above it.
    fn detect_losses(&mut self, _threshold: u32, _mss: u32) -> Losses {
        Losses::default()
    }

    /// Marks everything below the highest SACKed piece lost, unless it is SACKed or was marked before.
    fn mark_holes_lost(&mut self) -> Losses {
        Losses::default()
    }

    /// Forgets all SACKs.
    fn discard_sacks(&mut self) {}

    /// RACK_detect_loss (RFC 8985 section 6.2 step 5): of the segments sent before `newest` and not
    /// delivered, marks those lost that were sent at or before `until` (in microseconds).
    fn detect_overdue(&mut self, _newest: Transmission, _until: u64) -> Overdue {
        Overdue::default()
    }

    /// RACK_mark_losses_on_RTO (RFC 8985 section 6.3): marks the first piece lost, and everything sent at or
    /// before `until` (in microseconds). If the peer has SACKed the first piece without acknowledging it, it
    /// has reneged, and all its SACKs are ignored (RFC 2018 section 8).
    fn mark_timed_out(&mut self, _until: u64) {
        self.mark_all_lost();
    }

    /// The invariant that does not hold for this flight from SND.UNA to SND.NXT, if any; checked between two
    /// events.
    fn broken_invariant(&self, una: SeqNumber, nxt: SeqNumber) -> Option<&'static str>;
}
