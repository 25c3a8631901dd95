//! Drivers: the [`Link`] contract between a stack and whatever carries its packets.

use crate::stack::{Capabilities, Transmit};
use crate::time::Instant;
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
        deliver: &mut dyn FnMut(&[u8]),
    ) -> Result<usize, Self::Error>;
}

/// Why a link did not take a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TransmitError<E> {
    /// No room now; offer it again later.
    Full,
    /// The device failed.
    Device(E),
}
