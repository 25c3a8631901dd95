//! Packet headers: reading them from bytes and writing them. No other module sees header bytes.
//!
//! [`parse_packet`] reads any packet and [`write_packet_header`] writes the headers of any segment;
//! `predicted` has templates that do the same for the packets that a connection exchanges most. Headers
//! are read as arrays of bytes of a known length, in which no index can be out of range.

mod address;
#[cfg(feature = "ethernet")]
mod arp;
mod checksum;
mod congestion_experienced;
mod cut;
#[cfg(feature = "ethernet")]
mod ethernet;
#[cfg(all(feature = "fast-path", feature = "ipv4"))]
mod expected;
mod icmp;
mod included;
mod ip;
mod ipv4;
mod ipv6;
#[cfg(feature = "ethernet")]
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

pub use address::{Address, Ipv6Address};
#[cfg(feature = "ethernet")]
pub(crate) use arp::Arp;
pub use checksum::Checksum;
pub use congestion_experienced::mark_congestion;
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
#[cfg(feature = "ethernet")]
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
