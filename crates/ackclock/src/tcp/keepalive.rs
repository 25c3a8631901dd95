//! Keepalive (RFC 9293 section 3.8.4).

use super::Keepalive;
use crate::time::Instant;

/// When the peer was heard last, and what was asked since.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeepaliveTimer {
    last_heard_at: Instant,
    /// When the last probe fell due.
    asked_at: Instant,
    /// Probes sent since the peer was heard.
    unanswered: u16,
    /// A probe is to be sent now.
    pub(crate) due: bool,
}

impl KeepaliveTimer {
    pub(crate) fn new(now: Instant) -> Self {
        KeepaliveTimer { last_heard_at: now, asked_at: now, unanswered: 0, due: false }
    }

    /// A segment of the peer arrived.
    pub(crate) fn on_heard(&mut self, now: Instant) {
        *self = KeepaliveTimer::new(now);
    }

    /// When the next probe goes, or the connection is given up.
    pub(crate) fn deadline(&self, settings: &Keepalive) -> Instant {
        match self.unanswered {
            0 => self.last_heard_at + settings.idle,
            _ => self.asked_at + settings.interval,
        }
    }

    /// The deadline may have passed. False if the peer has left too many probes unanswered.
    pub(crate) fn on_timeout(&mut self, now: Instant, settings: &Keepalive) -> bool {
        if self.deadline(settings) > now {
            return true;
        }
        if self.unanswered >= settings.count {
            return false;
        }
        self.unanswered += 1;
        self.asked_at = now;
        self.due = true;
        true
    }
}
