//! Templates for the headers of the packets that an established connection exchanges most: IPv4 without
//! options or IPv6 without extension headers, and TCP with no option or only timestamps.
//!
//! A template holds what the headers of one connection in one direction have in common. Packets come in
//! trains (Jain and Routhier, "Packet trains", 1986), so what was computed for one packet serves the next
//! ones. [`ReadTemplate`] reads headers, and [`WriteTemplate`] writes them. Neither decides anything: each
//! gives exactly the same result as [`parse_packet`](super::parse_packet) or
//! [`write_packet_header`](super::write_packet_header), or, when reading, none.

mod read;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use read::{PredictedSegment, ReadTemplate};
pub(crate) use write::{WriteFields, WriteTemplate};
