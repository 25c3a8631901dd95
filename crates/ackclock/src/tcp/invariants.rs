//! Invariants of a connection between two events. Only tests check them; they are not compiled into programs.

use super::sender::Flight as _;
use super::sender::Timer;
use super::{Connection, State};
use crate::congestion::CongestionController;
use crate::profile::Profile;

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// The invariant that does not hold, if any.
    pub(crate) fn broken_invariant(&self) -> Option<&'static str> {
        match self.state {
            State::SynSent | State::SynReceived | State::Closed => None,
            _ => self.sender.broken_invariant(),
        }
    }
}

impl<C: CongestionController, P: Profile> super::sender::Sender<'_, C, P> {
    fn broken_invariant(&self) -> Option<&'static str> {
        let (una, nxt) = (self.snd_una(), self.snd_nxt());
        if nxt.before(una) {
            return Some("SND.UNA is not beyond SND.NXT");
        }
        let fin = u32::from(self.is_finished());
        if nxt.since(una) > self.queue().len() as u32 + fin {
            return Some("what was sent and not acknowledged is still there");
        }
        if let Some(broken) = self.flight().broken_invariant(una, nxt) {
            return Some(broken);
        }
        let is_blocked = self.is_blocked_by_window() || self.is_held_by_cork();
        let is_right = match self.timer() {
            Timer::Persist(_) => {
                is_blocked || self.flight().is_empty() && !self.flight().has_place()
            }
            Timer::Retransmit(_) => !is_blocked && self.waits_for_ack(),
            Timer::Off => !is_blocked && !self.waits_for_ack(),
        };
        (!is_right).then_some("the timer that runs is the one whose condition holds")
    }
}
