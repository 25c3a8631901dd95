//! Neighbour solicitations and advertisements (RFC 4861 sections 4.3 and 4.4) over Ethernet
//! (RFC 2464 section 6), with the IPv6 header that carries them.

use super::checksum::Checksum;
use super::ip::{IPV6_HEADER, IpProtocol, write_header};
use super::{Checksums, Ecn, EthernetAddress, IpInfo, MAX_HEADER};
use crate::storage::copy;
use core::net::Ipv6Addr;

/// Hop limit of valid messages, which proves that no router has forwarded them.
const HOP_LIMIT: u8 = 255;

/// ICMPv6 types.
const SOLICITATION: u8 = 135;
const ADVERTISEMENT: u8 = 136;

/// Option types: source and target link-layer address (RFC 4861 section 4.6.1).
const SOURCE_HARDWARE: u8 = 1;
const TARGET_HARDWARE: u8 = 2;

/// Flags of an advertisement: solicited, override.
const SOLICITED: u8 = 0x40;
const OVERRIDE: u8 = 0x20;

/// Length of a message before its options, and of a link-layer address option, in bytes.
const FIXED: usize = 24;
const WITH_HARDWARE: usize = FIXED + 8;

/// The two types of messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NdpKind {
    /// A question for the hardware address of the target.
    Solicitation,
    /// An answer or announcement by the owner of the target address.
    Advertisement {
        /// Whether it answers a solicitation.
        solicited: bool,
        /// Whether its link-layer address replaces a known one.
        overrides: bool,
    },
}

/// A neighbour solicitation or advertisement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ndp {
    pub(crate) kind: NdpKind,
    pub(crate) source: Ipv6Addr,
    pub(crate) destination: Ipv6Addr,
    pub(crate) target: Ipv6Addr,
    /// The link-layer address: of the source in a solicitation, of the target in an advertisement.
    pub(crate) hardware: Option<EthernetAddress>,
}

/// Whether an IPv6 packet is a neighbour solicitation or advertisement, valid or not.
pub(crate) fn is_ndp(packet: &[u8]) -> bool {
    let icmp = IpProtocol::Icmpv6 as u8;
    packet.get(6) == Some(&icmp)
        && matches!(packet.get(IPV6_HEADER), Some(&(SOLICITATION | ADVERTISEMENT)))
}

/// The solicited-node multicast address of an address (RFC 4291 section 2.7.1).
pub(crate) const fn solicited_node(address: Ipv6Addr) -> Ipv6Addr {
    let [.., a, b] = address.segments();
    Ipv6Addr::new(0xff02, 0, 0, 0, 0, 1, 0xff00 | a & 0xff, b)
}

impl Ndp {
    /// Reads a message from its IPv6 packet; `None` if it fails one of the checks of RFC 4861 sections 7.1.1
    /// and 7.1.2.
    pub(crate) fn parse(packet: &[u8], verify: Checksums) -> Option<Self> {
        let (header, payload) = packet.split_first_chunk::<IPV6_HEADER>()?;
        let [_, _, _, _, high, low, _, hop_limit, addresses @ ..] = header;
        let message = payload.get(..u16::from_be_bytes([*high, *low]).into())?;
        let [source, destination] = addresses.as_chunks::<16>().0 else {
            return None;
        };
        let (source, destination) = (Ipv6Addr::from(*source), Ipv6Addr::from(*destination));
        let sum = Checksum::pseudo_header(
            &ip_info(source, destination),
            IpProtocol::Icmpv6,
            message.len(),
        );
        let (&[message_type, 0, _, _, flags, _, _, _, ref target @ ..], options) =
            message.split_first_chunk::<FIXED>()?
        else {
            return None;
        };
        let target = Ipv6Addr::from(*target.first_chunk()?);
        if *hop_limit != HOP_LIMIT
            || verify.transport && sum.over(message).complement() != 0
            || target.is_multicast()
        {
            return None;
        }
        let [source_hardware, target_hardware] = hardware_options(options)?;
        let (kind, hardware) = if message_type == SOLICITATION {
            let from_nobody = source.is_unspecified();
            if from_nobody && (destination != solicited_node(target) || source_hardware.is_some()) {
                return None;
            }
            (NdpKind::Solicitation, source_hardware)
        } else {
            let solicited = flags & SOLICITED != 0;
            if solicited && destination.is_multicast() {
                return None;
            }
            let overrides = flags & OVERRIDE != 0;
            (NdpKind::Advertisement { solicited, overrides }, target_hardware)
        };
        Some(Ndp { kind, source, destination, target, hardware })
    }

    /// Writes the IPv6 packet into `to`; returns its length in bytes.
    pub(crate) fn write(&self, to: &mut [u8; MAX_HEADER]) -> usize {
        let ip = ip_info(self.source, self.destination);
        let start = write_header(to, &ip, IpProtocol::Icmpv6, WITH_HARDWARE);
        let (message_type, flags, option) = match self.kind {
            NdpKind::Solicitation => (SOLICITATION, 0, SOURCE_HARDWARE),
            NdpKind::Advertisement { solicited, overrides } => {
                let flag = |is_set, flag| if is_set { flag } else { 0 };
                let flags = flag(solicited, SOLICITED) | flag(overrides, OVERRIDE);
                (ADVERTISEMENT, flags, TARGET_HARDWARE)
            }
        };
        let EthernetAddress([a, b, c, d, e, f]) = self.hardware.unwrap_or_default();
        let mut message = [0; WITH_HARDWARE];
        let mut at = 0;
        for part in [
            &[message_type, 0, 0, 0, flags, 0, 0, 0][..],
            &self.target.octets(),
            &[option, 1, a, b, c, d, e, f],
        ] {
            at += copy(message.get_mut(at..).unwrap_or_default(), part);
        }
        let sum = Checksum::pseudo_header(&ip, IpProtocol::Icmpv6, WITH_HARDWARE).over(&message);
        let [_, _, high, low, ..] = &mut message;
        [*high, *low] = sum.complement().to_be_bytes();
        start + copy(to.get_mut(start..).unwrap_or_default(), &message)
    }
}

fn ip_info(source: Ipv6Addr, destination: Ipv6Addr) -> IpInfo {
    let (source, destination) = (source.into(), destination.into());
    IpInfo { source, destination, hop_limit: HOP_LIMIT, dscp: 0, ecn: Ecn::NotEct }
}

/// The link-layer addresses of source and target in the options; `None` if an option has length zero, or is
/// truncated.
fn hardware_options(mut options: &[u8]) -> Option<[Option<EthernetAddress>; 2]> {
    let (mut source, mut target) = (None, None);
    while let [kind, units, ..] = *options {
        // The length is in units of eight bytes, and includes type and length.
        let (option, rest) = options.split_at_checked(usize::from(units) * 8)?;
        let &[_, _, a, b, c, d, e, f, ..] = option else {
            return None;
        };
        let hardware = Some(EthernetAddress([a, b, c, d, e, f]));
        match kind {
            SOURCE_HARDWARE => source = hardware,
            TARGET_HARDWARE => target = hardware,
            _ => {}
        }
        options = rest;
    }
    options.is_empty().then_some([source, target])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn ip(text: &str) -> Ipv6Addr {
        text.parse().unwrap()
    }

    fn solicitation() -> Ndp {
        Ndp {
            kind: NdpKind::Solicitation,
            source: ip("fd00::1"),
            destination: ip("ff02::1:ff03:405"),
            target: ip("fd00::1:203:405"),
            hardware: Some(EthernetAddress([2, 0, 0, 0, 0, 1])),
        }
    }

    fn advertisement(destination: &str, solicited: bool) -> Ndp {
        let kind = NdpKind::Advertisement { solicited, overrides: true };
        Ndp { kind, destination: ip(destination), ..solicitation() }
    }

    fn packet(message: &Ndp) -> Vec<u8> {
        let mut bytes = [0; MAX_HEADER];
        let length = message.write(&mut bytes);
        bytes[..length].to_vec()
    }

    fn parse(packet: &[u8]) -> Option<Ndp> {
        Ndp::parse(packet, Checksums::default())
    }

    #[test]
    fn a_solicitation_has_the_bytes_of_rfc_4861() {
        #[rustfmt::skip]
        let bytes = [
            0x60, 0, 0, 0, 0, 32, 58, 255,
            0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
            0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 3, 4, 5,
            135, 0, 0x73, 0x8a, 0, 0, 0, 0,
            0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5,
            1, 1, 2, 0, 0, 0, 0, 1,
        ];
        assert_eq!(packet(&solicitation()), bytes);
    }

    #[test]
    fn messages_read_as_they_were_written() {
        let probe = Ndp { source: Ipv6Addr::UNSPECIFIED, ..solicitation() };
        for message in
            [solicitation(), advertisement("fd00::2", true), advertisement("ff02::1", false)]
        {
            assert!(is_ndp(&packet(&message)));
            assert_eq!(parse(&packet(&message)), Some(message));
        }
        assert_eq!(parse(&packet(&probe)), None, "from nobody, with a hardware address");
        assert_eq!(parse(&packet(&advertisement("ff02::1", true))), None, "solicited, to a group");
        let target = ip("ff02::1");
        assert_eq!(parse(&packet(&Ndp { target, ..solicitation() })), None);
    }

    #[test]
    fn what_came_over_a_router_or_is_damaged_is_refused() {
        let good = packet(&solicitation());
        for at in 0..good.len() {
            // The version, the flow label and the protocol are not looked at here.
            if at < 4 || at == 6 {
                continue;
            }
            let mut damaged = good.clone();
            damaged[at] ^= 1;
            assert_eq!(parse(&damaged), None, "byte {at}");
        }
        for length in 0..good.len() {
            assert_eq!(parse(&good[..length]), None);
        }
        let mut unverified = good.clone();
        unverified[42] ^= 1;
        let verify = Checksums { ip: true, transport: false };
        assert_eq!(Ndp::parse(&unverified, verify), Some(solicitation()));
        unverified[7] = 254;
        assert_eq!(Ndp::parse(&unverified, verify), None);
        unverified = good;
        unverified[65] = 0;
        assert_eq!(Ndp::parse(&unverified, verify), None, "an option without length");
    }

    #[test]
    fn the_group_of_an_address_has_its_last_24_bits() {
        assert_eq!(solicited_node(ip("fe80::abcd:ef01:2345")), ip("ff02::1:ff01:2345"));
    }
}
