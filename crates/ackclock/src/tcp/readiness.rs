//! Readiness of a connection: what the application can do with it now.

use super::State;
use super::connection::Connection;
use crate::FOR_SPEED;
use crate::congestion::CongestionController;
use crate::profile::Profile;

/// Readiness of a connection: what the application can do with it now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Readiness {
    /// The handshake is finished (and the connection is not over).
    pub established: bool,
    /// Data, the end of data, or an error can be received.
    pub readable: bool,
    /// Data can be queued for sending, or an error can be reported.
    pub writable: bool,
    /// Urgent data is waiting to be read (RFC 9293 section 3.8.5, MUST-32).
    pub urgent: bool,
    /// The peer has sent its FIN, and all its data was read.
    pub finished: bool,
    /// Everything queued was acknowledged, including the FIN after a shutdown.
    pub flushed: bool,
    /// Delivery is in trouble: the same segment was retransmitted three times without any ack (R1, RFC 9293
    /// section 3.8.3). The next ack, or the end of the connection, clears it.
    pub troubled: bool,
    /// The connection is over; `Info::error` says why, if there was an error.
    pub closed: bool,
}

/// Readiness as a byte, with one bit for each field.
impl Readiness {
    pub(crate) const ESTABLISHED: u8 = 1;
    pub(crate) const READABLE: u8 = 1 << 1;
    pub(crate) const WRITABLE: u8 = 1 << 2;
    pub(crate) const URGENT: u8 = 1 << 3;
    pub(crate) const FINISHED: u8 = 1 << 4;
    pub(crate) const FLUSHED: u8 = 1 << 5;
    pub(crate) const TROUBLED: u8 = 1 << 6;
    pub(crate) const CLOSED: u8 = 1 << 7;

    #[inline(always)]
    pub(crate) const fn from_bits(bits: u8) -> Self {
        Readiness {
            established: bits & Self::ESTABLISHED != 0,
            readable: bits & Self::READABLE != 0,
            writable: bits & Self::WRITABLE != 0,
            urgent: bits & Self::URGENT != 0,
            finished: bits & Self::FINISHED != 0,
            flushed: bits & Self::FLUSHED != 0,
            troubled: bits & Self::TROUBLED != 0,
            closed: bits & Self::CLOSED != 0,
        }
    }
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Whether neither side has sent a FIN, no urgent data is pending, and no retransmission timeout is
    /// unanswered.
    fn is_untroubled(&self) -> bool {
        !self.sender.is_finished()
            && !self.receiver.is_finished()
            && self.urgent.get().is_none()
            && self.sender.timeouts_in_a_row() == 0
    }

    /// The connection's readiness.
    pub fn readiness(&self) -> Readiness {
        Readiness::from_bits(self.readiness_bits())
    }

    /// The connection's readiness as a byte, with one bit for each field.
    pub(crate) fn readiness_bits(&self) -> u8 {
        if FOR_SPEED && self.state == State::Established && self.is_untroubled() {
            // The usual case while data is transferred.
            let bit = |is_so: bool, bit: u8| if is_so { bit } else { 0 };
            return Readiness::ESTABLISHED
                | bit(self.receiver.queued() > 0, Readiness::READABLE)
                | bit(self.sender.queue().free() > 0, Readiness::WRITABLE)
                | bit(self.sender.queue().is_empty(), Readiness::FLUSHED);
        }
        let mut bits = 0;
        let mut set = |is_so: bool, bit: u8| bits |= u8::from(is_so) * bit;
        let closed = matches!(self.state, State::Closed | State::TimeWait);
        let has_data = self.available() > 0;
        let finished = self.receiver.is_finished() && !has_data;
        let has_room = !self.sender.is_finished() && self.sender.queue().free() > 0;
        set(self.state.is_synchronized() && !closed, Readiness::ESTABLISHED);
        set(has_data || finished || closed, Readiness::READABLE);
        set(closed || has_room, Readiness::WRITABLE);
        set(self.urgent.get().is_some(), Readiness::URGENT);
        set(finished, Readiness::FINISHED);
        set(self.sender.is_flushed(), Readiness::FLUSHED);
        set(!closed && self.is_troubled(), Readiness::TROUBLED);
        set(closed, Readiness::CLOSED);
        bits
    }
}
