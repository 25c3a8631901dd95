//! Capabilities of a link.

use crate::profile::Profile;
use crate::wire::{Checksums, MAX_HEADER, WriteChecksum};

/// Capabilities of a link, as far as the stack needs to know them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Capabilities {
    /// Largest IP packet in bytes, at least 68 (IPv4) or 1280 (IPv6).
    pub mtu: u32,
    /// Checksums that the stack verifies in received packets passed in without that information
    /// ([`Stack::on_packet`](super::Stack::on_packet)).
    pub verify: Checksums,
    /// Who completes the TCP checksum of packets to send (checksum offload).
    pub checksum: WriteChecksum,
    /// Which transmissions the link cuts into segments (segmentation offload).
    pub segmentation: Segmentation,
    /// Largest packet in bytes that the link delivers if it merges received segments (GRO); 0: it does not
    /// merge, and delivers none longer than the MTU.
    pub coalescing: u32,
}

impl Capabilities {
    /// Most payload bytes that fit into the length field of one IP packet after the longest headers ever
    /// written.
    pub const LARGEST_PAYLOAD: u32 = u16::MAX as u32 - MAX_HEADER as u32;

    /// A plain link with this MTU: the stack does all checksums, and there is no segmentation offload.
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

/// Segmentation offload: most payload bytes of one transmission that a link cuts into segments, by IP
/// version; 0: none. At most [`Capabilities::LARGEST_PAYLOAD`] bytes are used, and none without the feature
/// `segmentation`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segmentation {
    /// For IPv4 packets.
    pub ipv4: u32,
    /// For IPv6 packets.
    pub ipv6: u32,
}

impl Segmentation {
    /// The link does not segment.
    pub const NONE: Self = Self::both(0);

    /// The same number of bytes for both versions.
    pub const fn both(bytes: u32) -> Self {
        Segmentation { ipv4: bytes, ipv6: bytes }
    }

    /// The part of it that the image can use.
    pub(super) fn usable<P: Profile>(self) -> Self {
        let largest = if P::SEGMENTATION { Capabilities::LARGEST_PAYLOAD } else { 0 };
        Segmentation { ipv4: self.ipv4.min(largest), ipv6: self.ipv6.min(largest) }
    }

    /// The value for IPv4 packets (`is_ipv4`) or IPv6 packets.
    pub(super) const fn of(self, is_ipv4: bool) -> u32 {
        if is_ipv4 { self.ipv4 } else { self.ipv6 }
    }

    /// The larger of both values.
    pub(super) fn largest(self) -> u32 {
        self.of(true).max(self.of(false))
    }
}
