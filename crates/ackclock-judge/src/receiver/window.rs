//! The window that the host tells.

use crate::facts::Facts;
use crate::segment::{Offset, Seen};
use crate::sentence::Sentence;
use crate::verdict::Docket;
use ackclock::wire::Flags;

pub(crate) static SHRUNK: Sentence = Sentence::should(
    "window-shrunk",
    9293,
    "3.8.6",
    "A TCP receiver SHOULD NOT shrink the window, i.e., move the right window edge to the left",
);
pub(crate) static SILLY: Sentence = Sentence::must(
    "silly-window-told",
    9293,
    "3.8.6.2.2",
    "A TCP implementation MUST include a SWS avoidance algorithm in the receiver",
);

/// The largest window of a SYN (RFC 7323 section 2.2).
const LARGEST_UNSCALED: Offset = 65_535;

/// The rules of the window that the host tells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Windows {
    /// The right edge that the host told last.
    pub(super) last_edge: Offset,
    /// The largest window that it told.
    largest: Offset,
    /// It has told one without SYN: before, a host need not have had a buffer (RFC 4987 section 3.6).
    has_buffer: bool,
}

impl Windows {
    /// The host has sent a segment.
    pub(super) fn on_sent(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        let Some(ack) = seen.ack else { return };
        let window = facts.host_window(seen);
        let edge = ack + window;
        // A window is told in units; what does not fill one is lost in the telling (RFC 7323 section 2.4).
        let unit: Offset = 1 << facts.host_shift();
        // A SYN-ACK cannot tell more than 65,535 bytes, and tells of a buffer once there is one.
        let is_syn = seen.is(Flags::SYN);
        let told = if is_syn { facts.edge.min(ack + LARGEST_UNSCALED) } else { facts.edge };
        if edge + unit <= told && (self.has_buffer || !is_syn) {
            docket.forbid(&SHRUNK, seen.time, seen.number, || {
                format!("the right edge moves from {told} back to {edge}")
            });
        }
        let step = edge - facts.edge;
        let mss = facts.host_syn.options.mss.map_or(536, Offset::from);
        let enough = mss.min(facts.largest_received).min(self.largest / 2);
        if facts.told >= 1
            && self.has_buffer
            && !seen.is(Flags::SYN)
            && step >= unit
            && step + unit < enough
        {
            docket.forbid(&SILLY, seen.time, seen.number, || {
                format!(
                    "the window opens by {step} bytes, less than a segment and half of {}",
                    self.largest
                )
            });
        }
        self.largest = self.largest.max(window);
        self.has_buffer |= !seen.is(Flags::SYN);
        self.last_edge = edge;
    }
}
