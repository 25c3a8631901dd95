//! IPv4 and IPv6 headers (RFC 791, RFC 8200) through smoltcp's packet views.

use super::{EchoRequest, IcmpError, Segment, WireError};
use core::net::IpAddr;

/// The two ECN bits of an IP header (RFC 3168 section 5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Ecn {
    /// Not ECN-capable transport.
    #[default]
    NotEct,
    /// ECN-capable, codepoint ECT(1).
    Ect1,
    /// ECN-capable, codepoint ECT(0).
    Ect0,
    /// Congestion experienced.
    Ce,
}

/// What TCP sees of an IP header, in either direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IpInfo {
    /// Source address.
    pub source: IpAddr,
    /// Destination address; of the same family.
    pub destination: IpAddr,
    /// TTL or hop limit.
    pub hop_limit: u8,
    /// Differentiated services codepoint, 0 to 63.
    pub dscp: u8,
    /// ECN codepoint.
    pub ecn: Ecn,
}

/// What an IP packet carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol<'a> {
    /// A TCP segment.
    Tcp(Segment<'a>),
    /// An ICMP or ICMPv6 echo request.
    EchoRequest(EchoRequest<'a>),
    /// An ICMP or ICMPv6 error about a TCP segment.
    IcmpError(IcmpError),
    /// An ICMP message that says nothing to TCP.
    OtherIcmp,
}

/// A parsed IP packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet<'a> {
    /// What the IP header says.
    pub ip: IpInfo,
    /// What it carries.
    pub protocol: Protocol<'a>,
}

/// Which checksums are verified in received packets; `false` where the device has done it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checksums {
    /// IPv4 header checksum.
    pub ip: bool,
    /// TCP and ICMP checksums.
    pub transport: bool,
}

impl Default for Checksums {
    /// All are verified.
    fn default() -> Self {
        Checksums {
            ip: true,
            transport: true,
        }
    }
}

/// Reads one IP packet.
///
/// # Errors
/// Says what is malformed; the packet is to be dropped and counted.
pub fn parse_packet(bytes: &[u8], verify: Checksums) -> Result<Packet<'_>, WireError> {
    let _ = (bytes, verify);
    todo!()
}
