//! A router: forwards packets, and answers those that it cannot forward with ICMP (RFC 1812, RFC
//! 4443).
//!
//! A router takes one from the hop limit. It sends an ICMP error to the sender if the hop limit is
//! used up, if it has no route to the destination, or if the packet is longer than the next link's
//! MTU and may not be cut into fragments. There is no limit for the rate of ICMP errors. Packets to the router itself are dropped, since it has no
//! services.

use super::routing_table::Routes;
use crate::ids::{LinkId, NodeId, RouterId};
use crate::observer::DropReason;
use crate::packet::fragments;
use crate::packet::ip::{self, IpHeader};
use crate::topology::addressing::{node_of, router_addresses};
use ackclock::wire::{Ecn, IcmpErrorKind, IpInfo, MAX_HEADER, write_icmp_error};
use std::net::IpAddr;

/// Longest ICMP error in bytes (RFC 1812 section 4.3.2.3).
const LONGEST_V4: usize = 576;
/// Longest ICMPv6 error in bytes: IPv6's least MTU (RFC 4443 section 2.4).
const LONGEST_V6: usize = 1280;
/// Bytes of the IP and ICMP headers of an error.
const HEADERS_V4: usize = 28;
const HEADERS_V6: usize = 48;
/// Hop limit of the errors.
const HOP_LIMIT: u8 = 64;

/// A refusal to forward a packet: the reason, and the ICMP error for the sender, if there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Refusal {
    pub(crate) reason: DropReason,
    pub(crate) complaint: Option<IcmpErrorKind>,
}

/// The link by which a router forwards this packet, whose hop limit is lowered; one that is longer than that
/// link's MTU may be fragmented. `limit` returns the MTU of a link, and whether longer packets are dropped silently.
pub(crate) fn route(
    router: RouterId,
    routes: &Routes,
    packet: &mut [u8],
    limit: impl Fn(LinkId) -> (u32, bool),
) -> Result<LinkId, Refusal> {
    let refuse = |reason, complaint| Refusal { reason, complaint };
    let header = ip::read(packet).ok_or(refuse(DropReason::Malformed, None))?;
    let to = node_of(header.destination);
    if to == Some(NodeId::Router(router)) {
        return Err(refuse(DropReason::NoRoute, None));
    }
    let next = to.and_then(|to| routes.next(router.0, to));
    let next = next.ok_or(refuse(DropReason::NoRoute, Some(IcmpErrorKind::Unreachable)))?;
    // RFC 1812 section 5.3.1: a packet that would leave with a hop limit of 0 is dropped.
    if header.hop_limit <= 1 {
        return Err(refuse(DropReason::Expired, Some(IcmpErrorKind::TimeExceeded)));
    }
    let (mtu, is_silent) = limit(next);
    if header.length > mtu as usize && !fragments::may_be_cut(packet) {
        let complaint = (!is_silent).then_some(IcmpErrorKind::PacketTooBig { mtu });
        return Err(refuse(DropReason::TooBig, complaint));
    }
    ip::decrement_hop_limit(packet);
    Ok(next)
}

/// Writes the ICMP error about a packet to `message`, and returns the node that it goes to; `None`
/// if the packet must not be answered.
pub(crate) fn complain(
    router: RouterId,
    packet: &[u8],
    kind: IcmpErrorKind,
    message: &mut Vec<u8>,
) -> Option<NodeId> {
    let IpHeader { source, .. } = ip::read(packet)?;
    let sender = node_of(source)?;
    if !ip::may_be_answered(packet) {
        return None;
    }
    let [v4, v6] = router_addresses(router);
    let (own, most) = match source {
        IpAddr::V4(_) => (v4, LONGEST_V4 - HEADERS_V4),
        IpAddr::V6(_) => (v6, LONGEST_V6 - HEADERS_V6),
    };
    let ip = IpInfo {
        source: own.into(),
        destination: source.into(),
        hop_limit: HOP_LIMIT,
        dscp: 0,
        ecn: Ecn::NotEct,
    };
    let quote = &packet[..packet.len().min(most)];
    let mut header = [0; MAX_HEADER];
    let length = write_icmp_error(&mut header, &ip, kind, quote);
    message.extend_from_slice(&header[..length]);
    message.extend_from_slice(quote);
    Some(sender)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::HostId;
    use crate::packet::testing::ip_packet;
    use ackclock::wire::{Checksums, Protocol, parse_packet};

    const ROUTER: RouterId = RouterId(0);
    /// The links out of the router, to hosts 0 and 1.
    const TO_SENDER: LinkId = LinkId(1);
    const TO_RECEIVER: LinkId = LinkId(3);

    fn routes() -> Routes {
        let [sender, receiver] = [HostId(0), HostId(1)].map(NodeId::Host);
        let router = NodeId::Router(ROUTER);
        let links = [(sender, router), (router, sender), (receiver, router), (router, receiver)];
        Routes::new(2, 1, &links)
    }

    fn routed(packet: &mut [u8], mtu: u32) -> Result<LinkId, Refusal> {
        route(ROUTER, &routes(), packet, |link| (if link == TO_RECEIVER { mtu } else { 68 }, false))
    }

    #[test]
    fn a_packet_goes_on_with_one_hop_less() {
        for v6 in [false, true] {
            let mut packet = ip_packet(v6, 1, Ecn::NotEct, 100);
            assert_eq!(routed(&mut packet, 100), Ok(TO_RECEIVER));
            let parsed = parse_packet(&packet, Checksums::default()).unwrap();
            assert_eq!(parsed.ip.hop_limit, 63);
        }
    }

    #[test]
    fn what_cannot_go_on_is_refused_with_the_reason() {
        use {DropReason as Why, IcmpErrorKind as Kind};
        for v6 in [false, true] {
            let refused = |change: &dyn Fn(&mut Vec<u8>), mtu| {
                let mut packet = ip_packet(v6, 1, Ecn::NotEct, 100);
                change(&mut packet);
                let before = packet.clone();
                let Refusal { reason, complaint } = routed(&mut packet, mtu).unwrap_err();
                assert_eq!(packet, before);
                (reason, complaint)
            };
            let too_big = Some(Kind::PacketTooBig { mtu: 99 });
            assert_eq!(refused(&|_| {}, 99), (Why::TooBig, too_big));
            let old = |packet: &mut Vec<u8>| (0..63).for_each(|_| ip::decrement_hop_limit(packet));
            assert_eq!(refused(&old, 1500), (Why::Expired, Some(Kind::TimeExceeded)));
            let cut = |packet: &mut Vec<u8>| packet.truncate(99);
            assert_eq!(refused(&cut, 1500), (Why::Malformed, None));
        }
    }

    #[test]
    fn what_is_too_long_goes_on_if_it_may_be_cut() {
        let mut packet = ip_packet(false, 1, Ecn::NotEct, 100);
        packet[6] = 0;
        // The checksum goes up by what the word has lost.
        packet[10] += 0x40;
        assert_eq!(routed(&mut packet, 99), Ok(TO_RECEIVER));
    }

    #[test]
    fn an_unknown_destination_is_unreachable_and_the_router_itself_silent() {
        // IPv6 has no header checksum to set right.
        let to = |destination: &str| {
            let mut packet = ip_packet(true, 1, Ecn::NotEct, 100);
            let address: std::net::Ipv6Addr = destination.parse().unwrap();
            packet[24..40].copy_from_slice(&address.octets());
            routed(&mut packet, 1500).map_err(|refusal| refusal.complaint)
        };
        assert_eq!(to("fd00::1"), Err(Some(IcmpErrorKind::PacketTooBig { mtu: 68 })));
        for address in ["fd00::3", "fd01::2", "2001:db8::1"] {
            assert_eq!(to(address), Err(Some(IcmpErrorKind::Unreachable)), "{address}");
        }
        assert_eq!(to("fd01::1"), Err(None));
    }

    #[test]
    fn a_complaint_goes_to_the_sender_and_quotes_what_has_room() {
        for (v6, length, quoted) in
            [(false, 1500, 576 - 28), (false, 100, 100), (true, 1500, 1280 - 48), (true, 100, 100)]
        {
            let packet = ip_packet(v6, 1, Ecn::NotEct, length);
            let kind = IcmpErrorKind::PacketTooBig { mtu: 1400 };
            let mut message = Vec::new();
            let to = complain(ROUTER, &packet, kind, &mut message);
            assert_eq!(to, Some(NodeId::Host(HostId(0))));
            assert!(message.ends_with(&packet[..quoted]));
            assert_eq!(message.len(), quoted + if v6 { 48 } else { 28 });
            let read = parse_packet(&message, Checksums::default()).unwrap();
            let Protocol::IcmpError(error) = read.protocol else { panic!("{read:?}") };
            assert_eq!((error.kind, error.local.port()), (kind, 1));
            assert_eq!(read.ip.source, router_addresses(ROUTER)[usize::from(v6)]);
            // ICMP errors are not answered by ICMP errors.
            assert_eq!(complain(ROUTER, &message, kind, &mut Vec::new()), None);
        }
        assert_eq!(routes().next(0, NodeId::Host(HostId(0))), Some(TO_SENDER));
    }
}
