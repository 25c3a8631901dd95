//! The trial of the guard: the kernel's RSTs from our ports must be dropped, and others must not.
//!
//! Firewall rules can be written in many ways, and only their effect counts. So SYN segments are
//! sent over loopback from one of our ports to each of them, and a last one to another port. No
//! program listens at any of these ports, so the kernel answers each SYN with RST. Those from our
//! ports must not come back, the one from the other port must. Since it answers the last SYN, no
//! RST follows it.

use super::channel::Channel;
use super::error::RawError;
use super::filter::tcp_ends;
use super::held_ports::{HeldPorts, hold};
use crate::links::guard::Cover;
use ackclock::seq::SeqNumber;
use ackclock::wire::{
    Ecn, Flags, Header, IpInfo, MAX_HEADER, Options, WriteChecksum, write_packet_header,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::getsockname;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

/// How long the kernel may take for an answer over loopback, which takes microseconds.
const PATIENCE: Duration = Duration::from_secs(1);

/// Offset of the flags in a TCP header, and the bit of RST in them (RFC 9293 section 3.1).
const TCP_FLAGS: usize = 13;
const RST: u8 = 4;
/// Length of an IPv4 header as the kernel writes it, in bytes.
const IP_HEADER: usize = 20;

/// Makes sure that the kernel's RSTs from held ports are dropped.
///
/// # Errors
/// [`RawError::Unguarded`] if a RST comes back from our ports; [`RawError::Mute`] if none comes
/// back from the other port.
pub(super) fn require_dropped(channel: &mut Channel, held: &HeldPorts) -> Result<(), RawError> {
    let (address, ports) = (held.address(), held.ports());
    let beside = hold(address, 0).map_err(RawError::Socket)?;
    let beside = getsockname(&beside).map_err(RawError::Socket).and_then(|local| {
        SocketAddr::try_from(local).map(|local| local.port()).map_err(RawError::Socket)
    })?;
    for port in ports.all().chain([beside]) {
        channel.send(&syn(address, ports.first(), port)).map_err(RawError::Socket)?;
    }
    // The time is limited, and not the number of packets: the socket shows all TCP packets of the
    // host.
    let until = Instant::now() + PATIENCE;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(RawError::Mute(address));
        }
        let look = |packet: &[u8]| reset_from(packet, address, ports.first());
        match channel.receive(look).map_err(RawError::Socket)? {
            Some(Some(port)) if ports.all().contains(&port) => {
                return Err(RawError::Unguarded(Cover { address, ports }));
            }
            Some(Some(port)) if port == beside => return Ok(()),
            Some(_) => {}
            None => {
                let mut ready = [PollFd::new(&*channel, PollFlags::IN)];
                // At most a second, which fits a `Timespec`.
                let left = Timespec::try_from(left).ok();
                poll(&mut ready, left.as_ref()).map_err(RawError::Socket)?;
            }
        }
    }
}

/// A SYN from one of our ports to a port of the same address.
fn syn(address: Ipv4Addr, from: u16, to: u16) -> Vec<u8> {
    let (source, destination) = (address.into(), address.into());
    let ip = IpInfo { source, destination, hop_limit: 1, dscp: 0, ecn: Ecn::NotEct };
    let header = Header {
        source_port: from,
        destination_port: to,
        seq: SeqNumber(0),
        ack: SeqNumber(0),
        flags: Flags::SYN,
        window: 0,
        urgent_pointer: 0,
        options: Options::default(),
    };
    let mut bytes = [0; MAX_HEADER];
    let checksum = WriteChecksum::Complete;
    let length = write_packet_header(&mut bytes, &ip, &header, [&[], &[]], checksum);
    bytes.iter().copied().take(length).collect()
}

/// The port of the address from which a RST came to port `to`; `None` for other packets.
fn reset_from(packet: &[u8], address: Ipv4Addr, to: u16) -> Option<u16> {
    let (addresses, [from, destination]) = tcp_ends(packet)?;
    let flags = packet.get(IP_HEADER + TCP_FLAGS)?;
    let ours = addresses == [address; 2] && destination == to && flags & RST != 0;
    ours.then_some(from)
}
