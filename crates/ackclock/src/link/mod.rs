//! Drivers: the [`Link`] contract between a stack and whatever carries its packets.

#[cfg(feature = "ethernet")]
pub mod ethernet;

use crate::stack::{Capabilities, Transmit};
use crate::time::Instant;
use crate::wire::Checksums;
use core::fmt::Debug;

/// A device that carries IP packets.
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
}

/// A packet that a link hands over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Received<'a> {
    /// The IP packet. A link that puts segments together delivers some that are longer than the
    /// MTU.
    pub packet: &'a [u8],
    /// Which of its checksums are still to be verified. A device that has verified a segment, or
    /// that takes it from a sender on the same machine, says so for each packet.
    pub verify: Checksums,
}

impl<'a> Received<'a> {
    /// A packet of which nothing was verified.
    pub fn unverified(packet: &'a [u8]) -> Self {
        Received { packet, verify: Checksums::default() }
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
