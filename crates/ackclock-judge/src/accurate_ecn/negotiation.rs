//! The ECN flags of SYNs and SYN-ACKs (RFC 9768 section 3.1).

use super::encoding;
use crate::facts::Facts;
use crate::segment::Seen;
use crate::sentence::Sentence;
use crate::verdict::Docket;
use ackclock::time::Instant;
use ackclock::wire::{Ecn, Flags};

pub(crate) static SYN_COMBINATION: Sentence = Sentence::must(
    "syn-ecn-combination",
    9768,
    "3.1.3",
    "However, an AccECN Client implementation MUST NOT send a SYN with any combination other than the three listed.",
)
.of_form();
pub(crate) static SYN_ACK_COMBINATION: Sentence = Sentence::must(
    "syn-ack-ecn-combination",
    9768,
    "3.1.3",
    "However, an AccECN Server implementation MUST NOT send a SYN/ACK with this combination (AE,CWR,ECE) = (1,0,1).",
)
.of_form();
pub(crate) static NO_ECN_ASKED: Sentence = Sentence::must(
    "ecn-not-asked-for",
    9768,
    "3.1.2",
    "When an AccECN-enabled TCP Server (B) receives a SYN with (AE,CWR,ECE) = (0,0,0) it MUST set both its half \
     connections into the Not ECN feedback mode, return a SYN/ACK with (AE,CWR,ECE) = (0,0,0)",
);
pub(crate) static CLASSIC_ASKED: Sentence = Sentence::must(
    "accecn-not-asked-for",
    9768,
    "3.1.2",
    "set both its half connections into the Classic ECN feedback mode and return a SYN/ACK with (AE,CWR,ECE) = \
     (0,0,1)",
);
pub(crate) static MIRRORED: Sentence = Sentence::must(
    "syn-ack-mirrors-ecn",
    9768,
    "3.1.1",
    "Then it MUST set the AE, CWR and ECE TCP flags on the SYN/ACK to the combination in the top block of Table 2 that \
     feeds back the IP-ECN field that arrived on the SYN.",
);
pub(crate) static WRONG_CODEPOINT: Sentence = Sentence::must(
    "syn-ack-tells-other-codepoint",
    9768,
    "3.1.5",
    "MUST feed back the IP-ECN field on the latest valid SYN or acceptable SYN/ACK to arrive.",
);
pub(crate) static MIXED: Sentence = Sentence::must(
    "ecn-modes-mixed",
    9768,
    "3.1.5",
    "MUST NOT send a 'Classic' ECN-setup SYN/ACK [RFC3168] with (AE,CWR,ECE) = (0,0,1) and a SYN/ACK agreeing to use \
     AccECN feedback within the same connection",
);

/// The flags (AE, CWR, ECE) of SYNs and SYN-ACKs.
const NONE: u8 = 0b000;
const CLASSIC_SYN: u8 = 0b011;
const CLASSIC_SYN_ACK: u8 = 0b001;
const RESERVED: u8 = 0b101;
const ALL: u8 = 0b111;

/// What was asked and answered so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Negotiation {
    /// The codepoint of the latest SYN that reached the host, and when; and the one before it.
    latest: Option<(Ecn, Instant)>,
    before: Option<Ecn>,
    /// Whether a SYN or SYN-ACK with classic ECN was sent, and one with AccECN.
    sent: [bool; 2],
}

impl Negotiation {
    /// A SYN of the peer has reached the host.
    pub(super) fn on_peer_syn(&mut self, codepoint: Ecn, time: Instant) {
        self.before = self.latest.map(|latest| latest.0);
        self.latest = Some((codepoint, time));
    }

    /// The host has sent a SYN or SYN-ACK.
    pub(super) fn on_sent(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        let (time, number, flags) = (seen.time, seen.number, seen.header.flags.ace());
        let answers = seen.is(Flags::ACK);
        let forbidden = if answers {
            self.wrong_answer(seen, facts)
        } else {
            (!matches!(flags, NONE | CLASSIC_SYN | ALL)).then_some(&SYN_COMBINATION)
        };
        if let Some(sentence) = forbidden {
            docket.forbid(sentence, time, number, || {
                let asked = facts.peer_syn.map_or(0, |syn| syn.flags.ace());
                match answers {
                    true => format!("the SYN-ACK has {flags:#05b} for a SYN with {asked:#05b}"),
                    false => format!("the SYN has {flags:#05b}"),
                }
            });
        }
        let kind = match (answers, flags) {
            (false, CLASSIC_SYN) | (true, CLASSIC_SYN_ACK) => 0,
            (false, ALL) | (true, 0b010 | 0b011 | 0b100 | 0b110) => 1,
            _ => return,
        };
        self.sent[kind] = true;
        if self.sent == [true; 2] {
            docket.forbid(&MIXED, time, number, || {
                "one that asks for, or agrees to, classic ECN, and one with AccECN".into()
            });
        }
    }

    /// What forbids the flags of a SYN-ACK.
    fn wrong_answer(&self, seen: &Seen<'_>, facts: &Facts) -> Option<&'static Sentence> {
        let flags = seen.header.flags.ace();
        let asked = facts.peer_syn?.flags.ace();
        match (asked, flags) {
            (_, NONE) => None,
            (_, RESERVED) => Some(&SYN_ACK_COMBINATION),
            // Later ones may answer later SYNs.
            (NONE, _) if facts.host_syns == 0 => Some(&NO_ECN_ASKED),
            (_, ALL) => Some(&MIRRORED),
            (NONE, _) | (_, CLASSIC_SYN_ACK) => None,
            (CLASSIC_SYN, _) if facts.host_syns == 0 => Some(&CLASSIC_ASKED),
            (CLASSIC_SYN, _) => None,
            _ => (!self.is_told(flags, seen, facts)).then_some(&WRONG_CODEPOINT),
        }
    }

    /// Whether flags tell how the latest SYN has come, or one before that, if a host may not have seen the latest yet.
    fn is_told(&self, flags: u8, seen: &Seen<'_>, facts: &Facts) -> bool {
        let Some((latest, at)) = self.latest else { return true };
        let is_new = seen.time <= at + facts.settings.reaction;
        encoding(latest) == flags || is_new && self.before.is_some_and(|it| encoding(it) == flags)
    }
}
