//! Segments of new data that were sent and not acknowledged: how they went, and how far the peer has seen them in
//! another order (`tcp_check_sack_reordering`).

use super::habits::is_before;
use std::collections::VecDeque;

/// Duplicate acks that mean a loss, at first (TCP_FASTRETRANS_THRESH), and at most (`tcp_max_reordering`).
const LEAST_REORDERING: u32 = 3;
const MOST_REORDERING: u32 = 300;

/// A segment of new data: its numbers, whether it ends what was written, and the piece that it went in.
#[derive(Clone, Copy)]
pub(super) struct Segment {
    pub(super) seq: u32,
    pub(super) end: u32,
    pub(super) push: bool,
    pub(super) piece: u64,
    /// It was SACKed, or sent again: it tells nothing of the order any more.
    pub(super) is_known: bool,
}

/// Segments of new data that were sent and not acknowledged.
pub(super) struct Segments {
    sent: VecDeque<Segment>,
    /// How many were acknowledged.
    pub(super) delivered: u32,
    /// Bytes of the longest one that was sent: about the MSS.
    longest: u32,
    /// Behind the highest number that was SACKed, if that was not acknowledged.
    highest: Option<u32>,
    /// By how many segments the order may differ, and how often it did (`tcpi_reordering`, `tcpi_reord_seen`).
    pub(super) reordering: u32,
    pub(super) reorderings: u32,
}

impl Default for Segments {
    fn default() -> Self {
        Segments {
            sent: VecDeque::new(),
            delivered: 0,
            longest: 1,
            highest: None,
            reordering: LEAST_REORDERING,
            reorderings: 0,
        }
    }
}

impl Segments {
    pub(super) fn sent(&mut self, segment: Segment) {
        self.longest = self.longest.max(segment.end.wrapping_sub(segment.seq));
        let is_new = self.sent.back().is_none_or(|last| is_before(last.end, segment.end));
        if is_new {
            self.sent.push_back(segment);
        } else if let Some(known) = self.sent.iter_mut().find(|known| known.end == segment.end) {
            known.is_known = true;
        }
    }

    /// The segment that ends here; `None` if nothing was sent so far, `Some(None)` if it was cut otherwise.
    pub(super) fn of(&self, end: u32) -> Option<Option<Segment>> {
        let is_old = self.sent.back().is_some_and(|last| !is_before(last.end, end));
        is_old.then(|| self.sent.iter().find(|segment| segment.end == end).copied())
    }

    /// The peer has everything before `ack`, and these ranges.
    pub(super) fn acknowledged(&mut self, ack: u32, sacked: &[(u32, u32)]) {
        let before = self.highest;
        let (mut lowest, mut highest) = (None, before);
        let is_within = |segment: &Segment, (begin, end): (u32, u32)| {
            !is_before(segment.seq, begin) && !is_before(end, segment.end)
        };
        for segment in &mut self.sent {
            if is_before(segment.seq, ack) || !sacked.iter().any(|range| is_within(segment, *range))
            {
                continue;
            }
            let is_late = highest.is_some_and(|highest| is_before(segment.seq, highest));
            if is_late && !segment.is_known {
                lowest = lowest.or(Some(segment.seq));
            }
            segment.is_known = true;
            highest =
                highest.filter(|highest| is_before(segment.end, *highest)).or(Some(segment.end));
        }
        self.highest = highest;
        self.note_order(lowest, ack);
        let mut lowest = None;
        while let Some(segment) = self.sent.pop_front_if(|segment| !is_before(ack, segment.end)) {
            self.delivered += 1;
            if !segment.is_known && before.is_some_and(|before| is_before(segment.seq, before)) {
                lowest = lowest.or(Some(segment.seq));
            }
        }
        self.highest = self.highest.filter(|highest| is_before(ack, *highest));
        self.note_order(lowest, ack);
    }

    /// Something that begins at `lowest` has arrived after what ends with the highest number, or with `ack`.
    fn note_order(&mut self, lowest: Option<u32>, ack: u32) {
        let Some(lowest) = lowest else { return };
        let distance = self.highest.unwrap_or(ack).wrapping_sub(lowest);
        let segments = distance.div_ceil(self.longest).min(MOST_REORDERING);
        self.reordering = self.reordering.max(segments);
        self.reorderings += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_told_across_the_end_of_the_numbers() {
        let first = u32::MAX - 499;
        let seq = |n: u32| first.wrapping_add(n * 1_000);
        let mut segments = Segments::default();
        for n in 0..5 {
            let (seq, end) = (seq(n), seq(n + 1));
            segments.sent(Segment { seq, end, push: false, piece: 1, is_known: false });
        }
        segments.acknowledged(first, &[(seq(4), seq(5))]);
        segments.acknowledged(first, &[(seq(0), seq(1)), (seq(4), seq(5))]);
        assert_eq!((segments.reordering, segments.reorderings), (5, 1));
    }
}
