//! Drivers: the [`Link`] contract between a stack and whatever carries its packets.

#[cfg(any(feature = "embassy-net-driver", feature = "smoltcp-phy"))]
mod contiguous;
#[cfg(feature = "embassy-net-driver")]
pub mod embassy;
pub mod ethernet;
#[cfg(feature = "smoltcp-phy")]
pub mod phy;

use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::stack::{Capabilities, Offered, Received, Rejected, Stack, Transmit};
use crate::time::Instant;
use core::fmt::Debug;
use core::task::Waker;

/// A device that carries IP packets, or Ethernet frames if there is an Ethernet layer between it and
/// the stack.
pub trait Link {
    /// What can go wrong with the device itself.
    type Error: Debug;

    /// What the device can do; asked once, when the stack is made.
    fn capabilities(&self) -> Capabilities;

    /// Sends one packet (or, when the device segments, one large one).
    ///
    /// # Errors
    /// [`TransmitError::Full`] if the device has no room now: the stack keeps the packet and offers
    /// it again. Other errors are the device's; the packet counts as sent (the network may lose
    /// packets, and TCP repairs that).
    fn transmit(
        &mut self,
        now: Instant,
        transmit: &Transmit<'_>,
    ) -> Result<(), TransmitError<Self::Error>>;

    /// Hands at most `budget` received packets to `deliver`, in order, and returns how many; 0
    /// when none is there.
    ///
    /// # Errors
    /// The device's. Packets delivered before the error stay delivered.
    fn receive(
        &mut self,
        now: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, Self::Error>;

    /// Whether the device has a carrier, such as a plugged cable; one that cannot tell says yes.
    fn is_up(&mut self) -> bool {
        true
    }

    /// Has `waker` woken when the device has something to receive, has room again after
    /// [`TransmitError::Full`], or gets or loses its carrier. A device that cannot tell ignores it, and is
    /// asked by whoever drives it.
    fn set_waker(&mut self, waker: &Waker) {
        let _ = waker;
    }
}

/// What stands between a stack and its link: an Ethernet layer (feature `ethernet`), or [`Direct`].
pub trait Interface {
    /// What the link has received.
    fn on_received<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        received: &Received<'_>,
    );

    /// Offers the next packet or frame to `sink`; as [`Stack::transmit`].
    fn transmit<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        sink: &mut dyn FnMut(&Transmit<'_>) -> Result<(), Rejected>,
    ) -> Offered;

    /// When [`transmit`](Self::transmit) is to be called without a reason of the stack's.
    fn poll_at(&self) -> Instant;

    /// The link has a carrier again: whoever is on it now may not know us.
    fn announce(&mut self) {}

    /// Has `waker` woken when others than the stack give it something to send.
    fn set_waker(&mut self, waker: &Waker) {
        let _ = waker;
    }
}

/// Nothing: the link carries the stack's IP packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Direct;

impl Interface for Direct {
    fn on_received<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        received: &Received<'_>,
    ) {
        stack.on_received(now, received);
    }

    fn transmit<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        sink: &mut dyn FnMut(&Transmit<'_>) -> Result<(), Rejected>,
    ) -> Offered {
        stack.transmit(now, sink)
    }

    fn poll_at(&self) -> Instant {
        Instant::FAR_FUTURE
    }
}

/// Why a link did not take a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TransmitError<E> {
    /// No room now; offer it again later.
    Full,
    /// The device failed.
    Device(E),
}

/// What a round between a link and its stack has moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moved {
    /// Packets that came.
    pub received: usize,
    /// Packets that went.
    pub sent: usize,
}

/// One round of a driver: takes at most `budget` packets from the link, fires timers, and gives the link
/// at most `budget` packets, fewer if it has no room. What applications are to be told waits in
/// [`Stack::poll_event`].
///
/// # Errors
/// The device's. The packet that it failed with counts as sent.
pub fn exchange<L: Link, C: CongestionController + Clone, P: Profile>(
    now: Instant,
    budget: usize,
    link: &mut L,
    interface: &mut impl Interface,
    stack: &mut Stack<'_, C, P>,
) -> Result<Moved, L::Error> {
    let mut deliver = |received: Received<'_>| interface.on_received(now, stack, &received);
    let received = link.receive(now, budget, &mut deliver)?;
    if stack.poll_at() <= now {
        stack.on_timeout(now);
    }
    let (mut sent, mut failed) = (0, None);
    while sent < budget && failed.is_none() {
        let mut sink = |packet: &Transmit<'_>| match link.transmit(now, packet) {
            Ok(()) => Ok(()),
            Err(TransmitError::Full) => Err(Rejected),
            Err(TransmitError::Device(error)) => {
                failed = Some(error);
                Ok(())
            }
        };
        match interface.transmit(now, stack, &mut sink) {
            Offered::Taken => sent += 1,
            Offered::Nothing | Offered::Rejected => break,
        }
    }
    failed.map_or(Ok(Moved { received, sent }), Err)
}
