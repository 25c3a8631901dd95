//! ICMP and ICMPv6: echo, and errors that concern TCP (RFC 792, RFC 4443, RFC 5927).

use super::{IpInfo, MAX_HEADER};
use crate::seq::SeqNumber;
use core::net::SocketAddr;

/// An echo request to one of our addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EchoRequest<'a> {
    /// Identifier, given back in the reply.
    pub identifier: u16,
    /// Sequence number, given back in the reply.
    pub sequence: u16,
    /// Data, given back in the reply.
    pub data: &'a [u8],
}

/// An ICMP error about a segment that we sent (RFC 5927).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IcmpError {
    /// What went wrong.
    pub kind: IcmpErrorKind,
    /// Our end, as quoted.
    pub local: SocketAddr,
    /// The other end, as quoted.
    pub remote: SocketAddr,
    /// Sequence number of the quoted segment.
    pub seq: SeqNumber,
}

/// What an ICMP error says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum IcmpErrorKind {
    /// Network, host or address unreachable; no route. Soft (RFC 1122 section 4.2.3.9).
    Unreachable,
    /// Protocol or port unreachable, prohibited by an administrator: hard.
    Refused,
    /// Fragmentation needed and DF set (RFC 1191), or packet too big (RFC 8201); the next hop's
    /// MTU in bytes, 0 if the router does not know it.
    PacketTooBig {
        /// Largest IP packet that passes the next hop, in bytes.
        mtu: u32,
    },
    /// Time exceeded. Soft.
    TimeExceeded,
    /// Parameter problem. Soft.
    ParameterProblem,
}

/// Writes IP and ICMP headers of the reply to an echo request into `to`; the request's data
/// follows. Returns the length of the headers in bytes. `ip` is the reply's: source is our address.
pub fn write_echo_reply(
    to: &mut [u8; MAX_HEADER],
    ip: &IpInfo,
    request: &EchoRequest<'_>,
) -> usize {
    let _ = (to, ip, request);
    todo!()
}
