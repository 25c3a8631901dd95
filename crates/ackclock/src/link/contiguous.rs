//! Support for devices that need a packet in contiguous memory.

use crate::stack::{Capabilities, Transmit};
use crate::wire::{Checksums, WriteChecksum};

/// Offset of the checksum in a TCP header, in bytes (RFC 9293 section 3.1).
const TCP_CHECKSUM: usize = 16;

/// Protocol numbers, the same in both families except for ICMP (RFC 791, RFC 4443).
const ICMP: u8 = 1;
const TCP: u8 = 6;
const ICMPV6: u8 = 58;

/// The checksums that a device leaves to the stack to verify, by protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Unverified {
    pub(super) ip: bool,
    pub(super) tcp: bool,
    pub(super) icmpv4: bool,
    pub(super) icmpv6: bool,
}

impl Unverified {
    /// The checksums to verify of a packet of any protocol.
    const fn of_any(self) -> Checksums {
        Checksums { ip: self.ip, transport: self.tcp || self.icmpv4 || self.icmpv6 }
    }

    /// The checksums to verify of this IP packet. If its protocol is not in the IP header itself, but after
    /// extension headers, those that any protocol needs.
    pub(super) fn of(self, packet: &[u8]) -> Checksums {
        let version = packet.first().map(|first| first >> 4);
        let protocol = packet.get(if version == Some(4) { 9 } else { 6 });
        let transport = match (version, protocol.copied()) {
            (Some(4 | 6), Some(TCP)) => self.tcp,
            (Some(4), Some(ICMP)) => self.icmpv4,
            (Some(6), Some(ICMPV6)) => self.icmpv6,
            _ => self.of_any().transport,
        };
        Checksums { ip: self.ip, transport }
    }
}

/// The capabilities of a device that says for each protocol who computes and verifies checksums.
pub(super) fn capabilities(mtu: usize, verify: Unverified, we_compute: bool) -> Capabilities {
    let mut capabilities = Capabilities::with_mtu(u32::try_from(mtu).unwrap_or(u32::MAX));
    capabilities.verify = verify.of_any();
    if !we_compute {
        capabilities.checksum = WriteChecksum::PseudoHeader;
    }
    capabilities
}

/// Copies a packet into the device's memory, which has the same length. A checksum that the device computes
/// is set to zero, as these devices expect: they add the pseudo-header themselves.
pub(super) fn copy_whole(packet: &Transmit<'_>, to: &mut [u8]) {
    if packet.copy_to(to).is_some() && packet.checksum == WriteChecksum::PseudoHeader {
        let at = packet.transport_offset.saturating_add(TCP_CHECKSUM);
        if let Some(checksum) = to.get_mut(at..).and_then(|tail| tail.first_chunk_mut::<2>()) {
            *checksum = [0; 2];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_protocol_is_verified_as_the_device_says() {
        let packet = |version: u8, protocol| {
            let mut packet = [0; 40];
            packet[0] = version << 4;
            packet[if version == 4 { 9 } else { 6 }] = protocol;
            packet
        };
        let packets =
            [(4, TCP), (4, ICMP), (6, TCP), (6, ICMPV6)].map(|(version, of)| packet(version, of));
        let verified = |verify: Unverified| packets.map(|packet| verify.of(&packet).transport);
        let none = Unverified { ip: false, tcp: false, icmpv4: false, icmpv6: false };
        assert_eq!(verified(none), [false; 4]);
        assert_eq!(verified(Unverified { tcp: true, ..none }), [true, false, true, false]);
        let only_icmpv4 = Unverified { icmpv4: true, ..none };
        assert_eq!(verified(only_icmpv4), [false, true, false, false]);
        let only_icmpv6 = Unverified { icmpv6: true, ..none };
        assert_eq!(verified(only_icmpv6), [false, false, false, true]);
        // Behind an extension header there may be either; an IPv4 packet is no ICMPv6.
        for unclear in [&packet(6, 60)[..], &packet(4, ICMPV6), &[0x60], &[]] {
            assert!(only_icmpv6.of(unclear).transport);
            assert!(!none.of(unclear).transport);
        }
        assert!(Unverified { ip: true, ..none }.of(&packets[0]).ip);
    }
}
