//! Packets between stack and link: [`Received`] from the link, [`Transmit`] to the link.

use crate::wire::{Checksums, Cut, Ecn, MAX_HEADER, WriteChecksum, write_cut_header};

/// A packet received from a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Received<'a> {
    /// The IP packet, or the frame. A link that merges received segments (GRO) delivers some that are longer
    /// than the MTU.
    pub packet: &'a [u8],
    /// Which of its checksums the stack must still verify. A device that has verified them, or that got the
    /// packet from a sender on the same machine, says so for each packet.
    pub verify: Checksums,
}

impl<'a> Received<'a> {
    /// A packet whose checksums were not verified.
    pub const fn unverified(packet: &'a [u8]) -> Self {
        Received { packet, verify: Checksums::ALL }
    }
}

/// A packet to send: its headers, and its payload in place in the send queue, for the link to gather or copy.
#[derive(Clone, Copy, Debug)]
pub struct Transmit<'a> {
    /// IP and transport headers.
    pub header: &'a [u8],
    /// The payload, in two slices in order.
    pub payload: [&'a [u8]; 2],
    /// Where the transport header begins in `header`, in bytes.
    pub transport_offset: usize,
    /// Payload bytes per segment, if the link is to cut the packet into segments; 0: send it as it is.
    pub segment_size: u16,
    /// Whether the transport checksum is complete.
    pub checksum: WriteChecksum,
    /// ECN codepoint in the IP header.
    pub ecn: Ecn,
}

impl<'a> Transmit<'a> {
    /// Length of the packet in bytes.
    pub fn len(&self) -> usize {
        let [first, second] = self.payload;
        self.header.len() + first.len() + second.len()
    }

    /// Whether the packet has no bytes (always false).
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Cuts the packet and completes checksums as a link with these capabilities does: passes each resulting
    /// packet to `each`, in order. A packet that is not to be cut is passed on as it is, with its checksum
    /// completed.
    pub fn cut(&self, each: &mut dyn FnMut(&Transmit<'_>)) {
        if self.segment_size == 0 && self.checksum == WriteChecksum::Complete {
            return each(self);
        }
        let [first, second] = self.payload;
        let total = first.len().saturating_add(second.len());
        let size = if self.segment_size == 0 { total } else { self.segment_size.into() };
        let mut start = 0usize;
        loop {
            let end = start.saturating_add(size).min(total);
            let part = |slice: &'a [u8], before: usize| {
                let [start, end] =
                    [start, end].map(|edge| edge.saturating_sub(before).min(slice.len()));
                slice.get(start..end).unwrap_or_default()
            };
            let payload = [part(first, 0), part(second, first.len())];
            let cut = Cut { start, payload, last: end == total };
            let mut header = [0; MAX_HEADER];
            let length = write_cut_header(&mut header, self.header, self.transport_offset, &cut);
            each(&Transmit {
                header: header.get(..length).unwrap_or_default(),
                payload,
                segment_size: 0,
                checksum: WriteChecksum::Complete,
                ..*self
            });
            start = end;
            if end == total {
                break;
            }
        }
    }

    /// Copies the packet into `to`; returns its length, or `None` if it does not fit.
    pub fn copy_to(&self, to: &mut [u8]) -> Option<usize> {
        let to = to.get_mut(..self.len())?;
        let mut at = 0;
        for part in [self.header, self.payload[0], self.payload[1]] {
            at += crate::storage::copy(to.get_mut(at..)?, part);
        }
        Some(at)
    }
}

/// Result of an offer to the link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Offered {
    /// The link took a packet; there may be more.
    Taken,
    /// The link had no room: the packet stays, and will be offered again.
    Rejected,
    /// There is nothing to send now.
    Nothing,
}

impl Offered {
    /// Whether the link took a packet: `while stack.transmit(now, sink).is_taken() {}` sends everything that
    /// can be sent now.
    pub const fn is_taken(self) -> bool {
        matches!(self, Offered::Taken)
    }
}

impl From<Option<Result<(), Rejected>>> for Offered {
    fn from(offered: Option<Result<(), Rejected>>) -> Self {
        match offered {
            None => Offered::Nothing,
            Some(Ok(())) => Offered::Taken,
            Some(Err(Rejected)) => Offered::Rejected,
        }
    }
}

/// The sink has no room and took nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rejected;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seq::SeqNumber;
    use crate::wire::{
        Flags, Header, IpInfo, Options, Protocol, Timestamps, complete_checksum, parse_packet,
        write_packet_header,
    };
    use core::net::IpAddr;
    use std::vec;
    use std::vec::Vec;

    const SEQ: u32 = u32::MAX - 1_500;

    fn ip(v4: bool) -> IpInfo {
        let address = |n: u8| -> IpAddr {
            if v4 { [10, 0, 0, n].into() } else { [0xfd00, 0, 0, 0, 0, 0, 0, n.into()].into() }
        };
        let (source, destination) = (address(1), address(2));
        IpInfo {
            source: source.into(),
            destination: destination.into(),
            hop_limit: 9,
            dscp: 5,
            ecn: Ecn::Ect0,
        }
    }

    fn header(flags: Flags) -> Header {
        Header {
            source_port: 1_000,
            destination_port: 2_000,
            seq: SeqNumber(SEQ),
            ack: SeqNumber(7),
            flags,
            window: 400,
            urgent_pointer: 0,
            options: Options {
                timestamps: Some(Timestamps { value: 3, echo: 4 }),
                ..Options::default()
            },
        }
    }

    /// The packets that a transmission of `payload` is cut into, each with its payload.
    fn cut(v4: bool, flags: Flags, payload: [&[u8]; 2], segment_size: u16) -> Vec<Vec<u8>> {
        let mut bytes = [0; MAX_HEADER];
        let checksum = WriteChecksum::PseudoHeader;
        let length = write_packet_header(&mut bytes, &ip(v4), &header(flags), payload, checksum);
        let transmit = Transmit {
            header: &bytes[..length],
            payload,
            transport_offset: if v4 { 20 } else { 40 },
            segment_size,
            checksum,
            ecn: Ecn::Ect0,
        };
        let mut packets = vec![];
        transmit.cut(&mut |packet| {
            assert_eq!((packet.segment_size, packet.checksum), (0, WriteChecksum::Complete));
            let mut bytes = vec![0; packet.len()];
            assert_eq!(packet.copy_to(&mut bytes), Some(packet.len()));
            packets.push(bytes);
        });
        packets
    }

    #[test]
    fn each_segment_is_as_if_it_had_been_sent_alone() {
        let bytes: Vec<u8> = (0..250).collect();
        let all = Flags::ACK | Flags::PSH | Flags::FIN | Flags::CWR;
        for v4 in [true, false] {
            for border in 0..=bytes.len() {
                let packets = cut(v4, all, [&bytes[..border], &bytes[border..]], 100);
                let flags = [Flags::CWR, Flags::NONE, Flags::PSH | Flags::FIN];
                assert_eq!(packets.len(), flags.len());
                for (index, (packet, flags)) in packets.iter().zip(flags).enumerate() {
                    let parsed = parse_packet(packet, Checksums::default()).expect("a packet");
                    let Protocol::Tcp(segment) = parsed.protocol else {
                        panic!("{parsed:?}");
                    };
                    let seq = SeqNumber(SEQ) + 100 * index as u32;
                    let expected = Header { seq, ..header(flags | Flags::ACK) };
                    assert_eq!((segment.header, parsed.ip), (expected, ip(v4)));
                    let end = (100 * index + 100).min(250);
                    assert_eq!(segment.payload, &bytes[100 * index..end]);
                }
            }
        }
    }

    #[test]
    fn what_is_no_longer_than_a_segment_gets_its_checksum_only() {
        for v4 in [true, false] {
            for (payload, size) in [(&b"hello"[..], 0), (b"", 0), (b"hello", 5)] {
                let flags = Flags::ACK | Flags::FIN | Flags::CWR;
                let [packet] = &cut(v4, flags, [payload, &[]], size)[..] else {
                    panic!("one packet");
                };
                let mut bytes = [0; MAX_HEADER];
                let complete = WriteChecksum::Complete;
                let payload = [payload, &[]];
                let length =
                    write_packet_header(&mut bytes, &ip(v4), &header(flags), payload, complete);
                assert_eq!(*packet, [&bytes[..length], payload[0]].concat());
            }
        }
    }

    #[test]
    fn a_checksum_left_incomplete_is_completed() {
        for v4 in [true, false] {
            let [whole] = &cut(v4, Flags::ACK, [b"some text", &[]], 0)[..] else {
                panic!("one packet");
            };
            let mut packet = whole.clone();
            let offset = if v4 { 20 } else { 40 };
            packet[offset + 16] ^= 0x55;
            complete_checksum(&mut packet);
            assert_eq!(packet, *whole);
        }
    }

    #[test]
    fn what_is_no_tcp_packet_is_left_alone() {
        let mut udp = [0x45; 40];
        udp[9] = 17;
        for packet in [&udp[..], &[], &[0x45; 10], &[0x4f; 30], &[0x60; 39], &[0x60; 41], &[1; 60]]
        {
            let mut copy = packet.to_vec();
            complete_checksum(&mut copy);
            assert_eq!(copy, packet);
        }
        let payload: [&[u8]; 2] = [&[1; 20], &[]];
        for header in [&[][..], &[0x45; 19], &[0x45; 30], &[0x60; 50]] {
            let checksum = WriteChecksum::PseudoHeader;
            let (segment_size, transport_offset) = (7, 20);
            let ecn = Ecn::NotEct;
            let nonsense =
                Transmit { header, payload, transport_offset, segment_size, checksum, ecn };
            let mut pieces = 0;
            nonsense.cut(&mut |_| pieces += 1);
            assert_eq!(pieces, 3);
        }
    }
}
