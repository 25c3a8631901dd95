//! Raw IP sockets on the host's own address as a link: no interface, no route and no NAT to set up.
//! IPv4 only.
//!
//! The kernel does not know of our connections: it answers what arrives for them with RST. So two
//! things come before the link: sockets that hold our ports against other programs ([`HeldPorts`]),
//! and a rule of the firewall that drops those RSTs ([`Guard`], or one made by
//! hand), which [`RawIp::open`] insists on.
//!
//! A raw socket shows all of the host's TCP. Only what arrives for one of our ports is delivered, and
//! of ICMP only errors about packets from them: the rest is the kernel's to answer.

mod channel;
mod ports;
mod resets;

pub use ports::{HeldPorts, InvalidPorts, NotHeld, Ports};

use crate::links::guard::{Cover, Guard, GuardError, remove_leftovers};
use crate::links::unfinished::Unfinished;
use crate::system::interface::{self, InterfaceName};
use ackclock::link::{Link, Received, TransmitError};
use ackclock::stack::{Capabilities, Transmit};
use ackclock::time::Instant;
use channel::{Channel, LARGEST_PACKET};
use rustix::io::Errno;
use std::fmt;
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

/// Protocol numbers (IANA).
const ICMP: u8 = 1;
const TCP: u8 = 6;

/// ICMP errors about a packet (RFC 792): unreachable, source quench, time exceeded, parameter problem.
const ICMP_ERRORS: [u8; 4] = [3, 4, 11, 12];
/// Length of an ICMP header, in bytes.
const ICMP_HEADER: usize = 8;

/// ICMP errors looked at in one call; more wait for the next one.
const ICMP_BUDGET: usize = 8;

/// Raw IP sockets on some ports of one of the host's addresses.
#[derive(Debug)]
pub struct RawIp {
    tcp: Channel,
    icmp: Channel,
    /// Goes before the ports do.
    guard: Option<Guard>,
    held: HeldPorts,
    mtu: u32,
    /// Holds a packet that is sent.
    packet: Vec<u8>,
    unfinished: Arc<Unfinished>,
}

impl RawIp {
    /// Opens the sockets for ports that are held, of an address on this interface. If `guarded`, it
    /// makes a rule that drops the kernel's RSTs from there for as long as the link is there; in any
    /// case it sees that these, and no others, are dropped. What runs that were cut off have left of
    /// such rules goes.
    ///
    /// # Errors
    /// Says which command helps.
    pub fn open(
        held: HeldPorts,
        interface: &InterfaceName,
        guarded: bool,
    ) -> Result<Self, RawError> {
        let open = |protocol| Channel::open(protocol).map_err(RawError::on_open);
        let (mut tcp, icmp) = (open(TCP)?, open(ICMP)?);
        let cleared = remove_leftovers().map_err(GuardError::from);
        let cover = Cover { address: held.address(), ports: held.ports() };
        let guard = match guarded {
            // Without a rule of its own a program needs no privilege to change any.
            false => None,
            true => Some(cleared.and_then(|_| Guard::install(&cover)).map_err(RawError::Guard)?),
        };
        resets::require_dropped(&mut tcp, &held)?;
        let mtu = interface::mtu(interface)
            .map_err(|error| RawError::Interface(interface.clone(), error))?;
        let unfinished = Arc::default();
        Ok(RawIp { tcp, icmp, guard, held, mtu, packet: Vec::new(), unfinished })
    }

    /// What removes the rule that was made, from another thread, when the process ends at once.
    pub fn guard_remover(&self) -> Option<impl Fn() + Send + Sync + 'static> {
        self.guard.as_ref().map(Guard::remover)
    }

    /// What there was to see of packets that no network carried in that form.
    pub fn unfinished(&self) -> Arc<Unfinished> {
        Arc::clone(&self.unfinished)
    }
}

impl AsFd for RawIp {
    /// The socket for TCP. ICMP errors are looked at whenever something is received or a timer
    /// fires.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.tcp.as_fd()
    }
}

impl Link for RawIp {
    type Error = RawError;

    fn capabilities(&self) -> Capabilities {
        let mut capabilities = Capabilities::with_mtu(self.mtu);
        capabilities.coalescing = LARGEST_PACKET as u32;
        capabilities
    }

    fn transmit(
        &mut self,
        _now: Instant,
        transmit: &Transmit<'_>,
    ) -> Result<(), TransmitError<RawError>> {
        self.packet.resize(transmit.len(), 0);
        transmit.copy_to(&mut self.packet);
        match self.tcp.send(&self.packet) {
            Ok(()) => Ok(()),
            Err(Errno::AGAIN) => Err(TransmitError::Full),
            // As a network does: the packet is lost. A route may come back.
            Err(Errno::NOBUFS | Errno::NETUNREACH | Errno::HOSTUNREACH | Errno::NETDOWN) => Ok(()),
            Err(Errno::PERM) => Err(TransmitError::Device(RawError::Filtered)),
            Err(errno) => Err(TransmitError::Device(RawError::Socket(errno))),
        }
    }

    fn receive(
        &mut self,
        _now: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, RawError> {
        let RawIp { tcp, icmp, held, mtu, unfinished, .. } = self;
        let mut received = 0;
        for _ in 0..ICMP_BUDGET.min(budget) {
            let look = |packet: &[u8]| {
                let ours = is_about(packet, held) == Some(true);
                if ours {
                    deliver(Received::unverified(packet));
                }
                ours
            };
            match icmp.receive(look).map_err(RawError::Socket)? {
                None => break,
                Some(ours) => received += usize::from(ours),
            }
        }
        // Packets that are not ours count against the budget too, so that this comes to an end.
        for _ in 0..budget.saturating_sub(received) {
            let look = |packet: &[u8]| {
                let ours = is_for(packet, held) == Some(true);
                if ours {
                    deliver(unfinished.accept(packet, *mtu));
                }
                ours
            };
            match tcp.receive(look).map_err(RawError::Socket)? {
                None => break,
                Some(ours) => received += usize::from(ours),
            }
        }
        Ok(received)
    }
}

/// Whether a TCP packet is for one of our ports; `None` if it is none.
fn is_for(packet: &[u8], held: &HeldPorts) -> Option<bool> {
    let (source_and_destination, ports) = tcp_ends(packet)?;
    let [_, destination] = source_and_destination;
    let [_, port] = ports;
    Some(destination == held.address() && held.ports().all().contains(&port))
}

/// Whether an ICMP error is about a TCP packet from one of our ports; `None` if it is none.
fn is_about(packet: &[u8], held: &HeldPorts) -> Option<bool> {
    let message = packet.get(header_length(packet)?..)?;
    if !ICMP_ERRORS.contains(message.first()?) {
        return None;
    }
    let ([source, _], [port, _]) = tcp_ends(message.get(ICMP_HEADER..)?)?;
    Some(source == held.address() && held.ports().all().contains(&port))
}

/// Source and destination, addresses and ports, of an IPv4 packet with TCP in it.
fn tcp_ends(packet: &[u8]) -> Option<([Ipv4Addr; 2], [u16; 2])> {
    let address = |at: usize| {
        let bytes: &[u8; 4] = packet.get(at..)?.first_chunk()?;
        Some(Ipv4Addr::from(*bytes))
    };
    let tcp = packet.get(header_length(packet)?..)?;
    let port = |at: usize| Some(u16::from_be_bytes(*tcp.get(at..)?.first_chunk()?));
    let is_tcp = *packet.get(9)? == TCP;
    is_tcp.then_some(([address(12)?, address(16)?], [port(0)?, port(2)?]))
}

/// Length of an IPv4 header, in bytes.
fn header_length(packet: &[u8]) -> Option<usize> {
    let first = packet.first()?;
    (first >> 4 == 4).then_some(usize::from(first & 0xf) * 4)
}

/// Why raw sockets cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum RawError {
    /// This process may not open raw sockets.
    NotPermitted,
    /// The rule could not be made.
    Guard(GuardError),
    /// The kernel's RSTs are not dropped.
    Unguarded(Cover),
    /// The kernel could not be tried out: nothing came back over loopback.
    Mute(Ipv4Addr),
    /// A rule of the firewall keeps our packets back.
    Filtered,
    /// The interface does not tell its MTU.
    Interface(InterfaceName, io::Error),
    /// Any other error of a socket when it is opened.
    Open(io::Error),
    /// Any other error of an open socket.
    Socket(Errno),
}

impl RawError {
    fn on_open(error: io::Error) -> Self {
        match Errno::from_io_error(&error) {
            Some(Errno::PERM | Errno::ACCESS) => RawError::NotPermitted,
            _ => RawError::Open(error),
        }
    }
}

impl fmt::Display for RawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RawError::NotPermitted => f.write_str(
                "not allowed to open raw sockets: run this program as root, with 'sudo', or give it \
                 the privilege with 'sudo setcap cap_net_raw,cap_net_admin+ep PROGRAM'",
            ),
            RawError::Guard(error) => error.fmt(f),
            RawError::Unguarded(cover) => write!(
                f,
                "the kernel would answer what arrives for ports {} of {} with RST: drop those with \
                 \"sudo {}\", or let this program do so while it runs with --guard",
                cover.ports,
                cover.address,
                cover.by_hand(),
            ),
            RawError::Mute(address) => write!(
                f,
                "cannot see whether the kernel's RSTs are dropped, for none comes from other ports of \
                 {address} either: take loopback up with 'sudo ip link set dev lo up', and look for a \
                 rule that drops them all with 'sudo nft list ruleset'"
            ),
            RawError::Filtered => f.write_str(
                "a rule of this host's firewall keeps our packets back: 'sudo nft list ruleset' shows \
                 which, in a chain with hook output",
            ),
            RawError::Interface(name, error) => write!(
                f,
                "interface {name} does not tell its MTU: {error}; 'ip link show dev {name}' shows \
                 its state"
            ),
            RawError::Open(error) => write!(f, "cannot open a raw socket: {error}"),
            RawError::Socket(errno) => write!(
                f,
                "a raw socket failed: {errno}; 'ip -s link' shows the state of the interfaces"
            ),
        }
    }
}

impl std::error::Error for RawError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RawError::Interface(_, error) | RawError::Open(error) => Some(error),
            RawError::Socket(errno) => Some(errno),
            RawError::Guard(error) => Some(error),
            _ => None,
        }
    }
}
