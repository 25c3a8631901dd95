//! RSTs: those that the host sends, those that it owes, and what those that it receives may do.

use crate::call::Call;
use crate::connection::Raw;
use crate::facts::Facts;
use crate::segment::{Offset, Seen};
use crate::sentence::Sentence;
use crate::verdict::Docket;
use ackclock::time::{Duration, Instant};
use ackclock::wire::Flags;
use std::collections::VecDeque;

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
pub(crate) static RST_MISSING: Sentence = Sentence::should(
    "rst-after-close-missing",
    9293,
    "3.6.1",
    "If such a host issues a CLOSE call while received data is still pending in the TCP connection, or if \
     new data is received after CLOSE is called, its TCP implementation SHOULD send a RST to show that data \
     was lost",
);
pub(crate) static ABORT_SILENT: Sentence = Sentence::must(
    "rst-after-abort-missing",
    9293,
    "3.10.5",
    "Send a reset segment: <SEQ=SND.NXT><CTL=RST>",
);
pub(crate) static OPENING_SILENT: Sentence = Sentence::must(
    "rst-for-unacceptable-ack-missing",
    9293,
    "3.10.7.3",
    "If SEG.ACK =< ISS or SEG.ACK > SND.NXT, send a reset (unless the RST bit is set, if so drop the segment and \
     return)",
);
pub(crate) static CROSSING_SYN_SILENT: Sentence = Sentence::must(
    "answer-to-crossing-syn-missing",
    9293,
    "3.10.7.3",
    "Otherwise, enter SYN-RECEIVED, form a SYN,ACK segment",
);
pub(crate) static TIME_WAIT_SILENT: Sentence = Sentence::must(
    "ack-in-time-wait-missing",
    9293,
    "3.10.7.4",
    "The only thing that can arrive in this state is a retransmission of the remote FIN. Acknowledge it, and \
     restart the 2 MSL timeout.",
);
pub(crate) static TIME_WAIT_SHORT: Sentence = Sentence::must(
    "time-wait-cut-short",
    9293,
    "3.6.1",
    "When a connection is closed actively, it MUST linger in the TIME-WAIT state for a time 2xMSL (Maximum \
     Segment Lifetime)",
);
pub(crate) static RST_FOR_RST: Sentence = Sentence::must(
    "rst-for-rst",
    9293,
    "3.10.7.1",
    "An incoming segment containing a RST is discarded.",
);

/// A RST, or an answer with an ack, that the host owes because of a segment or a call.
#[derive(Clone, Copy, Debug)]
struct Owed {
    time: Instant,
    number: u64,
    why: &'static str,
    sentence: &'static Sentence,
}

/// The state behind the rules of RSTs: whether one has ended the connection, and which ones the host owes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resets {
    /// The application has given the connection up.
    aborted: bool,
    /// The application reads no more.
    closed: bool,
    /// Bytes that the application has read.
    read: u64,
    owed: Option<Owed>,
    /// The ack of a FIN that came again in TIME-WAIT, or of a SYN that crossed the host's own.
    owed_ack: Option<Owed>,
    /// The application has closed, or said how long it waits, before the peer's SYN came: the connection may be gone.
    may_be_given_up: bool,
    /// When a RST came that ends the connection for certain.
    ended: Option<Instant>,
    /// A RST came that may have ended the connection.
    perhaps_ended: bool,
    /// A RST came within the window but not where the host expects it.
    blind_rst: bool,
    /// A SYN came to the synchronized connection, and nothing else since.
    stray_syn: Option<Instant>,
    /// When both FINs were acknowledged, if the host closed first.
    time_wait: Option<Instant>,
    /// The peer's FIN came before the host had sent its own.
    is_passive: bool,
    /// When a segment reached the host last.
    last: Option<Instant>,
    /// The last segment that reached the host was a RST, which came then.
    last_rst: Option<Instant>,
    /// The acknowledgments that were received of late, and edges of windows that leave out some of what was sent, any of which
    /// a RST may take its number from.
    acks: Numbers,
    edges: Numbers,
}

/// The numbers of a kind that a host may still answer: those that have come within its reaction time, as it may answer
/// the oldest packet of a long queue first, and the last few of whatever age.
#[derive(Clone, Debug, Default)]
struct Numbers {
    /// Each with the time when it came last; the newest is last.
    noted: VecDeque<(Instant, Offset)>,
}

impl Numbers {
    /// Numbers that are kept however old they are.
    const LEAST_KEPT: usize = 32;
    /// Numbers that are kept at most, which bounds the memory of a connection.
    const MOST_KEPT: usize = 4096;

    fn note(&mut self, (now, number): (Instant, Offset), reaction: Duration) {
        match self.noted.back_mut() {
            Some((time, last)) if *last == number => *time = now,
            _ => self.noted.push_back((now, number)),
        }
        while self.noted.len() > Self::LEAST_KEPT
            && let Some((time, _)) = self.noted.front()
            && (*time + reaction < now || self.noted.len() > Self::MOST_KEPT)
        {
            self.noted.pop_front();
        }
    }

    fn hold(&self, number: Offset) -> bool {
        self.noted.iter().any(|(_, noted)| *noted == number)
    }
}

/// The bounds of RCV.NXT when a segment arrived.
pub(crate) struct Expected {
    pub(crate) least: Offset,
    pub(crate) most: Offset,
    /// The right edge that the host told last.
    pub(crate) edge: Offset,
}

impl Resets {
    /// The application has called.
    pub(crate) fn on_call(&mut self, now: Instant, call: Call, facts: &Facts) {
        match call {
            Call::Abort => {
                self.aborted = true;
                // From CLOSING on nothing is lost, and in CLOSE-WAIT something may be.
                let is_closing = facts.fin.is_some() && facts.peer_fin.is_some();
                if facts.is_synchronized() && !facts.is_over && !is_closing && !self.perhaps_ended {
                    self.owe((now, 0), "given up by the application", &ABORT_SILENT);
                }
            }
            Call::Read(bytes) => self.read += bytes,
            Call::CloseBoth => {
                self.closed = true;
                let arrived = (facts.told - 1).max(0) as u64;
                let fin = u64::from(facts.peer_fin_told);
                // In TIME-WAIT nobody is left who could be told.
                if facts.is_synchronized()
                    && !facts.is_closed()
                    && arrived.saturating_sub(fin) > self.read
                    && !facts.is_over
                {
                    self.owe((now, 0), "closed with data that nobody has read", &RST_MISSING);
                }
            }
            Call::Close | Call::UserTimeout(_) => self.may_be_given_up |= facts.peer.is_none(),
            Call::Write(_) | Call::Urgent => {}
        }
    }

    fn owe(
        &mut self,
        (time, number): (Instant, u64),
        why: &'static str,
        sentence: &'static Sentence,
    ) {
        self.owed.get_or_insert(Owed { time, number, why, sentence });
    }

    /// Whether a RST has certainly ended the connection.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Whether a RST may have ended it: then nothing is owed for certain.
    pub(crate) fn has_perhaps_ended(&self) -> bool {
        self.perhaps_ended
    }

    /// A segment has reached the host before the peer's SYN.
    pub(crate) fn on_unplaced(&mut self, raw: &Raw<'_>, facts: &Facts) {
        let header = &raw.header;
        if header.flags.contains(Flags::ACK) {
            let noted = (raw.time, facts.host.offset(header.ack));
            self.acks.note(noted, facts.settings.reaction);
            // RFC 9293 section 3.10.7.3: in SYN-SENT a RST counts if its ack is acceptable.
            let acceptable = facts.host.offset(header.ack) == facts.sent;
            let is_rst = header.flags.contains(Flags::RST);
            self.perhaps_ended |= is_rst && acceptable;
            if !is_rst && !(1..=facts.sent).contains(&facts.host.offset(header.ack)) {
                self.owe_opening(raw.time, raw.number, facts);
            }
        }
    }

    /// A segment has come that acknowledges what was not sent, while the connection is being opened.
    fn owe_opening(&mut self, time: Instant, number: u64, facts: &Facts) {
        if !facts.is_over && !self.perhaps_ended && !self.aborted && !self.closed {
            self.owe((time, number), "an unacceptable acknowledgment", &OPENING_SILENT);
        }
    }

    /// In SYN-RECEIVED the next segment has to acknowledge the host's SYN.
    fn note_opening(&mut self, seen: &Seen<'_>, facts: &Facts) {
        let is_open = !facts.is_synchronized() && facts.host_syn.flags.contains(Flags::ACK);
        let is_next = seen.seq == facts.told && facts.told == 1;
        let is_stamped = seen.header.options.timestamps.is_some() == facts.timestamps();
        let is_bad = seen.ack.is_some_and(|ack| !(1..=facts.sent).contains(&ack));
        let is_plain = !seen.is(Flags::SYN) && !seen.is(Flags::RST);
        if is_open && is_next && is_stamped && is_bad && is_plain {
            self.owe_opening(seen.time, seen.number, facts);
        }
    }

    /// In SYN-SENT a SYN without an ack is one that has crossed the host's own, and is answered at once.
    fn note_crossing_syn(&mut self, seen: &Seen<'_>, facts: &Facts) {
        let is_crossing = seen.is(Flags::SYN)
            && !seen.header.flags.intersects(Flags::ACK | Flags::RST | Flags::FIN);
        let is_opening = !facts.host_syn.flags.contains(Flags::ACK) && facts.told == 0;
        let settings = &facts.settings;
        let patience = settings.longest_wait.unwrap_or(Duration::MAX).min(settings.syn_give_up);
        let is_given_up = self.aborted
            || self.closed
            || self.may_be_given_up
            || self.perhaps_ended
            || facts.is_over
            || seen.time >= facts.host_syn.time + patience;
        if is_crossing && is_opening && !is_given_up {
            let (time, number) = (seen.time, seen.number);
            let why = "a SYN crossed the host's own, and no SYN-ACK went";
            let sentence = &CROSSING_SYN_SILENT;
            self.owed_ack.get_or_insert(Owed { time, number, why, sentence });
        }
    }

    /// A segment has reached the host.
    pub(crate) fn on_received(&mut self, seen: &Seen<'_>, facts: &Facts, expected: &Expected) {
        if let Some(ack) = seen.ack {
            self.acks.note((seen.time, ack), facts.settings.reaction);
            // Beyond the window the peer accepts no RST (section 3.10.7.4): where that has shrunk, or was probed, its edge is
            // the number that the peer comes to expect.
            let edge = ack + facts.peer_window(seen);
            if ack <= facts.sent && edge < facts.sent {
                self.edges.note((seen.time, edge), facts.settings.reaction);
            }
        }
        self.last_rst = seen.is(Flags::RST).then_some(seen.time);
        self.last = Some(seen.time);
        self.stray_syn = None;
        self.note_opening(seen, facts);
        self.note_crossing_syn(seen, facts);
        if seen.is(Flags::RST) {
            self.on_rst(seen, facts, expected);
        } else if seen.is(Flags::SYN) {
            if facts.is_synchronized() && facts.fin.is_none() && !facts.is_over {
                self.stray_syn = Some(seen.time);
            }
        } else if self.closed && seen.text_end() > expected.most && seen.text_end() <= expected.edge
        {
            // A segment whose ack or timestamps are refused is not taken, and loses nothing.
            let acceptable = facts.acknowledged_by(seen).is_some_and(|ack| ack >= facts.acked);
            if acceptable && seen.seq <= expected.least && !facts.is_over && facts.is_synchronized()
            {
                let why = "data after the application closed";
                self.owe((seen.time, seen.number), why, &RST_MISSING);
            }
        }
        self.is_passive |= seen.is(Flags::FIN) && facts.fin.is_none();
        self.note_fin_again(seen, facts);
    }

    /// A FIN that comes again in TIME-WAIT is acknowledged again.
    fn note_fin_again(&mut self, seen: &Seen<'_>, facts: &Facts) {
        let lasts =
            self.time_wait.is_some_and(|began| seen.time < began + facts.settings.time_wait);
        let is_again = seen.is(Flags::FIN) && !seen.is(Flags::SYN) && seen.end() == facts.told;
        let is_good = seen.ack == Some(facts.sent)
            && seen.header.options.timestamps.is_some() == facts.timestamps();
        if lasts && is_again && is_good && !facts.is_over && !self.perhaps_ended {
            let (time, number) = (seen.time, seen.number);
            let why = "a FIN came again in TIME-WAIT, and no ack went";
            let sentence = &TIME_WAIT_SILENT;
            self.owed_ack.get_or_insert(Owed { time, number, why, sentence });
        }
    }

    fn on_rst(&mut self, seen: &Seen<'_>, facts: &Facts, expected: &Expected) {
        // In TIME-WAIT hosts may ignore it (RFC 1337 section 3).
        let is_expected = seen.seq == expected.least && expected.least == expected.most;
        if is_expected && facts.is_synchronized() && !facts.is_closed() {
            self.ended.get_or_insert(seen.time);
        }
        if (expected.least..=expected.most).contains(&seen.seq) {
            self.perhaps_ended = true;
        } else if facts.is_synchronized() && !facts.is_over {
            self.blind_rst = true;
        }
    }

    /// The host has sent a segment.
    pub(crate) fn on_sent(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        let (time, number) = (seen.time, seen.number);
        if seen.is(Flags::RST) || seen.is(Flags::ACK) {
            self.owed_ack = None;
        }
        if !seen.is(Flags::RST) {
            let ended = self.ended.is_some_and(|ended| time > ended + facts.settings.reaction);
            if ended && !seen.is(Flags::SYN) {
                docket.forbid(&ALIVE_AFTER_RESET, time, number, || {
                    "the connection goes on after a RST with the very number that the host expected".into()
                });
            }
            self.note_close(seen, facts);
            return;
        }
        self.owed = None;
        let at_end = seen.seq == facts.sent || seen.seq == facts.acked;
        let answers = self.acks.hold(seen.seq) || self.edges.hold(seen.seq);
        let has_no_ack = seen.is(Flags::ACK) && seen.header.seq.0 == 0;
        if !at_end && !answers && !has_no_ack && !facts.is_over {
            docket.forbid(&RST_NUMBER, time, number, || {
                format!(
                    "a RST at {}, where neither SND.NXT is nor what the peer acknowledged",
                    seen.seq
                )
            });
        }
        self.judge_cause(seen, facts, docket);
    }

    /// What may have made the host send a RST.
    fn judge_cause(&self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        let (time, number) = (seen.time, seen.number);
        let calls = facts.settings.calls_are_told;
        let wanted = self.aborted || self.closed || !calls;
        if self.last_rst == Some(time) && !wanted {
            docket.forbid(&RST_FOR_RST, time, number, || "a RST answers a RST".into());
        } else if self.stray_syn.is_some_and(|syn| syn + facts.settings.reaction >= time)
            && !self.aborted
        {
            docket.forbid(&RESET_BY_SYN, time, number, || {
                "a RST answers a SYN in the middle of the connection".into()
            });
        } else if self.blind_rst
            && !self.perhaps_ended
            && !wanted
            && facts.fin.is_none()
            && self.last.is_some_and(|last| last + facts.settings.reaction >= time)
        {
            // Else a timer has ended it.
            docket.forbid(&RESET_BY_BLIND_RST, time, number, || {
                "the connection is gone after a RST that was not where the host expected it".into()
            });
        }
        if let Some(began) = self.time_wait
            && time > began
            && time < began + facts.settings.time_wait
            && !self.perhaps_ended
            && self.last_rst.is_none()
        {
            docket.forbid(&TIME_WAIT_SHORT, time, number, || {
                format!("a RST {} after the connection was closed", time.saturating_since(began))
            });
        }
    }

    fn note_close(&mut self, seen: &Seen<'_>, facts: &Facts) {
        let all_is_acked = facts.fin.is_some_and(|fin| facts.acked > fin);
        let takes_fin = facts.peer_fin.is_some_and(|fin| seen.ack.is_some_and(|ack| ack > fin));
        if all_is_acked && takes_fin && !self.is_passive {
            // A FIN that is acknowledged again begins the time anew; the bound does not count on it.
            self.time_wait.get_or_insert(seen.time);
        }
    }

    /// Says which RST is overdue.
    pub(crate) fn on_time(&mut self, now: Instant, facts: &Facts, docket: &mut Docket<'_>) {
        if let Some(owed) = self.owed
            && owed.time + facts.settings.reaction < now
        {
            self.owed = None;
            docket.forbid(owed.sentence, now, owed.number, || format!("no RST: {}", owed.why));
        }
        if let Some(owed) = self.owed_ack
            && owed.time + facts.settings.reaction < now
        {
            self.owed_ack = None;
            docket.forbid(owed.sentence, now, owed.number, || owed.why.into());
        }
    }

    /// When the next RST is overdue.
    pub(crate) fn due(&self, reaction: Duration) -> Instant {
        let first = self.owed.iter().chain(&self.owed_ack).map(|owed| owed.time + reaction).min();
        first.unwrap_or(Instant::FAR_FUTURE)
    }
}
