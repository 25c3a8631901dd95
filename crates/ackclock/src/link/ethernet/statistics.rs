//! Counters of the Ethernet layer.

use crate::profile::Profile;

/// Counters since it was made; they start again at zero after 2³² - 1. Where the profile of the stack
/// has no [`Counters`](crate::profile::Profile::Counters) they stay there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct EthernetStatistics {
    /// Frames handed to us.
    pub frames_received: u32,
    /// Frames to another interface.
    pub not_for_us: u32,
    /// IP packets to a group of interfaces, none of which TCP or ICMP may answer (RFC 1122 section
    /// 3.3.6, RFC 9293 MUST-57).
    pub group: u32,
    /// Frames of a type other than IPv4, IPv6 and ARP.
    pub unknown_type: u32,
    /// Frames shorter than their header or from a group, and ARP packets and neighbour discovery
    /// messages that must not be believed.
    pub malformed: u32,
    /// Somebody else claims one of our addresses (RFC 5227 section 2.4).
    pub conflicts: u32,
    /// Requests sent: who has this address?
    pub requests_sent: u32,
    /// Requests answered.
    pub answers_sent: u32,
    /// Requests not answered because too many came at once; whoever asked asks again.
    pub answers_dropped: u32,
    /// Announcements of our addresses sent.
    pub announcements_sent: u32,
    /// Neighbours that did not answer three requests, or no longer answer.
    pub gave_up: u32,
    /// Packets lost because their next hop does not answer.
    pub unreachable: u32,
    /// Packets lost because there is no route.
    pub no_route: u32,
    /// Packets lost because all places for neighbours that are being asked for were taken.
    pub no_place: u32,
    /// Neighbours forgotten because others needed their places. Many in a short time mean that there
    /// are too few places.
    pub replaced: u32,
    /// Routes refused because all places were taken.
    pub routes_refused: u32,
}

impl EthernetStatistics {
    /// Nothing yet.
    pub(super) const NONE: Self = EthernetStatistics {
        frames_received: 0,
        not_for_us: 0,
        group: 0,
        unknown_type: 0,
        malformed: 0,
        conflicts: 0,
        requests_sent: 0,
        answers_sent: 0,
        answers_dropped: 0,
        announcements_sent: 0,
        gave_up: 0,
        unreachable: 0,
        no_route: 0,
        no_place: 0,
        replaced: 0,
        routes_refused: 0,
    };
}

/// One more.
pub(super) const fn count<P: Profile>(counter: &mut u32) {
    if P::COUNTERS {
        *counter = counter.wrapping_add(1);
    }
}
