//! Packet formats: reads headers from bytes, and writes them. No other module handles header bytes.
//!
//! [`parse_packet`] reads any packet, and [`write_packet_header`] writes the headers of any segment; the
//! templates in `predicted` do the same for the packets that a connection exchanges most. Headers are read as
//! byte arrays of known length, in which no index can be out of range.

mod accurate_ecn;
mod address;
#[cfg(feature = "tcp-ao")]
pub mod ao;
mod arp;
mod checksum;
mod congestion_experienced;
mod cut;
mod ethernet;
mod fast_open;
mod icmp;
mod ip;
mod ipv4;
mod ipv6;
#[cfg(feature = "tcp-md5")]
pub mod md5;
mod ndp;
mod options;
mod predicted;
mod sack_blocks;
mod segment;
mod signature;
mod signature_option;
#[cfg(test)]
mod tests;
mod traffic_key;
mod user_timeout;

pub use accurate_ecn::AccurateEcnOption;
pub(crate) use address::IPV4_EXISTS;
pub use address::{Address, Ipv6Address};
pub(crate) use arp::Arp;
pub use checksum::Checksum;
pub use congestion_experienced::mark_congestion;
pub use cut::complete_checksum;
pub(crate) use cut::{Cut, write_cut_header};
pub use ethernet::{ETHERNET_HEADER, EthernetAddress};
pub(crate) use ethernet::{EtherType, Frame, ethernet_header};
pub use fast_open::FastOpenCookie;
pub(crate) use icmp::write_unknown_option;
pub use icmp::{EchoRequest, IcmpError, IcmpErrorKind, write_echo_reply, write_icmp_error};
pub(crate) use ip::is_unicast;
pub(crate) use ip::parse_packet_of;
pub use ip::{Checksums, Ecn, IpInfo, Packet, Protocol, UnknownOption, parse_packet};
pub(crate) use ipv4::let_fragment;
pub(crate) use ndp::{Ndp, NdpKind, is_ndp, solicited_node};
pub use options::{Options, Timestamps};
pub(crate) use predicted::{PredictedSegment, ReadTemplate, WriteFields, WriteTemplate};
pub use sack_blocks::SackBlocks;
pub(crate) use segment::write_packet_header_of;
pub use segment::{
    Flags, Header, MAX_HEADER, Segment, WireError, WriteChecksum, write_packet_header,
};
pub(crate) use signature::{AoCoverage, Digest, SignedSegment, Signing, sign};
pub use signature_option::{KeyIds, SignatureKind};
pub(crate) use traffic_key::AoFunctions;
pub use traffic_key::{AoContext, TrafficKey};
pub use user_timeout::UserTimeout;

/// The optional formats that an image reads and writes. Formats that it lacks are skipped when read, and
/// never written.
pub(crate) trait Formats {
    /// The AccECN options.
    const ACCURATE_ECN: bool;
    /// The Fast Open option.
    const FAST_OPEN: bool;
    /// The SACK options.
    const ICMP_ERRORS: bool;
    /// The options of selective acknowledgments.
    const SACK: bool;
    /// The timestamps option.
    const TIMESTAMPS: bool;
    /// Signatures of segments (MD5 and TCP-AO).
    const SIGNATURES: bool;
    /// The user timeout option.
    const USER_TIMEOUT: bool;
    /// The window scale option.
    const WINDOW_SCALING: bool;
}

/// All formats: what the public functions of this module read and write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AllFormats;

impl Formats for AllFormats {
    const ACCURATE_ECN: bool = true;
    const FAST_OPEN: bool = true;
    const ICMP_ERRORS: bool = true;
    const SACK: bool = true;
    const SIGNATURES: bool = true;
    const TIMESTAMPS: bool = true;
    const USER_TIMEOUT: bool = true;
    const WINDOW_SCALING: bool = true;
}
