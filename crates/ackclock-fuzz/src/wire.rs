//! Any bytes as a packet: what can be read can be written, and reads the same again.

use ackclock::wire::{
    Checksums, MAX_HEADER, Options, Packet, Protocol, WriteChecksum, parse_packet,
    write_echo_reply, write_packet_header,
};

pub(crate) fn run(data: &[u8]) {
    for verify in [Checksums::default(), Checksums { ip: false, transport: false }] {
        if let Ok(packet) = parse_packet(data, verify) {
            check(&packet);
        }
    }
}

fn check(packet: &Packet<'_>) {
    let mut header = [0; MAX_HEADER];
    match packet.protocol {
        Protocol::Tcp(segment) => {
            let payload = [segment.payload, &[]];
            let complete = WriteChecksum::Complete;
            let len =
                write_packet_header(&mut header, &packet.ip, &segment.header, payload, complete);
            let bytes = [&header[..len], segment.payload].concat();
            let read = parse_packet(&bytes, Checksums::default()).expect("what we wrote");
            assert_eq!(read.ip, packet.ip);
            let Protocol::Tcp(read) = read.protocol else {
                panic!("what we wrote is TCP");
            };
            assert_eq!(read.payload, segment.payload);
            let (mut read, mut written) = (read.header, segment.header);
            // Blocks for which our padding leaves no room are left out.
            let blocks = |options: &Options| options.sack.as_slice().to_vec();
            assert!(blocks(&written.options).starts_with(&blocks(&read.options)));
            assert_eq!(read.options.fast_open(), written.options.fast_open());
            (read.options.sack, written.options.sack) = Default::default();
            assert_eq!(read, written);
        }
        Protocol::EchoRequest(request) => {
            let len = write_echo_reply(&mut header, &packet.ip, &request);
            let bytes = [&header[..len], request.data].concat();
            let read = parse_packet(&bytes, Checksums::default()).expect("what we wrote");
            assert_eq!(read.protocol, Protocol::OtherIcmp, "a reply is nothing to answer");
        }
        Protocol::IcmpError(_) | Protocol::OtherIcmp | Protocol::UnknownOption(_) => {}
    }
}
