//! What of the peer's sequence space has arrived at the host: perhaps, or for certain.

use crate::facts::Facts;
use crate::ranges::Ranges;
use crate::segment::{Offset, Seen};
use ackclock::time::Instant;
use ackclock::wire::Flags;
use std::collections::VecDeque;

/// What a host may do with a segment that reaches it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It must drop it (RFC 9293 section 3.10.7.4; RFC 7323 section 5.3; RFC 5961 section 5.2).
    Dropped,
    /// It may take it or not.
    Perhaps,
    /// Nothing allows it to drop it.
    Taken,
}

/// Into so many ranges more at most the host may have what could all be one.
const MOST_DOUBTS: usize = 32;

/// What has arrived above what the host has acknowledged. A FIN counts as one number behind the text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrived {
    /// All that the host may have taken.
    perhaps: Ranges,
    /// What it has taken for certain, and could have acted upon.
    taken: Ranges,
    /// What it has taken for certain and may not have acted upon yet.
    fresh: VecDeque<(Instant, Offset, Offset)>,
    /// Where the peer's FIN stands.
    pub(super) fin: Option<Offset>,
    /// Since the host closed, what arrives may be refused with a RST (RFC 9293 section 3.6.1).
    pub(super) refuses: bool,
    /// Up to here something new has come that the host may have dropped.
    doubt: Offset,
}

impl Arrived {
    /// The peer's SYN had so many bytes of text, which the host may take or not (RFC 7413).
    pub(super) fn on_syn_text(&mut self, bytes: Offset) {
        self.perhaps.insert(1, 1 + bytes);
        self.doubt = 1 + bytes;
    }

    /// What the host may do with a segment; `edge` is the right edge of the window that it told last, and
    /// `stale` whether its timestamp is for certain older than the last one taken.
    pub(super) fn fate(&self, seen: &Seen<'_>, facts: &Facts, edge: Offset, stale: bool) -> Fate {
        if seen.is(Flags::SYN) {
            // Data of a SYN may be queued (RFC 9293 section 3.10.7.2), a later one is a challenge.
            return if facts.is_synchronized() { Fate::Dropped } else { Fate::Perhaps };
        }
        let Some(ack) = seen.ack else { return Fate::Dropped };
        if ack > facts.sent || stale || seen.end() < facts.told {
            return Fate::Dropped;
        }
        if seen.len() > 0 && seen.seq >= facts.edge.max(edge).max(1) {
            return Fate::Dropped;
        }
        // A FIN before text that has come: a peer that contradicts itself, and a host may believe either.
        let contradicts =
            seen.is(Flags::FIN) && self.perhaps.end().is_some_and(|end| end > seen.text_end());
        let missing_stamps = facts.timestamps() && seen.header.options.timestamps.is_none();
        let sure = facts.is_synchronized()
            && !missing_stamps
            && !contradicts
            && !self.refuses
            && !facts.is_over
            && ack >= facts.acked - facts.peer_max_window
            && facts.acknowledged_by(seen).is_some()
            && seen.seq <= edge
            && seen.end() <= edge
            && self.fin.is_none_or(|fin| seen.text_end() <= fin)
            && facts.told >= 1;
        if sure { Fate::Taken } else { Fate::Perhaps }
    }

    /// Takes note of a segment that the host did not have to drop; says whether any of its text is new.
    pub(super) fn note(&mut self, seen: &Seen<'_>, facts: &Facts, fate: Fate) -> bool {
        let start = seen.text().max(1);
        let end = seen.text_end().min(facts.edge.max(seen.text()));
        let is_whole = end == seen.text_end();
        let fin = seen.is(Flags::FIN) && is_whole;
        if fin {
            self.fin = Some(end);
        }
        let end = end + Offset::from(fin);
        let new = self.perhaps.insert(start.max(facts.told), end);
        if fate == Fate::Perhaps && new {
            self.doubt = self.doubt.max(end);
        }
        if fate == Fate::Taken && start < end {
            self.fresh.push_back((seen.time, start, end));
        }
        new
    }

    /// Brings what is certain up to date: what arrived more than a reaction ago the host has acted upon.
    pub(super) fn settle(&mut self, now: Instant, facts: &Facts) {
        while let Some(&(time, start, end)) = self.fresh.front() {
            if time + facts.settings.reaction >= now {
                break;
            }
            self.fresh.pop_front();
            self.taken.insert(start.max(facts.told), end);
        }
    }

    /// The host has acknowledged all below `told`.
    pub(super) fn forget_below(&mut self, told: Offset) {
        self.perhaps.forget_below(told);
        self.taken.forget_below(told);
    }

    /// RCV.NXT at most.
    pub(super) fn reach(&self, told: Offset) -> Offset {
        self.perhaps.reach(told)
    }

    /// Whether it is not certain which of what arrived the host has.
    pub(super) fn is_doubtful(&self, told: Offset) -> bool {
        self.doubt > told
    }

    /// RCV.NXT at least.
    pub(super) fn certain_reach(&self, told: Offset) -> Offset {
        self.taken.reach(told)
    }

    /// Whether anything lies behind a hole, perhaps.
    pub(super) fn has_hole(&self, told: Offset) -> bool {
        self.perhaps.end().is_some_and(|end| end > self.reach(told))
    }

    /// Whether something lies behind a hole that the host has taken for certain.
    pub(super) fn has_certain_hole(&self, told: Offset) -> bool {
        let reach = self.reach(told);
        self.taken.end().is_some_and(|end| end > reach)
            || self.fresh.iter().any(|fresh| fresh.1 > reach)
    }

    /// Whether the host certainly has a place for this segment behind a hole if it holds so many ranges.
    pub(super) fn has_place(&self, seen: &Seen<'_>, facts: &Facts) -> bool {
        let most = facts.settings.reassembly_ranges;
        let ranges = self.perhaps.len();
        let fits = ranges < most || ranges == most && self.perhaps.adjoins(seen.text(), seen.end());
        // What joins two ranges may have been dropped, so that there are more.
        fits && (ranges + MOST_DOUBTS <= most || !self.is_doubtful(facts.told.max(1)))
    }

    /// All that the host may have taken.
    pub(super) fn perhaps(&self) -> &Ranges {
        &self.perhaps
    }

    /// What it has taken for certain and could have acted upon.
    pub(super) fn taken(&self) -> &Ranges {
        &self.taken
    }
}
