//! Links: the interface between a stack and the device that carries its packets.

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

/// A device that carries IP packets, or Ethernet frames if there is an Ethernet layer between device and
/// stack.
pub trait Link {
    /// Error of the device itself.
    type Error: Debug;

    /// Capabilities of the device; asked once, when the stack is created.
    fn capabilities(&self) -> Capabilities;

    /// Sends one packet (or one large one, if the device has segmentation offload).
    ///
    /// # Errors
    /// [`TransmitError::Full`] if the device has no room now: the stack keeps the packet and offers it again.
    /// With other errors, which are the device's, the packet counts as sent; the network may lose packets
    /// anyway, and TCP repairs that.
    fn transmit(
        &mut self,
        now: Instant,
        transmit: &Transmit<'_>,
    ) -> Result<(), TransmitError<Self::Error>>;

    /// Passes at most `budget` received packets to `deliver`, in order, and returns how many; 0 if there are
    /// none.
    ///
    /// # Errors
    /// An error of the device. Packets delivered before it remain delivered.
    fn receive(
        &mut self,
        now: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, Self::Error>;

    /// Whether the device has a carrier, such as a plugged cable; a device that cannot tell returns true.
    fn is_up(&mut self) -> bool {
        true
    }

    /// Has `waker` woken when the device has received a packet, has room again after [`TransmitError::Full`],
    /// or gets or loses its carrier. A device that cannot do this ignores it, and has to be polled.
    fn set_waker(&mut self, waker: &Waker) {
        let _ = waker;
    }
}

/// The layer between a stack and its link: Ethernet (feature `ethernet`), or none ([`Direct`]).
pub trait Interface {
    /// Processes a packet or frame received by the link.
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

    /// When [`transmit`](Self::transmit) is to be called on behalf of this layer, apart from the stack's
    /// deadlines.
    fn poll_at(&self) -> Instant;

    /// Notes that the link has a carrier again: hosts that are on it now may not know our addresses.
    fn announce(&mut self) {}

    /// Has `waker` woken when this layer itself has something to send.
    fn set_waker(&mut self, waker: &Waker) {
        let _ = waker;
    }
}

/// No layer: the link carries the stack's IP packets.
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
    /// The device has no room now; offer the packet again later.
    Full,
    /// The device failed.
    Device(E),
}

/// Number of packets moved in one round between a link and its stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moved {
    /// Packets received.
    pub received: usize,
    /// Packets sent.
    pub sent: usize,
}

/// Runs one round of a driver: takes at most `budget` packets from the link, handles timers, and gives the
/// link at most `budget` packets, fewer if it has no room. Events for applications wait in
/// [`Stack::poll_event`].
///
/// # Errors
/// An error of the device. The packet that it failed with counts as sent.
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
