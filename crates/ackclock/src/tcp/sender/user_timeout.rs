//! The user timeout (RFC 9293 section 3.8.3, RFC 5482) and the give-up time, R2 there: the connection is
//! over when the peer has acknowledged nothing for so long.

use super::Sender;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::{Error, Settings};
use crate::time::{Duration, Instant};

/// How long a connection that its application has given up goes on without any ack of something new,
/// even if only a closed window holds it up: the least R2 (RFC 9293 section 3.8.3), and about what Linux
/// does. Nobody but the system can end such a connection (RFC 6429 section 3).
const ORPHAN_GIVE_UP: Duration = Duration::from_secs(100);

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Whether the connection may go on: data has not been sent, or has not waited, for the user
    /// timeout or the give-up time without any ack.
    ///
    /// # Errors
    /// Which of the two has passed.
    pub(super) fn check_progress(&self, now: Instant, settings: &Settings<P>) -> Result<(), Error> {
        let waited = now.saturating_since(self.no_progress_since);
        let user_timeout = settings.user_timeout();
        if user_timeout != Duration::MAX && waited >= user_timeout {
            return Err(Error::UserTimeout);
        }
        // A linger time that was set ends the connection by itself.
        let lingers = self.orphaned && settings.linger() == Duration::MAX;
        let most = if lingers { ORPHAN_GIVE_UP } else { Duration::MAX };
        if waited >= settings.give_up().min(most) { Err(Error::TimedOut) } else { Ok(()) }
    }

    /// The application has given the connection up: the waits for the peer begin anew.
    pub(crate) fn orphan(&mut self, now: Instant) {
        self.orphaned = true;
        self.no_progress_since = now;
    }

    /// Whether it has.
    pub(crate) fn is_orphaned(&self) -> bool {
        self.orphaned
    }

    /// When the peer acknowledged something last, or what it is to acknowledge was sent; `None` if there is
    /// nothing, or if an open connection waits for its window, to which probes are no progress.
    pub(crate) fn progressed_at(&self) -> Option<Instant> {
        let waits = !self.deadline.is_never() && (self.orphaned || self.window.size > 0);
        waits.then_some(self.no_progress_since)
    }

    /// When the user timeout passes, while something waits for an ack. The give-up time is noticed
    /// when the next timer expires.
    pub(super) fn user_timeout_deadline(&self, settings: &Settings<P>) -> Instant {
        match settings.user_timeout() {
            Duration::MAX => Instant::FAR_FUTURE,
            timeout => self.no_progress_since + timeout,
        }
    }
}
