//! The record of one transmission, with the state of its pieces.

use super::pieces::{PieceChoice, PieceSet};
use crate::profile::{Full, Part, Profile};
use crate::seq::{SeqNumber, SeqRange};
use crate::tcp::sender::recovery::choice::RecoveryChoice;
use crate::time::{Duration, Instant};

/// A set of pieces of one record.
pub(super) type PiecesOf<P> = <<P as Profile>::Segmentation as PieceChoice>::Pieces;

/// Whether a recovery of the image uses the times at which segments were sent (RACK-TLP).
pub(super) type ByTime<P> = <<P as Profile>::Recovery as RecoveryChoice>::ByTime;

/// Most pieces in one record.
pub(crate) const fn max_pieces<P: Profile>() -> u32 {
    PiecesOf::<P>::MOST
}

/// Whether any part of the image uses the time at which a delivered or lost segment was sent.
pub(crate) const fn times_matter<P: Profile>() -> bool {
    P::DELIVERY_RATE || P::UNDO || <ByTime<P> as Part>::PRESENT
}

/// Record of one transmission: its sequence numbers, when it was sent, and the state of its pieces. It is
/// smaller in an image without segmentation; an image that keeps its flight in bulk
/// ([`InBulk`](crate::tcp::flight::InBulk)) needs no records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlightRecord<P: Profile = Full> {
    pub(super) seq: SeqNumber,
    /// Number of sequence numbers, including a FIN.
    pub(super) len: u32,
    /// Length in bytes of each piece but the last.
    pub(super) piece: u32,
    /// Bytes in flight when it was sent, including itself.
    pub(super) in_flight: u32,
    pub(super) sent_at: Instant,
    pub(super) sacked: PiecesOf<P>,
    /// Pieces lost and not SACKed.
    pub(super) lost: PiecesOf<P>,
    /// Pieces retransmitted since they were last found lost.
    pub(super) resent: PiecesOf<P>,
    /// Pieces ever retransmitted: they give no round-trip sample (Karn's algorithm).
    pub(super) ever_resent: PiecesOf<P>,
    /// When the first retransmission of the pieces in `resent` was sent, in microseconds after `sent_at`.
    /// (Without segmentation the record is one piece, and this is its time.) Once all of the record is SACKed
    /// the time is no longer needed; the field then holds how many records from this one on are known to be
    /// SACKed.
    pub(super) first_resent: u32,
    /// When the last of these retransmissions was sent, likewise.
    pub(super) last_resent: u32,
}

impl<P: Profile> FlightRecord<P> {
    /// An empty record, to fill memory that is to be lent.
    pub const EMPTY: Self = FlightRecord {
        seq: SeqNumber(0),
        len: 0,
        piece: 0,
        in_flight: 0,
        sent_at: Instant::ZERO,
        sacked: PiecesOf::<P>::NONE,
        lost: PiecesOf::<P>::NONE,
        resent: PiecesOf::<P>::NONE,
        ever_resent: PiecesOf::<P>::NONE,
        first_resent: 0,
        last_resent: 0,
    };

    /// The pieces that the peer has SACKed.
    pub(super) fn sacked(&self) -> PiecesOf<P> {
        if P::SACK { self.sacked } else { PiecesOf::<P>::NONE }
    }

    pub(super) fn end(&self) -> SeqNumber {
        self.seq + self.len
    }

    /// When it was first sent, in microseconds.
    pub(super) fn sent(&self) -> u64 {
        micros(self.sent_at)
    }

    /// Whether the record is untouched: sent once, and neither SACKed nor lost.
    pub(super) fn is_untouched(&self) -> bool {
        !(self.sacked() | self.lost | self.resent | self.ever_resent).any()
    }

    /// Whether the peer has SACKed all of it.
    pub(super) fn is_sacked(&self) -> bool {
        self.sacked() == self.all()
    }

    /// How many records from this one on are known to be wholly SACKed; 0 if this one is not.
    pub(super) fn sacked_run(&self) -> usize {
        if self.is_sacked() { self.first_resent.max(1) as usize } else { 0 }
    }

    /// Forgets the SACKs of this record, because the peer has reneged.
    pub(super) fn discard_sacks(&mut self) {
        if self.is_sacked() {
            self.first_resent = self.last_resent;
        }
        self.sacked = PiecesOf::<P>::NONE;
    }

    /// Notes that the pieces of `mask` are retransmitted.
    pub(super) fn resend(&mut self, now: Instant, mask: PiecesOf<P>) {
        if times_matter::<P>() {
            let after = self.micros_since_sent(now);
            if !self.resent.any() {
                self.first_resent = after;
            }
            self.last_resent = after;
        }
        self.lost |= mask;
        self.resent |= mask;
        self.ever_resent |= mask;
    }

    /// Microseconds from the first transmission to `now`. This fits for 71 minutes; the time of an older
    /// transmission is moved forward, so that its retransmissions keep their times.
    fn micros_since_sent(&mut self, now: Instant) -> u32 {
        let after = micros(now).saturating_sub(self.sent());
        u32::try_from(after).unwrap_or_else(|_| {
            let beyond = after.saturating_sub(u32::MAX.into());
            self.sent_at += Duration::from_micros(beyond);
            self.first_resent =
                u32::try_from(u64::from(self.first_resent).saturating_sub(beyond)).unwrap_or(0);
            u32::MAX
        })
    }

    pub(super) fn pieces(&self) -> u32 {
        // A division would take longer than everything else done with most records.
        if max_pieces::<P>() == 1 || self.len <= self.piece {
            return 1;
        }
        self.len.div_ceil(self.piece.max(1)).min(max_pieces::<P>())
    }

    /// Cuts a record of one piece into pieces of `piece` bytes, or longer ones if these would be too many.
    pub(super) fn cut(&mut self, piece: u32) {
        if self.pieces() > 1 || max_pieces::<P>() == 1 {
            return;
        }
        self.piece = piece.max(self.len.div_ceil(max_pieces::<P>())).max(1);
        let all = self.all();
        for set in [&mut self.sacked, &mut self.lost, &mut self.resent, &mut self.ever_resent] {
            *set = if set.any() { all } else { PiecesOf::<P>::NONE };
        }
    }

    /// The set of all pieces.
    pub(super) fn all(&self) -> PiecesOf<P> {
        PiecesOf::<P>::low(self.pieces())
    }

    pub(super) fn piece_range(&self, index: u32) -> SeqRange {
        if max_pieces::<P>() == 1 {
            return SeqRange::new(self.seq, self.end());
        }
        let start = index.saturating_mul(self.piece).min(self.len);
        let end = start.saturating_add(self.piece).min(self.len);
        SeqRange::new(self.seq + start, self.seq + end)
    }

    /// Number of the piece that holds `seq`.
    pub(super) fn index_of(&self, seq: SeqNumber) -> u32 {
        if max_pieces::<P>() == 1 { 0 } else { seq.since(self.seq) / self.piece.max(1) }
    }

    /// The set of the piece that holds `seq`.
    pub(super) fn piece_at(&self, seq: SeqNumber) -> PiecesOf<P> {
        PiecesOf::<P>::bit(self.index_of(seq)) & self.all()
    }

    /// Sequence numbers in the pieces of `mask`.
    pub(super) fn bytes(&self, mask: PiecesOf<P>) -> u32 {
        let all = self.all();
        let mask = mask & all;
        if !mask.any() || mask == all {
            return if mask.any() { self.len } else { 0 };
        }
        let last = self.pieces().saturating_sub(1);
        let whole = mask.count().saturating_mul(self.piece);
        if !(mask & PiecesOf::<P>::bit(last)).any() {
            return whole;
        }
        whole - (self.piece - self.piece_range(last).len())
    }

    /// The pieces that an ack of everything before `una` removes from the front.
    pub(super) fn pieces_before(&self, una: SeqNumber) -> PiecesOf<P> {
        if self.end().at_or_before(una) {
            self.all()
        } else if max_pieces::<P>() == 1 {
            PiecesOf::<P>::NONE
        } else {
            PiecesOf::<P>::low(una.since(self.seq) / self.piece.max(1)) & self.all()
        }
    }

    /// Removes the first `count` pieces, but not all, because they were acknowledged.
    pub(super) fn take_off_front(&mut self, count: u32) {
        let cut = count * self.piece;
        self.seq += cut;
        self.len -= cut;
        self.sacked = self.sacked.without_first(count);
        self.lost = self.lost.without_first(count);
        self.resent = self.resent.without_first(count);
        self.ever_resent = self.ever_resent.without_first(count);
        if self.is_sacked() {
            self.first_resent = 1;
        }
    }

    /// Its first `count` pieces, but not all, and the others.
    pub(super) fn split(self, count: u32) -> (Self, Self) {
        let (mut front, mut rest) = (self, self);
        rest.take_off_front(count);
        front.len = count * front.piece;
        let kept = PiecesOf::<P>::low(count);
        for set in [&mut front.sacked, &mut front.lost, &mut front.resent, &mut front.ever_resent] {
            *set &= kept;
        }
        if front.is_sacked() {
            front.first_resent = 1;
        }
        (front, rest)
    }

    /// The pieces that lie wholly in `range`.
    pub(super) fn pieces_within(&self, range: SeqRange) -> PiecesOf<P> {
        if max_pieces::<P>() == 1 {
            return PiecesOf::<P>::low(range.covers(self.piece_range(0)).into());
        }
        let piece = self.piece.max(1);
        let first = range.start.since(self.seq).div_ceil(piece);
        let end = if range.end.at_or_after(self.end()) {
            self.pieces()
        } else {
            range.end.since(self.seq) / piece
        };
        PiecesOf::<P>::low(end) & !PiecesOf::<P>::low(first)
    }
}

/// A time in microseconds: fine enough for RFC 8985 (section 4: a quarter of the least round-trip time).
pub(crate) fn micros(at: Instant) -> u64 {
    at.as_micros()
}
