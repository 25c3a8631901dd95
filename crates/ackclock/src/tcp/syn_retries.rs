//! The SYN of a connection that is being opened: sent again and again until the peer answers, or the
//! attempt is given up (RFC 9293 section 3.8.3, R2 for SYNs). Those of half-open records are the stack's.

use super::connection::Connection;
use super::{Error, State};
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::time::{Duration, Instant};
use crate::wire::Timestamps;

/// Of at most so many SYNs an echo tells which one was answered: that took 7 s at most.
const MOST_TIMED: u8 = 3;

/// Whether a SYN is to be sent now, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Due {
    Nothing,
    /// For the first time, or because the timer has expired.
    Timer,
    /// As the answer to the other side's SYN, with our timer running on.
    Answer,
}

/// What became of our SYN so far. When it was sent last is the connection's `asked_at`.
#[derive(Clone, Copy, Debug)]
pub(super) struct SynRetries {
    due: Due,
    /// One was sent as an answer.
    answered: bool,
    /// How often it was sent otherwise. (A connection is small.)
    sent: u8,
}

impl SynRetries {
    /// A SYN to be sent at once.
    pub(super) const FIRST: SynRetries = SynRetries { due: Due::Timer, answered: false, sent: 0 };
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Whether our SYN waits for an answer.
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

    /// Whether no SYN was sent yet.
    pub(super) fn is_first_syn(&self) -> bool {
        self.syn_retries.get().is_some_and(|syn| syn.sent == 0)
    }

    /// Whether none has ever been sent, as an answer either.
    pub(super) fn has_sent_no_syn(&self) -> bool {
        self.syn_retries.get().is_some_and(|syn| syn.sent == 0 && !syn.answered)
    }

    /// How often the SYN was sent again because nobody answered.
    pub(super) fn syn_retransmits(&self) -> u32 {
        self.syn_retries.get().map_or(0, |syn| u32::from(syn.sent).saturating_sub(1))
    }

    /// As [`syn_retransmits`](Self::syn_retransmits), counting one that is due: what it tells is
    /// known when the timer fires.
    pub(super) fn unanswered_syns(&self) -> u32 {
        let unanswered =
            |syn: &SynRetries| u32::from(syn.sent).saturating_sub((syn.due != Due::Timer).into());
        self.syn_retries.get().map_or(0, unanswered)
    }

    /// The round-trip time that the answer to our SYN tells, which carries `option`, and whether a SYN was
    /// lost. By Karn's rule only one that was sent once tells a time; but an echo from before the last one
    /// was sent is of an earlier one. If that is the first, none was lost: it took so long (RFC 4015). Of many
    /// it tells nothing: an answer that comes again echoes the first SYN that arrived.
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

    /// When the SYN goes again, or the attempt to open is given up: `syn_give_up` after it began (R2).
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

    /// The SYN's deadline may have passed: it is due once more, or the attempt is over.
    pub(super) fn on_syn_timeout(&mut self, now: Instant) {
        if self.syn_deadline() > now {
            return;
        }
        if let Some(syn) = self.syn_retries.get_mut() {
            syn.due = Due::Timer;
        }
        if self.syn_give_up_at() <= now {
            // A soft error that explains the silence is worth more than "timed out".
            self.fail(self.soft_error.map_or(Error::TimedOut, |_| Error::Unreachable));
        }
    }

    /// The link has taken a SYN.
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

    /// The other side's SYN arrived: ours goes again, now with an ack. The timer has not expired, and
    /// does not back off (RFC 6298 rules 5.1 and 5.5).
    pub(super) fn send_syn_again(&mut self) {
        if let Some(syn) = self.syn_retries.get_mut()
            && syn.due == Due::Nothing
        {
            syn.due = Due::Answer;
        }
    }

    /// The peer has answered: no SYN is to be sent any more.
    pub(super) fn settle_syn(&mut self) {
        if let Some(syn) = self.syn_retries.get_mut() {
            syn.due = Due::Nothing;
        }
    }
}
