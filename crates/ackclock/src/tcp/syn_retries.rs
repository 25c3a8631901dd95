//! Retransmission of the SYN of an open connection attempt, until the peer answers or the attempt is given up
//! (RFC 9293 section 3.8.3, R2 for SYNs). The stack retransmits the SYN-ACKs of half-open records.

use super::connection::Connection;
use super::{Error, State};
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::time::{Duration, Instant};
use crate::wire::Timestamps;

/// Most SYNs sent for which a timestamp echo tells which one was answered; they take at most 7 s.
const MOST_TIMED: u8 = 3;

/// Whether a SYN is to be sent now, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Due {
    Nothing,
    /// Yes: the first SYN, or the retransmission timer has expired.
    Timer,
    /// Yes: as an answer to the peer's SYN; the timer runs on.
    Answer,
}

/// State of our SYN. The connection's `asked_at` says when it was last sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct SynRetries {
    due: Due,
    /// Whether one was sent as an answer to the peer's SYN.
    answered: bool,
    /// How often it was sent otherwise. (A byte, as a connection is small.)
    sent: u8,
}

impl SynRetries {
    /// A SYN to be sent at once.
    pub(super) const FIRST: SynRetries = SynRetries { due: Due::Timer, answered: false, sent: 0 };
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Whether our SYN has not been acknowledged yet.
    #[inline(always)]
    pub(super) fn is_opening(&self) -> bool {
        P::ACTIVE_OPEN && matches!(self.state, State::SynSent | State::SynReceived)
    }

    /// Whether our SYN has tried something of which its answer tells whether it came through.
    #[inline(always)]
    pub(crate) fn waits_for_answer(&self) -> bool {
        self.state == State::SynSent && (self.tries_fast_open() || self.asks_for_accurate_ecn())
    }

    /// Whether a SYN is to be sent now.
    pub(super) fn syn_due(&self) -> bool {
        self.syn_retries.get().is_some_and(|syn| syn.due != Due::Nothing)
    }

    /// Whether no SYN was sent yet, except as an answer to the peer's.
    pub(super) fn is_first_syn(&self) -> bool {
        self.syn_retries.get().is_some_and(|syn| syn.sent == 0)
    }

    /// Whether no SYN was sent yet at all.
    pub(super) fn has_sent_no_syn(&self) -> bool {
        self.syn_retries.get().is_some_and(|syn| syn.sent == 0 && !syn.answered)
    }

    /// How often the SYN was retransmitted because the timer expired.
    pub(super) fn syn_retransmits(&self) -> u32 {
        self.syn_retries.get().map_or(0, |syn| u32::from(syn.sent).saturating_sub(1))
    }

    /// As [`syn_retransmits`](Self::syn_retransmits), but a SYN that is due counts too: that the last one was
    /// not answered is known once the timer expires.
    pub(super) fn unanswered_syns(&self) -> u32 {
        let unanswered =
            |syn: &SynRetries| u32::from(syn.sent).saturating_sub((syn.due != Due::Timer).into());
        self.syn_retries.get().map_or(0, unanswered)
    }

    /// The round-trip time measured by the answer to our SYN, which carries `option`, and whether a SYN was
    /// lost. By Karn's algorithm a SYN gives a time only if it was sent once. But a timestamp echo older than
    /// the last SYN belongs to an earlier one; if that is the first SYN, none was lost and the path is just
    /// slow (RFC 4015). After many SYNs an echo tells nothing, as a retransmitted answer still echoes the
    /// first SYN that arrived.
    pub(super) fn syn_round_trip(
        &self,
        now: Instant,
        option: Option<Timestamps>,
    ) -> (Option<Duration>, bool) {
        let Some(syn) = self.syn_retries.get() else {
            return (None, false);
        };
        let last = now.saturating_since(self.asked_at);
        if syn.sent == 1 {
            return ((!syn.answered).then_some(last), false);
        }
        let first = now.as_millis() - self.heard_at.as_millis();
        let is_earlier = |rtt: &Duration| {
            syn.sent <= MOST_TIMED && (last.as_millis() + 2..=first).contains(&rtt.as_millis())
        };
        let rtt = self.timestamps.rtt(now, option).filter(is_earlier);
        (rtt, rtt.is_none_or(|rtt| rtt.as_millis() < first))
    }

    /// When the SYN is retransmitted, or the attempt is given up: `syn_give_up` after it began (R2).
    pub(super) fn syn_deadline(&self) -> Instant {
        let give_up_at = self.syn_give_up_at();
        match self.syn_retries.get() {
            Some(syn) if syn.due != Due::Timer => {
                let timeout = self.sender.rto().syn_timeout(self.syn_retransmits());
                (self.asked_at + timeout).min(give_up_at)
            }
            _ => give_up_at,
        }
    }

    fn syn_give_up_at(&self) -> Instant {
        self.heard_at + self.settings.syn_give_up()
    }

    /// Handles the SYN's timer, if it has expired: makes the SYN due once more, or ends the attempt.
    pub(super) fn on_syn_timeout(&mut self, now: Instant) {
        if self.syn_deadline() > now {
            return;
        }
        if let Some(syn) = self.syn_retries.get_mut() {
            syn.due = Due::Timer;
        }
        if self.syn_give_up_at() <= now {
            // Report the soft error, which explains the silence better than "timed out".
            self.fail(self.soft_error.map_or(Error::TimedOut, |_| Error::Unreachable));
        }
    }

    /// Notes that the link has taken a SYN.
    pub(super) fn note_syn_sent(&mut self, now: Instant) {
        let Some(syn) = self.syn_retries.get_mut() else {
            return;
        };
        if core::mem::replace(&mut syn.due, Due::Nothing) == Due::Answer {
            syn.answered = true;
        } else {
            if syn.sent == 0 {
                self.heard_at = now;
            }
            syn.sent = syn.sent.saturating_add(1);
            self.asked_at = now;
        }
    }

    /// Has our SYN sent again, now as a SYN-ACK, because the peer's SYN has arrived. The timer has not
    /// expired, and does not back off (RFC 6298 rules 5.1 and 5.5).
    pub(super) fn send_syn_again(&mut self) {
        if let Some(syn) = self.syn_retries.get_mut()
            && syn.due == Due::Nothing
        {
            syn.due = Due::Answer;
        }
    }

    /// Ends the retransmission of the SYN: the peer has answered.
    pub(super) fn settle_syn(&mut self) {
        if let Some(syn) = self.syn_retries.get_mut() {
            syn.due = Due::Nothing;
        }
    }
}
