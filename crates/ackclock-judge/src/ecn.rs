//! Explicit congestion notification (RFC 3168): which packets say that they are capable of it, and as what (RFC
//! 9331), and that both ends repeat and answer what they hear.

use crate::facts::Facts;
use crate::segment::{Offset, Seen};
use crate::sentence::Sentence;
use crate::verdict::Docket;
use ackclock::time::Instant;
use ackclock::wire::{Ecn, Flags};

pub(crate) static ECT_ON_SYN: Sentence = Sentence::must(
    "ect-on-syn",
    3168,
    "6.1.1",
    "A host MUST NOT set ECT on SYN or SYN-ACK packets.",
)
.of_form();
pub(crate) static ECT_NOT_AGREED: Sentence = Sentence::must(
    "ect-not-agreed",
    3168,
    "6.1.1",
    "A host MUST NOT set ECT on data packets unless it has sent at least one ECN-setup SYN or ECN-setup SYN-ACK \
     packet, and has received at least one ECN-setup SYN or ECN-setup SYN-ACK packet",
);
pub(crate) static ECT_ON_ACK: Sentence = Sentence::must(
    "ect-on-ack",
    3168,
    "6.1.4",
    "pure acknowledgement packets (e.g., packets that do not contain any accompanying data) MUST be sent with \
     the not-ECT codepoint",
).of_form();
pub(crate) static ECT_ON_RETRANSMISSION: Sentence = Sentence::must(
    "ect-on-retransmission",
    3168,
    "6.1.5",
    "This document specifies ECN-capable TCP implementations MUST NOT set either ECT codepoint (ECT(0) or \
     ECT(1)) in the IP header for retransmitted data packets",
);
pub(crate) static ECT_ON_PROBE: Sentence = Sentence::must(
    "ect-on-window-probe",
    3168,
    "6.1.6",
    "Therefore, the TCP data sender MUST NOT set either an ECT codepoint or the CWR bit on window probe packets.",
);
pub(crate) static L4S_WITHOUT_COUNTS: Sentence = Sentence::must(
    "ect1-without-counts",
    9331,
    "4.2",
    "For a transport protocol to provide Scalable congestion control (Section 4.3), it MUST provide feedback of \
     the extent of CE marking on the forward path.",
);
pub(crate) static CWR_MISSING: Sentence = Sentence::must(
    "cwr-missing",
    3168,
    "6.1.2",
    "the TCP sender sets the CWR flag in the TCP header of the first new data packet sent after the window \
     reduction",
);
pub(crate) static CWR_ON_RETRANSMISSION: Sentence = Sentence::should(
    "cwr-on-retransmission",
    3168,
    "6.1.2",
    "Thus, the CWR bit in the TCP header SHOULD NOT be set on retransmitted packets.",
);
pub(crate) static ECE_MISSING: Sentence = Sentence::must(
    "ece-missing",
    3168,
    "6.1.3",
    "After a TCP receiver sends an ACK packet with the ECN-Echo bit set, that TCP receiver continues to set the \
     ECN-Echo flag in all the ACK packets it sends (whether they acknowledge CE data packets or non-CE data \
     packets) until it receives a CWR packet",
);
pub(crate) static ECE_WITHOUT_CE: Sentence = Sentence::must(
    "ece-without-ce",
    3168,
    "6.1.3",
    "After the receipt of the CWR packet, acknowledgments for subsequent non-CE data packets do not have the \
     ECN-Echo flag set.",
);

/// The kind of a segment's text, which decides whether its packet may be ECN-capable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Text {
    None,
    New,
    Again,
    /// Some of it was sent before, as the byte of a probe: what holds for either is right.
    Both,
    /// A probe of a closed window.
    Probe,
}

/// The state of ECN: marks that have arrived, and the echoes (ECE) and answers (CWR) that the host owes for them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notification {
    /// Since when the host must answer an echo with CWR.
    cwr_since: Option<Instant>,
    /// When a CE came that every host takes, and since when acks must repeat it.
    ce: Option<Instant>,
    /// When any CE came last that a host may repeat, and when CWR came last that it may believe.
    any_ce: Option<Instant>,
    cwr: Option<Instant>,
}

impl Notification {
    /// The host has sent a segment that is no RST.
    pub(crate) fn on_sent(
        &mut self,
        seen: &Seen<'_>,
        facts: &Facts,
        text: Text,
        docket: &mut Docket<'_>,
    ) {
        let (time, number) = (seen.time, seen.number);
        if seen.ecn != Ecn::NotEct {
            let sentence = match text {
                _ if seen.is(Flags::SYN) => Some(&ECT_ON_SYN),
                _ if !(facts.ecn() || facts.accurate_ecn()) => Some(&ECT_NOT_AGREED),
                _ if seen.ecn == Ecn::Ect1 && !facts.accurate_ecn() => Some(&L4S_WITHOUT_COUNTS),
                Text::None if !seen.is(Flags::FIN) => Some(&ECT_ON_ACK),
                Text::Again => Some(&ECT_ON_RETRANSMISSION),
                Text::Probe => Some(&ECT_ON_PROBE),
                _ => None,
            };
            if let Some(sentence) = sentence {
                docket
                    .forbid(sentence, time, number, || format!("{:?} in the IP header", seen.ecn));
            }
        }
        if !facts.ecn() || seen.is(Flags::SYN) {
            return;
        }
        self.judge_cwr(seen, facts, text, docket);
        if seen.is(Flags::ACK) {
            self.judge_echo(seen, facts, docket);
        }
    }

    fn judge_cwr(&mut self, seen: &Seen<'_>, facts: &Facts, text: Text, docket: &mut Docket<'_>) {
        let (time, number) = (seen.time, seen.number);
        let is_set = seen.is(Flags::CWR);
        match text {
            Text::New | Text::Both if is_set => self.cwr_since = None,
            Text::New if self.must_have_cwr(time, facts) => {
                self.cwr_since = None;
                docket.forbid(&CWR_MISSING, time, number, || {
                    "new data after an ECN-Echo has no CWR".into()
                });
            }
            Text::Again if is_set => docket
                .forbid(&CWR_ON_RETRANSMISSION, time, number, || "CWR on a retransmission".into()),
            Text::Probe if is_set => {
                docket.forbid(&ECT_ON_PROBE, time, number, || "CWR on a window probe".into());
            }
            _ => {}
        }
    }

    /// Whether new data at `time` comes after an echo that every host has heard.
    fn must_have_cwr(&self, time: Instant, facts: &Facts) -> bool {
        self.cwr_since.is_some_and(|since| time > since + facts.settings.reaction)
    }

    fn judge_echo(&self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        let (time, number) = (seen.time, seen.number);
        let reaction = facts.settings.reaction;
        let past = |when: Option<Instant>| when.is_some_and(|when| time > when + reaction);
        if seen.is(Flags::ECE) {
            // CWR ends it for what comes later; acks on the way may still have it.
            let ended =
                past(self.cwr) && self.any_ce.is_none_or(|ce| self.cwr.is_some_and(|cwr| ce < cwr));
            if ended || self.any_ce.is_none() {
                docket.forbid(&ECE_WITHOUT_CE, time, number, || {
                    "ECN-Echo, though nothing marked has come since CWR".into()
                });
            }
        } else if past(self.ce) && self.cwr.is_none_or(|cwr| self.ce.is_some_and(|ce| cwr < ce)) {
            docket.forbid(&ECE_MISSING, time, number, || {
                "no ECN-Echo, though a marked segment has come and no CWR since".into()
            });
        }
    }

    /// A segment has reached the host; `certain` if it counts for every host. Says whether the host must
    /// reduce its window; `answered` is up to where it has answered congestion.
    pub(crate) fn on_received(
        &mut self,
        seen: &Seen<'_>,
        facts: &Facts,
        certain: bool,
        answered: Offset,
    ) -> bool {
        if !facts.ecn() || seen.is(Flags::SYN) {
            return false;
        }
        if seen.is(Flags::CWR) {
            self.cwr = Some(seen.time);
        }
        if seen.ecn == Ecn::Ce {
            self.any_ce = Some(seen.time);
            // What is not new to the receiver need not count (section 6.1.5).
            if certain && seen.payload_len() > 0 && seen.seq == facts.told {
                self.ce = Some(seen.time);
            }
        }
        let heard = seen.is(Flags::ECE)
            && certain
            && facts.outstanding() > 0
            && seen.ack.is_some_and(|ack| ack > answered && ack >= facts.acked);
        if heard {
            self.cwr_since.get_or_insert(seen.time);
        }
        heard
    }
}
