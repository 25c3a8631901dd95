//! A queue of packets between two parts of a program.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// Both ends of a queue in which `capacity` packets wait, and at least one: first the sender's.
pub(super) fn queue(capacity: usize) -> [End; 2] {
    let way = Arc::new(Way { state: Mutex::default(), capacity: capacity.max(1) });
    [End(Arc::clone(&way)), End(way)]
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
pub(super) struct End(Arc<Way>);

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
    pub(super) fn push(&self, packet: Vec<u8>, waker: Option<&Waker>) -> Result<(), Unsent> {
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
    pub(super) fn pop(&self, waker: Option<&Waker>) -> Poll<Option<Vec<u8>>> {
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

    /// Has this one woken when there is a packet, or will be no more.
    pub(super) fn wake_receiver(&self, waker: &Waker) {
        self.0.lock().receiver = Some(waker.clone());
    }

    /// Puts a packet into the queue as soon as there is room.
    pub(super) async fn send(&self, packet: Vec<u8>) -> Result<(), Unsent> {
        let mut packet = Some(packet);
        poll_fn(|cx| match self.push(packet.take().unwrap_or_default(), Some(cx.waker())) {
            Err(Unsent::Full(back)) => {
                packet = Some(back);
                Poll::Pending
            }
            done => Poll::Ready(done),
        })
        .await
    }

    /// Waits for the next packet; `None` when there will be no more.
    pub(super) async fn next(&self) -> Option<Vec<u8>> {
        poll_fn(|cx| self.pop(Some(cx.waker()))).await
    }
}

/// Why a packet was not taken; it comes back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unsent {
    /// As many packets wait as may.
    Full(Vec<u8>),
    /// The network has ended.
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
