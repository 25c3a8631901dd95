//! Stray packets: they came by another queue than that of their connection.
//!
//! Each queue of a device has a stack and a thread of its own, and nothing is shared between them.
//! The kernel learns from sent packets which queue a connection uses. If a connection sends nothing
//! for some seconds, the kernel goes by a hash of the addresses instead, and a packet may come to a
//! stack that does not know the connection. Such a packet goes round the other stacks. Only the
//! last one answers it, if none of them knows the connection.

use super::wait::Waker;
use ackclock::congestion::CongestionController;
use ackclock::stack::{Received, Stack};
use ackclock::time::Instant;
use ackclock::wire::Checksums;
use std::cell::Cell;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Maximum number of stray packets that wait for a queue; further ones are lost.
const WAITING: usize = 256;

/// A stray packet on its way round the queues.
#[derive(Debug)]
struct Stray {
    packet: Vec<u8>,
    verify: Checksums,
    /// The number of stacks that the packet has not been shown to.
    left: usize,
}

/// One queue's place in the round.
#[derive(Debug)]
pub(crate) struct Strays {
    arriving: Receiver<Stray>,
    next: SyncSender<Stray>,
    /// The waker of the next queue's loop.
    waker: Waker,
    /// The number of other queues.
    others: usize,
    /// Packets that the next queue could not take.
    lost: Cell<u64>,
}

impl Strays {
    /// The places in the round of the queues whose loops have these wakers.
    pub(crate) fn round(wakers: &[Waker]) -> Vec<Strays> {
        let (mut senders, receivers): (Vec<_>, Vec<_>) =
            wakers.iter().map(|_| sync_channel(WAITING)).unzip();
        let mut wakers = wakers.to_vec();
        if wakers.len() > 1 {
            senders.rotate_left(1);
            wakers.rotate_left(1);
        }
        let others = wakers.len().saturating_sub(1);
        let places = receivers.into_iter().zip(senders).zip(wakers);
        let lost = Cell::default();
        let place = |((arriving, next), waker)| {
            let lost = lost.clone();
            Strays { arriving, next, waker, others, lost }
        };
        places.map(place).collect()
    }

    /// Packets that were lost here because the next queue was overrun or had ended.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.get()
    }

    /// Gives the stack a packet of its own queue.
    pub(crate) fn deliver<C: CongestionController + Clone>(
        &self,
        now: Instant,
        stack: &mut Stack<'_, C>,
        received: &Received<'_>,
    ) {
        self.show(now, stack, received, self.others);
    }

    /// Shows the stack at most `budget` packets of other queues; returns how many there were.
    pub(crate) fn receive<C: CongestionController + Clone>(
        &self,
        now: Instant,
        budget: usize,
        stack: &mut Stack<'_, C>,
    ) -> usize {
        let arriving = self.arriving.try_iter().take(budget);
        arriving
            .map(|Stray { packet, verify, left }| {
                self.show(
                    now,
                    stack,
                    &Received { packet: &packet, verify },
                    left.saturating_sub(1),
                );
            })
            .count()
    }

    /// Gives the packet to the stack if it knows the connection or is the last of the round; else
    /// passes the packet on.
    fn show<C: CongestionController + Clone>(
        &self,
        now: Instant,
        stack: &mut Stack<'_, C>,
        received: &Received<'_>,
        left: usize,
    ) {
        if left == 0 {
            stack.on_received(now, received);
            return;
        }
        if stack.claim(now, received) {
            return;
        }
        let stray = Stray { packet: received.packet.to_vec(), verify: received.verify, left };
        // A queue that has ended or is overrun loses the packet, and TCP retransmits.
        match self.next.try_send(stray) {
            Ok(()) => self.waker.wake(),
            Err(_) => self.lost.set(self.lost.get() + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::congestion::BuiltIn;
    use ackclock::stack::{Capabilities, Cidr, ListenConfig, StackConfig, Storage, Transmit};
    use ackclock::tcp::Config;
    use ackclock::wire::{Flags, Protocol, parse_packet};

    const NOW: Instant = Instant::from_secs(1);

    fn stack(last: u8) -> Stack<'static> {
        let config = StackConfig::new(Capabilities::with_mtu(1500), [last.into(), 2]);
        let mut stack = Stack::new(config, BuiltIn::default(), Storage::growing()).unwrap();
        stack.add_address(Cidr { address: [10, 0, 0, last].into(), prefix: 24 }).unwrap();
        stack
    }

    fn sent(stack: &mut Stack<'_>) -> Vec<Vec<u8>> {
        let mut packets = Vec::new();
        let mut sink = |transmit: &Transmit<'_>| {
            let mut packet = vec![0; transmit.len()];
            transmit.copy_to(&mut packet);
            packets.push(packet);
            Ok(())
        };
        while stack.transmit(NOW, &mut sink).is_taken() {}
        packets
    }

    fn flags(packet: &[u8]) -> Flags {
        match parse_packet(packet, Checksums::default()).unwrap().protocol {
            Protocol::Tcp(segment) => segment.header.flags,
            other => panic!("{other:?}"),
        }
    }

    fn round(queues: usize) -> Vec<Strays> {
        let wakers: Vec<_> = (0..queues).map(|_| Waker::new().unwrap()).collect();
        Strays::round(&wakers)
    }

    #[test]
    fn a_packet_goes_round_until_a_stack_knows_its_connection() {
        let places = round(3);
        let mut queues: Vec<_> = (0..3).map(|_| stack(2)).collect();
        let mut peer = stack(1);
        queues[2].listen(ListenConfig::new(([10, 0, 0, 2], 9).into())).unwrap();
        peer.connect(NOW, ([10, 0, 0, 2], 9).into(), None, &Config::default()).unwrap();
        let syn = sent(&mut peer).remove(0);
        places[0].deliver(NOW, &mut queues[0], &Received::unverified(&syn));
        assert_eq!(places[1].receive(NOW, 64, &mut queues[1]), 1);
        assert_eq!(places[2].receive(NOW, 64, &mut queues[2]), 1);
        let answers: Vec<Vec<Vec<u8>>> = queues.iter_mut().map(sent).collect();
        let [first, second, third] = answers.try_into().unwrap();
        assert!(first.is_empty() && second.is_empty());
        assert_eq!(flags(&third[0]), Flags::SYN | Flags::ACK);
        assert_eq!(places[0].receive(NOW, 64, &mut queues[0]), 0);
    }

    #[test]
    fn what_no_stack_knows_is_answered_once_by_the_last() {
        let places = round(2);
        let mut queues: Vec<_> = (0..2).map(|_| stack(2)).collect();
        let mut peer = stack(1);
        peer.connect(NOW, ([10, 0, 0, 2], 9).into(), None, &Config::default()).unwrap();
        let syn = sent(&mut peer).remove(0);
        places[0].deliver(NOW, &mut queues[0], &Received::unverified(&syn));
        assert!(sent(&mut queues[0]).is_empty());
        assert_eq!(places[1].receive(NOW, 64, &mut queues[1]), 1);
        assert_eq!(flags(&sent(&mut queues[1])[0]), Flags::RST | Flags::ACK);
        assert_eq!(places[0].receive(NOW, 64, &mut queues[0]), 0);
    }

    #[test]
    fn a_single_queue_answers_for_itself() {
        let places = round(1);
        let mut queue = stack(2);
        let mut peer = stack(1);
        peer.connect(NOW, ([10, 0, 0, 2], 9).into(), None, &Config::default()).unwrap();
        let syn = sent(&mut peer).remove(0);
        places[0].deliver(NOW, &mut queue, &Received::unverified(&syn));
        assert_eq!(flags(&sent(&mut queue)[0]), Flags::RST | Flags::ACK);
    }

    #[test]
    fn more_than_can_wait_is_lost_and_counted() {
        let places = round(2);
        let mut queue = stack(2);
        let mut peer = stack(1);
        peer.connect(NOW, ([10, 0, 0, 2], 9).into(), None, &Config::default()).unwrap();
        let syn = sent(&mut peer).remove(0);
        for _ in 0..=WAITING {
            places[0].deliver(NOW, &mut queue, &Received::unverified(&syn));
        }
        assert_eq!((places[0].lost(), places[1].lost()), (1, 0));
        assert_eq!(places[1].receive(NOW, usize::MAX, &mut queue), WAITING);
    }
}
