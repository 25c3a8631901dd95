//! Probes of the path's MTU as they are seen from outside: a segment that is longer than those before and behind it.

use crate::facts::Facts;
use crate::segment::{Offset, Seen};

/// The last segment that may be a probe of the path's MTU (RFC 4821 section 7).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PathProbe {
    /// The longest text that more than one new segment had.
    usual: Offset,
    /// Where the text of the longer segment begins and ends.
    longer: Option<(Offset, Offset)>,
}

impl PathProbe {
    /// New data was sent.
    pub(crate) fn on_new_data(&mut self, seen: &Seen<'_>) {
        let len = seen.payload_len();
        if len <= self.usual {
            return;
        }
        match self.longer.map(|(start, end)| end - start) {
            Some(longer) if longer == len => (self.usual, self.longer) = (len, None),
            // The first segment of all was the longer one.
            Some(longer) if longer > len && self.usual == 0 => self.usual = len,
            _ => self.longer = Some((seen.text(), seen.text_end())),
        }
    }

    /// Whether a segment repeats a probe or a part of it: "the normal congestion (window or data rate) reduction SHOULD be
    /// suppressed" where nothing else is lost (RFC 4821 section 4).
    pub(crate) fn is_repeated_by(&self, seen: &Seen<'_>, facts: &Facts) -> bool {
        let range = self.longer.filter(|_| facts.settings.probes_path);
        range.is_some_and(|(start, end)| seen.text() >= start && seen.text_end() <= end)
    }
}
