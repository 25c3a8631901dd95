//! What a link can do.

use crate::wire::{Checksums, WriteChecksum};

/// What a link can do, as far as the stack needs to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Capabilities {
    /// Largest IP packet in bytes, at least 68 (IPv4) or 1280 (IPv6).
    pub mtu: u32,
    /// Which checksums the stack verifies in received packets.
    pub verify: Checksums,
    /// Who completes the TCP checksum of packets sent.
    pub checksum: WriteChecksum,
    /// Most payload bytes of one transmission that the link cuts into segments; 0: it does not
    /// segment.
    pub segmentation: u32,
}

impl Capabilities {
    /// A plain link with this MTU: all checksums are ours, no segmentation.
    pub fn with_mtu(mtu: u32) -> Self {
        Capabilities {
            mtu,
            verify: Checksums::default(),
            checksum: WriteChecksum::default(),
            segmentation: 0,
        }
    }
}
