//! Reading captures back.

use ackclock::time::Duration;
use ackclock::wire::{Checksums, Protocol, Segment, parse_packet};
use pcap_file::pcap::PcapReader;

/// A packet in a capture.
#[derive(Debug)]
pub(crate) struct Captured {
    /// When the packet passed, since the run began.
    pub(crate) at: Duration,
    bytes: Vec<u8>,
}

impl Captured {
    /// The TCP segment in it.
    pub(crate) fn segment(&self) -> Segment<'_> {
        match parse_packet(&self.bytes, Checksums::default()).unwrap().protocol {
            Protocol::Tcp(segment) => segment,
            other => panic!("not TCP: {other:?}"),
        }
    }
}

/// All packets of a capture, in the order in which they passed.
pub(crate) fn read(file: &[u8]) -> Vec<Captured> {
    let mut reader = PcapReader::new(file).unwrap();
    let mut packets = Vec::new();
    while let Some(packet) = reader.next_packet() {
        let packet = packet.unwrap();
        let at = Duration::from_nanos(packet.timestamp.as_nanos() as u64);
        packets.push(Captured { at, bytes: packet.data.into_owned() });
    }
    packets
}
