//! A TAP device as a link: a TUN device that carries Ethernet frames.
//!
//! The kernel has an interface with a hardware address at one end, and the stack at the other one has
//! another hardware address and its Ethernet layer
//! ([`RunLoop::with_ethernet`](crate::run_loop::RunLoop::with_ethernet)).

use super::tun::{Offload, Tun, TunError};
use crate::system::interface::{self, InterfaceName};
use ackclock::link::{Link, TransmitError};
use ackclock::stack::{Capabilities, Received, Transmit};
use ackclock::time::Instant;
use std::os::fd::{AsFd, BorrowedFd};

/// A TAP device. An interface that did not exist before is removed when this is dropped.
#[derive(Debug)]
pub struct Tap(Tun);

impl Tap {
    /// Attaches to the interface of that name; creates it if there is none, which takes the privilege
    /// `CAP_NET_ADMIN`. [`KernelEnd`](crate::setup::KernelEnd) configures the kernel's end.
    ///
    /// # Errors
    /// Says which command helps.
    pub fn open(name: &InterfaceName) -> Result<Self, TunError> {
        Tun::attach(name, Offload::Off, |_| interface::open_tap(name)).map(Tap)
    }
}

impl AsFd for Tap {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Link for Tap {
    type Error = TunError;

    /// The MTU is the interface's, and counts no frame headers.
    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    fn transmit(
        &mut self,
        now: Instant,
        frame: &Transmit<'_>,
    ) -> Result<(), TransmitError<TunError>> {
        self.0.transmit(now, frame)
    }

    fn receive(
        &mut self,
        now: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, TunError> {
        self.0.receive(now, budget, deliver)
    }
}
