//! Bytes to segments and back. Only this module sees header bytes.
//!
//! TCP headers and options are read and written by our own codec, and IPv4 headers written; other
//! IP headers through the packet views of `smoltcp::wire`, which never leave this module. ICMP messages are so short that they are
//! read as they stand: what they quote is cut off, which a checked view would refuse.

mod checksum;
mod cut;
mod icmp;
mod ip;
mod mark;
mod options;
mod segment;
#[cfg(test)]
mod tests;

pub use checksum::Checksum;
pub use cut::complete_checksum;
pub(crate) use cut::{Cut, write_cut_header};
pub use icmp::{EchoRequest, IcmpError, IcmpErrorKind, write_echo_reply, write_icmp_error};
pub(crate) use ip::parse_plain_segment;
pub use ip::{Checksums, Ecn, IpInfo, Packet, Protocol, parse_packet};
pub use mark::mark_congestion;
pub use options::{Options, SackBlocks, Timestamps};
pub(crate) use segment::RepeatedHeader;
pub use segment::{
    Flags, Header, MAX_HEADER, Segment, WireError, WriteChecksum, write_packet_header,
};
