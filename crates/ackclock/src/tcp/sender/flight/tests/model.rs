//! A model of a flight that knows every byte by itself.

use super::super::Transmission;
use crate::seq::{SeqNumber, SeqRange};
use std::collections::BTreeSet;
use std::vec::Vec;

/// What the model knows of a byte in flight.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Byte {
    /// Number of its piece, in the order of sending.
    pub(super) piece: u32,
    /// Number of its transmission, likewise.
    pub(super) record: usize,
    /// When it was sent first, in microseconds.
    pub(super) sent: u64,
    pub(super) sacked: bool,
    pub(super) lost: bool,
    pub(super) resent: bool,
    pub(super) ever_resent: bool,
    /// Whether the peer has it.
    pub(super) arrived: bool,
}

/// Bytes from `una` on.
#[derive(Default)]
pub(super) struct Model {
    pub(super) una: SeqNumber,
    pub(super) bytes: Vec<Byte>,
    pub(super) pieces: u32,
    /// When something of each transmission was sent again last, or it was sent, in microseconds.
    pub(super) last_resent: Vec<u64>,
    /// The same of the first of what is on its way again.
    pub(super) first_resent: Vec<u64>,
}

/// How many bytes were delivered, and where the lowest piece among them ends that was sent once.
pub(super) type News = (u32, Option<SeqNumber>);

impl Model {
    pub(super) fn nxt(&self) -> SeqNumber {
        self.una + self.bytes.len() as u32
    }

    pub(super) fn count(&self, what: impl Fn(&Byte) -> bool) -> u32 {
        self.bytes.iter().filter(|byte| what(byte)).count() as u32
    }

    pub(super) fn push(&mut self, now: u64, len: u32, piece: u32) {
        let record = self.last_resent.len();
        for at in 0..len {
            let piece = self.pieces + at / piece;
            self.bytes.push(Byte { piece, record, sent: now, ..Byte::default() });
        }
        self.pieces += len.div_ceil(piece);
        self.last_resent.push(now);
        self.first_resent.push(now);
    }

    /// `range` is sent again.
    pub(super) fn resend(&mut self, now: u64, range: SeqRange) {
        for at in 0..self.bytes.len() {
            if !range.contains(self.una + at as u32) {
                continue;
            }
            let record = self.bytes[at].record;
            if !self.bytes.iter().any(|byte| byte.record == record && byte.resent) {
                self.first_resent[record] = now;
            }
            self.last_resent[record] = now;
            let byte = &mut self.bytes[at];
            (byte.lost, byte.resent, byte.ever_resent) = (true, true, true);
        }
    }

    /// What it is that the bytes which `delivered` picks have been delivered.
    pub(super) fn news(&self, delivered: impl Fn(usize) -> bool) -> News {
        let news: Vec<&Byte> = (0..self.bytes.len())
            .filter(|at| delivered(*at) && !self.bytes[*at].sacked)
            .map(|at| &self.bytes[at])
            .collect();
        let original = news.iter().find(|byte| !byte.ever_resent);
        (news.len() as u32, original.map(|byte| self.piece_range(byte.piece).end))
    }

    /// A piece leaves the flight with its last byte.
    pub(super) fn acknowledge(&mut self, una: SeqNumber) -> News {
        let cut = una.since(self.una) as usize;
        let kept = self.bytes.get(cut).map(|byte| byte.piece);
        let begin = self.bytes.iter().position(|byte| Some(byte.piece) == kept);
        let count = begin.unwrap_or(self.bytes.len());
        let news = self.news(|at| at < count);
        self.bytes.drain(..count);
        self.una += count as u32;
        news
    }

    /// `len` bytes arrive at the peer, the first one `ahead` of SND.UNA. The ranges that it holds
    /// then, the one with these bytes first.
    pub(super) fn arrive(&mut self, ahead: u32, len: u32) -> Vec<SeqRange> {
        for byte in self.bytes.iter_mut().skip(ahead as usize).take(len as usize) {
            byte.arrived = true;
        }
        let holes = self.bytes.iter().enumerate().filter(|(_, byte)| !byte.arrived);
        let mut edges: BTreeSet<usize> = holes.flat_map(|(at, _)| [at, at + 1]).collect();
        edges.extend([0, self.bytes.len()]);
        let edges: Vec<usize> = edges.into_iter().collect();
        let mut ranges: Vec<SeqRange> = edges
            .windows(2)
            .filter(|range| self.bytes[range[0]].arrived)
            .map(|range| {
                SeqRange::from_len(self.una + range[0] as u32, (range[1] - range[0]) as u32)
            })
            .collect();
        let first = ranges.iter().position(|range| range.contains(self.una + ahead));
        ranges.rotate_left(first.unwrap_or(0));
        ranges
    }

    /// The pieces all of which lie in the block.
    pub(super) fn whole_pieces(&self, block: SeqRange) -> BTreeSet<u32> {
        let inside = |at: usize| block.contains(self.una + at as u32);
        let (within, partly): (Vec<usize>, Vec<usize>) =
            (0..self.bytes.len()).partition(|at| inside(*at));
        let partly: BTreeSet<u32> = partly.iter().map(|at| self.bytes[*at].piece).collect();
        let within: BTreeSet<u32> = within.iter().map(|at| self.bytes[*at].piece).collect();
        &within - &partly
    }

    /// A piece is SACKed if all of it lies in one block.
    pub(super) fn sack(&mut self, block: SeqRange) -> u32 {
        let whole = self.whole_pieces(block);
        let mut newly = 0;
        for byte in &mut self.bytes {
            if whole.contains(&byte.piece) && !byte.sacked {
                *byte = Byte { sacked: true, lost: false, resent: false, ..*byte };
                newly += 1;
            }
        }
        newly
    }

    /// RFC 6675's IsLost for each byte; what was found lost or sent again is not lost anew.
    pub(super) fn detect(&mut self, mss: u32) -> u32 {
        let (mut bytes, mut ranges, mut in_range, mut newly) = (0, 0, false, 0);
        for byte in self.bytes.iter_mut().rev() {
            if byte.sacked {
                bytes += 1;
                ranges += u32::from(!in_range);
            } else if (bytes > 2 * mss || ranges >= 3) && !byte.lost {
                byte.lost = true;
                newly += 1;
            }
            in_range = byte.sacked;
        }
        newly
    }

    /// RFC 8985 section 6.2 step 5; with `resent_at` when of each transmission something was sent again.
    pub(super) fn detect_overdue(
        &mut self,
        newest: Transmission,
        until: u64,
        resent_at: &[u64],
    ) -> u32 {
        let mut newly = 0;
        for at in 0..self.bytes.len() {
            let Byte { piece, record, sent, sacked, lost, resent, .. } = self.bytes[at];
            let sent = if resent { resent_at[record] } else { sent };
            let end = self.piece_range(piece).end;
            let tie = sent == newest.at && resent != newest.again;
            let overtaken = !tie && newest.is_after(Transmission { at: sent, end, again: resent });
            if !sacked && (!lost || resent) && overtaken && sent <= until {
                self.bytes[at].lost = true;
                self.bytes[at].resent = false;
                newly += 1;
            }
        }
        newly
    }

    /// A peer that has not acknowledged what it has SACKed first has thrown it away.
    pub(super) fn forget_reneged(&mut self) {
        let reneged = self.bytes.first().is_some_and(|byte| byte.sacked);
        for byte in &mut self.bytes {
            byte.sacked &= !reneged;
        }
    }

    pub(super) fn mark_all_lost(&mut self) {
        self.forget_reneged();
        for byte in &mut self.bytes {
            byte.lost = !byte.sacked;
            byte.resent = false;
        }
    }

    pub(super) fn piece_range(&self, piece: u32) -> SeqRange {
        let start = self.bytes.iter().position(|byte| byte.piece == piece).unwrap_or(0) as u32;
        SeqRange::from_len(self.una + start, self.count(|byte| byte.piece == piece))
    }

    /// `piece` becomes pieces of `len` bytes.
    pub(super) fn cut(&mut self, piece: SeqRange, len: u32) {
        let begin = piece.start.since(self.una) as usize;
        for (at, byte) in (0..).zip(&mut self.bytes[begin..][..piece.len() as usize]) {
            byte.piece = self.pieces + at / len;
        }
        self.pieces += piece.len().div_ceil(len);
    }

    /// The bytes in flight are in records of these lengths, each of which was a part of one before.
    pub(super) fn record_as(&mut self, lens: impl Iterator<Item = u32>) {
        let mut begin = 0;
        for len in lens {
            let end = begin + len as usize;
            let before = self.bytes[begin].record;
            for byte in &mut self.bytes[begin..end] {
                assert_eq!(byte.record, before, "two records have become one");
                byte.record = self.last_resent.len();
            }
            self.last_resent.push(self.last_resent[before]);
            self.first_resent.push(self.first_resent[before]);
            begin = end;
        }
    }

    pub(super) fn first(&self, what: impl Fn(&Byte) -> bool) -> Option<SeqRange> {
        let found = self.bytes.iter().find(|byte| what(byte))?;
        Some(self.piece_range(found.piece))
    }
}
