//! The SACK and D-SACK blocks that the host sends (RFC 2018 section 4, RFC 2883 section 4).

use super::arrived::Arrived;
use crate::facts::Facts;
use crate::ranges::Ranges;
use crate::segment::{Offset, Seen};
use crate::sentence::Sentence;
use crate::verdict::Docket;
use ackclock::seq::SeqRange;
use ackclock::time::Instant;
use ackclock::wire::{Flags, SackBlocks};
use std::collections::VecDeque;

pub(crate) static NOT_PERMITTED: Sentence = Sentence::must(
    "sack-not-permitted",
    2018,
    "4",
    "If the data receiver has not received a SACK-Permitted option for a given connection, it MUST NOT send \
     SACK options on that connection.",
);
pub(crate) static NOT_RECEIVED: Sentence = Sentence::must(
    "sack-of-what-has-not-arrived",
    2018,
    "3",
    "Each contiguous block of data queued at the data receiver is defined in the SACK option by two 32-bit \
     unsigned integers in network byte order",
);
pub(crate) static NOT_WHOLE: Sentence = Sentence::must(
    "sack-block-not-whole",
    2018,
    "3",
    "the bytes just below the block, (Left Edge of Block - 1), and just above the block, (Right Edge of \
     Block), have not been received.",
);
pub(crate) static FIRST_BLOCK: Sentence = Sentence::must(
    "sack-first-block",
    2018,
    "4",
    "The first SACK block (i.e., the one immediately following the kind and length fields in the option) MUST \
     specify the contiguous block of data containing the segment which triggered this ACK, unless that \
     segment advanced the Acknowledgment Number field in the header.",
);
pub(crate) static MISSING: Sentence = Sentence::should(
    "sack-missing",
    2018,
    "4",
    "If sent at all, SACK options SHOULD be included in all ACKs which do not ACK the highest sequence number \
     in the data receiver's queue.",
);
pub(crate) static FEW_BLOCKS: Sentence = Sentence::should(
    "sack-few-blocks",
    2018,
    "4",
    "The data receiver SHOULD include as many distinct SACK blocks as possible in the SACK option.",
);
pub(crate) static DSACK: Sentence = Sentence::must(
    "d-sack-of-no-duplicate",
    2883,
    "4",
    "A D-SACK block is only used to report a duplicate contiguous sequence of data received by the receiver \
     in the most recent packet.",
);

pub(crate) static DSACK_MISSING: Sentence = Sentence::should(
    "d-sack-missing",
    2883,
    "4",
    "When D-SACK is used, the first block of the SACK option should be a D-SACK block specifying the sequence \
     numbers for the duplicate segment that triggers the acknowledgement.",
);

/// SACK blocks that go before the AccECN option.
const BESIDE_COUNTERS: usize = 2;
/// Segments of fewer bytes, options included, may leave no room for blocks beside their text.
const LEAST_ROOM: Offset = 128;
/// Duplicates that are remembered until they are reported.
const REMEMBERED: usize = 1024;

/// The state behind the rules of SACK blocks: what has come twice, and what the next ack must name first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sacks {
    /// Duplicates that no D-SACK block has reported yet.
    duplicates: VecDeque<(Offset, Offset)>,
    /// The D-SACK block of the last segment with text, and where that ended. A host whose device, or kernel, cuts
    /// what it sends into segments copies the options into each.
    copied: Option<((Offset, Offset), Offset)>,
    /// Segments behind a hole that the next ack must name first, as they arrived. Of others any block may come first.
    triggers: VecDeque<(Instant, Offset, Offset)>,
    /// The blocks of what arrived last were told.
    is_told: bool,
    /// The text that came twice for certain since the host last sent something.
    again: Option<(Offset, Offset)>,
}

impl Sacks {
    /// A segment has reached the host, before it is noted as arrived. `behind_hole` says that the host must
    /// take it and that it does not advance the ack.
    pub(super) fn on_received(
        &mut self,
        seen: &Seen<'_>,
        facts: &Facts,
        perhaps: &Ranges,
        behind_hole: bool,
    ) {
        // A FIN has a number like a byte, and hosts may count it in.
        let (start, end) = (seen.text(), seen.end());
        if start >= end {
            return;
        }
        // What was acknowledged and what came behind it is one duplicate.
        let mut known = perhaps.clone();
        known.insert(start.min(facts.told), facts.told);
        for (low, high) in known.iter().filter(|range| range.0 < end && start < range.1) {
            self.note_duplicate(low.max(start), high.min(end));
        }
        if behind_hole && seen.payload_len() > 0 {
            self.is_told = false;
            self.triggers.push_back((seen.time, start, seen.text_end()));
        } else {
            // It may be what an ack answers, and asks for no block.
            self.triggers.push_back((seen.time, Offset::MAX, Offset::MIN));
        }
        if self.triggers.len() > REMEMBERED {
            self.triggers.pop_front();
        }
    }

    /// A segment has reached the host whose text it has for certain, and which it has to answer.
    pub(super) fn on_again(&mut self, seen: &Seen<'_>) {
        self.again = Some((seen.text(), seen.text_end()));
    }

    fn note_duplicate(&mut self, start: Offset, end: Offset) {
        self.duplicates.push_back((start, end));
        if self.duplicates.len() > REMEMBERED {
            self.duplicates.pop_front();
        }
    }

    /// The host has sent a segment.
    pub(super) fn on_sent(
        &mut self,
        seen: &Seen<'_>,
        facts: &Facts,
        arrived: &Arrived,
        docket: &mut Docket<'_>,
    ) {
        let (Some(ack), Some(peer)) = (seen.ack, facts.peer) else { return };
        let (time, number) = (seen.time, seen.number);
        let blocks = seen.header.options.sack.as_slice();
        if !blocks.is_empty() && !facts.may_sack() {
            docket.forbid(&NOT_PERMITTED, time, number, || {
                "SACK blocks that the peer's SYN forbids".into()
            });
            return;
        }
        let place = |block: &SeqRange| (peer.offset(block.start), peer.offset(block.end));
        let blocks: Vec<(Offset, Offset)> = blocks.iter().map(place).collect();
        let reports = blocks.first().is_some_and(|&first| is_dsack(first, blocks.get(1), ack));
        if reports && let Some(&first) = blocks.first() {
            self.judge_dsack(seen, first, facts, docket);
        }
        if let Some((start, end)) = self.again.take()
            && facts.settings.reports_duplicates
            && facts.settings.reaction.is_zero()
            && facts.sack()
            && !reports
            && seen.len() == 0
        {
            docket.forbid(&DSACK_MISSING, time, number, || {
                format!("no D-SACK, though {start} to {end} came twice")
            });
        }
        let rest = blocks.get(usize::from(reports)..).unwrap_or_default();
        for &block in rest {
            judge_block(seen, block, ack, arrived, docket);
        }
        self.judge_first(seen, facts, rest, docket);
        self.judge_missing(seen, facts, rest, reports, arrived, docket);
        self.is_told |= !rest.is_empty();
        let reaction = facts.settings.reaction;
        while self
            .triggers
            .front()
            .is_some_and(|trigger| reaction.is_zero() || trigger.0 + reaction < time)
        {
            self.triggers.pop_front();
        }
    }

    fn judge_dsack(
        &mut self,
        seen: &Seen<'_>,
        (start, end): (Offset, Offset),
        facts: &Facts,
        docket: &mut Docket<'_>,
    ) {
        let block = (start, end);
        let reported = self.duplicates.iter().position(|range| range.0 <= start && end <= range.1);
        if let Some(at) = reported {
            self.duplicates.remove(at);
        } else if !facts.settings.reaction.is_zero() && self.came_side_by_side(start, end) {
            self.forget_side_by_side(start, end);
        } else if self.copied != Some((block, seen.seq)) {
            docket.forbid(&DSACK, seen.time, seen.number, || {
                format!("a D-SACK of {start} to {end}, which did not come twice")
            });
        }
        self.copied = (seen.payload_len() > 0).then_some((block, seen.end()));
    }

    /// Whether duplicates that came one after the other cover a range: segments that a host takes out of its
    /// queues together may be one to its TCP.
    fn came_side_by_side(&self, start: Offset, end: Offset) -> bool {
        let mut all = Ranges::default();
        for &(from, to) in &self.duplicates {
            all.insert(from, to);
        }
        all.covers(start, end)
    }

    /// Forgets one duplicate for each part of such a range.
    fn forget_side_by_side(&mut self, start: Offset, end: Offset) {
        let mut at = start;
        while at < end
            && let Some(index) =
                self.duplicates.iter().position(|range| range.0 <= at && at < range.1)
            && let Some(range) = self.duplicates.remove(index)
        {
            at = range.1;
        }
    }

    /// The first block has what came last, if that did not advance the ack.
    fn judge_first(
        &self,
        seen: &Seen<'_>,
        facts: &Facts,
        rest: &[(Offset, Offset)],
        docket: &mut Docket<'_>,
    ) {
        let Some(&(start, end)) = rest.first() else { return };
        let Some(&(last, _, _)) = self.triggers.back() else { return };
        let oldest = last.saturating_since(Instant::ZERO).saturating_sub(facts.settings.reaction);
        let mut recent = self
            .triggers
            .iter()
            .filter(|trigger| trigger.0.saturating_since(Instant::ZERO) >= oldest);
        if !recent.any(|trigger| start <= trigger.1 && trigger.2 <= end) {
            docket.forbid(&FIRST_BLOCK, seen.time, seen.number, || {
                format!("the first block is {start} to {end}, without the segment that came last")
            });
        }
    }

    /// What lies behind a hole is told, as far as there is room.
    fn judge_missing(
        &self,
        seen: &Seen<'_>,
        facts: &Facts,
        rest: &[(Offset, Offset)],
        reports: bool,
        arrived: &Arrived,
        docket: &mut Docket<'_>,
    ) {
        let Some(ack) = seen.ack else { return };
        if !facts.sack() || seen.is(Flags::SYN) || !facts.is_synchronized() {
            return;
        }
        // Ranges that may have become one count once.
        // A FIN alone is no data, of which blocks tell.
        let fin = arrived.fin.map(|fin| (fin, fin + 1));
        let is_certain = |range: &(Offset, Offset)| {
            arrived.taken().touches(range.0, range.1) && fin != Some(*range)
        };
        let behind =
            arrived.perhaps().iter().filter(|range| range.0 > ack && is_certain(range)).count();
        if behind == 0 {
            return;
        }
        // Beside text there may be no room for all that an ack without text has told, but for one block there is,
        // unless segments are tiny or signed.
        let is_again = seen.len() > 0 && self.is_told;
        let is_tight = facts.peer_mss() < LEAST_ROOM || seen.header.options.signature.is_some();
        if is_again && is_tight {
            return;
        }
        let (time, number) = (seen.time, seen.number);
        if rest.is_empty() && !reports {
            docket.forbid(&MISSING, time, number, || {
                format!("no SACK block, though {behind} ranges have arrived behind a hole")
            });
            return;
        }
        if is_again {
            return;
        }
        let timestamps = if seen.header.options.timestamps.is_some() { 12 } else { 0 };
        let room = (40 - 4 - timestamps) / 8;
        // Beside the counters of AccECN two are enough (RFC 9768 section 3.2.3.3).
        let places = if facts.accurate_ecn() { BESIDE_COUNTERS } else { SackBlocks::MAX };
        let most = room.min(places).saturating_sub(usize::from(reports));
        if rest.len() < most.min(behind) {
            docket.forbid(&FEW_BLOCKS, time, number, || {
                format!("{} SACK blocks of {behind}, with room for {most}", rest.len())
            });
        }
    }
}

/// Whether a first block reports a duplicate (RFC 2883 section 4): it lies below the ack, or within the second
/// block.
fn is_dsack(first: (Offset, Offset), second: Option<&(Offset, Offset)>, ack: Offset) -> bool {
    first.1 <= ack || second.is_some_and(|second| second.0 <= first.0 && first.1 <= second.1)
}

fn judge_block(
    seen: &Seen<'_>,
    (start, end): (Offset, Offset),
    ack: Offset,
    arrived: &Arrived,
    docket: &mut Docket<'_>,
) {
    let (time, number) = (seen.time, seen.number);
    if start >= end || start <= ack || !arrived.perhaps().covers(start, end) {
        docket.forbid(&NOT_RECEIVED, time, number, || {
            format!("a SACK block of {start} to {end} beside the ack {ack}, not all of which has arrived")
        });
        return;
    }
    let below = arrived.taken().covers(start - 1, start);
    // A FIN is no byte of data; blocks end before it or behind it.
    let above = arrived.taken().covers(end, end + 1) && arrived.fin != Some(end);
    if below || above {
        docket.forbid(&NOT_WHOLE, time, number, || {
            format!("a SACK block of {start} to {end}, though the byte beside it has arrived")
        });
    }
}
