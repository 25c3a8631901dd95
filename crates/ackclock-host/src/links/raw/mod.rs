//! Raw IP sockets on the host's own address as a link: no interface, no route and no NAT to set up.
//! IPv4 only.
//!
//! The kernel does not know our connections and answers their segments with RST. So a link needs
//! two things: sockets that hold our ports against other programs ([`HeldPorts`]), and a firewall
//! rule that drops those RSTs ([`Guard`], or a rule made by hand), which [`RawIp::open`] insists
//! on.
//!
//! A raw socket shows all TCP packets of the host. The link delivers those for our ports, and ICMP
//! errors about packets from our ports; the kernel answers the rest.

mod channel;
mod error;
mod filter;
mod held_ports;
mod resets;

pub use super::port_range::{InvalidPorts, Ports};
pub use error::RawError;
pub use held_ports::{HeldPorts, NotHeld};

use crate::links::guard::{Cover, Guard, GuardError, remove_leftovers};
use crate::links::unfinished::Unfinished;
use crate::system::interface::{self, InterfaceName};
use ackclock::link::{Link, TransmitError};
use ackclock::stack::{Capabilities, Received, Transmit};
use ackclock::time::Instant;
use channel::{Channel, LARGEST_PACKET};
use filter::{TCP, is_about, is_for};
use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

/// The protocol number of ICMP (RFC 792).
const ICMP: u8 = 1;

/// The most ICMP packets read in one call; more wait for the next one.
const ICMP_BUDGET: usize = 8;

/// Raw IP sockets on some ports of one of the host's addresses.
#[derive(Debug)]
pub struct RawIp {
    tcp: Channel,
    icmp: Channel,
    /// The guard, which is dropped before the ports are.
    guard: Option<Guard>,
    held: HeldPorts,
    mtu: u32,
    /// Buffer for a packet that is sent.
    packet: Vec<u8>,
    unfinished: Arc<Unfinished>,
}

impl RawIp {
    /// Opens the sockets for held ports of an address on this interface. With `guarded` it makes a
    /// rule that drops the kernel's RSTs from these ports as long as the link exists. In either
    /// case it tries out that these RSTs, and no others, are dropped. Rules that earlier runs have
    /// left behind are removed.
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
            // A program without a rule of its own may lack the privilege to change rules, so that
            // the result does not matter.
            false => None,
            true => Some(cleared.and_then(|_| Guard::install(&cover)).map_err(RawError::Guard)?),
        };
        resets::require_dropped(&mut tcp, &held)?;
        let mtu = interface::mtu(interface)
            .map_err(|error| RawError::Interface(interface.clone(), error))?;
        let unfinished = Arc::default();
        Ok(RawIp { tcp, icmp, guard, held, mtu, packet: Vec::new(), unfinished })
    }

    /// Limits the packets below the stack, in the queue of the interface, to about this many bytes, in which the
    /// kernel includes its overhead, but at least two packets. Other packets stay in the stack, where connections
    /// take turns. By default the limit is a megabyte.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn limit_queue(&self, bytes: usize) -> Result<(), RawError> {
        self.tcp.limit_queue(bytes).map_err(RawError::Socket)
    }

    /// A function that removes the guard's rule from another thread, for a process that ends at
    /// once; `None` without a guard.
    pub fn guard_remover(&self) -> Option<impl Fn() + Send + Sync + 'static> {
        self.guard.as_ref().map(Guard::remover)
    }

    /// Notes of unfinished packets that were received, see [`unfinished`](crate::unfinished).
    pub fn unfinished(&self) -> Arc<Unfinished> {
        Arc::clone(&self.unfinished)
    }
}

impl AsFd for RawIp {
    /// The socket for TCP. ICMP errors are read whenever the link is asked for packets.
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
            // The packet is lost, as in a network; a route may come back.
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
        // Packets that are not ours count against the budget too, so that the loop ends.
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
