//! Bytes to segments and back. Only this module sees header bytes.
//!
//! TCP headers and options are read and written by our own codec, and IPv4 headers written; other
//! IP headers through the packet views of `smoltcp::wire`, which never leave this module. ICMP messages
//! are so short that they are read as they stand: what they quote is cut off, which a checked view would
//! refuse. Ethernet, ARP and neighbour discovery (feature `ethernet`) have fixed layouts, read as arrays.

#[cfg(feature = "ethernet")]
mod arp;
mod checksum;
mod cut;
#[cfg(feature = "ethernet")]
mod ethernet;
mod icmp;
mod ip;
mod mark;
#[cfg(feature = "ethernet")]
mod ndp;
mod options;
mod segment;
#[cfg(test)]
mod tests;

#[cfg(feature = "ethernet")]
pub(crate) use arp::Arp;
pub use checksum::Checksum;
pub use cut::complete_checksum;
pub(crate) use cut::{Cut, write_cut_header};
#[cfg(feature = "ethernet")]
pub use ethernet::{ETHERNET_HEADER, EthernetAddress};
#[cfg(feature = "ethernet")]
pub(crate) use ethernet::{EtherType, Frame, ethernet_header};
pub use icmp::{EchoRequest, IcmpError, IcmpErrorKind, write_echo_reply, write_icmp_error};
pub(crate) use ip::parse_plain_segment;
pub use ip::{Checksums, Ecn, IpInfo, Packet, Protocol, parse_packet};
pub use mark::mark_congestion;
#[cfg(feature = "ethernet")]
pub(crate) use ndp::{Ndp, NdpKind, is_ndp, solicited_node};
pub use options::{Options, SackBlocks, Timestamps};
pub(crate) use segment::RepeatedHeader;
pub use segment::{
    Flags, Header, MAX_HEADER, Segment, WireError, WriteChecksum, write_packet_header,
};
