//! What a link can do.

use crate::wire::{Checksums, MAX_HEADER, WriteChecksum};

/// What a link can do, as far as the stack needs to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Capabilities {
    /// Largest IP packet in bytes, at least 68 (IPv4) or 1280 (IPv6).
    pub mtu: u32,
    /// Which checksums the stack verifies in received packets that come without a word of their own
    /// on that ([`Stack::on_packet`](super::Stack::on_packet)).
    pub verify: Checksums,
    /// Who completes the TCP checksum of packets sent.
    pub checksum: WriteChecksum,
    /// Most payload bytes of one transmission that the link cuts into segments; 0: it does not
    /// segment. At most [`LARGEST_PAYLOAD`](Self::LARGEST_PAYLOAD) are used.
    pub segmentation: u32,
    /// Largest packet in bytes that the link delivers where it puts received segments together; 0:
    /// it does not, and delivers none above the MTU.
    pub coalescing: u32,
}

impl Capabilities {
    /// Most payload bytes that one IP packet can tell of, with the longest headers that are ever
    /// written before them.
    pub const LARGEST_PAYLOAD: u32 = u16::MAX as u32 - MAX_HEADER as u32;

    /// A plain link with this MTU: all checksums are ours, no segmentation.
    pub const fn with_mtu(mtu: u32) -> Self {
        Capabilities {
            mtu,
            verify: Checksums::ALL,
            checksum: WriteChecksum::Complete,
            segmentation: 0,
            coalescing: 0,
        }
    }

    /// The longest packet that the link delivers, in bytes.
    pub fn largest_received(&self) -> u32 {
        self.mtu.max(self.coalescing)
    }
}
