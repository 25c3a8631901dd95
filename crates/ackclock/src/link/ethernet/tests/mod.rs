//! Frames in and out.

mod any_frames;
mod arp;
mod ndp;
mod two_stacks;
mod waiting;

use super::*;
use crate::stack::{Capabilities, Handle, ListenConfig, StackConfig, Storage};
use crate::tcp::Config;
use crate::time::Duration;
use crate::wire::{Arp, Flags, Header, IpInfo, MAX_HEADER, Protocol, Segment, parse_packet};
use crate::wire::{Ndp, NdpKind, is_ndp, write_packet_header};
use core::net::SocketAddr;
use std::vec::Vec;

const US: EthernetAddress = EthernetAddress([2, 0, 0, 0, 0, 1]);
const THEM: EthernetAddress = EthernetAddress([2, 0, 0, 0, 0, 2]);
const ROUTER: EthernetAddress = EthernetAddress([2, 0, 0, 0, 0, 0xfe]);
const SECOND: Duration = Duration::from_secs(1);

/// A stack with an Ethernet interface and the time.
struct Host {
    now: Instant,
    stack: Stack<'static>,
    ethernet: Ethernet<4, 2>,
}

impl Host {
    /// A host that has told who it is.
    fn new(addresses: &[&str]) -> Self {
        let mut host = Host::unannounced(US, addresses);
        assert_eq!(host.frames().len(), addresses.len());
        host
    }

    fn unannounced(hardware: EthernetAddress, addresses: &[&str]) -> Self {
        let config = StackConfig::new(Capabilities::with_mtu(1500), [7, 11]);
        let mut stack = Stack::new(config, Default::default(), Storage::growing()).unwrap();
        for address in addresses {
            stack.add_address(cidr(address)).unwrap();
        }
        Host { now: Instant::from_secs(100), stack, ethernet: Ethernet::new(hardware) }
    }

    /// All frames that are to be sent now.
    fn frames(&mut self) -> Vec<Vec<u8>> {
        let mut frames = Vec::new();
        let mut sink = |frame: &Transmit<'_>| {
            let mut bytes = std::vec![0; frame.len()];
            frame.copy_to(&mut bytes).unwrap();
            frames.push(bytes);
            Ok(())
        };
        while self.ethernet.transmit(self.now, &mut self.stack, &mut sink).is_taken() {}
        frames
    }

    fn on_frame(&mut self, frame: &[u8]) {
        self.ethernet.on_frame(self.now, &mut self.stack, frame);
    }

    /// Goes on to the next deadline, if there is one, and fires what is due.
    fn wait(&mut self) {
        let next = self.stack.poll_at().min(self.ethernet.poll_at());
        if !next.is_never() {
            self.now = self.now.max(next);
        }
        self.stack.on_timeout(self.now);
    }

    fn connect(&mut self, to: &str) -> Handle {
        let to: SocketAddr = to.parse().unwrap();
        self.stack.connect(self.now, to, None, &Config::default()).unwrap()
    }

    fn listen(&mut self, at: &str) {
        self.stack.listen(ListenConfig::new(at.parse().unwrap())).unwrap();
    }

    /// Who is there tells us so.
    fn meet(&mut self, ip: &str, hardware: EthernetAddress) {
        let ours = self.stack.addresses().find(|cidr| cidr.address.is_ipv4()).unwrap();
        self.on_frame(&arp_frame(US, true, (hardware, ip), &ours.address.to_string()));
        assert_eq!(self.frames().len(), 1);
    }
}

fn cidr(address: &str) -> Cidr {
    let (address, prefix) = address.split_once('/').unwrap();
    Cidr { address: address.parse().unwrap(), prefix: prefix.parse().unwrap() }
}

fn frame(to: EthernetAddress, from: EthernetAddress, kind: EtherType, payload: &[u8]) -> Vec<u8> {
    [&ethernet_header(to, from, kind)[..], payload].concat()
}

/// An ARP packet in its frame, which comes from the sender.
fn arp_frame(
    to: EthernetAddress,
    is_request: bool,
    (hardware, sender): (EthernetAddress, &str),
    target: &str,
) -> Vec<u8> {
    let arp = Arp {
        is_request,
        sender_hardware: hardware,
        sender: sender.parse().unwrap(),
        target_hardware: EthernetAddress::default(),
        target: target.parse().unwrap(),
    };
    frame(to, hardware, EtherType::Arp, &arp.octets())
}

/// A TCP segment without payload in its packet.
fn tcp_packet(source: &str, destination: &str, flags: Flags) -> Vec<u8> {
    let [source, destination]: [SocketAddr; 2] =
        [source, destination].map(|address| address.parse().unwrap());
    let ip = IpInfo {
        source: source.ip().into(),
        destination: destination.ip().into(),
        hop_limit: 64,
        dscp: 0,
        ecn: Ecn::NotEct,
    };
    let header = Header {
        source_port: source.port(),
        destination_port: destination.port(),
        flags,
        window: 1000,
        ..Header::default()
    };
    let mut bytes = [0; MAX_HEADER];
    let checksum = WriteChecksum::Complete;
    let length = write_packet_header(&mut bytes, &ip, &header, [&[], &[]], checksum);
    bytes[..length].to_vec()
}

/// To whom frames go, and what they are: `"arp"`, `"ndp"`, `"S"` for a SYN and the like.
fn shape(frames: &[Vec<u8>]) -> Vec<(EthernetAddress, &'static str)> {
    let mut shapes = Vec::new();
    for bytes in frames {
        let frame = Frame::parse(bytes).unwrap();
        let what = match frame.kind.unwrap() {
            EtherType::Arp => "arp",
            _ if is_ndp(frame.payload) => "ndp",
            _ => match segment(bytes) {
                Some(Segment { header: Header { flags, .. }, .. }) if flags == Flags::SYN => "S",
                Some(segment) if segment.header.flags == Flags::SYN | Flags::ACK => "SA",
                Some(segment) if segment.header.flags.contains(Flags::RST) => "R",
                Some(_) => "A",
                None => "icmp",
            },
        };
        shapes.push((frame.destination, what));
    }
    shapes
}

fn segment(bytes: &[u8]) -> Option<Segment<'_>> {
    match parse_packet(&bytes[ETHERNET_HEADER..], Checksums::default()).unwrap().protocol {
        Protocol::Tcp(segment) => Some(segment),
        _ => None,
    }
}

use std::string::ToString;

#[test]
fn new_addresses_are_announced_once_and_again_when_asked() {
    let mut host = Host::unannounced(US, &["10.0.0.1/24"]);
    #[rustfmt::skip]
    let announcement = [
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 8, 6,
        0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 1, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 1,
    ];
    assert_eq!(host.frames(), [announcement]);
    assert!(host.frames().is_empty());
    host.ethernet.announce();
    assert_eq!(host.frames(), [announcement]);
    host.stack.add_address(cidr("fd00::1/64")).unwrap();
    let frames = host.frames();
    assert_eq!(frames[0], announcement);
    let all_nodes = EthernetAddress([0x33, 0x33, 0, 0, 0, 1]);
    let frame = Frame::parse(&frames[1]).unwrap();
    assert_eq!(
        (frame.destination, frame.source, frame.kind),
        (all_nodes, US, Some(EtherType::Ipv6))
    );
    let own = "fd00::1".parse().unwrap();
    let advertisement = Ndp {
        kind: NdpKind::Advertisement { solicited: false, overrides: true },
        source: own,
        destination: "ff02::1".parse().unwrap(),
        target: own,
        hardware: Some(US),
    };
    assert_eq!(Ndp::parse(frame.payload, Checksums::default()), Some(advertisement));
    assert_eq!(host.ethernet.statistics().announcements_sent, 4);
}

#[test]
fn packets_to_a_group_of_interfaces_reach_nobody() {
    let mut host = Host::new(&["10.0.0.1/24"]);
    host.listen("0.0.0.0:80");
    host.meet("10.0.0.2", THEM);
    let syn = tcp_packet("10.0.0.2:5000", "10.0.0.1:80", Flags::SYN);
    let group = EthernetAddress([1, 0, 0x5e, 0, 0, 1]);
    for to in [EthernetAddress::BROADCAST, group] {
        host.on_frame(&frame(to, THEM, EtherType::Ipv4, &syn));
    }
    assert_eq!(host.ethernet.statistics().group, 2);
    // The same in frames to us, with addresses of groups inside.
    for (source, destination) in [
        ("10.0.0.2:5000", "255.255.255.255:80"),
        ("10.0.0.2:5000", "10.0.0.255:80"),
        ("10.0.0.2:5000", "224.0.0.1:80"),
        ("10.0.0.255:5000", "10.0.0.1:80"),
        ("224.0.0.1:5000", "10.0.0.1:80"),
    ] {
        let syn = tcp_packet(source, destination, Flags::SYN);
        host.on_frame(&frame(US, THEM, EtherType::Ipv4, &syn));
    }
    assert!(host.frames().is_empty());
    assert_eq!(host.stack.statistics().bad_address, 5);
    host.on_frame(&frame(US, THEM, EtherType::Ipv4, &syn));
    assert_eq!(shape(&host.frames()), [(THEM, "SA")]);
}

#[test]
fn frames_that_are_not_for_us_are_counted_by_what_they_are() {
    let mut host = Host::new(&["10.0.0.1/24"]);
    let syn = tcp_packet("10.0.0.2:5000", "10.0.0.1:80", Flags::SYN);
    host.on_frame(&frame(ROUTER, THEM, EtherType::Ipv4, &syn));
    host.on_frame(&frame(US, US, EtherType::Ipv4, &syn));
    assert_eq!(host.ethernet.statistics().not_for_us, 2);
    host.on_frame(&frame(US, EthernetAddress::BROADCAST, EtherType::Ipv4, &syn));
    host.on_frame(&[0; 13]);
    host.on_frame(&frame(US, THEM, EtherType::Arp, &[0; 28]));
    assert_eq!(host.ethernet.statistics().malformed, 3);
    let mut vlan = frame(US, THEM, EtherType::Ipv4, &syn);
    vlan[12..14].copy_from_slice(&[0x81, 0x00]);
    host.on_frame(&vlan);
    assert_eq!(host.ethernet.statistics().unknown_type, 1);
    assert!(host.frames().is_empty());
    assert_eq!(host.stack.statistics().packets_received, 0);
}

#[test]
fn an_echo_request_in_a_padded_frame_is_answered() {
    let mut host = Host::new(&["10.0.0.1/24"]);
    host.meet("10.0.0.2", THEM);
    #[rustfmt::skip]
    let request = [
        0x45, 0, 0, 30, 0, 0, 0x40, 0, 64, 1, 0x26, 0xdd, 10, 0, 0, 2, 10, 0, 0, 1,
        8, 0, 0x96, 0x9a, 0, 1, 0, 2, b'a', b'b',
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, // padding
    ];
    host.on_frame(&frame(US, THEM, EtherType::Ipv4, &request));
    #[rustfmt::skip]
    let reply = [
        0x45, 0, 0, 30, 0, 0, 0x40, 0, 64, 1, 0x26, 0xdd, 10, 0, 0, 1, 10, 0, 0, 2,
        0, 0, 0x9e, 0x9a, 0, 1, 0, 2, b'a', b'b',
    ];
    assert_eq!(host.frames(), [frame(THEM, US, EtherType::Ipv4, &reply)]);
}

#[test]
fn addresses_are_announced_again_on_other_memory() {
    let mut host = Host::new(&["10.0.0.1/24"]);
    host.stack.lend(Storage::growing()).unwrap();
    host.stack.add_address(cidr("10.0.0.7/24")).unwrap();
    assert_eq!(host.frames().len(), 1);
}

#[test]
fn a_gateway_is_one_host() {
    let mut ethernet: Ethernet<8, 1> = Ethernet::new(US);
    for address in ["255.255.255.255", "224.0.0.1", "0.0.0.0", "ff02::1", "::"] {
        let refused = ethernet.set_gateway(address.parse().unwrap());
        assert_eq!(refused, Err(RouteError::Gateway), "{address}");
    }
}

#[test]
fn a_prefix_that_is_longer_than_an_address_is_that_of_one_host() {
    let mut ethernet: Ethernet<8, 1> = Ethernet::new(US);
    let router = "10.0.0.254".parse().unwrap();
    let host = cidr("192.0.2.1/32");
    let longer = Cidr { prefix: 33, ..host };
    assert_eq!(ethernet.set_route(longer, router), Ok(()));
    assert_eq!(ethernet.set_route(host, router), Ok(()), "the same network");
    ethernet.remove_route(longer);
    assert_eq!(ethernet.set_gateway(router), Ok(()), "its place is free");
}

#[test]
fn next_hops_are_neighbours_routers_or_unknown() {
    let mut host = Host::new(&["10.0.0.1/24"]);
    let asked = |host: &mut Host, to: &str| {
        host.connect(to);
        let frames = host.frames();
        let arps = frames.iter().map(|bytes| Arp::parse(&bytes[ETHERNET_HEADER..]).unwrap());
        arps.map(|arp| arp.target.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(asked(&mut host, "192.0.2.1:80"), [""; 0]);
    assert_eq!(host.ethernet.statistics().no_route, 1);
    assert_eq!(host.ethernet.set_gateway("fe80::1".parse().unwrap()), Ok(()));
    assert_eq!(host.ethernet.set_gateway("10.0.0.254".parse().unwrap()), Ok(()));
    assert_eq!(asked(&mut host, "192.0.2.1:80"), ["10.0.0.254"]);
    let network = cidr("192.0.2.0/25");
    let router = "10.0.0.253".parse().unwrap();
    assert_eq!(host.ethernet.set_route(network, router), Err(RouteError::NoResources));
    assert_eq!(host.ethernet.statistics().routes_refused, 1);
    host.ethernet.remove_route(cidr("::/0"));
    assert_eq!(
        host.ethernet.set_route(network, "fd00::1".parse().unwrap()),
        Err(RouteError::Gateway)
    );
    assert_eq!(host.ethernet.set_route(network, router), Ok(()));
    assert_eq!(asked(&mut host, "192.0.2.2:80"), ["10.0.0.253"]);
    let mut host = Host { ethernet: Ethernet::new(US), ..host };
    host.frames();
    host.ethernet.set_gateway("10.0.0.254".parse().unwrap()).unwrap();
    assert_eq!(asked(&mut host, "10.0.0.77:80"), ["10.0.0.77"], "on our network");
    let half = cidr("10.0.0.128/25");
    host.ethernet.set_route(half, "10.0.0.252".parse().unwrap()).unwrap();
    assert_eq!(asked(&mut host, "10.0.0.200:80"), ["10.0.0.252"], "the longest prefix");
    host.ethernet.set_route(half, "10.0.0.251".parse().unwrap()).unwrap();
    host.ethernet.remove_route(half);
    host.ethernet.remove_route(cidr("0.0.0.0/0"));
    assert_eq!(asked(&mut host, "192.0.2.3:80"), [""; 0]);
}

#[test]
fn a_gateway_on_no_network_of_ours_is_asked_for_on_the_link() {
    let mut host = Host::new(&["10.0.0.1/32"]);
    host.ethernet.set_gateway("172.16.0.1".parse().unwrap()).unwrap();
    host.connect("192.0.2.1:80");
    let frames = host.frames();
    let arp = Arp::parse(&frames[0][ETHERNET_HEADER..]).unwrap();
    assert_eq!((arp.sender, arp.target), ([10, 0, 0, 1].into(), [172, 16, 0, 1].into()));
    host.on_frame(&arp_frame(US, false, (ROUTER, "172.16.0.1"), "10.0.0.1"));
    assert_eq!(shape(&host.frames()), [(ROUTER, "S")]);
}
