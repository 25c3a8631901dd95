//! Probes of the path's MTU as they are seen from outside: a segment that is longer than those before and behind it.

use crate::facts::Facts;
use crate::segment::{Offset, Seen};
use std::collections::VecDeque;

/// So many lengths of probes are remembered.
const REMEMBERED: usize = 4;

/// The segments that may be probes of the path's MTU (RFC 4821 section 7).
#[derive(Clone, Debug, Default)]
pub(crate) struct PathProbe {
    /// The longest text that more than one new segment had.
    usual: Offset,
    /// Where the texts of longer segments begin and end, each of a length of its own.
    longer: VecDeque<(Offset, Offset)>,
}

impl PathProbe {
    /// New data was sent.
    pub(crate) fn on_new_data(&mut self, seen: &Seen<'_>) {
        let len = seen.payload_len();
        if len <= self.usual {
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

    /// Whether a segment repeats a probe or a part of it: "the normal congestion (window or data rate) reduction SHOULD be
    /// suppressed" where nothing else is lost (RFC 4821 section 4).
    pub(crate) fn is_repeated_by(&self, seen: &Seen<'_>, facts: &Facts) -> bool {
        let repeats =
            |&(start, end): &(Offset, Offset)| seen.text() >= start && seen.text_end() <= end;
        facts.settings.probes_path && self.longer.iter().any(repeats)
    }
}
