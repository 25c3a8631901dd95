//! Messages for address resolution: ARP for IPv4, neighbour discovery for IPv6.

use crate::storage::copy;
use crate::wire::{
    Address, Arp, ETHERNET_HEADER, EtherType, EthernetAddress, MAX_HEADER, Ndp, NdpKind,
    ethernet_header, solicited_node,
};
use core::net::{Ipv4Addr, Ipv6Addr};

/// The all-nodes multicast address (RFC 4291 section 2.7.1).
const ALL_NODES: Ipv6Addr = Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 0, 1);

/// Length of the longest frame header and packet header together, in bytes.
pub(super) const HEADERS: usize = ETHERNET_HEADER + MAX_HEADER;

/// A message to send. Both addresses are of the same family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Message {
    /// Whether it asks for the hardware address of `other`; otherwise it tells `other` ours.
    pub(super) is_request: bool,
    /// Our IP address.
    pub(super) ours: Address,
    /// The address asked for, or the address of the host that has asked; unspecified: all are told.
    pub(super) other: Address,
    /// The hardware address to send it to; `None`: to all that it may concern.
    pub(super) hardware: Option<EthernetAddress>,
}

impl Message {
    /// An announcement of one of our addresses: a request for it that no one answers (RFC 5227 section 2.3),
    /// or an unsolicited advertisement (RFC 4861 section 7.2.6).
    pub(super) fn announcement(ours: Address) -> Self {
        let is_request = ours.is_ipv4();
        let other = if is_request { ours } else { Ipv6Addr::UNSPECIFIED.into() };
        Message { is_request, ours, other, hardware: None }
    }

    /// Writes the frame into `to`; returns its length in bytes, 0 if the families differ.
    pub(super) fn write(&self, from: EthernetAddress, to: &mut [u8; HEADERS]) -> usize {
        let Some((header, body)) = to.split_first_chunk_mut::<ETHERNET_HEADER>() else {
            return 0;
        };
        match (self.ours, self.other) {
            (Address::V4(ours), Address::V4(other)) => {
                let to = self.hardware.unwrap_or(EthernetAddress::BROADCAST);
                *header = ethernet_header(to, from, EtherType::Arp);
                ETHERNET_HEADER + copy(body, &self.arp(from, ours, other).octets())
            }
            (Address::V6(ours), Address::V6(other)) => {
                let message = self.ndp(from, *ours, *other);
                let group = EthernetAddress::multicast(message.destination);
                let to = self.hardware.unwrap_or(group);
                *header = ethernet_header(to, from, EtherType::Ipv6);
                body.first_chunk_mut().map_or(0, |body| ETHERNET_HEADER + message.write(body))
            }
            _ => 0,
        }
    }

    fn arp(&self, from: EthernetAddress, ours: Ipv4Addr, other: Ipv4Addr) -> Arp {
        Arp {
            is_request: self.is_request,
            sender_hardware: from,
            sender: ours,
            target_hardware: self.hardware.unwrap_or_default(),
            target: other,
        }
    }

    fn ndp(&self, from: EthernetAddress, ours: Ipv6Addr, other: Ipv6Addr) -> Ndp {
        let to_all = other.is_unspecified();
        let (kind, destination, target) = if self.is_request {
            let group = solicited_node(other);
            (NdpKind::Solicitation, self.hardware.map_or(group, |_| other), other)
        } else {
            let kind = NdpKind::Advertisement { solicited: !to_all, overrides: true };
            (kind, if to_all { ALL_NODES } else { other }, ours)
        };
        Ndp { kind, source: ours, destination, target, hardware: Some(from) }
    }
}
