//! Urgent data: where the pointer of the host's segments points (RFC 9293 section 3.8.5).

use crate::call::Call;
use crate::facts::Facts;
use crate::segment::{Offset, Seen};
use crate::sentence::Sentence;
use crate::verdict::Docket;
use ackclock::wire::Flags;

pub(crate) static POINTER: Sentence = Sentence::must(
    "urgent-pointer",
    9293,
    "3.8.5",
    "The urgent pointer MUST point to the sequence number of the octet following the urgent data (MUST-62).",
);
pub(crate) static MISSING: Sentence = Sentence::must(
    "urgent-missing",
    9293,
    "3.8.5",
    "The absence of this flag indicates that there is no urgent data outstanding.",
);
pub(crate) static OVER: Sentence = Sentence::must(
    "urgent-without-urgent-data",
    9293,
    "3.8.5",
    "when the receive sequence number catches up to the urgent pointer, the TCP implementation must tell user to \
     go into \"normal mode\".",
);

/// What the application has said of urgent data. Nothing is judged before it has marked some.
#[derive(Clone, Debug, Default)]
pub(crate) struct Urgent {
    written: Offset,
    /// The number behind the last urgent byte.
    end: Option<Offset>,
}

impl Urgent {
    /// The application has called.
    pub(crate) fn on_call(&mut self, call: Call) {
        match call {
            Call::Write(bytes) => self.written += bytes as Offset,
            Call::Urgent => self.end = Some(1 + self.written),
            _ => {}
        }
    }

    /// The host has sent a segment. `surely_acked` is SND.UNA by the segments that every host takes into account.
    pub(crate) fn on_sent(
        &self,
        seen: &Seen<'_>,
        facts: &Facts,
        surely_acked: Offset,
        docket: &mut Docket<'_>,
    ) {
        let Some(end) = self.end.filter(|_| !seen.is(Flags::SYN) && !seen.is(Flags::RST)) else {
            return;
        };
        let (time, number) = (seen.time, seen.number);
        let ahead = end - seen.seq;
        let pointer = Offset::from(seen.header.urgent_pointer);
        match (seen.is(Flags::URG), ahead > 0 && end > facts.acked) {
            (true, true) if pointer != ahead.min(u16::MAX.into()) => {
                docket.forbid(&POINTER, time, number, || {
                    format!("an urgent pointer of {pointer}, where urgent data end {ahead} ahead")
                });
            }
            (true, false) if ahead <= 0 || end <= surely_acked => {
                docket.forbid(&OVER, time, number, || {
                    format!("URG at {}, where urgent data have ended at {end}", seen.seq)
                })
            }
            (false, true) if seen.payload_len() > 0 => {
                docket.forbid(&MISSING, time, number, || {
                    format!("no URG at {}, where urgent data end at {end}", seen.seq)
                })
            }
            _ => {}
        }
    }
}
