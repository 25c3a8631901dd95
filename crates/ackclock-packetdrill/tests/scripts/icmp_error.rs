//! ICMP errors by name, as a router sends them about a packet of ours.

use ackclock::wire::{Ecn, IcmpErrorKind, IpInfo, MAX_HEADER, write_icmp_error};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The errors that scripts know, with type and code (RFC 792 and RFC 1122 section 3.2.2.1;
/// RFC 4443 section 3).
const V4: [(&str, [u8; 2]); 10] = [
    ("net_unreachable", [3, 0]),
    ("host_unreachable", [3, 1]),
    ("protocol_unreachable", [3, 2]),
    ("port_unreachable", [3, 3]),
    ("frag_needed", [3, 4]),
    ("source_route_failed", [3, 5]),
    ("admin_prohibited", [3, 13]),
    ("source_quench", [4, 0]),
    ("time_exceeded", [11, 0]),
    ("parameter_problem", [12, 0]),
];
const V6: [(&str, [u8; 2]); 7] = [
    ("no_route", [1, 0]),
    ("admin_prohibited", [1, 1]),
    ("address_unreachable", [1, 3]),
    ("port_unreachable", [1, 4]),
    ("too_big", [2, 0]),
    ("time_exceeded", [3, 0]),
    ("parameter_problem", [4, 0]),
];

/// The packet with the error `name` about `quote`, the headers of a packet of ours; `mtu` goes
/// where the errors that tell one have it.
///
/// # Errors
/// There is no such error in the quote's version of IP.
pub(crate) fn write(name: &str, mtu: u16, quote: &[u8]) -> Result<Vec<u8>, String> {
    let is_v6 = quote[0] >> 4 == 6;
    let (router, ours): (IpAddr, IpAddr) = match is_v6 {
        false => {
            let ours: [u8; 4] = quote[12..16].try_into().expect("four bytes");
            (Ipv4Addr::new(192, 0, 2, 254).into(), Ipv4Addr::from(ours).into())
        }
        true => {
            let ours: [u8; 16] = quote[8..24].try_into().expect("sixteen bytes");
            let router = Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0xfe);
            (router.into(), Ipv6Addr::from(ours).into())
        }
    };
    let known = if is_v6 { &V6[..] } else { &V4[..] };
    let found = known.iter().find(|(known, _)| *known == name);
    let (_, type_and_code) = found.ok_or_else(|| format!("`{name}` is no ICMP error here"))?;
    let ip = IpInfo { source: router, destination: ours, hop_limit: 64, dscp: 0, ecn: Ecn::NotEct };
    let mut header = [0; MAX_HEADER];
    let len = write_icmp_error(&mut header, &ip, IcmpErrorKind::PacketTooBig { mtu: 0 }, quote);
    let mut packet = [&header[..len], quote].concat();
    let message = &mut packet[len - 8..];
    replace(message, 0, *type_and_code);
    replace(message, 6, mtu.to_be_bytes());
    Ok(packet)
}

/// Replaces two bytes and what the checksum says of them (RFC 1624 equation 3).
fn replace(message: &mut [u8], at: usize, new: [u8; 2]) {
    let word = |bytes: &[u8]| u32::from(u16::from_be_bytes([bytes[0], bytes[1]]));
    let sum = (0xffff ^ word(&message[2..4])) + (0xffff ^ word(&message[at..])) + word(&new);
    let folded = (sum & 0xffff) + (sum >> 16);
    let folded = (folded & 0xffff) + (folded >> 16);
    message[at..at + 2].copy_from_slice(&new);
    message[2..4].copy_from_slice(&(0xffff ^ folded as u16).to_be_bytes());
}
