//! Counters of the Ethernet layer.

use crate::profile::Profile;

/// Counters of an Ethernet interface since it was created; they wrap around after 2³² - 1. In a stack whose
/// profile has no [`Counters`](crate::profile::Profile::Counters) they stay zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct EthernetStatistics {
    /// Frames passed in by the device.
    pub frames_received: u32,
    /// Frames addressed to another interface.
    pub not_for_us: u32,
    /// IP packets to group addresses, which TCP and ICMP must not answer (RFC 1122 section 3.3.6, RFC 9293
    /// MUST-57).
    pub group: u32,
    /// Frames of a type other than IPv4, IPv6 and ARP.
    pub unknown_type: u32,
    /// Frames shorter than their header or from a group address, and invalid ARP packets and neighbour
    /// discovery messages.
    pub malformed: u32,
    /// Claims of one of our addresses by another host (RFC 5227 section 2.4).
    pub conflicts: u32,
    /// Requests sent for the hardware address of a neighbour.
    pub requests_sent: u32,
    /// Requests for our hardware address answered.
    pub answers_sent: u32,
    /// Requests not answered because too many came at once; the neighbour asks again.
    pub answers_dropped: u32,
    /// Announcements of our addresses sent.
    pub announcements_sent: u32,
    /// Neighbours that did not answer three requests, or no longer answer.
    pub gave_up: u32,
    /// Packets lost because their next hop does not answer.
    pub unreachable: u32,
    /// Packets lost because there is no route.
    pub no_route: u32,
    /// Packets lost because all places for neighbours being resolved were taken.
    pub no_place: u32,
    /// Neighbours removed from the cache because others needed their places. Many in a short time mean that
    /// the cache is too small.
    pub replaced: u32,
    /// Routes refused because the table was full.
    pub routes_refused: u32,
}

impl EthernetStatistics {
    /// All counters at zero.
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

/// Increments a counter.
pub(super) const fn count<P: Profile>(counter: &mut u32) {
    if P::COUNTERS {
        *counter = counter.wrapping_add(1);
    }
}
