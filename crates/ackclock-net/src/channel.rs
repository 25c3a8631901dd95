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

use crate::park::wait;
use ackclock::link::{Link, TransmitError};
use ackclock::stack::{Capabilities, Received, Transmit};
use ackclock::time::Instant;
use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// A link whose packets another part of the program carries, and that part's end of it. Packets are at most
/// `mtu` bytes long; `capacity` of them wait in each direction.
pub fn packets(mtu: u32, capacity: usize) -> (PacketLink, Packets) {
    let way = || Arc::new(Way { state: Mutex::default(), capacity: capacity.max(1) });
    let (inbound, outbound) = (way(), way());
    let link = PacketLink {
        mtu,
        inbound: End(Arc::clone(&inbound)),
        outbound: End(Arc::clone(&outbound)),
        spare: Vec::new(),
        driver: None,
    };
    (link, Packets { inbound: End(inbound), outbound: End(outbound) })
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

/// One direction.
#[derive(Debug)]
struct Way {
    state: Mutex<Queue>,
    capacity: usize,
}

#[derive(Debug, Default)]
struct Queue {
    packets: VecDeque<Vec<u8>>,
    /// One of the ends is gone.
    is_closed: bool,
    /// Whoever takes packets, when there is none.
    receiver: Option<Waker>,
    /// Whoever brings packets, when there is no room.
    sender: Option<Waker>,
}

impl Way {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An end of a direction, which closes it when it is dropped.
#[derive(Debug)]
struct End(Arc<Way>);

impl Drop for End {
    fn drop(&mut self) {
        let mut queue = self.0.lock();
        queue.is_closed = true;
        let woken = [queue.receiver.take(), queue.sender.take()];
        drop(queue);
        woken.into_iter().flatten().for_each(Waker::wake);
    }
}

impl End {
    /// Puts a packet into the queue, or gives it back.
    fn push(&self, packet: Vec<u8>, waker: Option<&Waker>) -> Result<(), Unsent> {
        let mut queue = self.0.lock();
        if queue.is_closed {
            return Err(Unsent::Closed(packet));
        }
        if queue.packets.len() >= self.0.capacity {
            if let Some(waker) = waker {
                queue.sender = Some(waker.clone());
            }
            return Err(Unsent::Full(packet));
        }
        queue.packets.push_back(packet);
        let woken = queue.receiver.take();
        drop(queue);
        woken.into_iter().for_each(Waker::wake);
        Ok(())
    }

    /// Takes a packet; `None` when there will be no more.
    fn pop(&self, waker: Option<&Waker>) -> Poll<Option<Vec<u8>>> {
        let mut queue = self.0.lock();
        let Some(packet) = queue.packets.pop_front() else {
            if queue.is_closed {
                return Poll::Ready(None);
            }
            if let Some(waker) = waker {
                queue.receiver = Some(waker.clone());
            }
            return Poll::Pending;
        };
        let woken = queue.sender.take();
        drop(queue);
        woken.into_iter().for_each(Waker::wake);
        Poll::Ready(Some(packet))
    }
}

/// The end of a channel that a network is made over.
#[derive(Debug)]
pub struct PacketLink {
    mtu: u32,
    inbound: End,
    outbound: End,
    /// The memory of a packet that was taken, for one that is to be sent.
    spare: Vec<u8>,
    /// Who is to be woken when there is room, or a packet.
    driver: Option<Waker>,
}

/// The other end of the channel: what the program carries. Dropping it ends the network.
#[derive(Debug)]
pub struct Packets {
    inbound: End,
    outbound: End,
}

/// Why a packet was not taken; it comes back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unsent {
    /// As many packets wait as may.
    Full(Vec<u8>),
    /// The network is over.
    Closed(Vec<u8>),
}

impl fmt::Display for Unsent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unsent::Full(_) => "the channel is full: drop the packet, or wait with send",
            Unsent::Closed(_) => "the network is over",
        })
    }
}

impl std::error::Error for Unsent {}

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
        self.inbound.0.lock().receiver = Some(waker.clone());
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
    /// The network is over; the packet comes back.
    pub async fn send(&self, packet: Vec<u8>) -> Result<(), Unsent> {
        let mut packet = Some(packet);
        poll_fn(|cx| match self.inbound.push(packet.take().unwrap_or_default(), Some(cx.waker())) {
            Err(Unsent::Full(back)) => {
                packet = Some(back);
                Poll::Pending
            }
            done => Poll::Ready(done),
        })
        .await
    }

    /// Takes the next packet of the network; `None` when it is over. One task at a time may wait.
    pub fn poll_receive(&self, cx: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        self.outbound.pop(Some(cx.waker()))
    }

    /// Waits in a task for the next packet of the network; `None` when it is over.
    pub async fn next(&self) -> Option<Vec<u8>> {
        poll_fn(|cx| self.poll_receive(cx)).await
    }

    /// Waits in a thread for the next packet of the network; `None` when it is over.
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
