//! The header of packets of a TUN device that is about checksums and segmentation: `struct
//! virtio_net_hdr` of `linux/virtio_net.h` (virtio 1.2 section 5.1.6), in the machine's byte order.

use ackclock::stack::Transmit;
use ackclock::wire::{Checksums, WriteChecksum};

/// Length of the header in bytes, without the fields for merged receive buffers.
pub(crate) const VNET_HEADER: usize = 10;

/// `VIRTIO_NET_HDR_F_NEEDS_CSUM`: the checksum from `csum_start` on is to be completed.
const NEEDS_CHECKSUM: u8 = 1;
/// `VIRTIO_NET_HDR_F_DATA_VALID`: the checksum was verified.
const DATA_VALID: u8 = 2;
/// `VIRTIO_NET_HDR_GSO_TCPV4` and `VIRTIO_NET_HDR_GSO_TCPV6`.
const SEGMENT_TCP_V4: u8 = 1;
const SEGMENT_TCP_V6: u8 = 4;
/// Where the checksum lies in a TCP header (RFC 9293 section 3.1).
const TCP_CHECKSUM: u16 = 16;

/// The header of a packet whose checksum the device completes and which it segments, as `transmit`
/// asks.
pub(crate) fn header(transmit: &Transmit<'_>) -> [u8; VNET_HEADER] {
    let is_v4 = transmit.header.first().is_some_and(|first| first >> 4 == 4);
    let (mut flags, mut kind) = (0, 0);
    let [mut header_length, mut start, mut offset] = [0; 3];
    if transmit.checksum == WriteChecksum::PseudoHeader {
        (flags, start, offset) = (NEEDS_CHECKSUM, transmit.transport_offset as u16, TCP_CHECKSUM);
    }
    if transmit.segment_size > 0 {
        kind = if is_v4 { SEGMENT_TCP_V4 } else { SEGMENT_TCP_V6 };
        header_length = transmit.header.len() as u16;
    }
    let mut bytes = [0; VNET_HEADER];
    (bytes[0], bytes[1]) = (flags, kind);
    let fields = [header_length, transmit.segment_size, start, offset];
    for (place, field) in bytes[2..].chunks_mut(2).zip(fields) {
        place.copy_from_slice(&field.to_ne_bytes());
    }
    bytes
}

/// The checksums that the stack must verify of a packet that came with this header. The kernel
/// leaves those of its own segments incomplete, since nothing can have damaged them on the way.
pub(crate) fn unverified(header: &[u8; VNET_HEADER]) -> Checksums {
    let transport = header[0] & (NEEDS_CHECKSUM | DATA_VALID) == 0;
    Checksums { transport, ..Checksums::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::wire::Ecn;

    fn transmit(header: &[u8], segment_size: u16, checksum: WriteChecksum) -> Transmit<'_> {
        let (transport_offset, ecn) = (header.len() - 32, Ecn::NotEct);
        let payload: [&[u8]; 2] = [&[0; 3_000], &[]];
        Transmit { header, payload, transport_offset, segment_size, checksum, ecn }
    }

    fn words(header: [u8; VNET_HEADER]) -> (u8, u8, [u16; 4]) {
        let word = |at| u16::from_ne_bytes([header[at], header[at + 1]]);
        (header[0], header[1], [2, 4, 6, 8].map(word))
    }

    #[test]
    fn the_device_is_told_where_the_checksum_goes_and_how_to_cut() {
        let partial = WriteChecksum::PseudoHeader;
        assert_eq!(
            words(header(&transmit(&[0x45; 52], 1448, partial))),
            (1, 1, [52, 1448, 20, 16])
        );
        assert_eq!(
            words(header(&transmit(&[0x60; 72], 1428, partial))),
            (1, 4, [72, 1428, 40, 16])
        );
        assert_eq!(words(header(&transmit(&[0x60; 72], 0, partial))), (1, 0, [0, 0, 40, 16]));
    }

    #[test]
    fn a_packet_that_is_complete_has_a_header_of_zeros() {
        let whole = transmit(&[0x45; 52], 0, WriteChecksum::Complete);
        assert_eq!(header(&whole), [0; VNET_HEADER]);
    }

    #[test]
    fn the_stack_verifies_what_nobody_vouches_for() {
        for (flags, transport) in [(0, true), (1, false), (2, false), (4, true)] {
            let mut header = [0; VNET_HEADER];
            header[0] = flags;
            assert_eq!(unverified(&header), Checksums { ip: true, transport });
        }
    }
}
