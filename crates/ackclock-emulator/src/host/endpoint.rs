//! The trait of what can run on a host in place of its stack, such as another TCP.

use ackclock::time::Instant;

/// A replacement for a host's stack: another TCP, a packet generator.
///
/// The emulator calls [`poll`](Endpoint::poll) after each packet that it delivers and when the time
/// comes that [`poll_at`](Endpoint::poll_at) names.
pub trait Endpoint {
    /// An IP packet arrived.
    fn on_packet(&mut self, now: Instant, bytes: &[u8]);

    /// Does what is due, and hands each IP packet that is to be sent to `send`.
    fn poll(&mut self, now: Instant, send: &mut dyn FnMut(&[u8]));

    /// When the endpoint wants to be polled next; [`Instant::FAR_FUTURE`] if only a packet can give
    /// it something to do.
    fn poll_at(&self) -> Instant;

    /// Whether the endpoint has nothing more to do.
    fn is_done(&self) -> bool;
}
