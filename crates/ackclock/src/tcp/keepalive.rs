//! Keepalive: probes to a peer that has been silent for long while nothing is in flight; if none is answered
//! the connection ends (RFC 9293 section 3.8.4).

use super::connection::Connection;
use super::{Error, Keepalive};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::sender::Flight as _;
use crate::time::Instant;

/// Keepalive probes sent since the last segment of the peer. The connection's `asked_at` says when the last
/// one became due.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KeepaliveProbes {
    /// Whether a probe is to be sent now.
    pub(super) due: bool,
    /// How many probes became due.
    unanswered: u16,
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Notes a segment of the peer on an established connection.
    #[inline(always)]
    pub(super) fn on_heard(&mut self, now: Instant) {
        self.heard_at = now;
        self.keepalive = KeepaliveProbes::default();
    }

    /// Whether silence of the peer is probed: keepalive is on and nothing is in flight. With data in flight
    /// the retransmissions notice a dead peer.
    pub(super) fn probes_when_idle(&self) -> bool {
        self.settings.has_keepalive() && self.sender.flight().is_empty()
    }

    /// When the next probe is due, or the connection ends for want of answers; [`Instant::FAR_FUTURE`] if
    /// keepalive does not run.
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

    /// Handles the keepalive timer, if it has expired: makes one more probe due, or ends the connection if
    /// too many were not answered.
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
