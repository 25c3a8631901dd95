//! The user timeout option (RFC 5482): each end tells the other for how long it waits while its data is not
//! acknowledged, so that both ends hold out equally long while a path is cut.

use super::connection::Connection;
use super::{Config, Initial};
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::time::Duration;
use crate::wire::{Options, UserTimeout};

/// L_LIMIT (section 3.1): the least user timeout that a peer can make us use, unless the longest
/// retransmission timeout is longer.
const LEAST: Duration = Duration::from_secs(100);
/// U_LIMIT: the longest user timeout that a peer can make us use, unless we advertise a longer one. It bounds
/// for how long a peer that opens connections and falls silent occupies memory (section 6).
const LONGEST: Duration = Duration::from_secs(3_600);

impl Config {
    /// The longest time for which a peer may acknowledge nothing before the connection ends, whatever the
    /// peer advertises: the give-up time or the user timeout, or if the option is in use the longest timeout
    /// that it can lead to.
    pub fn longest_wait(&self) -> Duration {
        match (self.user_timeout, self.advertised_user_timeout) {
            (Some(timeout), _) => timeout.min(self.give_up),
            (None, None) => self.give_up,
            (None, Some(advertised)) => {
                let advertised = UserTimeout::new(advertised).duration();
                self.give_up.max(longest(advertised, least(self.rto.max)))
            }
        }
    }

    /// The shortest time for which a peer may acknowledge nothing before the connection ends, unless the application
    /// changes the user timeout: the give-up time or the user timeout, or if the option is in use the shortest timeout
    /// that the peer can lead to (RFC 5482 section 3.1).
    pub fn shortest_wait(&self) -> Duration {
        let led_to = self
            .advertised_user_timeout
            .map(|advertised| UserTimeout::new(advertised).duration().max(least(self.rto.max)));
        self.user_timeout.or(led_to).map_or(self.give_up, |timeout| timeout.min(self.give_up))
    }
}

/// L_LIMIT: longer than any retransmission timeout, of which the longest is `rto`.
fn least(rto: Duration) -> Duration {
    LEAST.max(rto + Duration::from_secs(1))
}

/// U_LIMIT: at least what we advertise, and at least L_LIMIT.
fn longest(advertised: Duration, least: Duration) -> Duration {
    LONGEST.max(advertised).max(least)
}

/// State of the user timeout option on one connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UserTimeoutState {
    /// ADV_UTO; `None`: the option is not in use (ENABLED is false).
    advertised: Option<UserTimeout>,
    /// REMOTE_UTO.
    remote: Option<UserTimeout>,
    /// CHANGEABLE is false: the application has set the user timeout itself.
    is_fixed: bool,
    /// Whether the option is to be sent with the next segment that has room for it.
    due: bool,
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    fn user_timeout_state(&self) -> Option<&UserTimeoutState> {
        let state = self.seldom.get().and_then(|seldom| seldom.user_timeout.get());
        state.filter(|state| state.advertised.is_some())
    }

    fn user_timeout_state_mut(&mut self) -> Option<&mut UserTimeoutState> {
        self.seldom.get_mut().and_then(|seldom| seldom.user_timeout.get_mut())
    }

    /// Begins with the user timeout that the listener or the open has configured, to be advertised.
    #[inline(always)]
    pub(crate) fn begin_user_timeout(&mut self, initial: &Initial<P>) {
        if let Some(advertised) = initial.advertised_user_timeout() {
            self.advertise_user_timeout(Some(advertised.duration()));
        }
    }

    /// Advertises `timeout` to the peer with the next segment that has room, and obeys what the peer
    /// advertises; `None`: neither (section 3). A user timeout adopted earlier from the peer stays. If memory
    /// is refused nothing is advertised.
    pub fn advertise_user_timeout(&mut self, timeout: Option<Duration>) {
        let advertised = timeout.map(UserTimeout::new);
        if !P::USER_TIMEOUT_OPTION || (advertised.is_none() && self.seldom.get().is_none()) {
            return;
        }
        let is_fixed = self.settings.user_timeout() != Duration::MAX;
        let made = self.seldom.make().and_then(|seldom| seldom.user_timeout.get_mut());
        if let Some(state) = made {
            if (state.advertised, state.remote) == (None, None) {
                state.is_fixed = is_fixed;
            }
            state.advertised = advertised;
            state.due = advertised.is_some();
            self.adopt_user_timeout();
        }
    }

    /// Sets the user timeout; `None`: only the give-up time, and what the peer advertises, limit the wait.
    pub fn set_user_timeout(&mut self, timeout: Option<Duration>) {
        self.settings.set_user_timeout(timeout);
        if let Some(state) = self.user_timeout_state_mut() {
            // RFC 5482 section 3: CHANGEABLE becomes false when an application sets USER_TIMEOUT.
            state.is_fixed = timeout.is_some();
            state.due = state.advertised.is_some();
            self.adopt_user_timeout();
        }
    }

    /// The user timeout in use.
    pub(super) fn user_timeout(&self) -> Option<Duration> {
        Some(self.settings.user_timeout()).filter(|timeout| *timeout != Duration::MAX)
    }

    /// The user timeout that the peer advertised last.
    pub(super) fn peers_user_timeout(&self) -> Option<Duration> {
        self.user_timeout_state().and_then(|state| state.remote).map(UserTimeout::duration)
    }

    /// Whether the next segment with room for the option is to carry it: an ack, or data that does not fill a
    /// segment. No segment is sent just for it. It is due on the first segment after the SYN, and on the
    /// first after a change.
    #[inline(always)]
    pub(super) fn user_timeout_due(&self) -> bool {
        let state = self.seldom.get().and_then(|seldom| seldom.user_timeout.get());
        state.is_some_and(|state| state.due)
    }

    /// The option to send, in a segment that has room for it.
    pub(super) fn user_timeout_option(&self) -> Option<UserTimeout> {
        self.user_timeout_state().and_then(|state| state.advertised)
    }

    /// Notes that a segment other than a SYN carried the option. (It is sent once: section 3.2 asks for no
    /// more.)
    pub(super) fn on_user_timeout_sent(&mut self) {
        if let Some(state) = self.user_timeout_state_mut() {
            state.due = false;
        }
    }

    /// Processes the option of an acceptable segment.
    pub(super) fn take_user_timeout(&mut self, options: &Options) {
        if let Some(remote) = options.user_timeout()
            && let Some(state) = self.user_timeout_state_mut()
            && state.advertised.is_some()
        {
            state.remote = Some(remote);
            self.adopt_user_timeout();
        }
    }

    /// Adopts USER_TIMEOUT = min(U_LIMIT, max(ADV_UTO, REMOTE_UTO, L_LIMIT)) (section 3.1).
    pub(super) fn adopt_user_timeout(&mut self) {
        let Some(&UserTimeoutState {
            advertised: Some(advertised),
            remote: Some(remote),
            is_fixed,
            ..
        }) = self.user_timeout_state()
        else {
            return;
        };
        if is_fixed {
            return;
        }
        let (advertised, remote) = (advertised.duration(), remote.duration());
        let least = least(self.sender.rto().longest());
        let timeout = advertised.max(remote).max(least).min(longest(advertised, least));
        self.settings.set_user_timeout(Some(timeout));
        self.settings.wait_at_least(timeout);
    }
}
