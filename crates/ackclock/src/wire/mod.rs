//! Bytes to segments and back. Only this module sees header bytes.
//!
//! All headers are read as arrays of bytes, in which no index can be out of range.

#[cfg(not(feature = "ipv6"))]
mod address;
#[cfg(all(feature = "ethernet", feature = "ipv4"))]
mod arp;
mod checksum;
mod cut;
#[cfg(feature = "ethernet")]
mod ethernet;
#[cfg(all(feature = "fast-path", feature = "ipv4"))]
mod expected;
mod icmp;
mod ip;
#[cfg(feature = "ipv4")]
mod ipv4;
#[cfg(feature = "ipv6")]
mod ipv6;
mod mark;
#[cfg(all(feature = "ethernet", feature = "ipv6"))]
mod ndp;
mod options;
mod plain;
#[cfg(all(feature = "fast-path", feature = "ipv4"))]
mod plain_header;
#[cfg(feature = "fast-path")]
#[allow(dead_code, reason = "the rooms of the stack and of TCP that use it come next")]
mod predicted;
mod segment;
#[cfg(test)]
mod tests;

#[cfg(not(feature = "ipv6"))]
pub use address::Address;
#[cfg(all(feature = "ethernet", feature = "ipv4"))]
pub(crate) use arp::Arp;
pub use checksum::Checksum;
/// An address of a family that is in use: without the feature `ipv6` a type with IPv4's only.
#[cfg(feature = "ipv6")]
pub use core::net::IpAddr as Address;
pub use cut::complete_checksum;
pub(crate) use cut::{Cut, write_cut_header};
#[cfg(feature = "ethernet")]
pub use ethernet::{ETHERNET_HEADER, EthernetAddress};
#[cfg(feature = "ethernet")]
pub(crate) use ethernet::{EtherType, Frame, ethernet_header};
#[cfg(all(feature = "fast-path", feature = "ipv4"))]
pub(crate) use expected::Expected;
pub use icmp::{EchoRequest, IcmpError, IcmpErrorKind, write_echo_reply, write_icmp_error};
pub use ip::{Checksums, Ecn, IpInfo, Packet, Protocol, parse_packet};
pub(crate) use ip::{PlainPacket, is_unicast};
pub use mark::mark_congestion;
#[cfg(all(feature = "ethernet", feature = "ipv6"))]
pub(crate) use ndp::{Ndp, NdpKind, is_ndp, solicited_node};
pub use options::{Options, SackBlocks, Timestamps};
pub(crate) use plain::PlainSegment;
#[cfg(all(feature = "fast-path", feature = "ipv4"))]
pub(crate) use plain_header::{PlainFields, PlainHeader};
#[cfg(feature = "fast-path")]
#[allow(unused_imports, reason = "as above")]
pub(crate) use predicted::{PredictedSegment, ReadTemplate, WriteFields, WriteTemplate};
pub(crate) use segment::RepeatedHeader;
pub use segment::{
    Flags, Header, MAX_HEADER, Segment, WireError, WriteChecksum, write_packet_header,
};
