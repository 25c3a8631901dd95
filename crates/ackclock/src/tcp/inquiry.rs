//! Asking the peer again and again until it answers: by SYNs (RFC 9293 section 3.8.3), and on an
//! established connection by keepalive probes (section 3.8.4).

use super::Keepalive;
use crate::time::{Duration, Instant};

/// What the peer is asked for now: a SYN until the connection is established, a sign of life
/// from then on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inquiry {
    /// It is to be asked now.
    pub(crate) due: bool,
    /// The SYN that is due answers the other side's, with our timer running on.
    answering: bool,
    /// Such a SYN was sent.
    answered: bool,
    /// How often it was asked: SYNs sent, or probes that fell due.
    asked: u16,
    /// When it was asked last.
    asked_at: Instant,
    /// When the connection was opened, or the peer was heard last.
    since: Instant,
}

impl Inquiry {
    /// A SYN to be sent at once.
    pub(crate) fn open(now: Instant) -> Self {
        Inquiry {
            due: true,
            answering: false,
            answered: false,
            asked: 0,
            asked_at: now,
            since: now,
        }
    }

    /// When the SYN is to be sent again, `timeout` after it was sent last, or the attempt to be
    /// given up, `give_up` after it began (R2).
    pub(crate) fn syn_deadline(&self, timeout: Duration, give_up: Duration) -> Instant {
        let give_up_at = self.since + give_up;
        if self.due && !self.answering {
            return give_up_at;
        }
        (self.asked_at + timeout).min(give_up_at)
    }

    /// The SYN was sent.
    pub(crate) fn on_syn_sent(&mut self, now: Instant) {
        self.due = false;
        if core::mem::take(&mut self.answering) {
            self.answered = true;
            return;
        }
        self.asked_at = now;
        self.asked = self.asked.saturating_add(1);
    }

    /// The other side's SYN arrived: ours goes again, now with an ack. The timer has not expired, and
    /// does not back off (RFC 6298 rules 5.1 and 5.5).
    pub(crate) fn send_syn_again(&mut self) {
        self.answering = !self.due || self.answering;
        self.due = true;
    }

    /// The SYN's deadline may have passed. False if it is time to give up.
    pub(crate) fn on_syn_timeout(
        &mut self,
        now: Instant,
        timeout: Duration,
        give_up: Duration,
    ) -> bool {
        if self.syn_deadline(timeout, give_up) > now {
            return true;
        }
        (self.due, self.answering) = (true, false);
        now < self.since + give_up
    }

    /// Whether no SYN was sent yet.
    pub(crate) fn is_first_syn(&self) -> bool {
        self.asked == 0
    }

    /// When the SYN was sent, if that was once (Karn's rule).
    pub(crate) fn syn_sent_once_at(&self) -> Option<Instant> {
        (self.asked == 1 && !self.answered).then_some(self.asked_at)
    }

    /// How often the SYN was sent again because nobody answered.
    pub(crate) fn syn_retransmits(&self) -> u32 {
        u32::from(self.asked).saturating_sub(1)
    }

    /// As [`syn_retransmits`](Self::syn_retransmits), counting one that is due: what it tells is
    /// known when the timer fires.
    pub(crate) fn unanswered_syns(&self) -> u32 {
        let is_due = self.due && !self.answering;
        u32::from(self.asked).saturating_sub(u32::from(!is_due))
    }

    /// A segment of the peer arrived on an established connection.
    pub(crate) fn on_heard(&mut self, now: Instant) {
        *self = Inquiry { due: false, ..Inquiry::open(now) };
    }

    /// When the peer was heard last, or the connection opened.
    pub(crate) fn heard_at(&self) -> Instant {
        self.since
    }

    /// When the next keepalive probe goes, or the connection is given up.
    pub(crate) fn keepalive_deadline(&self, settings: &Keepalive) -> Instant {
        match self.asked {
            0 => self.since + settings.idle,
            _ => self.asked_at + settings.interval,
        }
    }

    /// The keepalive deadline may have passed. False if the peer has left too many probes
    /// unanswered.
    pub(crate) fn on_keepalive_timeout(&mut self, now: Instant, settings: &Keepalive) -> bool {
        if self.keepalive_deadline(settings) > now {
            return true;
        }
        if self.asked >= settings.count {
            return false;
        }
        self.asked += 1;
        self.asked_at = now;
        self.due = true;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_syn_is_sent_again_with_doubling_intervals() {
        let rto = crate::tcp::RtoConfig::default();
        let timeout = |inquiry: &Inquiry| rto.syn_timeout(inquiry.syn_retransmits());
        let give_up = Duration::from_secs(180);
        let mut inquiry = Inquiry::open(Instant::ZERO);
        let mut now = Instant::ZERO;
        let mut at = std::vec::Vec::new();
        while at.len() < 5 {
            inquiry.on_syn_sent(now);
            at.push(now.as_millis());
            let timeout = timeout(&inquiry);
            now = inquiry.syn_deadline(timeout, give_up);
            assert!(inquiry.on_syn_timeout(now, timeout, give_up) && inquiry.due);
        }
        assert_eq!(at, [0, 1_000, 3_000, 7_000, 15_000]);
        inquiry.on_syn_sent(now);
        assert_eq!(inquiry.syn_deadline(timeout(&inquiry), give_up), Instant::from_secs(63));
        let timeout = timeout(&inquiry);
        assert!(!inquiry.on_syn_timeout(Instant::from_secs(180), timeout, give_up));
    }
}
