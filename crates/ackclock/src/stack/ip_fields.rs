//! The IP header fields that a connection sets for all its packets.

use crate::profile::Profile;
use crate::tcp::Initial;

/// The hop limit that RFC 1700 recommends for IP.
const HOP_LIMIT: u8 = 64;

/// TTL or hop limit, and differentiated services codepoint (DSCP).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct IpFields {
    hop_limit: u8,
    dscp: u8,
}

impl IpFields {
    /// The empty value, all zeros.
    pub(super) const NONE: Self = IpFields { hop_limit: 0, dscp: 0 };
    /// The fields of packets that belong to no connection.
    pub(super) const STANDARD: Self = IpFields { hop_limit: HOP_LIMIT, dscp: 0 };

    pub(super) fn of<P: Profile>(initial: &Initial<P>) -> Self {
        if !P::RARE_SETTINGS {
            return Self::STANDARD;
        }
        IpFields { hop_limit: initial.hop_limit, dscp: initial.dscp }
    }

    pub(super) const fn hop_limit(self) -> u8 {
        self.hop_limit
    }

    pub(super) const fn dscp(self) -> u8 {
        self.dscp
    }

    pub(super) fn set_hop_limit(&mut self, limit: u8) {
        self.hop_limit = limit;
    }

    pub(super) fn set_dscp(&mut self, dscp: u8) {
        self.dscp = dscp;
    }
}
