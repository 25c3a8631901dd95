//! What is in the network, and the scoreboard kept on it.
//!
//! [`Flight`] is what the sender and its recovery ask of it. An image has one of two kinds
//! ([`choice`]): a record for each transmission (`records.rs`), which everything needs that wants to
//! know of single ones, or a few numbers for all of them together (`bulk.rs`).

mod bulk;
pub mod choice;
mod invariants;
mod pieces;
mod record;
mod records;
mod sacked;
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

/// What a cumulative ack took out of the flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Acked {
    /// When the most recently sent of the acknowledged pieces was sent, if that and every other one
    /// was sent only once.
    pub(crate) sent_at: Option<Instant>,
    /// When the last of those that were sent again was, in microseconds, as far as anybody asks; 0 if
    /// none was.
    pub(crate) resent_at: u64,
}

/// Whole records at the beginning of the flight that were sent one after the other, and to which
/// nothing has happened since.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// How many.
    records: usize,
    /// Sequence numbers.
    pub(crate) bytes: u32,
    /// Where the first of their pieces ends, ...
    pub(crate) first_end: SeqNumber,
    /// ... and the last.
    pub(crate) end: SeqNumber,
    /// When the last was sent.
    pub(crate) sent_at: Instant,
}

impl Run {
    /// The last transmission.
    pub(crate) fn newest(&self) -> Transmission {
        Transmission { at: micros(self.sent_at), end: self.end, again: false }
    }
}

/// What was newly found lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Losses {
    /// Sequence numbers.
    pub(crate) bytes: u32,
    /// Bytes in flight when the last of them was sent first; 0 if nothing was lost, or if that is not
    /// known.
    pub(crate) in_flight_when_sent: u32,
    /// Ranges of sequence numbers that they make up; 0 where no law asks.
    pub(crate) ranges: u32,
    /// Where the last range ends.
    pub(super) end: SeqNumber,
    /// The record that holds the last of them.
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

/// The memory of a flight: its records, and what each of them remembers of deliveries.
pub(crate) type FlightMemory<'a, P> = (Buffer<'a, FlightRecord<P>>, Buffer<'a, DeliveryRecord>);

/// What was sent and not cumulatively acknowledged, from SND.UNA to SND.NXT, in pieces of a segment
/// each. A piece may be SACKed, or lost, and what is lost may have been sent again since.
///
/// What has a default is known to records alone: without them nobody is told anything.
pub(crate) trait Flight: Debug + Sized {
    /// What is lent for it.
    type Memory;

    /// Nothing is in flight; the number of what is sent first is `start`. There are `limit` records at
    /// most in memory that grows.
    fn new(start: SeqNumber, memory: Self::Memory, limit: usize) -> Self;

    /// The memory, for use by another flight.
    fn into_memory(self) -> Self::Memory;

    /// Whether delivery rates are measured.
    fn is_measuring(&self) -> bool {
        false
    }

    /// Gives memory of its own back if nothing is in flight.
    fn release(&mut self) {}

    /// Whether nothing is in flight.
    fn is_empty(&self) -> bool;

    /// How many transmissions are in flight; without records, at least how many.
    fn len(&self) -> usize;

    /// Whether another transmission can be recorded in the memory that there is.
    fn has_place(&self) -> bool {
        true
    }

    /// Whether another transmission can be recorded. Memory that grows is taken now, so that what
    /// is sent is surely recorded.
    fn has_room(&mut self) -> bool {
        true
    }

    /// Whether a single segment is in flight.
    fn is_one_piece(&self) -> bool {
        false
    }

    /// Whether the last segment carries this sequence number, and not it alone.
    fn last_contains(&self, _seq: SeqNumber) -> bool {
        false
    }

    /// FlightSize (RFC 5681): sent and not cumulatively acknowledged.
    fn outstanding(&self) -> u32;

    /// Of it, what the peer has SACKed.
    fn sacked(&self) -> u32 {
        0
    }

    /// Of it, what was found lost, sent again or not.
    fn lost(&self) -> u32;

    /// How often the peer was found to have thrown away what it had SACKed.
    fn renegings(&self) -> u64 {
        0
    }

    /// Of what is lost, what was not sent again.
    fn unrepaired(&self) -> u32;

    /// RFC 6675's pipe: what is thought to be in the network.
    fn pipe(&self) -> u32;

    /// End of the highest SACKed piece.
    fn highest_sacked(&self) -> Option<SeqNumber> {
        None
    }

    /// New data was sent, at most [`max_pieces`] pieces; `piece` is the segment size. False if all
    /// records are in use.
    fn push(&mut self, now: Instant, range: SeqRange, piece: u32) -> bool;

    /// What the transmission that begins at `start`, sent just now, remembers of deliveries.
    fn remember(&mut self, _start: SeqNumber, _sent: DeliveryRecord) {}

    /// The same of the last transmission in `losses`, which were found just now.
    fn last_lost(&self, _losses: &Losses) -> Option<DeliveryRecord> {
        None
    }

    /// Everything before `una` was acknowledged; what had not been SACKed before is added to
    /// `delivered`.
    fn acknowledge(&mut self, una: SeqNumber, delivered: &mut Delivered) -> Acked;

    /// SND.UNA has moved to `una`. Of a piece that is longer than a segment of `mss` bytes
    /// ([`cut_anew`](Self::cut_anew)) only the beginning was sent again; what follows it is due when
    /// that was acknowledged.
    fn go_on_within_piece(&mut self, _una: SeqNumber, _mss: u32) {}

    /// The records before `una`, up to the first that is not wholly before it or to which something
    /// has happened; `None` if there are none.
    fn untouched(&self, _una: SeqNumber) -> Option<Run> {
        None
    }

    /// How many segments make up what is in flight before `una`, if that is known: each was sent once, and
    /// arrives once.
    fn segments_before(&self, _una: SeqNumber) -> Option<u32> {
        None
    }

    /// [`untouched`](Self::untouched) records were acknowledged.
    fn acknowledge_run(&mut self, _run: &Run) {}

    /// Marks the first piece lost, unless it is, whatever the scoreboard says (three duplicate acks, or
    /// a partial ack in NewReno).
    fn mark_first_lost(&mut self) -> Losses;

    /// Marks the first piece lost, also if it was sent again already. Without records what was sent
    /// again behind it is lost with it.
    fn mark_first_lost_again(&mut self) -> Losses;

    /// Everything that was not SACKed is lost, also what was sent again. A peer that SACKed the first
    /// piece and does not acknowledge it has thrown data away: then no SACK counts any more
    /// (RFC 2018 section 8).
    fn mark_all_lost(&mut self);

    /// Nothing was lost: what was sent again is still under way.
    fn unmark_lost(&mut self);

    /// The first piece that is lost and was not sent again.
    fn first_lost(&mut self) -> Option<SeqRange>;

    /// The first piece that is neither SACKed nor lost nor sent again, below the highest SACKed one
    /// (RFC 6675 NextSeg rule 3).
    fn first_unsacked_hole(&self) -> Option<SeqRange> {
        None
    }

    /// The last piece, if it was not SACKed (RFC 6675 NextSeg rule 4).
    fn last_unsacked(&self) -> Option<SeqRange> {
        None
    }

    /// The first piece, whatever its state; without records, all that is in flight.
    fn first(&self) -> Option<SeqRange>;

    /// Whether `seq`, which is in flight, lies in the first piece; without records, whether it is the
    /// first number.
    fn begins_with(&self, seq: SeqNumber) -> bool;

    /// A closed window was probed with the piece that begins at `start`: that it may have been
    /// discarded there says nothing of losses, but no round-trip sample comes of it.
    fn mark_probed(&mut self, start: SeqNumber);

    /// The piece that begins at `start` was sent again. A piece that was not marked lost (NextSeg
    /// rules 3 and 4) is marked: it counts once in the pipe either way. If it is longer than what was sent
    /// again, as only a probe of the path is, it is cut in pieces of that length: true.
    fn mark_resent(&mut self, now: Instant, range: SeqRange) -> bool;

    /// What is in flight counts as not sent.
    fn take_back(&mut self);

    /// Cuts the flight anew in pieces of `piece` (the path takes smaller packets than before): all
    /// of it is lost, which the caller marks; what was SACKed is forgotten (the peer's next acks
    /// repeat what matters).
    fn cut_anew(&mut self, now: Instant, piece: u32);

    /// The first transmission, of one piece, is cut in pieces of `piece`. What was not SACKed of it is lost, and
    /// nothing else.
    fn mark_only_first_lost(&mut self, _piece: u32) {}

    /// Takes a block of a SACK option: marks the pieces that lie wholly in it, and adds what is newly
    /// SACKed to `delivered`. Blocks that do not lie between `una` and the end of the flight must not
    /// be given.
    fn sack(&mut self, _block: SeqRange, _delivered: &mut Delivered) {}

    /// Whether at least so many pieces are SACKed.
    fn has_sacked_pieces(&self, _count: u32) -> bool {
        false
    }

    /// Whether the peer has SACKed the first piece and not acknowledged it.
    fn has_reneged(&self) -> bool {
        false
    }

    /// RFC 6675's IsLost for everything: a piece is lost once `threshold` separate SACKed ranges,
    /// or more than `threshold - 1` segments' worth of bytes, lie above it. Marks what is newly
    /// lost.
    fn detect_losses(&mut self, _threshold: u32, _mss: u32) -> Losses {
        Losses::default()
    }

    /// Marks everything below the highest SACKed piece lost that was neither SACKed nor marked
    /// before.
    fn mark_holes_lost(&mut self) -> Losses {
        Losses::default()
    }

    /// Forgets what was SACKed.
    fn discard_sacks(&mut self) {}

    /// RACK_detect_loss (RFC 8985 section 6.2 step 5): of what was sent before `newest` and has not
    /// arrived, everything sent until `until` (in microseconds) is lost.
    fn detect_overdue(&mut self, _newest: Transmission, _until: u64) -> Overdue {
        Overdue::default()
    }

    /// RACK_mark_losses_on_RTO (RFC 8985 section 6.3): the first piece is lost, and everything sent
    /// until `until` (in microseconds). A peer that has SACKed the first piece and does not
    /// acknowledge it has thrown data away: then no SACK counts any more (RFC 2018 section 8).
    fn mark_timed_out(&mut self, _until: u64) {
        self.mark_all_lost();
    }

    /// What does not hold between SND.UNA and SND.NXT whenever nobody is at work on the flight.
    fn broken_invariant(&self, una: SeqNumber, nxt: SeqNumber) -> Option<&'static str>;
}
