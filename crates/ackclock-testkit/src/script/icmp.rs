//! ICMP errors as scripts write them: by name, about a packet of ours.

use super::packet::{Relative, number, relative};
use ackclock::seq::SeqNumber;
use ackclock::wire::{Ecn, IcmpErrorKind, IpInfo, MAX_HEADER, write_icmp_error};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// A name, and the type and code that it stands for.
type Known = (&'static str, [u8; 2]);

/// Errors of ICMP (RFC 792 and RFC 1122 section 3.2.2.1).
const V4: [Known; 10] = [
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
/// Errors of ICMPv6 (RFC 4443 section 3).
const V6: [Known; 7] = [
    ("no_route", [1, 0]),
    ("admin_prohibited", [1, 1]),
    ("address_unreachable", [1, 3]),
    ("port_unreachable", [1, 4]),
    ("too_big", [2, 0]),
    ("time_exceeded", [3, 0]),
    ("parameter_problem", [4, 0]),
];

/// The router that sends the errors.
const ROUTER_V4: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 254));
const ROUTER_V6: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0xfe));

/// `NAME SEQ [mtu N]`: a router's error about our segment that begins at SEQ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IcmpError {
    /// One of those of either version of IP.
    name: &'static str,
    /// The first sequence number of the segment that the error quotes.
    pub(super) about: SeqNumber,
    /// The MTU in bytes that the error tells, if it tells one.
    mtu: Option<u16>,
}

impl IcmpError {
    /// The packet with the error about `quote`, the headers of a packet from `ours`.
    ///
    /// # Errors
    /// The address's version of IP has no such error.
    pub(super) fn write(&self, ours: IpAddr, quote: &[u8]) -> Result<Vec<u8>, String> {
        let (router, known) = match ours {
            IpAddr::V4(_) => (ROUTER_V4, &V4[..]),
            IpAddr::V6(_) => (ROUTER_V6, &V6[..]),
        };
        let found = known.iter().find(|(name, _)| *name == self.name);
        let (_, type_and_code) =
            found.ok_or_else(|| format!("`{}` is no error of this version of IP", self.name))?;
        let ip =
            IpInfo { source: router, destination: ours, hop_limit: 64, dscp: 0, ecn: Ecn::NotEct };
        let mut header = [0; MAX_HEADER];
        let len = write_icmp_error(&mut header, &ip, IcmpErrorKind::PacketTooBig { mtu: 0 }, quote);
        let mut packet = [&header[..len], quote].concat();
        // The core does not write every type and code that it reads.
        let message = &mut packet[len - 8..];
        replace(message, 0, *type_and_code);
        replace(message, 6, self.mtu.unwrap_or(0).to_be_bytes());
        Ok(packet)
    }
}

/// Replaces two bytes of an ICMP message and updates its checksum (RFC 1624 equation 3).
fn replace(message: &mut [u8], at: usize, new: [u8; 2]) {
    let word = |bytes: &[u8]| u32::from(u16::from_be_bytes([bytes[0], bytes[1]]));
    let sum = (0xffff ^ word(&message[2..4])) + (0xffff ^ word(&message[at..])) + word(&new);
    let folded = (sum & 0xffff) + (sum >> 16);
    let folded = (folded & 0xffff) + (folded >> 16);
    message[at..at + 2].copy_from_slice(&new);
    message[2..4].copy_from_slice(&(0xffff ^ folded as u16).to_be_bytes());
}

impl FromStr for IcmpError {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (name, about, mtu) = match words[..] {
            [name, about] => (name, about, None),
            [name, about, "mtu", mtu] => (name, about, Some(number(mtu)?)),
            _ => return Err(format!("`icmp {text}` is not icmp NAME SEQ [mtu N]")),
        };
        let found = V4.iter().chain(&V6).find(|(known, _)| *known == name);
        let (name, _) = found.ok_or_else(|| format!("`{name}` is no ICMP error"))?;
        Ok(IcmpError { name, about: relative(about)?, mtu })
    }
}

impl fmt::Display for IcmpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "icmp {} {}", self.name, Relative(self.about))?;
        self.mtu.map_or(Ok(()), |mtu| write!(f, " mtu {mtu}"))
    }
}
