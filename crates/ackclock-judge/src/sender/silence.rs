//! Silences that are too long: data that is not sent again, a window that is not probed, a FIN that does not
//! come.

use super::flight::Flight;
use super::retransmission::Retransmissions;
use super::window::Window;
use crate::call::Call;
use crate::facts::Facts;
use crate::segment::{Offset, Seen};
use crate::sentence::Sentence;
use crate::verdict::Docket;
use ackclock::time::{Duration, Instant};
use ackclock::wire::Flags;

pub(crate) static NOT_SENT_AGAIN: Sentence = Sentence::must(
    "not-retransmitted",
    6298,
    "5",
    "Retransmit the earliest segment that has not been acknowledged by the TCP receiver.",
);
pub(crate) static SYN_NOT_SENT_AGAIN: Sentence = Sentence::must(
    "syn-not-retransmitted",
    9293,
    "3.8.3",
    "In particular, R2 for a SYN segment MUST be set large enough to provide retransmission of the segment for \
     at least 3 minutes (MUST-23).",
);
pub(crate) static LOSS_NOT_REPAIRED: Sentence = Sentence::should(
    "no-fast-retransmit",
    5681,
    "3.2",
    "The TCP sender SHOULD use the \"fast retransmit\" algorithm to detect and repair loss, based on incoming \
     duplicate ACKs.",
);
pub(crate) static PARTIAL_ACK: Sentence = Sentence::must(
    "partial-ack-not-heeded",
    6582,
    "3.2",
    "In this case, retransmit the first unacknowledged segment.",
);
pub(crate) static GAVE_UP: Sentence = Sentence::should(
    "gave-up-too-early",
    9293,
    "3.8.3",
    "The value of R2 SHOULD correspond to at least 100 seconds (SHLD-11).",
);
pub(crate) static NOT_PROBED: Sentence = Sentence::must(
    "zero-window-not-probed",
    9293,
    "3.8.6.1",
    "Probing of zero (offered) windows MUST be supported (MUST-36).",
);
pub(crate) static PROBES_TOO_FAST: Sentence = Sentence::should(
    "zero-window-probes-without-backoff",
    9293,
    "3.8.6.1",
    "SHOULD increase exponentially the interval between successive probes (SHLD-30)",
);
pub(crate) static PROBE_TOO_EARLY: Sentence = Sentence::should(
    "zero-window-probe-too-early",
    9293,
    "3.8.6.1",
    "The transmitting host SHOULD send the first zero-window probe when a zero window has existed for the \
     retransmission timeout period (SHLD- 29)",
);
pub(crate) static FIN_LATE: Sentence = Sentence::should(
    "fin-not-prompt",
    2525,
    "2.15",
    "When an application closes a connection, the corresponding TCP should send the FIN notification promptly \
     to its peer (unless prevented by the congestion window).",
);
pub(crate) static DATA_LATE: Sentence = Sentence::should(
    "data-not-sent",
    9293,
    "3.7.4",
    "buffers all user data (regardless of the PSH bit) until the outstanding data has been acknowledged or \
     until the TCP endpoint can send a full-sized segment (Eff.snd.MSS bytes)",
);
pub(crate) static KEEPALIVE_TOO_EARLY: Sentence = Sentence::must(
    "keepalive-too-early",
    9293,
    "3.8.4",
    "This interval MUST be configurable (MUST-27) and MUST default to no less than two hours (MUST-28).",
);
pub(crate) static KEEPALIVE_WHILE_BUSY: Sentence = Sentence::must(
    "keepalive-while-data-is-outstanding",
    9293,
    "3.8.4",
    "Keep-alive packets MUST only be sent when no sent data is outstanding",
);

pub(crate) static KEEPALIVE_GAVE_UP: Sentence = Sentence::must(
    "one-keepalive-taken-for-death",
    9293,
    "3.8.4",
    "Consequently, if a keep-alive mechanism is implemented it MUST NOT interpret failure to respond to any \
     specific probe as a dead connection (MUST-29).",
);

pub(crate) static GAVE_UP_CLOSED: Sentence = Sentence::must(
    "answered-window-probes-given-up",
    9293,
    "3.8.6.1",
    "As long as the receiving TCP peer continues to send acknowledgments in response to the probe segments, the \
     sending TCP peer MUST allow the connection to stay open (MUST-37).",
);

/// How long a FIN, or data that nothing holds back, may take. Applications may cork, and hosts may pace.
const PROMPT: Duration = Duration::from_secs(1);

/// Which silence is too long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Waited {
    Syn,
    Data,
    Repair,
    Hole,
    Window,
    Fin,
    Unsent,
}

/// The times since which the host owes a segment, a probe or a FIN, and what the application has asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Silence {
    /// Number of the last packet.
    number: u64,
    /// The debt that was called in last: only once each.
    called: Option<(Waited, Instant)>,
    /// Since when the first unacknowledged byte is certainly lost and not sent again.
    lost_since: Option<Instant>,
    /// When a partial ack came, whose hole is not sent again yet.
    partial_at: Option<Instant>,
    /// Bytes that the application has written.
    pub(crate) written: Offset,
    written_at: Instant,
    pub(crate) closed_at: Option<Instant>,
    aborted: bool,
    /// When the window was probed last, and after which time.
    probe: Option<(Instant, Option<Duration>)>,
    probes: u32,
    /// When any window was probed last.
    probed_at: Option<Instant>,
    /// Probes of the window that is closed, whether their bytes were taken or not.
    probes_in_all: u32,
    last_sent: Instant,
    last_received: Instant,
    /// When a segment came last that every host takes into account.
    last_taken: Instant,
}

/// Whether a segment is a keep-alive: before SND.NXT, and with nothing but perhaps a garbage octet (RFC 9293
/// section 3.8.4).
fn is_keepalive(seen: &Seen<'_>, facts: &Facts) -> bool {
    let garbage = if facts.outstanding() > 0 { 0 } else { 1 };
    let is_bare = seen.payload_len() <= garbage && !seen.is(Flags::FIN) && !seen.is(Flags::SYN);
    facts.acked > 0 && seen.seq == facts.sent - 1 && is_bare
}

/// What the debts are reckoned from.
#[derive(Clone, Copy)]
pub(crate) struct Ledger<'a> {
    pub(crate) facts: &'a Facts,
    pub(crate) flight: &'a Flight,
    pub(crate) retransmissions: &'a Retransmissions,
    pub(crate) window: &'a Window,
    /// SND.UNA by the segments that every host takes into account.
    pub(crate) surely_acked: Offset,
    /// The host has heard of a mark, and not sent data since.
    pub(crate) is_marked: bool,
}

impl Silence {
    pub(crate) fn on_call(&mut self, now: Instant, call: Call) {
        match call {
            Call::Write(bytes) => {
                self.written += bytes as Offset;
                self.written_at = now;
            }
            Call::Close => _ = self.closed_at.get_or_insert(now),
            Call::Abort | Call::CloseBoth => self.aborted = true,
            Call::Read(_) | Call::Urgent | Call::UserTimeout(_) => {}
        }
    }

    /// What was written and is not sent, as far as the application's calls are known.
    pub(crate) fn unsent(&self, sent_up_to: Offset) -> Option<Offset> {
        let sent = sent_up_to - 1;
        (self.written >= sent && self.written > 0).then_some(self.written - sent)
    }

    /// The host has sent a segment that is no RST.
    pub(crate) fn on_sent(&mut self, seen: &Seen<'_>, ledger: Ledger<'_>, docket: &mut Docket<'_>) {
        self.number = seen.number;
        let facts = ledger.facts;
        if seen.text() <= facts.acked && seen.len() > 0 {
            (self.lost_since, self.partial_at) = (None, None);
        }
        let is_probe = ledger.window.closed.is_some()
            && seen.payload_len() <= 1
            && !self.may_keep_alive(seen, facts)
            && (seen.len() > 0 || seen.seq < facts.acked);
        if is_probe {
            self.on_probe(seen, ledger, docket);
        } else if ledger.window.closed.is_none()
            && is_keepalive(seen, facts)
            && ledger.surely_acked >= facts.acked
        {
            self.on_keepalive(seen, facts, docket);
        }
        self.last_sent = seen.time;
    }

    /// Whether a segment without text may be a keep-alive, which has nothing to do with the window.
    fn may_keep_alive(&self, seen: &Seen<'_>, facts: &Facts) -> bool {
        let least = facts.settings.keepalive.saturating_sub(facts.settings.reaction);
        let idle = seen.time.saturating_since(self.last_taken);
        seen.len() == 0 && is_keepalive(seen, facts) && idle >= least.saturating_sub(least / 16)
    }

    fn on_probe(&mut self, seen: &Seen<'_>, ledger: Ledger<'_>, docket: &mut Docket<'_>) {
        let settings = &ledger.facts.settings;
        let (time, number) = (seen.time, seen.number);
        let Some(closed) = ledger.window.closed else { return };
        let (last, gap) = match self.probe {
            Some((last, gap)) if last >= closed => (last, gap),
            // The byte of the probe before was taken, and the window stays closed.
            _ => match self.probed_at.filter(|&last| last >= closed) {
                Some(last) => (last, None),
                // It may have been closed by a segment before the one that certainly closed it.
                None => (ledger.window.perhaps_closed().map_or(closed, |at| at.min(closed)), None),
            },
        };
        let since = time.saturating_since(last);
        let least = settings.least_rto.saturating_sub(settings.reaction);
        let probed = self.probed_at.max(self.probe.map(|(at, _)| at));
        let least = least.saturating_sub(least / 16);
        let is_due = ledger.window.was_taken_back() || Self::repeats_after(least, seen, ledger);
        let may_run = is_due && probed.is_none_or(|at| at < closed);
        if since < least && !may_run {
            docket.forbid(&PROBE_TOO_EARLY, time, number, || {
                format!(
                    "a zero-window probe {since} after the one before, or after the window closed"
                )
            });
        } else if let Some(gap) = gap {
            let most = Duration::from_secs(60).min(settings.largest_rto);
            let right = (gap + gap / 4).min(most).saturating_sub(settings.reaction);
            if since < right.saturating_sub(right / 16) {
                docket.forbid(&PROBES_TOO_FAST, time, number, || {
                    format!("a zero-window probe after {since}, where it was {gap} before")
                });
            }
        }
        let repeated = self.probe.is_some_and(|(last, _)| last >= closed);
        self.probe = Some((time, repeated.then_some(since)));
        let again = self.probed_at.is_some_and(|last| last >= closed);
        self.probes_in_all = if again { self.probes_in_all + 1 } else { 1 };
        self.probed_at = Some(time);
        self.probes = if repeated { self.probes + 1 } else { 1 };
    }

    /// Whether what goes into a closed window repeats what was in flight when that closed, whose timer ran on: "the sender
    /// [...] SHOULD retransmit normally the old unacknowledged data" (RFC 9293 section 3.8.6).
    fn repeats_after(timeout: Duration, seen: &Seen<'_>, ledger: Ledger<'_>) -> bool {
        let record = ledger.flight.record(seen.text()).filter(|_| seen.payload_len() > 0);
        record.is_some_and(|record| {
            let began = record.last.max(ledger.retransmissions.last_advance);
            seen.time.saturating_since(began) >= timeout
        })
    }

    fn on_keepalive(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        if facts.outstanding() == 1 {
            // What goes at SND.UNA may be an ack to a peer that has not taken the byte of a probe.
            return;
        }
        if facts.outstanding() > 0 {
            docket.forbid(&KEEPALIVE_WHILE_BUSY, seen.time, seen.number, || {
                format!("a keep-alive while {} bytes are outstanding", facts.outstanding())
            });
            return;
        }
        let settings = &facts.settings;
        let idle = seen.time.saturating_since(self.last_taken);
        let least = settings.keepalive.saturating_sub(settings.reaction);
        // Any application may have asked for another time.
        if settings.calls_are_told && self.probes == 0 && idle < least.saturating_sub(least / 16) {
            docket.forbid(&KEEPALIVE_TOO_EARLY, seen.time, seen.number, || {
                format!("a keep-alive after an idle time of {idle}")
            });
        }
        self.probes += 1;
    }

    /// A segment has reached the host that every host takes into account.
    pub(crate) fn on_taken(&mut self, now: Instant) {
        self.last_taken = now;
    }

    /// A segment has reached the host; `lost` if what it says leaves no doubt that the first unacknowledged
    /// byte is lost.
    pub(crate) fn on_received(&mut self, seen: &Seen<'_>, advances: bool, lost: bool) {
        self.number = seen.number;
        self.last_received = seen.time;
        if advances {
            self.lost_since = None;
            self.probes = 0;
            self.probe = None;
        } else if lost {
            self.lost_since.get_or_insert(seen.time);
        }
        if self.probe.is_none() {
            self.probes = 0;
        }
    }

    /// An ack has come; `partial` if it ends no fast recovery, and what follows it was sent once before that.
    pub(crate) fn note_partial(&mut self, now: Instant, partial: bool) {
        self.partial_at = partial.then_some(now);
    }

    /// The host has sent a RST.
    pub(crate) fn on_reset(
        &mut self,
        seen: &Seen<'_>,
        ledger: Ledger<'_>,
        docket: &mut Docket<'_>,
    ) {
        let (facts, settings) = (ledger.facts, &ledger.facts.settings);
        let answers = seen.time.saturating_since(self.last_received) <= settings.reaction + PROMPT;
        let free = self.aborted || self.closed_at.is_some() || !settings.calls_are_told || answers;
        if free || facts.acked == 0 {
            return;
        }
        let is_answered = self.probe.is_some_and(|(last, _)| self.last_received >= last);
        if ledger.window.closed.is_some() && is_answered {
            docket.forbid(&GAVE_UP_CLOSED, seen.time, seen.number, || {
                "a RST, though the last probe of the closed window was answered".into()
            });
        }
        if facts.outstanding() == 0 && self.probes == 1 && ledger.window.closed.is_none() {
            docket.forbid(&KEEPALIVE_GAVE_UP, seen.time, seen.number, || {
                "a RST after a single keep-alive without an answer".into()
            });
        }
        let Some(record) = ledger.flight.record(facts.acked) else { return };
        let tried = seen.time.saturating_since(record.first);
        let least = settings.give_up;
        if record.sends > 1 && tried < least.saturating_sub(least / 16) {
            docket.forbid(&GAVE_UP, seen.time, seen.number, || {
                format!("given up after {tried} and {} transmissions", record.sends)
            });
        }
    }

    /// What is owed first, and by when.
    fn debt(&self, ledger: Ledger<'_>) -> Option<(Waited, Instant)> {
        let Ledger { facts, flight, retransmissions, window, surely_acked, is_marked } = ledger;
        let rto = retransmissions.longest_rto(flight, facts);
        let settings = &facts.settings;
        if facts.acked == 0 {
            return self.syn_debt(ledger);
        }
        // The host perhaps waits for an ack that it has dropped, as one with an old timestamp (RFC 7323 section 5.3), and
        // repeats what that told of.
        if surely_acked < facts.acked {
            return None;
        }
        // The byte of a probe is sent again as probes are.
        let is_probe = facts.outstanding() == 1 && window.perhaps_closed().is_some();
        if is_probe && window.closed.is_none() {
            return None;
        }
        if facts.outstanding() > 0 && !is_probe {
            let record = flight.record(facts.acked)?;
            let given_up = record.first + settings.give_up;
            // A peer that takes back its window has what was beyond it probed for, from then on.
            let timer = retransmissions.started().max(window.turned()) + rto;
            let is_repairing = facts.acked < retransmissions.timed_out;
            let repair = self.lost_since.filter(|_| !is_repairing);
            let repair = repair.map(|since| since.max(record.last) + rto);
            if let Some(partial) = self.partial_at {
                let rtt = flight.longest_rtt().unwrap_or_default();
                let due = partial + rtt.saturating_mul(2) + settings.reaction;
                if due < timer && due < given_up {
                    return Some((Waited::Hole, due));
                }
            }
            let (what, due) = match repair {
                Some(repair) if repair < timer => (Waited::Repair, repair),
                _ => (Waited::Data, timer),
            };
            return (due < given_up).then_some((what, due));
        }
        let unsent = self.unsent(facts.acked.max(1)).filter(|_| facts.fin.is_none())?;
        let began = self.written_at.max(self.last_sent).max(self.last_received);
        if let Some(closed) = window.closed {
            let last = self.probe.map_or(closed.max(self.written_at), |(last, _)| last.max(closed));
            // The byte of a probe that was taken begins the wait anew.
            let last = last.max(retransmissions.started());
            let again = self.probed_at.is_some_and(|last| last >= closed);
            let probes = if again { self.probes_in_all } else { 0 };
            let wait = rto.saturating_mul(1 << probes.min(20));
            let most = settings.largest_rto.max(rto);
            return (unsent > 0).then_some((Waited::Window, last + wait.min(most)));
        }
        if window.usable(facts) <= 0 {
            return None;
        }
        // An override of the silly-window avoidance may take a second, and a host may pace.
        let paced = flight.longest_rtt().unwrap_or_default().saturating_mul(2);
        // With a window of one segment it answers a mark by waiting for the timer (RFC 3168 section 6.1.2).
        let paced = if is_marked { paced + rto } else { paced };
        let prompt = began + PROMPT + PROMPT + paced + settings.reaction;
        match self.closed_at {
            Some(closed) if unsent == 0 => {
                Some((Waited::Fin, began.max(closed) + PROMPT + paced + settings.reaction))
            }
            _ => (unsent > 0 && settings.calls_are_told).then_some((Waited::Unsent, prompt)),
        }
    }

    fn syn_debt(&self, ledger: Ledger<'_>) -> Option<(Waited, Instant)> {
        let Ledger { facts, retransmissions, .. } = ledger;
        // A SYN-ACK may be one that nothing is remembered of (RFC 4987 section 3.6).
        if facts.host_syn.flags.contains(Flags::ACK) || self.aborted || self.closed_at.is_some() {
            return None;
        }
        let settings = &facts.settings;
        let first = settings.initial_rto.saturating_mul(2).max(Duration::from_secs(3));
        let wait = first.saturating_mul(1 << retransmissions.syn_timeouts.min(20));
        let due = self.last_sent + wait.min(settings.largest_rto.max(first)) + settings.reaction;
        (due < facts.host_syn.time + settings.syn_give_up).then_some((Waited::Syn, due))
    }

    /// When the next silence is too long.
    pub(crate) fn due(&self, ledger: Ledger<'_>) -> Instant {
        self.debt(ledger)
            .filter(|debt| self.called != Some(*debt))
            .map_or(Instant::FAR_FUTURE, |debt| debt.1)
    }

    /// Nothing has happened until `now`.
    pub(crate) fn on_time(&mut self, now: Instant, ledger: Ledger<'_>, docket: &mut Docket<'_>) {
        let Some((what, due)) = self.debt(ledger).filter(|debt| self.called != Some(*debt)) else {
            return;
        };
        if due >= now {
            return;
        }
        self.called = Some((what, due));
        let facts = ledger.facts;
        let rto = ledger.retransmissions.longest_rto(ledger.flight, facts);
        let (sentence, seen) = match what {
            Waited::Syn => (&SYN_NOT_SENT_AGAIN, "the SYN is not sent again".into()),
            Waited::Data => (
                &NOT_SENT_AGAIN,
                format!(
                    "{} bytes are outstanding, and no timer fires within {rto}",
                    facts.outstanding()
                ),
            ),
            Waited::Repair => (
                &LOSS_NOT_REPAIRED,
                format!("{} is lost and not sent again within {rto}", facts.acked),
            ),
            Waited::Hole => {
                (&PARTIAL_ACK, format!("{} is not sent again after a partial ack", facts.acked))
            }
            Waited::Window => {
                (&NOT_PROBED, format!("a closed window is not probed within {rto}, backed off"))
            }
            Waited::Fin => (&FIN_LATE, "closed and all data sent, but no FIN".into()),
            Waited::Unsent => (&DATA_LATE, "data waits, though nothing is outstanding".into()),
        };
        docket.forbid(sentence, due, self.number, || seen);
    }
}
