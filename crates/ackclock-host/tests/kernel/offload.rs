//! Tests of a TUN device with offload: the kernel segments and computes checksums in the stack's
//! place.

use crate::applications::{Client, Script, Server, Turn};
use crate::kernel_side;
use crate::namespace::in_namespace;
use crate::pattern::Content;
use crate::world::{Family, World, setup};
use ackclock::link::Link;
use ackclock::stack::Received;
use ackclock::time::Instant;
use ackclock_host::impaired::{Impairment, Suffered};
use ackclock_host::tun::{Offload, Tun, TunError};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};
use std::net::UdpSocket;

const HEALTHY: Impairment = Impairment { drop: 0, duplicate: 0, reorder: 0, corrupt: 0, mark: 0 };

const PORT: u16 = 7007;

/// `TUNSETOFFLOAD` and `TUNSETVNETHDRSZ` of `linux/if_tun.h`.
const SET_OFFLOAD: u64 = 0x4004_54d0;
const SET_VNET_HEADER_SIZE: u64 = 0x4004_54d8;

fn world() -> World {
    World::with(Offload::On, HEALTHY, HEALTHY)
}

/// Our client sends and the kernel echoes. Returns the final state of the connection.
fn echo(world: &mut World, family: Family, content: Content) -> ackclock::tcp::Info {
    let (listener, address) = kernel_side::listen(family);
    let script = Script { sends: content, receives: content, turn: Turn::AtOnce };
    let mut client = Client::new(address, script);
    world.run_against(&mut client, move || {
        kernel_side::echo(&kernel_side::accept(&listener), content)
    });
    assert_eq!(client.outcomes()[0].error, None);
    client.outcomes()[0].info
}

#[test]
fn the_kernel_takes_and_delivers_more_than_a_segment_at_once() {
    const CONTENT: Content = Content::new(1, 64 << 20);
    for family in Family::BOTH {
        in_namespace(|| {
            let mut world = world();
            let info = echo(&mut world, family, CONTENT);
            assert_eq!(info.bytes_received, CONTENT.length);
            let statistics = world.stack.statistics();
            assert!(statistics.packets_sent < info.segments_sent, "{statistics:?}");
            let segments = CONTENT.length.div_ceil(info.mss.into());
            assert!(info.data_segments_received < segments, "{info:?}");
            assert_eq!(statistics.bad_checksum, 0);
        });
    }
}

#[test]
fn our_server_discards_and_echoes_what_the_kernel_did_not_segment() {
    const CONTENT: Content = Content::new(2, 64 << 20);
    for family in Family::BOTH {
        for (sends, turn) in [(Content::NOTHING, Turn::AfterPeersEnd), (CONTENT, Turn::AsReceived)]
        {
            in_namespace(|| {
                let mut world = world();
                let script = Script { sends, receives: CONTENT, turn };
                let mut server = Server::new(family.our_port(PORT), script, 1);
                world.run_against(&mut server, move || {
                    let stream = kernel_side::connect_to(family.our_port(PORT));
                    kernel_side::exchange(&stream, CONTENT, sends);
                });
                assert_eq!(server.outcomes()[0].error, None);
                assert_eq!(server.outcomes()[0].info.bytes_received, CONTENT.length);
            });
        }
    }
}

/// One packet in a hundred suffers each of four impairments.
#[test]
fn every_byte_survives_what_happens_to_single_segments() {
    const CONTENT: Content = Content::new(3, 8 << 20);
    const SOME: u32 = 10_000;
    let all = Impairment { drop: SOME, duplicate: SOME, reorder: SOME, corrupt: SOME, mark: 0 };
    let suffered = |all: Suffered| {
        [all.dropped, all.duplicated, all.reordered, all.corrupted].iter().all(|count| *count > 0)
    };
    for family in Family::BOTH {
        in_namespace(|| {
            let mut world = World::with(Offload::On, all, HEALTHY);
            let info = echo(&mut world, family, CONTENT);
            assert!(suffered(world.run_loop.link().transmitted()));
            assert!(info.retransmitted > 0);
        });
        in_namespace(|| {
            let mut world = World::with(Offload::On, HEALTHY, all);
            let _ = echo(&mut world, family, CONTENT);
            assert!(world.run_loop.link().received().dropped > 0);
        });
    }
}

/// Makes the kernel refuse an ioctl of the calling thread from now on.
fn refuse_ioctl(request: u64) {
    let is_request = SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, request);
    let rule = SeccompRule::new(vec![is_request.expect("a condition")]).expect("a rule");
    let filter = SeccompFilter::new(
        [(libc::SYS_ioctl, vec![rule])].into(),
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EINVAL as u32),
        std::env::consts::ARCH.try_into().expect("a known architecture"),
    );
    let program: BpfProgram = filter.expect("a filter").try_into().expect("a program");
    apply_filter(&program).expect("a filter in force");
}

#[test]
fn where_the_kernel_refuses_the_plain_device_does() {
    for request in [SET_OFFLOAD, SET_VNET_HEADER_SIZE] {
        in_namespace(|| {
            refuse_ioctl(request);
            let name = &setup("tun0").name;
            let refused = Tun::open_with(name, Offload::On);
            assert!(matches!(refused, Err(TunError::NoOffload(..))), "{refused:?}");
            let plain = Tun::open_with(name, Offload::Auto).expect("a plain device");
            assert!(!plain.is_offloading());
            drop(plain);
            let mut world = World::with(Offload::Auto, HEALTHY, HEALTHY);
            let content = Content::new(4, 1 << 20);
            assert_eq!(echo(&mut world, Family::V4, content).bytes_received, content.length);
        });
    }
}

#[test]
fn what_cannot_be_opened_without_offload_fails_alike_with_it() {
    in_namespace(|| {
        for offload in [Offload::Auto, Offload::On, Offload::Off] {
            let loopback = Tun::open_with(&"lo".parse().expect("a name"), offload);
            assert!(matches!(loopback, Err(TunError::NotTun(_))), "{loopback:?}");
        }
    });
}

/// The first UDP datagram that the kernel sends into the device, and whether its checksum is said
/// to be unverified. The kernel drops packets until it has noticed that a program has attached to
/// an existing interface, so the datagram is sent until it comes.
fn datagram(tun: &mut Tun) -> (Vec<u8>, bool) {
    const AGAIN: Timespec = Timespec { tv_sec: 0, tv_nsec: 10_000_000 };
    let socket = UdpSocket::bind((Family::V4.kernel(), 0)).expect("a socket");
    let mut found = None;
    while found.is_none() {
        let capable = tun.capabilities();
        // Sending may be refused as long as the interface has no carrier.
        let _ = socket.send_to(b"some text", Family::V4.our_port(PORT));
        poll(&mut [PollFd::new(tun, PollFlags::IN)], Some(&AGAIN)).expect("a device");
        let deliver = &mut |received: Received<'_>| {
            assert!(capable.verify.transport);
            // Other packets are those that IPv6 sends of its own accord.
            if received.packet[0] == 0x45 && received.packet[9] == 17 {
                found = Some((received.packet.to_vec(), received.verify.transport));
            }
        };
        tun.receive(Instant::ZERO, 1, deliver).expect("a working device");
    }
    found.expect("a datagram")
}

/// Whether a UDP datagram's checksum is complete (RFC 768), without IP options.
fn is_complete(packet: &[u8]) -> bool {
    let length = (packet.len() - 20) as u16;
    let pseudo_header = [&packet[12..20], &[0, 17], &length.to_be_bytes()].concat();
    let odd = [&packet[20..], &[0][..packet.len() % 2]].concat();
    let words = pseudo_header.chunks(2).chain(odd.chunks(2));
    let sum: u32 = words.map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
    (sum & 0xffff) + (sum >> 16) == 0xffff
}

#[test]
fn an_interface_that_stays_forgets_the_offload_of_its_last_user() {
    in_namespace(|| {
        let setup = setup("tun0");
        setup.apply().expect("an interface that stays");
        for (offload, left_to_us) in
            [(Offload::On, true), (Offload::Off, false), (Offload::Auto, true)]
        {
            let mut tun = Tun::open_with(&setup.name, offload).expect("the interface");
            assert_eq!(tun.is_offloading(), left_to_us);
            let (packet, unverified) = datagram(&mut tun);
            assert_eq!(&packet[28..], b"some text");
            assert_eq!((is_complete(&packet), unverified), (!left_to_us, !left_to_us));
        }
        drop(World::new());
    });
}
