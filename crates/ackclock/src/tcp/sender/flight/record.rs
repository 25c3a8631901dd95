//! One transmission and what became of its pieces.

use crate::seq::{SeqNumber, SeqRange};
use crate::time::{Duration, Instant};

/// Which pieces of a record: one bit each.
#[cfg(feature = "segmentation")]
pub(crate) type Pieces = u64;
/// Without links that segment a record is one piece.
#[cfg(not(feature = "segmentation"))]
pub(crate) type Pieces = u8;

/// Most pieces in one record.
pub(crate) const MAX_PIECES: u32 = if cfg!(feature = "segmentation") { Pieces::BITS } else { 1 };

/// Whether anybody asks when it was that what arrived or was lost had been sent.
pub(crate) const TIMES_MATTER: bool =
    cfg!(any(feature = "delivery-rate", feature = "recovery-rack", feature = "undo"));

/// Whether records that are SACKed tell how many more such follow: what that saves is worth its code in
/// long flights.
pub(super) const RUNS_ARE_KNOWN: bool = cfg!(feature = "fast-path");

/// One transmission: where it lies in sequence space, when it was sent, and what became of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlightRecord {
    pub(super) seq: SeqNumber,
    /// Sequence numbers covered, a FIN included.
    pub(super) len: u32,
    /// Length of each piece but the last.
    pub(super) piece: u32,
    /// Bytes in flight when it was sent, itself included.
    pub(super) in_flight: u32,
    pub(super) sent_at: Instant,
    pub(super) sacked: Pieces,
    /// Lost and not SACKed.
    pub(super) lost: Pieces,
    /// Sent again since it was last found lost.
    pub(super) resent: Pieces,
    /// Ever sent again: no round-trip sample comes of it (Karn's rule).
    pub(super) ever_resent: Pieces,
    /// When the first of the pieces that are `resent` was sent again, in microseconds after
    /// `sent_at`. Where the link does not segment a record is one piece, and this its time. When all
    /// is SACKed nobody asks any more: then it is how many records from this one on are SACKed, as
    /// far as is known.
    pub(super) first_resent: u32,
    /// When the last of them was.
    pub(super) last_resent: u32,
}

impl FlightRecord {
    /// A record of nothing, for memory that is to be lent.
    pub const EMPTY: Self = FlightRecord {
        seq: SeqNumber(0),
        len: 0,
        piece: 0,
        in_flight: 0,
        sent_at: Instant::ZERO,
        sacked: 0,
        lost: 0,
        resent: 0,
        ever_resent: 0,
        first_resent: 0,
        last_resent: 0,
    };

    /// The pieces that the peer has SACKed.
    pub(super) fn sacked(&self) -> Pieces {
        if cfg!(feature = "sack") { self.sacked } else { 0 }
    }

    pub(super) fn end(&self) -> SeqNumber {
        self.seq + self.len
    }

    /// When it was sent first, in microseconds.
    pub(super) fn sent(&self) -> u64 {
        micros(self.sent_at)
    }

    /// Whether nothing has become of it yet: it was sent once and not SACKed.
    pub(super) fn is_untouched(&self) -> bool {
        self.sacked() | self.lost | self.resent | self.ever_resent == 0
    }

    /// Whether the peer has all of it.
    pub(super) fn is_sacked(&self) -> bool {
        self.sacked() == self.all()
    }

    /// How many records from this one on are known to be SACKed; 0 if this one is not.
    pub(super) fn sacked_run(&self) -> usize {
        if !RUNS_ARE_KNOWN {
            usize::from(self.is_sacked())
        } else if self.is_sacked() {
            self.first_resent.max(1) as usize
        } else {
            0
        }
    }

    /// The peer has thrown away what it had SACKed.
    pub(super) fn discard_sacks(&mut self) {
        if self.is_sacked() {
            self.first_resent = self.last_resent;
        }
        self.sacked = 0;
    }

    /// Notes that pieces are sent again.
    pub(super) fn resend(&mut self, now: Instant, mask: Pieces) {
        if TIMES_MATTER {
            let after = self.micros_since_sent(now);
            if self.resent == 0 {
                self.first_resent = after;
            }
            self.last_resent = after;
        }
        self.lost |= mask;
        self.resent |= mask;
        self.ever_resent |= mask;
    }

    /// Microseconds from when it was sent to `now`. That fits for 71 minutes; what is out for longer
    /// counts as sent so long ago, so that its retransmissions keep their times.
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
        // A division takes longer than all else that is done with most records.
        if MAX_PIECES == 1 || self.len <= self.piece {
            return 1;
        }
        self.len.div_ceil(self.piece.max(1)).min(MAX_PIECES)
    }

    /// The bits of all pieces.
    pub(super) fn all(&self) -> Pieces {
        low_bits(self.pieces())
    }

    pub(super) fn piece_range(&self, index: u32) -> SeqRange {
        if MAX_PIECES == 1 {
            return SeqRange::new(self.seq, self.end());
        }
        let start = index.saturating_mul(self.piece).min(self.len);
        let end = start.saturating_add(self.piece).min(self.len);
        SeqRange::new(self.seq + start, self.seq + end)
    }

    /// The bit of the piece that begins at `start`.
    pub(super) fn piece_at(&self, start: SeqNumber) -> Pieces {
        let index = if MAX_PIECES == 1 { 0 } else { start.since(self.seq) / self.piece.max(1) };
        bit(index) & self.all()
    }

    /// Sequence numbers in the pieces of `mask`.
    pub(super) fn bytes(&self, mask: Pieces) -> u32 {
        let all = self.all();
        let mask = mask & all;
        if mask == 0 || mask == all {
            return if mask == 0 { 0 } else { self.len };
        }
        let last = self.pieces().saturating_sub(1);
        let whole = mask.count_ones().saturating_mul(self.piece);
        if mask & bit(last) == 0 {
            return whole;
        }
        whole - (self.piece - self.piece_range(last).len())
    }

    /// The bits of the pieces that lie wholly in `range`.
    pub(super) fn pieces_within(&self, range: SeqRange) -> Pieces {
        if MAX_PIECES == 1 {
            return Pieces::from(range.covers(self.piece_range(0)));
        }
        let piece = self.piece.max(1);
        let first = range.start.since(self.seq).div_ceil(piece);
        let end = if range.end.at_or_after(self.end()) {
            self.pieces()
        } else {
            range.end.since(self.seq) / piece
        };
        low_bits(end) & !low_bits(first)
    }
}

/// Microseconds: fine enough for RFC 8985 (section 4: a quarter of the least round-trip time).
pub(crate) fn micros(at: Instant) -> u64 {
    at.as_micros()
}

/// The lowest `n` bits.
pub(super) fn low_bits(n: u32) -> Pieces {
    if n >= Pieces::BITS { Pieces::MAX } else { (1 << n) - 1 }
}

/// Bit `index`; none beyond the last.
pub(super) fn bit(index: u32) -> Pieces {
    (1 as Pieces).checked_shl(index).unwrap_or(0)
}
