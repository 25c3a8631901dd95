//! What a link can do.

use crate::profile::Profile;
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
    /// Which transmissions the link cuts into segments.
    pub segmentation: Segmentation,
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
            segmentation: Segmentation::NONE,
            coalescing: 0,
        }
    }

    /// The longest packet that the link delivers, in bytes.
    pub fn largest_received(&self) -> u32 {
        self.mtu.max(self.coalescing)
    }
}

/// Most payload bytes of one transmission that a link cuts into segments, by the IP version around them;
/// 0: it does not segment. At most [`Capabilities::LARGEST_PAYLOAD`] are used, and none without the
/// feature `segmentation`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segmentation {
    /// In IPv4 packets.
    pub ipv4: u32,
    /// In IPv6 packets.
    pub ipv6: u32,
}

impl Segmentation {
    /// The link does not segment.
    pub const NONE: Self = Self::both(0);

    /// As many bytes in either.
    pub const fn both(bytes: u32) -> Self {
        Segmentation { ipv4: bytes, ipv6: bytes }
    }

    /// As much of it as can be used.
    pub(super) fn usable<P: Profile>(self) -> Self {
        let largest = if P::SEGMENTATION { Capabilities::LARGEST_PAYLOAD } else { 0 };
        Segmentation { ipv4: self.ipv4.min(largest), ipv6: self.ipv6.min(largest) }
    }

    /// In packets of this version.
    pub(super) const fn of(self, is_ipv4: bool) -> u32 {
        if is_ipv4 { self.ipv4 } else { self.ipv6 }
    }

    /// In packets of either.
    pub(super) fn largest(self) -> u32 {
        self.of(true).max(self.of(false))
    }
}
