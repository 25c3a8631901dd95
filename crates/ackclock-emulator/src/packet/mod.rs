//! Packets in the network, and the pool of their memory.

mod checksum;
pub(crate) mod fragments;
pub(crate) mod ip;

use ackclock::stack::Transmit;

/// A packet somewhere in the network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Packet {
    /// The packet's number, in the order in which the packets of a run were sent; a copy has the
    /// number of its original.
    pub(crate) number: u64,
    /// The whole IP packet.
    pub(crate) bytes: Vec<u8>,
}

/// A pool of packets' memory. Packets that are gone leave their buffers for later ones, so that a
/// run allocates only as many buffers as there are packets in the network at a time.
#[derive(Debug, Default)]
pub(crate) struct PacketPool {
    free: Vec<Vec<u8>>,
    made: u64,
}

impl PacketPool {
    /// A packet with the bytes of a transmission: the only copy on the way from one stack to the
    /// other.
    pub(crate) fn packet(&mut self, transmit: &Transmit<'_>) -> Packet {
        let mut packet = self.empty();
        packet.bytes.reserve(transmit.len());
        packet.bytes.extend_from_slice(transmit.header);
        for part in transmit.payload {
            packet.bytes.extend_from_slice(part);
        }
        packet
    }

    /// A packet without bytes, to be filled by the caller.
    pub(crate) fn empty(&mut self) -> Packet {
        let bytes = self.free.pop().unwrap_or_default();
        let number = self.made;
        self.made += 1;
        Packet { number, bytes }
    }

    pub(crate) fn recycle(&mut self, packet: Packet) {
        let mut bytes = packet.bytes;
        bytes.clear();
        self.free.push(bytes);
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use ackclock::seq::SeqNumber;
    use ackclock::wire::{
        Ecn, Flags, Header, IpInfo, MAX_HEADER, Options, WriteChecksum, write_packet_header,
    };
    use std::net::IpAddr;

    /// A packet of `length` bytes with a valid TCP segment from this port.
    pub(crate) fn ip_packet(v6: bool, port: u16, ecn: Ecn, length: usize) -> Vec<u8> {
        let (hosts, headers) =
            if v6 { (["fd00::1", "fd00::2"], 60) } else { (["10.0.0.1", "10.0.0.2"], 40) };
        let [source, destination] = hosts.map(|host| host.parse::<IpAddr>().unwrap().into());
        let ip = IpInfo { source, destination, hop_limit: 64, dscp: 0, ecn };
        let header = Header {
            source_port: port,
            destination_port: 9,
            seq: SeqNumber::default(),
            ack: SeqNumber::default(),
            flags: Flags::ACK,
            window: 1000,
            urgent_pointer: 0,
            options: Options::default(),
        };
        let payload = vec![0; length - headers];
        let mut bytes = [0; MAX_HEADER];
        let sum = WriteChecksum::Complete;
        let written = write_packet_header(&mut bytes, &ip, &header, [&payload, &[]], sum);
        [&bytes[..written], &payload].concat()
    }

    /// A packet of `length` bytes, all of them `number`.
    pub(crate) fn packet(number: u64, length: usize) -> Packet {
        let bytes = vec![number as u8; length];
        Packet { number, bytes }
    }

    /// The transmission by which a stack would send `bytes`.
    pub(crate) fn transmit(bytes: &[u8]) -> Transmit<'_> {
        let (header, payload) = bytes.split_at(bytes.len().min(40));
        let (first, second) = payload.split_at(payload.len() / 2);
        Transmit {
            header,
            payload: [first, second],
            transport_offset: 20,
            segment_size: 0,
            checksum: Default::default(),
            ecn: Default::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_its_parts_in_order_and_old_memory_leaves_no_trace() {
        let mut pool = PacketPool::default();
        let long: Vec<u8> = (0..100).collect();
        let first = pool.packet(&testing::transmit(&long));
        assert_eq!((first.number, &first.bytes), (0, &long));
        let memory = first.bytes.as_ptr();
        pool.recycle(first);
        let second = pool.packet(&testing::transmit(&[9; 43]));
        assert_eq!((second.number, &second.bytes[..]), (1, &[9; 43][..]));
        assert_eq!(second.bytes.as_ptr(), memory);
    }
}
