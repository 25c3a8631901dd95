//! Tests of a listener that is flooded with SYNs whose senders do not exist.

use crate::kernel_side;
use crate::namespace::in_namespace;
use crate::pattern::Content;
use crate::queues;
use crate::world::Family;
use ackclock::seq::SeqNumber;
use ackclock::wire::{
    Ecn, Flags, Header, IpInfo, MAX_HEADER, Options, WriteChecksum, write_packet_header,
};
use ackclock_host::tun::Offload;
use rustix::net::{AddressFamily, Protocol, SendFlags, SocketFlags, SocketType};
use rustix::net::{sendto, socket_with};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::num::NonZero;
use std::os::fd::AsRawFd;
use std::thread;
use std::time::Duration;

const PORT: u16 = 7007;
const CONTENT: Content = Content::new(1, 10_000);
/// Clients whose SYNs may find a full queue.
const FIRST: usize = 4;
const CLIENTS: usize = 9;
/// More than there are places for handshakes, by far.
const SYNS: u32 = 20_000;
/// The SYNs between two rests of a millisecond.
const BURST: u32 = 32;

/// Sends SYNs from addresses of the range for benchmarks (RFC 2544).
fn flood(local: SocketAddr) {
    let raw = NonZero::new(libc::IPPROTO_RAW as u32).expect("255");
    let protocol = Some(Protocol::from_raw(raw));
    let (family, kind) = (AddressFamily::INET, SocketType::RAW);
    let socket = socket_with(family, kind, SocketFlags::CLOEXEC, protocol).expect("a raw socket");
    for number in 0..SYNS {
        let ip = IpInfo {
            source: Ipv4Addr::from_bits((198 << 24 | 18 << 16) + number / 50_000).into(),
            destination: local.ip().into(),
            hop_limit: 64,
            dscp: 0,
            ecn: Ecn::NotEct,
        };
        let header = Header {
            source_port: 1_024 + (number % 50_000) as u16,
            destination_port: local.port(),
            seq: SeqNumber(number.wrapping_mul(2_654_435_761)),
            flags: Flags::SYN,
            window: 65_535,
            options: Options { mss: Some(1_460), ..Options::default() },
            ..Header::default()
        };
        let mut packet = [0; MAX_HEADER];
        let complete = WriteChecksum::Complete;
        let len = write_packet_header(&mut packet, &ip, &header, [&[], &[]], complete);
        // Those that find the interface's queue full are lost.
        let _ = sendto(&socket, &packet[..len], SendFlags::empty(), &local);
        if number % BURST == 0 {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// How many segments the kernel has sent again on a connection, its SYN included.
fn retransmitted(stream: &TcpStream) -> u32 {
    // SAFETY: all bytes of the structure may be zero.
    let mut info: libc::tcp_info = unsafe { std::mem::zeroed() };
    let mut len = size_of_val(&info) as libc::socklen_t;
    // SAFETY: the descriptor is open, and the kernel writes at most `len` bytes into the structure.
    let got = unsafe {
        let (level, option) = (libc::IPPROTO_TCP, libc::TCP_INFO);
        let place = (&raw mut info).cast();
        libc::getsockopt(stream.as_raw_fd(), level, option, place, &raw mut len)
    };
    assert_eq!(got, 0);
    info.tcpi_total_retrans
}

#[test]
fn a_flooded_server_is_open_to_all_at_once_whichever_queue_they_come_to() {
    for number in [1, 2] {
        in_namespace(move || {
            let local = Family::V4.our_port(PORT);
            let queues = queues::queues(number, Offload::Auto);
            let (servers, wakers) = queues::echo_servers(queues, local);
            // It is over when the clients come, as one that goes on would take the room in the interface's
            // queue that their own SYNs need. The handshakes that it has begun last much longer.
            flood(local);
            for number in 0..FIRST + CLIENTS {
                let stream = kernel_side::connect_to(local);
                // The first ones come while the last SYNs of the flood are in the queue still.
                let sent_again = if number < FIRST { 0 } else { retransmitted(&stream) };
                assert_eq!(sent_again, 0, "no SYN was sent twice");
                kernel_side::exchange(&stream, CONTENT, CONTENT);
            }
            let statistics = queues::stop(servers, &wakers);
            let accepted: u64 = statistics.iter().map(|each| each.accepted).sum();
            assert_eq!(accepted, (FIRST + CLIENTS) as u64);
        });
    }
}
