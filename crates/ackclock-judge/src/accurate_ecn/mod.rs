//! Accurate ECN (RFC 9768): what SYNs agree on, and what a host tells of the codepoints that reach it.

mod counters;
mod negotiation;

use crate::facts::{Facts, Syn};
use crate::segment::Seen;
use crate::sentence::Sentence;
use crate::verdict::Docket;
use ackclock::time::Instant;
use ackclock::wire::{Ecn, Flags};
use counters::Counters;
use negotiation::Negotiation;

pub(crate) static MARKS_NOT_ACKED: Sentence = Sentence::must(
    "ce-marks-not-acknowledged",
    9768,
    "3.2.2.5.1",
    "An AccECN receiver of a packet MUST emit an ACK if 'n' CE marks have arrived since the previous ACK. [...] \
     In either case, 'n' MUST be no greater than 7.",
);
pub(crate) static ECT_AFTER_PLAIN_SYN: Sentence = Sentence::must(
    "ect-after-syn-without-ecn",
    9768,
    "3.1.5",
    "MUST NOT set ECT on any packet for the rest of the connection, if it has received or sent at least one valid \
     SYN or Acceptable SYN/ACK with (AE,CWR,ECE) = (0,0,0) during the handshake.",
);
pub(crate) static HANDSHAKE_ENCODING: Sentence = Sentence::must(
    "ace-of-syn-ack-missing",
    9768,
    "3.2.2.1",
    "A TCP Client (A) in AccECN mode MUST feed back which of the 4 possible values of the IP-ECN field was on the \
     SYN/ACK by writing it into the ACE field of a pure ACK with no SACK blocks",
);

/// So many marks are acknowledged at once at least.
const MOST_MARKS: usize = 7;

/// The rules of a host that may use AccECN. Each method is called with the facts as they were before the segment.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccurateEcn {
    negotiation: Negotiation,
    counters: Counters,
    /// The codepoint of the last SYN-ACK that the host owes an answer for, and how many there were.
    syn_ack: Option<Ecn>,
    unanswered: u32,
    /// Whether the host has sent a segment without SYN.
    has_answered: bool,
    /// Since when a server must not set ECT.
    plain_since: Option<Instant>,
    /// When the first marks came that the host counts for certain since it sent anything, up to [`MOST_MARKS`].
    marks: Vec<Instant>,
}

/// How ACE, or the flags of a SYN-ACK, tell a codepoint (RFC 9768 tables 2 and 3).
fn encoding(codepoint: Ecn) -> u8 {
    match codepoint {
        Ecn::NotEct => 0b010,
        Ecn::Ect1 => 0b011,
        Ecn::Ect0 => 0b100,
        Ecn::Ce => 0b110,
    }
}

impl AccurateEcn {
    /// The rules of a host that has the peer's SYN already.
    pub(crate) fn after(syn: &Syn) -> AccurateEcn {
        let mut rules = AccurateEcn::default();
        rules.negotiation.on_peer_syn(syn.ecn, syn.time);
        rules
    }

    /// The host has sent a segment that is no RST.
    pub(crate) fn on_sent(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        if seen.is(Flags::SYN) {
            self.negotiation.on_sent(seen, facts, docket);
            if seen.is(Flags::ACK) && seen.header.flags.ace() == 0 {
                self.plain_since.get_or_insert(seen.time);
            }
            return;
        }
        // Where both have opened at once, either of two SYNs and two SYN-ACKs may be what is told of.
        if !facts.accurate_ecn() || !(self.is_server(facts) || self.has_syn_ack(facts)) {
            return;
        }
        self.counters.settle(seen.time, facts);
        self.judge_ect(seen, facts, docket);
        self.judge_ace(seen, facts, docket);
        if let Some(option) = seen.header.options.accurate_ecn() {
            self.counters.judge_option(&option, seen, docket);
        }
        if seen.is(Flags::ACK) {
            self.marks.clear();
        }
        self.has_answered = true;
    }

    fn is_server(&self, facts: &Facts) -> bool {
        facts.host_syn.flags.contains(Flags::ACK)
    }

    fn has_syn_ack(&self, facts: &Facts) -> bool {
        facts.peer_syn.is_some_and(|syn| syn.flags.contains(Flags::ACK))
    }

    fn judge_ect(&self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        let is_late = |since: Instant| seen.time > since + facts.settings.reaction;
        if seen.ecn != Ecn::NotEct && self.is_server(facts) && self.plain_since.is_some_and(is_late)
        {
            docket.forbid(&ECT_AFTER_PLAIN_SYN, seen.time, seen.number, || {
                format!("{:?} in the IP header, though a SYN or SYN-ACK was without ECN", seen.ecn)
            });
        }
    }

    /// ACE tells how the SYN-ACK came in the pure ack that answers it, and else how many marks have come.
    fn judge_ace(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        let is_pure = seen.len() == 0 && seen.header.options.sack.is_empty();
        let ace = seen.header.flags.ace();
        if let Some(codepoint) = self.syn_ack.filter(|_| is_pure && self.unanswered > 0) {
            let right = encoding(codepoint);
            if ace == right {
                self.unanswered -= 1;
                return;
            }
            if !self.has_answered && self.unanswered == 1 && !self.is_server(facts) {
                self.unanswered = 0;
                docket.forbid(&HANDSHAKE_ENCODING, seen.time, seen.number, || {
                    format!(
                        "ACE is {ace:#05b} where the SYN-ACK came as {codepoint:?}: {right:#05b}"
                    )
                });
                return;
            }
        }
        self.counters.judge_ace(ace, seen, docket);
    }

    /// A segment has reached the host. `counts` whether it is certainly acceptable.
    pub(crate) fn on_received(
        &mut self,
        seen: &Seen<'_>,
        facts: &Facts,
        counts: bool,
        docket: &mut Docket<'_>,
    ) {
        if seen.is(Flags::RST) {
            return;
        }
        if seen.is(Flags::SYN) {
            return self.on_syn(seen, facts);
        }
        if !facts.accurate_ecn() {
            return;
        }
        // Of such an ack the server infers that its client is without ECN (table 4).
        let is_pure = seen.len() == 0 && seen.header.options.sack.is_empty();
        let is_first = facts.acked == 0 && seen.ack == Some(1) && seen.seq == facts.told;
        if is_pure && is_first && seen.header.flags.ace() == 0 && self.is_server(facts) {
            self.plain_since.get_or_insert(seen.time);
        }
        self.judge_marks(seen, facts, docket);
        if seen.ecn == Ecn::NotEct {
            return;
        }
        self.counters.on_received(seen, counts);
        if seen.ecn == Ecn::Ce && counts && self.marks.len() < MOST_MARKS {
            self.marks.push(seen.time);
        }
    }

    fn on_syn(&mut self, seen: &Seen<'_>, facts: &Facts) {
        if !seen.is(Flags::ACK) {
            self.negotiation.on_peer_syn(seen.ecn, seen.time);
            let is_valid = seen.seq == 0 && facts.acked == 0 && self.is_server(facts);
            if is_valid && seen.header.flags.ace() == 0 {
                self.plain_since.get_or_insert(seen.time);
            }
            return;
        }
        if self.is_server(facts) || seen.ack.is_none_or(|ack| ack < 1) || seen.seq != 0 {
            return;
        }
        self.syn_ack = Some(seen.ecn);
        self.unanswered += 1;
        self.counters.on_syn_ack(seen.ecn == Ecn::Ce, self.unanswered == 1 && !self.has_answered);
    }

    fn judge_marks(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        let last = self.marks.get(MOST_MARKS - 1).copied();
        let is_late = last.is_some_and(|last| seen.time > last + facts.settings.reaction);
        if is_late && facts.is_synchronized() && !facts.is_over {
            self.marks.clear();
            docket.forbid(&MARKS_NOT_ACKED, seen.time, seen.number, || {
                format!("{MOST_MARKS} marks have come, and nothing was sent since")
            });
        }
    }
}
