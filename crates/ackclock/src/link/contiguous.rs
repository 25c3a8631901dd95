//! For devices that want a packet in one piece.

use crate::stack::{Capabilities, Transmit};
use crate::wire::{Checksums, WriteChecksum};

/// Where TCP's checksum is in its header, in bytes (RFC 9293 section 3.1).
const TCP_CHECKSUM: usize = 16;

/// Capabilities of a device that says per protocol who computes and verifies checksums.
pub(super) fn capabilities(mtu: usize, verify: Checksums, we_compute: bool) -> Capabilities {
    let mut capabilities = Capabilities::with_mtu(u32::try_from(mtu).unwrap_or(u32::MAX));
    capabilities.verify = verify;
    if !we_compute {
        capabilities.checksum = WriteChecksum::PseudoHeader;
    }
    capabilities
}

/// Copies a packet into the device's memory, which is as long. A checksum that the device computes is
/// zero there, as these devices expect it: they sum the pseudo-header themselves.
pub(super) fn copy_whole(packet: &Transmit<'_>, to: &mut [u8]) {
    if packet.copy_to(to).is_some() && packet.checksum == WriteChecksum::PseudoHeader {
        let at = packet.transport_offset.saturating_add(TCP_CHECKSUM);
        if let Some(checksum) = to.get_mut(at..).and_then(|tail| tail.first_chunk_mut::<2>()) {
            *checksum = [0; 2];
        }
    }
}
