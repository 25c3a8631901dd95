//! Probes of the path's MTU as they are seen from outside: a segment that is longer than those before and behind it.

use crate::facts::Facts;
use crate::segment::{Offset, Seen};
use std::collections::VecDeque;

/// So many lengths of probes are remembered.
const REMEMBERED: usize = 4;
/// So many new segments of one length, less than the usual, tell that the path has become narrower.
const NARROWER: u32 = 8;
/// A probe of one length goes again after so many new segments at least: sooner it is a length as any other.
const APART: u64 = 16;

/// A longer segment: where its text begins and ends, and which of the new ones it was.
#[derive(Clone, Copy, Debug)]
struct Longer {
    start: Offset,
    end: Offset,
    number: u64,
}

impl Longer {
    fn len(&self) -> Offset {
        self.end - self.start
    }
}

/// The segments that may be probes of the path's MTU (RFC 4821 section 7).
#[derive(Clone, Debug, Default)]
pub(crate) struct PathProbe {
    /// The longest text that two new segments had, one soon after the other.
    usual: Offset,
    /// A length below the usual one, and how many new segments had it since another one was below.
    shorter: (Offset, u32),
    /// Longer segments, the last one of each length.
    longer: VecDeque<Longer>,
    /// New segments so far.
    sent: u64,
}

impl PathProbe {
    /// New data was sent.
    pub(crate) fn on_new_data(&mut self, seen: &Seen<'_>) {
        let len = seen.payload_len();
        self.sent += 1;
        if len <= self.usual {
            self.on_usual(len);
            return;
        }
        // The first segment of all may be the longer one.
        let is_second = self.usual == 0 && self.longer.iter().any(|longer| longer.len() > len);
        let known = self.longer.iter().find(|longer| longer.len() == len);
        if is_second || known.is_some_and(|last| self.sent - last.number < APART) {
            self.usual = len;
            self.longer.retain(|longer| longer.len() > len);
            return;
        }
        self.longer.retain(|longer| longer.len() != len);
        if self.longer.len() == REMEMBERED {
            self.longer.pop_front();
        }
        self.longer.push_back(Longer {
            start: seen.text(),
            end: seen.text_end(),
            number: self.sent,
        });
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
        let is_all = |longer: &Longer| longer.start <= facts.acked && facts.sent <= longer.end;
        facts.settings.probes_path && self.longer.iter().any(is_all)
    }

    /// Whether a segment repeats a probe or a part of it: "the normal congestion (window or data rate) reduction SHOULD be
    /// suppressed" where nothing else is lost (RFC 4821 section 4).
    pub(crate) fn is_repeated_by(&self, seen: &Seen<'_>, facts: &Facts) -> bool {
        let repeats =
            |longer: &Longer| seen.text() >= longer.start && seen.text_end() <= longer.end;
        facts.settings.probes_path && self.longer.iter().any(repeats)
    }
}
