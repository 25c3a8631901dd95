//! Packets of the connection that the last one was of, recognised by their bytes.
//!
//! Packets come in trains (Jain and Routhier, "Packet trains", 1986): what they have in common is
//! compared as it stands in the headers, and the rest is read. All others are read by another way.

use super::checksum::Checksum;
use super::ip::IpProtocol;
use super::options::{BEFORE_TIMESTAMPS, LONE_TIMESTAMPS};
use super::segment::FIXED_HEADER;
use super::{Address, Checksums, Flags, Header, PlainSegment, Segment, Timestamps, ipv4};
use crate::seq::SeqNumber;

/// Bytes of IPv4's header without options, TCP's and timestamps.
const HEADERS: usize = ipv4::HEADER + FIXED_HEADER + LONE_TIMESTAMPS;

/// Version, length and ECN bits of the first word, and what stands there.
const FIRST: (u32, u32) = (0xff03_0000, 0x4500_0000);
/// Protocol.
const THIRD: (u32, u32) = (0x00ff_0000, (IpProtocol::Tcp as u32) << 16);
/// The data offset, and of the flags ACK and perhaps PSH.
const FLAGS: (u32, u32) = (
    0xffff_0000 & !((Flags::PSH.bits() as u32) << 16),
    ((FIXED_HEADER + LONE_TIMESTAMPS) as u32 / 4) << 28 | (Flags::ACK.bits() as u32) << 16,
);

/// What the packets of one IPv4 connection have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    /// Source, destination and ports, as they stand in the packet.
    source: u32,
    destination: u32,
    ports: u32,
    /// The sum of the pseudo-header but for the length.
    sum: Checksum,
}

impl Expected {
    /// No packet has such ports.
    pub(crate) const NONE: Self =
        Expected { source: 0, destination: 0, ports: 0, sum: Checksum::ZERO };

    /// What the next packets have in common with that of this segment; `None` if it is IPv6.
    pub(crate) fn after(segment: &Segment<'_>) -> Option<Self> {
        let (source, destination) = match (segment.ip.source, segment.ip.destination) {
            (Address::V4(source), Address::V4(destination)) => {
                (source.to_bits(), destination.to_bits())
            }
            _ => return None,
        };
        let Header { source_port, destination_port, .. } = segment.header;
        let ports = u32::from(source_port) << 16 | u32::from(destination_port);
        let sum = Checksum::default().over_words(&[source, destination, IpProtocol::Tcp as u32]);
        Some(Expected {
            source: source.to_be(),
            destination: destination.to_be(),
            ports: ports.to_be(),
            sum,
        })
    }

    /// Reads the segment of a packet that is of the connection and plain; `None` for all others, and
    /// for those that [`parse_packet`](super::parse_packet) refuses.
    #[inline(always)]
    pub(crate) fn read<'a>(&self, packet: &'a [u8], verify: Checksums) -> Option<PlainSegment<'a>> {
        let (chunks, _) = packet.first_chunk::<HEADERS>()?.as_chunks::<4>();
        let &[
            first,
            second,
            third,
            source,
            destination,
            ports,
            seq,
            ack,
            flags,
            _,
            options,
            value,
            echo,
        ] = chunks.first_chunk::<{ HEADERS / 4 }>()?;
        let raw = u32::from_ne_bytes;
        let differs = |word, (mask, value): (u32, u32)| raw(word) & mask.to_be() ^ value.to_be();
        let difference = differs(first, FIRST)
            | raw(second) & u32::from(ipv4::FRAGMENT).to_be()
            | differs(third, THIRD)
            | raw(source) ^ self.source
            | raw(destination) ^ self.destination
            | raw(ports) ^ self.ports
            | differs(flags, FLAGS)
            | raw(options) ^ BEFORE_TIMESTAMPS.to_be();
        if difference != 0 {
            return None;
        }
        let total = (u32::from_be_bytes(first) & 0xffff) as usize;
        let payload = packet.get(HEADERS..total)?;
        let ip = [first, second, third, source, destination].map(u32::from_be_bytes);
        if verify.ip && Checksum::default().over_words(&ip).complement() != 0 {
            return None;
        }
        let transport = packet.get(ipv4::HEADER..total)?;
        let length = [(transport.len() as u32) << 16];
        if verify.transport && self.sum.over_words(&length).over(transport).complement() != 0 {
            return None;
        }
        let flags = u32::from_be_bytes(flags);
        Some(PlainSegment {
            seq: SeqNumber(u32::from_be_bytes(seq)),
            ack: SeqNumber(u32::from_be_bytes(ack)),
            flags: Flags::from_bits((flags >> 16) as u16),
            window: flags as u16,
            timestamps: Some(Timestamps {
                value: u32::from_be_bytes(value),
                echo: u32::from_be_bytes(echo),
            }),
            payload,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{
        Ecn, Header, IpInfo, MAX_HEADER, Options, Protocol, WriteChecksum, parse_packet,
        write_packet_header,
    };

    const NONE: Checksums = Checksums { ip: false, transport: false };

    fn packet(bytes: &mut [u8; 80]) {
        let ip = IpInfo {
            source: [10, 0, 0, 2].into(),
            destination: [10, 0, 0, 1].into(),
            hop_limit: 64,
            dscp: 3,
            ecn: Ecn::NotEct,
        };
        let timestamps = Some(Timestamps { value: 7, echo: 9 });
        let header = Header {
            source_port: 80,
            destination_port: 40_000,
            seq: SeqNumber(5),
            ack: SeqNumber(6),
            flags: Flags::ACK | Flags::PSH,
            window: 1_000,
            urgent_pointer: 0,
            options: Options { timestamps, ..Options::default() },
        };
        let mut headers = [0; MAX_HEADER];
        let payload = [&[1; 28][..], &[]];
        let len = write_packet_header(&mut headers, &ip, &header, payload, WriteChecksum::Complete);
        bytes[..len].copy_from_slice(&headers[..len]);
        bytes[len..].fill(1);
    }

    fn expected(bytes: &[u8]) -> Expected {
        let packet = parse_packet(bytes, Checksums::default()).expect("a packet");
        let Protocol::Tcp(segment) = packet.protocol else {
            panic!("{packet:?}");
        };
        Expected::after(&segment).expect("of IPv4")
    }

    #[test]
    fn the_next_packet_of_the_connection_is_read() {
        let mut bytes = [0; 80];
        packet(&mut bytes);
        let segment = expected(&bytes).read(&bytes, Checksums::default()).expect("a segment");
        assert_eq!((segment.seq, segment.ack), (SeqNumber(5), SeqNumber(6)));
        assert_eq!((segment.flags, segment.window), (Flags::ACK | Flags::PSH, 1_000));
        assert_eq!(segment.timestamps, Some(Timestamps { value: 7, echo: 9 }));
        assert_eq!(segment.payload, [1; 28]);
    }

    #[test]
    fn a_damaged_packet_is_not() {
        let mut intact = [0; 80];
        packet(&mut intact);
        let expected = expected(&intact);
        for at in 0..intact.len() {
            let mut bytes = intact;
            bytes[at] ^= 0x10;
            assert!(expected.read(&bytes, Checksums::default()).is_none(), "byte {at}");
        }
        for len in 0..intact.len() {
            assert!(expected.read(&intact[..len], Checksums::default()).is_none());
        }
    }

    #[test]
    fn what_is_read_is_what_the_other_way_reads() {
        let mut intact = [0; 80];
        packet(&mut intact);
        let expected = expected(&intact);
        let mut read = 0;
        for (at, bit) in (0..HEADERS).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut bytes = intact;
            bytes[at] ^= 1 << bit;
            let Some(segment) = expected.read(&bytes, NONE) else {
                continue;
            };
            read += 1;
            let parsed = parse_packet(&bytes, NONE).expect("a packet");
            let Protocol::Tcp(whole) = parsed.protocol else {
                panic!("{parsed:?}");
            };
            let header = Header {
                seq: segment.seq,
                ack: segment.ack,
                flags: segment.flags,
                window: segment.window,
                urgent_pointer: whole.header.urgent_pointer,
                source_port: 80,
                destination_port: 40_000,
                options: Options { timestamps: segment.timestamps, ..Options::default() },
            };
            assert_eq!((whole.header, whole.payload), (header, segment.payload), "{at} {bit}");
            assert_eq!((parsed.ip.ecn, parsed.ip.source), (Ecn::NotEct, [10, 0, 0, 2].into()));
        }
        assert!(read > 100, "{read}");
    }
}
