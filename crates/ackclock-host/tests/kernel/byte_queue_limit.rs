//! How much a packet socket lets wait in the queue of its interface.

use crate::namespace::in_namespace;
use ackclock::link::{Link, TransmitError};
use ackclock::stack::Transmit;
use ackclock::time::Instant;
use ackclock::wire::EthernetAddress;
use ackclock_host::packet::PacketSocket;
use std::process::Command;

/// More frames than the test can send in the time of one on the line.
const MANY: usize = 200;

fn run(command: &str) {
    let mut words = command.split(' ');
    let status = Command::new(words.next().expect("a program")).args(words).status();
    assert!(status.expect("iproute2").success(), "{command}");
}

/// How many full frames a socket takes, with that limit, on a line that needs half a minute for each once two
/// are through; at most [`MANY`].
fn frames_taken(limit: Option<usize>) -> usize {
    let address = EthernetAddress([2, 0, 0, 0, 7, 3]);
    let mut socket =
        PacketSocket::open(&"bql0".parse().unwrap(), address).expect("a packet socket");
    if let Some(bytes) = limit {
        socket.limit_queue(bytes).expect("a limit");
    }
    let mut frame = [0; 1514];
    frame[..6].fill(0xff);
    frame[12..14].copy_from_slice(&[8, 0]);
    let transmit = Transmit {
        header: &frame,
        payload: [&[], &[]],
        transport_offset: 0,
        segment_size: 0,
        checksum: Default::default(),
        ecn: Default::default(),
    };
    (0..MANY)
        .take_while(|_| match socket.transmit(Instant::ZERO, &transmit) {
            Ok(()) => true,
            Err(TransmitError::Full) => false,
            Err(error) => panic!("{error:?}"),
        })
        .count()
}

#[test]
fn a_packet_socket_refuses_what_would_wait_beyond_the_limit() {
    in_namespace(|| {
        run("ip link add bql0 type veth peer name bql1");
        run("ip link set bql0 up");
        run("ip link set bql1 up");
        let line = "dev bql0 root tbf rate 400bit burst 3100 limit 1000000";
        run(&format!("tc qdisc replace {line}"));
        let limited = frames_taken(Some(3_000));
        assert!((1..=5).contains(&limited), "{limited}");
        let unlimited = frames_taken(None);
        assert!(unlimited > 40, "{unlimited}");
    });
}
