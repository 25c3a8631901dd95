//! Keepalive: a peer that was silent for long, and to whom nothing is in flight, is asked for a sign of
//! life, and given up if it gives none (RFC 9293 section 3.8.4).

use super::connection::Connection;
use super::{Error, Keepalive};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::sender::Flight as _;
use crate::time::Instant;

/// The probes since the peer was heard last. When the last one fell due is the connection's `asked_at`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KeepaliveProbes {
    /// One is to be sent now.
    pub(super) due: bool,
    /// How many fell due.
    unanswered: u16,
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// A segment of the peer arrived on an established connection.
    #[inline(always)]
    pub(super) fn on_heard(&mut self, now: Instant) {
        self.heard_at = now;
        self.keepalive = KeepaliveProbes::default();
    }

    /// Whether probes are sent while the peer is silent: while nothing is in flight. Otherwise
    /// retransmission finds out.
    pub(super) fn probes_when_idle(&self) -> bool {
        self.settings.has_keepalive() && self.sender.flight().is_empty()
    }

    /// When the next probe goes, or the connection is given up; [`Instant::FAR_FUTURE`] if keepalive
    /// does not run.
    pub(super) fn keepalive_deadline(&self) -> Instant {
        if !self.probes_when_idle() {
            return Instant::FAR_FUTURE;
        }
        let Keepalive { idle, interval, .. } = self.settings.keepalive();
        match self.keepalive.unanswered {
            0 => self.heard_at + idle,
            _ => self.asked_at + interval,
        }
    }

    /// The keepalive deadline may have passed: one more probe is due, or the peer has left too many
    /// unanswered.
    pub(super) fn on_keepalive_timeout(&mut self, now: Instant) {
        if !self.probes_when_idle() || self.keepalive_deadline() > now {
            return;
        }
        if self.keepalive.unanswered >= self.settings.keepalive().count {
            return self.fail_with_reset(Error::KeepaliveTimeout);
        }
        self.keepalive = KeepaliveProbes { due: true, unanswered: self.keepalive.unanswered + 1 };
        self.asked_at = now;
    }
}
