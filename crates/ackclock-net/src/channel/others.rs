//! A side exit for the packets that are not the stack's.

use super::queue::{End, Unsent, queue};
use ackclock::congestion::CongestionController;
use ackclock::link::Interface;
use ackclock::profile::Profile;
use ackclock::stack::{Offered, Received, Rejected, Stack, Transmit};
use ackclock::time::Instant;
use ackclock::wire::{Ecn, WriteChecksum, complete_checksum};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Poll, Waker};

/// A side exit for the packets that a network does not take itself, and a way in for others than its own:
/// UDP, ICMP that concerns none of its connections, echo requests to others, and fragments
/// ([`Stack::on_received`]). `capacity` packets wait in each direction.
///
/// The first is given to [`Net::with_driver_and`](crate::Net::with_driver_and), the second stays with the
/// program.
///
/// ```
/// use ackclock_net::channel::{others, packets};
/// use ackclock_net::{Net, NetConfig, TokioTimer};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
/// # runtime.block_on(async {
/// let (link, tunnel) = packets(1420, 256);
/// let (with_others, others) = others(256);
/// let config = NetConfig::new(["10.9.0.2/32".parse()?]);
/// let (_net, driver) = Net::with_driver_and(link, with_others, TokioTimer::start(), &config)?;
/// tokio::spawn(driver);
///
/// // A UDP datagram from the tunnel comes out at the side.
/// let mut datagram = vec![0; 28];
/// (datagram[0], datagram[3], datagram[9], datagram[25]) = (0x45, 28, 17, 8);
/// # let sum = ackclock::wire::Checksum::default().over(&datagram[..20]).complement();
/// # datagram[10..12].copy_from_slice(&sum.to_be_bytes());
/// tunnel.send(datagram.clone()).await?;
/// assert_eq!(others.next().await.map(|packet| packet[9]), Some(17));
/// # Ok(())
/// # })
/// # }
/// ```
pub fn others(capacity: usize) -> (WithOthers, Others) {
    let ([give, taken], [bring, brought]) = (queue(capacity), queue(capacity));
    let lost = Arc::<AtomicU64>::default();
    let interface = WithOthers { give, brought, waits: None, lost: Arc::clone(&lost) };
    (interface, Others { taken, bring, lost })
}

/// What stands between a stack and a link that carries IP packets, and gives the packets that are not the
/// stack's to [`Others`].
#[derive(Debug)]
pub struct WithOthers {
    give: End,
    brought: End,
    /// A packet of others for which the link had no room.
    waits: Option<Vec<u8>>,
    lost: Arc<AtomicU64>,
}

/// The packets that are not the stack's. When this is dropped they are, as without it.
#[derive(Debug)]
pub struct Others {
    taken: End,
    bring: End,
    lost: Arc<AtomicU64>,
}

impl Others {
    /// Waits in a task for the next packet, an IP packet whose checksums are complete; `None` when the
    /// driver is gone. One task at a time may wait.
    pub async fn next(&self) -> Option<Vec<u8>> {
        self.taken.next().await
    }

    /// Takes the next packet, if there is one.
    pub fn try_next(&self) -> Option<Vec<u8>> {
        match self.taken.pop(None) {
            Poll::Ready(packet) => packet,
            Poll::Pending => None,
        }
    }

    /// Has the network's link send an IP packet, which must not be longer than the link's MTU and whose
    /// checksums must be complete; as soon as there is room. One task at a time may wait.
    ///
    /// # Errors
    /// The driver is gone; the packet comes back.
    pub async fn send(&self, packet: Vec<u8>) -> Result<(), Unsent> {
        self.bring.send(packet).await
    }

    /// As [`send`](Self::send), if there is room.
    ///
    /// # Errors
    /// The packet comes back.
    pub fn try_send(&self, packet: Vec<u8>) -> Result<(), Unsent> {
        self.bring.push(packet, None)
    }

    /// Packets that were lost because as many waited as may.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

impl Interface for WithOthers {
    fn on_received<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        received: &Received<'_>,
    ) {
        if stack.on_received(now, received) {
            return;
        }
        let mut packet = received.packet.to_vec();
        if !received.verify.transport {
            // The device has verified the checksum, or it was never written since both are one machine.
            complete_checksum(&mut packet);
        }
        if let Err(Unsent::Full(_)) = self.give.push(packet, None) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn transmit<C: CongestionController + Clone, P: Profile>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C, P>,
        sink: &mut dyn FnMut(&Transmit<'_>) -> Result<(), Rejected>,
    ) -> Offered {
        let next = || match self.brought.pop(None) {
            Poll::Ready(packet) => packet,
            Poll::Pending => None,
        };
        let Some(packet) = self.waits.take().or_else(next) else {
            return stack.transmit(now, sink);
        };
        let whole = Transmit {
            header: &packet,
            payload: [&[], &[]],
            transport_offset: 0,
            segment_size: 0,
            checksum: WriteChecksum::Complete,
            ecn: Ecn::NotEct,
        };
        if sink(&whole).is_err() {
            self.waits = Some(packet);
            return Offered::Rejected;
        }
        Offered::Taken
    }

    fn poll_at(&self) -> Instant {
        Instant::FAR_FUTURE
    }

    fn set_waker(&mut self, waker: &Waker) {
        self.brought.wake_receiver(waker);
    }
}
