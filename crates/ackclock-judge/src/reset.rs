//! RSTs: those that the host sends, and what those that it receives may do.

use crate::call::Call;
use crate::connection::Raw;
use crate::facts::Facts;
use crate::segment::{Offset, Seen};
use crate::sentence::Sentence;
use crate::verdict::Docket;
use ackclock::time::Instant;
use ackclock::wire::Flags;

pub(crate) static ALIVE_AFTER_RESET: Sentence = Sentence::must(
    "alive-after-reset",
    5961,
    "3.2",
    "If the RST bit is set and the sequence number exactly matches the next expected sequence number \
     (RCV.NXT), then TCP MUST reset the connection.",
);
pub(crate) static RESET_BY_BLIND_RST: Sentence = Sentence::must(
    "reset-by-blind-rst",
    5961,
    "3.2",
    "After sending the challenge ACK, TCP MUST drop the unacceptable segment and stop processing the \
     incoming packet further.",
);
pub(crate) static RESET_BY_SYN: Sentence = Sentence::must(
    "reset-by-syn",
    5961,
    "4.2",
    "After sending the acknowledgment, TCP MUST drop the unacceptable segment and stop processing further.",
);
pub(crate) static RST_NUMBER: Sentence = Sentence::must(
    "rst-number",
    9293,
    "3.5.2",
    "If the incoming segment has an ACK field, the reset takes its sequence number from the ACK field of \
     the segment",
);

/// What received RSTs and SYNs may have done to the connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resets {
    /// The application has given the connection up.
    aborted: bool,
    /// The application reads no more, so data may be answered with a RST (RFC 9293 section 3.6.1).
    closed: bool,
    /// When a RST came that ends the connection for certain.
    ended: Option<Instant>,
    /// A RST came that may have ended the connection.
    perhaps_ended: bool,
    /// A RST came within the window but not where the host expects it.
    blind_rst: bool,
    /// A SYN came to the synchronized connection.
    stray_syn: bool,
    /// The acknowledgments that were received last, any of which a RST may take its number from.
    acks: [Option<Offset>; 8],
    next: usize,
}

impl Resets {
    pub(crate) fn on_call(&mut self, _now: Instant, call: Call) {
        match call {
            Call::Abort => self.aborted = true,
            Call::CloseBoth => self.closed = true,
            Call::Write(_) | Call::Read(_) | Call::Close => {}
        }
    }

    /// Whether a RST has certainly ended the connection.
    pub(crate) fn has_ended(&self, _facts: &Facts) -> bool {
        self.ended.is_some()
    }

    /// A segment has reached the host before the peer's SYN.
    pub(crate) fn on_unplaced(&mut self, raw: &Raw<'_>, facts: &Facts) {
        let header = &raw.header;
        if header.flags.contains(Flags::ACK) {
            self.note(facts.host.offset(header.ack));
            // RFC 9293 section 3.10.7.3: in SYN-SENT a RST counts if its ack is acceptable.
            let acceptable = facts.host.offset(header.ack) == facts.sent;
            self.perhaps_ended |= header.flags.contains(Flags::RST) && acceptable;
        }
    }

    fn note(&mut self, ack: Offset) {
        let place = self.next % self.acks.len();
        if let Some(place) = self.acks.get_mut(place) {
            *place = Some(ack);
        }
        self.next += 1;
    }

    /// A segment has reached the host.
    pub(crate) fn on_received(&mut self, seen: &Seen<'_>, facts: &Facts) {
        if let Some(ack) = seen.ack {
            self.note(ack);
        }
        if seen.is(Flags::RST) {
            // The host expects what it told, or what has arrived since; both may be RCV.NXT.
            if seen.seq == facts.told.max(1) && facts.is_synchronized() {
                self.ended.get_or_insert(seen.time);
            }
            if seen.seq >= facts.told && seen.seq < facts.edge.max(facts.told + 1) {
                self.perhaps_ended = true;
                self.blind_rst |= seen.seq > facts.told + facts.largest_received * 4;
            }
        } else if seen.is(Flags::SYN) && facts.is_synchronized() && seen.seq != 0 {
            self.stray_syn = true;
        }
    }

    /// The host has sent a segment.
    pub(crate) fn on_sent(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        let (time, number) = (seen.time, seen.number);
        if !seen.is(Flags::RST) {
            let ended = self.ended.is_some_and(|ended| time > ended + facts.settings.reaction);
            if ended && !seen.is(Flags::SYN) {
                docket.forbid(&ALIVE_AFTER_RESET, time, number, || {
                    "the connection goes on after a RST with the very number that the host expected".into()
                });
            }
            return;
        }
        let at_end = seen.seq == facts.sent || seen.seq == facts.acked;
        let answers = self.acks.iter().flatten().any(|&ack| ack == seen.seq);
        if facts.is_synchronized() && !at_end && !answers && !facts.is_over {
            docket.forbid(&RST_NUMBER, time, number, || {
                format!(
                    "a RST at {}, where neither SND.NXT is nor what the peer acknowledged",
                    seen.seq
                )
            });
        }
    }
}
