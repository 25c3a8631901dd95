//! The user timeout (RFC 9293 section 3.8.3, RFC 5482) and the give-up time (R2 there): the connection ends
//! if the peer acknowledges nothing for that long.

use super::Sender;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::{Error, Settings};
use crate::time::{Duration, Instant};

/// How long a connection that its application has given up (an orphan) lasts without any ack of new data,
/// even if only a closed window holds it up: the least R2 (RFC 9293 section 3.8.3), and about what Linux
/// does. No application is left to end such a connection (RFC 6429 section 3).
const ORPHAN_GIVE_UP: Duration = Duration::from_secs(100);

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Checks that the connection may go on: that unacknowledged data has waited neither for the user timeout
    /// nor for the give-up time without any ack.
    ///
    /// # Errors
    /// The one of the two that has passed.
    pub(super) fn check_progress(&self, now: Instant, settings: &Settings<P>) -> Result<(), Error> {
        let waited = now.saturating_since(self.no_progress_since);
        let user_timeout = settings.user_timeout();
        if user_timeout != Duration::MAX && waited >= user_timeout {
            return Err(Error::UserTimeout);
        }
        // Only without a linger time, which otherwise ends the connection by itself.
        let lingers = self.orphaned && settings.linger() == Duration::MAX;
        let most = if lingers { ORPHAN_GIVE_UP } else { Duration::MAX };
        if waited >= settings.give_up().min(most) { Err(Error::TimedOut) } else { Ok(()) }
    }

    /// Notes that the application has given the connection up; the times without an ack begin anew.
    pub(crate) fn orphan(&mut self, now: Instant) {
        self.orphaned = true;
        self.no_progress_since = now;
    }

    /// Whether the application has given the connection up.
    pub(crate) fn is_orphaned(&self) -> bool {
        self.orphaned
    }

    /// When the peer last acknowledged new data, or else when data was first sent to be acknowledged. `None`
    /// if nothing waits for an ack, or if an open connection waits for the peer's window, as acks of window
    /// probes are no progress.
    pub(crate) fn progressed_at(&self) -> Option<Instant> {
        let waits = !self.deadline.is_never() && (self.orphaned || self.window.size > 0);
        waits.then_some(self.no_progress_since)
    }

    /// When the user timeout passes, while data waits for an ack. (The give-up time is checked when the next
    /// timer expires.)
    pub(super) fn user_timeout_deadline(&self, settings: &Settings<P>) -> Instant {
        match settings.user_timeout() {
            Duration::MAX => Instant::FAR_FUTURE,
            timeout => self.no_progress_since + timeout,
        }
    }
}
