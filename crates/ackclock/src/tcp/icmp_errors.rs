//! ICMP errors about segments of a connection (RFC 5927, RFC 9293 section 3.9.2.2).

use super::Error;
use super::connection::Connection;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::seq::SeqNumber;
use crate::time::Instant;
use crate::wire::IcmpErrorKind;

/// A soft error: one that does not end the connection (RFC 5461).
#[derive(Clone, Copy, Debug)]
pub(super) enum SoftError {
    Unreachable,
    Refused,
    TimeExceeded,
    ParameterProblem,
}

impl SoftError {
    /// The kind of ICMP error, for [`Info`](super::Info).
    pub(super) fn kind(self) -> IcmpErrorKind {
        match self {
            SoftError::Unreachable => IcmpErrorKind::Unreachable,
            SoftError::Refused => IcmpErrorKind::Refused,
            SoftError::TimeExceeded => IcmpErrorKind::TimeExceeded,
            SoftError::ParameterProblem => IcmpErrorKind::ParameterProblem,
        }
    }
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Handles an ICMP error about one of our segments (RFC 5927). If `seq` is not in flight it ignores the
    /// error and returns false (section 4.1 there).
    pub fn on_icmp_error(&mut self, now: Instant, kind: IcmpErrorKind, seq: SeqNumber) -> bool {
        let opening = self.is_opening();
        let una = if opening { self.iss() } else { self.sender.snd_una() };
        if seq.before(una) || seq.at_or_after(self.sender.snd_nxt()) {
            return false;
        }
        let error = match kind {
            IcmpErrorKind::PacketTooBig { mtu } => {
                self.on_packet_too_big(now, mtu, seq);
                return true;
            }
            IcmpErrorKind::Refused if opening => {
                self.fail(Error::Refused);
                return true;
            }
            IcmpErrorKind::Refused => SoftError::Refused,
            IcmpErrorKind::Unreachable => SoftError::Unreachable,
            IcmpErrorKind::TimeExceeded => SoftError::TimeExceeded,
            IcmpErrorKind::ParameterProblem => SoftError::ParameterProblem,
        };
        self.soft_error = Some(error);
        true
    }
}
