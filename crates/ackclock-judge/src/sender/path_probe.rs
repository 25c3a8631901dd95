//! Probes of the path's MTU as they are seen from outside: a segment that is longer than those before and behind it.

use crate::facts::Facts;
use crate::segment::{Offset, Seen};
use std::collections::VecDeque;

/// So many lengths of probes are remembered.
const REMEMBERED: usize = 4;
/// So many new segments of one length, less than the usual, tell that the path has become narrower.
const NARROWER: u32 = 8;

/// The segments that may be probes of the path's MTU (RFC 4821 section 7).
#[derive(Clone, Debug, Default)]
pub(crate) struct PathProbe {
    /// The longest text that more than one new segment had.
    usual: Offset,
    /// A length below the usual one, and how many new segments had it since another one was below.
    shorter: (Offset, u32),
    /// Where the texts of longer segments begin and end, each of a length of its own.
    longer: VecDeque<(Offset, Offset)>,
}

impl PathProbe {
    /// New data was sent.
    pub(crate) fn on_new_data(&mut self, seen: &Seen<'_>) {
        let len = seen.payload_len();
        if len <= self.usual {
            self.on_usual(len);
            return;
        }
        let of = |&(start, end): &(Offset, Offset)| end - start;
        // The first segment of all may be the longer one.
        let is_second = self.usual == 0 && self.longer.iter().any(|longer| of(longer) > len);
        if is_second || self.longer.iter().any(|longer| of(longer) == len) {
            self.usual = len;
            self.longer.retain(|longer| of(longer) > len);
            return;
        }
        if self.longer.len() == REMEMBERED {
            self.longer.pop_front();
        }
        self.longer.push_back((seen.text(), seen.text_end()));
    }

    /// New data was sent in a segment of no unusual length.
    fn on_usual(&mut self, len: Offset) {
        let known = if self.shorter.0 == len { self.shorter.1 } else { 0 };
        self.shorter = (len, known + 1);
        if len < self.usual && known + 1 == NARROWER {
            self.usual = len;
        }
    }

    /// Whether a probe is all that is not acknowledged: nothing else is lost where a timer has it sent again.
    pub(crate) fn is_alone(&self, facts: &Facts) -> bool {
        let is_all = |&(start, end): &(Offset, Offset)| start <= facts.acked && facts.sent <= end;
        facts.settings.probes_path && self.longer.iter().any(is_all)
    }

    /// Whether a segment repeats a probe or a part of it: "the normal congestion (window or data rate) reduction SHOULD be
    /// suppressed" where nothing else is lost (RFC 4821 section 4).
    pub(crate) fn is_repeated_by(&self, seen: &Seen<'_>, facts: &Facts) -> bool {
        let repeats =
            |&(start, end): &(Offset, Offset)| seen.text() >= start && seen.text_end() <= end;
        facts.settings.probes_path && self.longer.iter().any(repeats)
    }
}
