//! A link that is a pair of channels of packets.
//!
//! What carries packets by itself needs no descriptor here: a VPN client hands over each IP packet that it
//! has decrypted, and takes those that it is to encrypt.
//!
//! ```
//! use ackclock_net::channel::packets;
//! use ackclock_net::{Net, NetConfig};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (link, tunnel) = packets(1420, 256);
//! let net = Net::on_thread(link, &NetConfig::new(["10.9.0.2/32".parse()?]))?;
//! let _connecting = std::thread::spawn(move || {
//!     ackclock_net::TcpStream::connect(&net, "192.0.2.1:80").map(|_| ())
//! });
//! let syn = tunnel.receive().ok_or("the network is there")?;
//! assert_eq!(syn[0] >> 4, 4);
//! # Ok(())
//! # }
//! ```

mod others;
mod queue;

pub use others::{Others, WithOthers, others};
pub use queue::Unsent;

use crate::park::wait;
use ackclock::link::{Link, TransmitError};
use ackclock::stack::{Capabilities, Received, Transmit};
use ackclock::time::Instant;
use queue::{End, queue};
use std::fmt;
use std::task::{Context, Poll, Waker};

/// A link whose packets another part of the program carries, and that part's end of it. Packets are at most
/// `mtu` bytes long; `capacity` of them wait in each direction.
pub fn packets(mtu: u32, capacity: usize) -> (PacketLink, Packets) {
    let ([to_link, inbound], [outbound, from_link]) = (queue(capacity), queue(capacity));
    let link = PacketLink { mtu, inbound, outbound, spare: Vec::new(), driver: None };
    (link, Packets { inbound: to_link, outbound: from_link })
}

/// Two links that are each other's end: two networks of one program, joined. `capacity` packets wait in
/// each direction.
pub fn joined(mtu: u32, capacity: usize) -> [PacketLink; 2] {
    let (left, Packets { inbound, outbound }) = packets(mtu, capacity);
    [
        left,
        PacketLink { mtu, inbound: outbound, outbound: inbound, spare: Vec::new(), driver: None },
    ]
}

/// The end of a channel that a network is made over.
#[derive(Debug)]
pub struct PacketLink {
    mtu: u32,
    inbound: End,
    outbound: End,
    /// The memory of a packet that was taken, for one that is to be sent.
    spare: Vec<u8>,
    /// The wakers of tasks that wait for room, or for a packet.
    driver: Option<Waker>,
}

/// The program's end of the channel, from which it takes packets. Dropping it ends the network.
#[derive(Debug)]
pub struct Packets {
    inbound: End,
    outbound: End,
}

/// The program has dropped its end of the channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChannelClosed;

impl fmt::Display for ChannelClosed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the other end of the channel of packets was dropped")
    }
}

impl std::error::Error for ChannelClosed {}

impl Link for PacketLink {
    type Error = ChannelClosed;

    fn capabilities(&self) -> Capabilities {
        Capabilities::with_mtu(self.mtu)
    }

    fn transmit(
        &mut self,
        _now: Instant,
        transmit: &Transmit<'_>,
    ) -> Result<(), TransmitError<ChannelClosed>> {
        let mut packet = std::mem::take(&mut self.spare);
        packet.resize(transmit.len(), 0);
        transmit.copy_to(&mut packet);
        match self.outbound.push(packet, self.driver.as_ref()) {
            Ok(()) => Ok(()),
            Err(Unsent::Full(packet)) => {
                self.spare = packet;
                Err(TransmitError::Full)
            }
            Err(Unsent::Closed(_)) => Err(TransmitError::Device(ChannelClosed)),
        }
    }

    fn receive(
        &mut self,
        _now: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, ChannelClosed> {
        for received in 0..budget {
            match self.inbound.pop(None) {
                Poll::Ready(Some(packet)) => {
                    deliver(Received::unverified(&packet));
                    self.spare = packet;
                }
                Poll::Ready(None) => return Err(ChannelClosed),
                Poll::Pending => return Ok(received),
            }
        }
        Ok(budget)
    }

    fn set_waker(&mut self, waker: &Waker) {
        if !self.driver.as_ref().is_some_and(|driver| driver.will_wake(waker)) {
            self.driver = Some(waker.clone());
        }
        self.inbound.wake_receiver(waker);
    }
}

impl Packets {
    /// Hands a packet to the network, if there is room.
    ///
    /// # Errors
    /// The packet comes back.
    pub fn try_send(&self, packet: Vec<u8>) -> Result<(), Unsent> {
        self.inbound.push(packet, None)
    }

    /// Hands a packet to the network, as soon as there is room. One task at a time may wait.
    ///
    /// # Errors
    /// The network has ended; the packet comes back.
    pub async fn send(&self, packet: Vec<u8>) -> Result<(), Unsent> {
        self.inbound.send(packet).await
    }

    /// Takes the next packet of the network; `None` when the network has ended. One task at a time may wait.
    pub fn poll_receive(&self, cx: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        self.outbound.pop(Some(cx.waker()))
    }

    /// Waits in a task for the next packet of the network; `None` when the network has ended.
    pub async fn next(&self) -> Option<Vec<u8>> {
        self.outbound.next().await
    }

    /// Waits in a thread for the next packet of the network; `None` when the network has ended.
    pub fn receive(&self) -> Option<Vec<u8>> {
        wait(None, |waker| self.outbound.pop(Some(waker))).flatten()
    }

    /// Takes the next packet of the network, if there is one.
    pub fn try_receive(&self) -> Option<Vec<u8>> {
        match self.outbound.pop(None) {
            Poll::Ready(packet) => packet,
            Poll::Pending => None,
        }
    }
}
