//! Tests of the TUN device without a stack: packets are written and read by hand.

use crate::namespace::in_namespace;
use crate::world::{Family, setup};
use ackclock::link::{Link, TransmitError};
use ackclock::stack::{Received, Transmit};
use ackclock::time::Instant;
use ackclock::wire::{Ecn, WriteChecksum};
use ackclock_host::interface;
use ackclock_host::setup::TunSetup;
use ackclock_host::tun::{self, Tun, TunError};
use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::process::Command;
use std::time::Duration;

/// The time after which a missing packet makes a test fail.
const PATIENCE: Duration = Duration::from_secs(120);

const OURS: Ipv4Addr = Ipv4Addr::new(10, 7, 0, 2);
const KERNEL: Ipv4Addr = Ipv4Addr::new(10, 7, 0, 1);

/// A device with an IPv4 address only, on which the kernel says nothing of its own accord.
fn quiet_setup() -> TunSetup {
    std::fs::write("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1").expect("no IPv6");
    TunSetup { addresses: vec![Family::V4.ours()], ..setup("tun0") }
}

fn quiet_device() -> Tun {
    let setup = quiet_setup();
    let tun = Tun::open(&setup.name).expect("a TUN device");
    setup.apply().expect("a configured interface");
    tun
}

/// An IPv4 header (RFC 791) for a UDP datagram to the kernel, and the UDP header, without checksum
/// (RFC 768).
fn udp_headers(port: u16, length: u16) -> [u8; 28] {
    let mut header = [0; 28];
    header[0] = 0x45;
    header[2..4].copy_from_slice(&(28 + length).to_be_bytes());
    header[8..10].copy_from_slice(&[64, 17]);
    header[12..16].copy_from_slice(&OURS.octets());
    header[16..20].copy_from_slice(&KERNEL.octets());
    let sum: u32 =
        header[..20].chunks(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    header[10..12].copy_from_slice(&(!(folded as u16)).to_be_bytes());
    header[20..22].copy_from_slice(&7007u16.to_be_bytes());
    header[22..24].copy_from_slice(&port.to_be_bytes());
    header[24..26].copy_from_slice(&(8 + length).to_be_bytes());
    header
}

fn packet<'a>(header: &'a [u8], payload: [&'a [u8]; 2]) -> Transmit<'a> {
    Transmit {
        header,
        payload,
        transport_offset: 20,
        segment_size: 0,
        checksum: WriteChecksum::default(),
        ecn: Ecn::NotEct,
    }
}

#[test]
fn packets_of_the_kernel_arrive_whole_in_order_and_in_batches() {
    in_namespace(|| {
        let mut tun = quiet_device();
        let socket = UdpSocket::bind((KERNEL, 0)).expect("a socket");
        for text in ["first", "second", "third"] {
            let sent = socket.send_to(text.as_bytes(), (OURS, 7007));
            sent.expect("a datagram sent");
        }
        let mut packets = Vec::new();
        let mut take = |budget| {
            let deliver = &mut |received: Received<'_>| packets.push(received.packet.to_vec());
            tun.receive(Instant::ZERO, budget, deliver).expect("a working device")
        };
        assert_eq!([take(2), take(2), take(2)], [2, 1, 0]);
        for (packet, text) in packets.iter().zip(["first", "second", "third"]) {
            assert_eq!(packet[0], 0x45);
            assert_eq!(packet[12..16], KERNEL.octets());
            assert_eq!(packet[16..20], OURS.octets());
            assert_eq!(&packet[28..], text.as_bytes());
        }
    });
}

#[test]
fn an_interface_carries_packets_as_soon_as_it_is_open() {
    in_namespace(|| {
        let setup = quiet_setup();
        for opening in 0..50 {
            setup.apply().expect("an interface that stays");
            let socket = UdpSocket::bind((KERNEL, 0)).expect("a socket");
            let mut tun = Tun::open(&setup.name).expect("the interface that was made");
            let sent = socket.send_to(b"at once", (OURS, 7007));
            sent.expect("a datagram sent");
            let mut packets = 0;
            tun.receive(Instant::ZERO, 2, &mut |_| packets += 1).expect("a working device");
            assert_eq!(packets, 1, "opening {opening}");
            drop(tun);
            let deleted = Command::new("ip").args(["link", "delete", "tun0"]).status();
            assert!(deleted.expect("ip").success());
        }
    });
}

#[test]
fn a_packet_in_three_parts_reaches_the_kernel_as_one() {
    in_namespace(|| {
        let mut tun = quiet_device();
        let socket = UdpSocket::bind((KERNEL, 0)).expect("a socket");
        socket.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let port = socket.local_addr().expect("a bound socket").port();
        let header = udp_headers(port, 8);
        let sent = tun.transmit(Instant::ZERO, &packet(&header, [b"head", b"tail"]));
        sent.expect("a working device");
        let mut bytes = [0; 100];
        let (length, from) = socket.recv_from(&mut bytes).expect("a datagram");
        assert_eq!(&bytes[..length], b"headtail");
        assert_eq!(from, (IpAddr::V4(OURS), 7007).into());
    });
}

#[test]
fn the_links_mtu_is_the_interfaces() {
    in_namespace(|| {
        let setup = TunSetup { mtu: Some(1280), ..quiet_setup() };
        setup.apply().expect("an interface that stays");
        let tun = Tun::open(&setup.name).expect("the interface that was made");
        assert_eq!(tun.capabilities().mtu, 1280);
    });
}

#[test]
fn setting_up_an_interface_twice_changes_nothing() {
    in_namespace(|| {
        let setup = setup("tun0");
        setup.apply().expect("an interface");
        setup.apply().expect("the same interface");
        assert!(interface::is_up(&setup.name).expect("an interface"));
    });
}

#[test]
fn an_interface_goes_with_the_device_that_made_it() {
    in_namespace(|| {
        let tun = quiet_device();
        let name = tun.name().clone();
        assert!(interface::exists(&name).expect("an answer"));
        drop(tun);
        assert!(!interface::exists(&name).expect("an answer"));
    });
}

#[test]
fn an_interface_that_is_down_is_reported() {
    in_namespace(|| {
        let mut tun = Tun::open(&"tun0".parse().expect("a name")).expect("a TUN device");
        assert!(matches!(tun::require_up(tun.name()), Err(TunError::Down(_))));
        let header = udp_headers(7, 0);
        let sent = tun.transmit(Instant::ZERO, &packet(&header, [b"", b""]));
        assert!(matches!(sent, Err(TransmitError::Device(TunError::Down(_)))), "{sent:?}");
    });
}

#[test]
fn an_interface_in_use_is_busy() {
    in_namespace(|| {
        let first = quiet_device();
        let second = Tun::open(first.name());
        assert!(matches!(second, Err(TunError::Busy(_))), "{second:?}");
    });
}

#[test]
fn an_interface_of_another_kind_is_refused() {
    in_namespace(|| {
        let loopback = Tun::open(&"lo".parse().expect("a name"));
        assert!(matches!(loopback, Err(TunError::NotTun(_))), "{loopback:?}");
    });
}

#[test]
fn an_interface_deleted_while_in_use_is_gone() {
    in_namespace(|| {
        let mut tun = quiet_device();
        let deleted = Command::new("ip").args(["link", "delete", "tun0"]).status();
        assert!(deleted.expect("ip").success());
        let received = tun.receive(Instant::ZERO, 1, &mut |_| {});
        assert!(matches!(received, Err(TunError::Gone(_))), "{received:?}");
    });
}
