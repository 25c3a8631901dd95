//! Path MTU discovery without ICMP (RFC 4821), ours and the kernel's, through a router that drops what is
//! longer than 1,400 bytes without a word.

use crate::applications::{Client, Script, Server, Turn};
use crate::kernel_side;
use crate::namespace::in_namespace;
use crate::pattern::Content;
use crate::world::{Family, World, setup, stack};
use ackclock::tcp::{Info, MtuProbing};
use ackclock_host::impaired::{Impaired, Impairment};
use ackclock_host::run_loop::RunLoop;
use ackclock_host::tun::{self, Offload, Tun};
use rustix::thread::{UnshareFlags, unshare_unsafe};
use std::net::{IpAddr, TcpListener};
use std::process::Command;

const CONTENT: Content = Content::new(1, 8 << 20);

const PORT: u16 = 7007;

/// The largest packet that the router lets through, in bytes.
const LIMIT: u32 = 1_400;

/// Moves the calling thread, which is in a namespace of a test, into yet another one.
fn enter_another() {
    // SAFETY: the table of descriptors stays shared.
    unsafe { unshare_unsafe(UnshareFlags::NEWNET) }.expect("another namespace");
}

/// Runs a shell script in the namespace of the calling thread.
fn shell(script: &str) {
    let output = Command::new("sh").args(["-ec", script]).output().expect("sh runs");
    assert!(output.status.success(), "{script}\n{output:?}");
}

/// The kernel's address behind the router.
fn behind_router(family: Family) -> IpAddr {
    let address = match family {
        Family::V4 => "10.8.0.2",
        Family::V6 => "fd08::2",
    };
    address.parse().expect("an address")
}

/// A world whose kernel is a router between our device and another namespace: what is too long for the link
/// to there, or for the way back, it drops, and tells nobody.
fn world(offload: Offload) -> World<Tun> {
    let setup = setup("tun0");
    let tun = Tun::open_with(&setup.name, offload).expect("a TUN device");
    setup.apply().expect("a configured interface");
    tun::require_up(tun.name()).expect("an interface that is up");
    shell(&format!(
        "sysctl -q -w net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
        nft add table inet hole
        nft add chain inet hole through '{{ type filter hook forward priority 0; }}'
        nft add rule inet hole through oifname tun0 meta length gt {LIMIT} drop
        nft add chain inet hole tells '{{ type filter hook output priority 0; }}'
        nft add rule inet hole tells icmp type destination-unreachable drop
        nft add rule inet hole tells icmpv6 type packet-too-big drop"
    ));
    let link = Impaired::new(tun, Impairment::default(), Impairment::default(), 1);
    let stack = stack(&link);
    World { run_loop: RunLoop::new(link).expect("a run loop"), stack }
}

/// Moves the calling thread into a namespace of its own behind the router, to which it belonged, and has
/// its kernel probe by `tcp_mtu_probing`.
fn go_behind_router(tcp_mtu_probing: u8) {
    let namespace = std::fs::File::open("/proc/thread-self/ns/net").expect("a namespace");
    enter_another();
    let descriptor = std::os::fd::AsRawFd::as_raw_fd(&namespace);
    // The thread has a table of descriptors of its own.
    let thread = std::fs::read_link("/proc/thread-self").expect("the thread's folder");
    let router = format!("/proc/{}/fd/{descriptor}", thread.display());
    let at_router = format!("nsenter --net={router}");
    shell(&format!(
        "sysctl -q -w net.ipv4.tcp_mtu_probing={tcp_mtu_probing}
        ip link set dev lo up
        ip link add k0 type veth peer name r0 netns {router}
        ethtool -K k0 tso off gso off gro off >/dev/null
        {at_router} ethtool -K r0 tso off gso off gro off >/dev/null
        {at_router} ip address add 10.8.0.1/24 dev r0
        {at_router} ip address add fd08::1/64 dev r0 nodad
        {at_router} ip link set dev r0 mtu {LIMIT} up
        ip address add 10.8.0.2/24 dev k0
        ip address add fd08::2/64 dev k0 nodad
        ip link set dev k0 up
        ip route add default via 10.8.0.1
        ip -6 route add default via fd08::1"
    ));
}

/// Our client sends to the kernel behind the router; its last state, unless the test is skipped.
fn our_client(family: Family, offload: Offload, mode: MtuProbing) -> Option<Info> {
    let mut info = None;
    in_namespace(|| {
        let mut world = world(offload);
        let script = Script { sends: CONTENT, receives: Content::NOTHING, turn: Turn::AtOnce };
        let mut client = Client::new((behind_router(family), PORT).into(), script);
        client.config.mtu_probing = mode;
        // The first SYN may come before the way is made.
        world.run_against(&mut client, move || {
            go_behind_router(0);
            let listener = TcpListener::bind((behind_router(family), PORT)).expect("a socket");
            kernel_side::receive(&kernel_side::accept(&listener), CONTENT);
        });
        let outcome = client.outcomes()[0];
        assert_eq!((outcome.error, outcome.info.bytes_acked), (None, CONTENT.length));
        info = Some(outcome.info);
    });
    info
}

/// Our probes find the size, and no segment is larger: of the link's 1,500 bytes nothing passes.
fn our_client_gets_through(family: Family, offload: Offload, mode: MtuProbing) {
    let Some(info) = our_client(family, offload, mode) else {
        return;
    };
    let search = info.path_search.expect("a search");
    assert_eq!((info.pmtu, search.low), (LIMIT, LIMIT), "{info:?}");
    let headers = if family == Family::V4 { 20 + 32 } else { 40 + 32 };
    assert_eq!(info.mss, LIMIT - headers);
    assert!(search.probes_sent >= 2, "{search:?}");
    let least_timeouts = if mode == MtuProbing::AfterBlackHole { 2 } else { 0 };
    assert!(info.timeouts >= least_timeouts, "{info:?}");
}

/// The kernel, which probes, sends to our server.
fn kernels_client_gets_through(family: Family) {
    in_namespace(|| {
        let mut world = world(Offload::Off);
        let script =
            Script { sends: Content::NOTHING, receives: CONTENT, turn: Turn::AfterPeersEnd };
        let mut server = Server::new(family.our_port(PORT), script, 1);
        world.run_against(&mut server, move || {
            go_behind_router(2);
            let stream = kernel_side::connect_to(family.our_port(PORT));
            kernel_side::exchange(&stream, CONTENT, Content::NOTHING);
        });
        let outcome = server.outcomes()[0];
        assert_eq!((outcome.error, outcome.info.bytes_received), (None, CONTENT.length));
        assert!((1_000..LIMIT).contains(&outcome.info.receive_mss), "{:?}", outcome.info);
    });
}

#[test]
fn our_client_gets_through_a_silent_router_by_probes_over_ipv4() {
    our_client_gets_through(Family::V4, Offload::Off, MtuProbing::Always);
}

#[test]
fn our_client_gets_through_a_silent_router_by_probes_over_ipv6() {
    our_client_gets_through(Family::V6, Offload::Off, MtuProbing::Always);
}

#[test]
fn our_client_gets_through_a_silent_router_by_probes_with_offload() {
    our_client_gets_through(Family::V4, Offload::On, MtuProbing::Always);
}

#[test]
fn our_client_finds_out_that_a_silent_router_is_a_black_hole_over_ipv4() {
    our_client_gets_through(Family::V4, Offload::Off, MtuProbing::AfterBlackHole);
}

#[test]
fn our_client_finds_out_that_a_silent_router_is_a_black_hole_over_ipv6() {
    our_client_gets_through(Family::V6, Offload::Off, MtuProbing::AfterBlackHole);
}

#[test]
fn the_kernels_client_gets_through_a_silent_router_by_its_probes_over_ipv4() {
    kernels_client_gets_through(Family::V4);
}

#[test]
fn the_kernels_client_gets_through_a_silent_router_by_its_probes_over_ipv6() {
    kernels_client_gets_through(Family::V6);
}
