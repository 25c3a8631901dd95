//! One direction of a path: queue, line, loss and propagation. It knows no clock and no event
//! queue: whoever drives it tells it what time it is and comes back when it says.

use crate::account::{Account, LinkStatistics};
use crate::loss::Bernoulli;
use crate::observer::DropReason;
use crate::packet::Packet;
use crate::path::Path;
use crate::queue::Queue;
use crate::random::Random;
use crate::units::Rate;
use ackclock::time::{Duration, Instant};
use std::collections::VecDeque;

/// Which sibling of a link's stream the queue decides by.
const QUEUE_STREAM: usize = 1;

/// A line that sends one packet at a time, and the packets that wait for it.
///
/// ```text
///   offer --> queue --> line (rate) --> loss --> propagation (delay) --> arrival
/// ```
#[derive(Debug)]
pub(crate) struct Link {
    rate: Rate,
    delay: Duration,
    queue: Queue,
    loss: Bernoulli,
    in_service: Option<Packet>,
    /// On their way to the other end, for whoever drives the link to take.
    arrivals: VecDeque<(Instant, Packet)>,
    account: Account,
}

impl Link {
    /// `random` decides what is lost; whatever else is random has a stream of its own, a sibling.
    pub(crate) fn new(path: &Path, random: Random) -> Self {
        Link {
            rate: path.rate,
            delay: path.delay,
            queue: Queue::new(path.queue, path.rate, random.sibling(QUEUE_STREAM)),
            loss: Bernoulli::new(path.loss, random),
            in_service: None,
            arrivals: VecDeque::new(),
            account: Account::default(),
        }
    }

    pub(crate) fn statistics(&self) -> &LinkStatistics {
        &self.account.statistics
    }

    /// Takes a packet in. If the line begins to send now, returns when to call
    /// [`Link::on_transmitted`]. Afterwards [`Link::take_drop`] tells what was dropped.
    pub(crate) fn offer(&mut self, now: Instant, packet: Packet) -> Option<Instant> {
        self.account.statistics.packets_offered += 1;
        let idle = self.in_service.is_none();
        self.queue.push(now, packet, idle, &mut self.account);
        if idle { self.serve_next(now) } else { None }
    }

    /// The transmission of the packet in service has ended. If another begins, returns when to
    /// call again. Afterwards [`Link::take_arrival`] and [`Link::take_drop`] tell what became of
    /// packets.
    pub(crate) fn on_transmitted(&mut self, now: Instant) -> Option<Instant> {
        let packet = self.in_service.take()?;
        if self.loss.loses() {
            self.account.drop(packet, DropReason::Loss);
        } else {
            self.account.statistics.packets_carried += 1;
            self.account.statistics.bytes_carried += packet.bytes.len() as u64;
            self.arrivals.push_back((now + self.delay, packet));
        }
        self.serve_next(now)
    }

    /// A packet on its way to the other end, and when it arrives there.
    pub(crate) fn take_arrival(&mut self) -> Option<(Instant, Packet)> {
        self.arrivals.pop_front()
    }

    /// A packet that will not arrive, and why.
    pub(crate) fn take_drop(&mut self) -> Option<(Packet, DropReason)> {
        self.account.take_drop()
    }

    /// Puts the next packet on the line; returns when its last bit has left.
    fn serve_next(&mut self, now: Instant) -> Option<Instant> {
        let packet = self.queue.pop(now, &mut self.account)?;
        let ends_at = now + self.rate.transmission_time(packet.bytes.len());
        self.in_service = Some(packet);
        Some(ends_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::testing::packet;
    use crate::random::Streams;

    fn link(path: &str) -> Link {
        Link::new(&path.parse().unwrap(), Streams::new(1).take_stream())
    }

    const fn ms(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    #[test]
    fn a_packet_takes_its_transmission_time_and_then_the_delay() {
        let mut link = link("rate=10mbit,delay=20ms,loss=0");
        // 1250 bytes are 10,000 bits: 1 ms at 10 Mbit/s.
        assert_eq!(link.offer(ms(5), packet(0, 1250)), Some(ms(6)));
        assert_eq!(link.on_transmitted(ms(6)), None);
        assert_eq!(link.take_arrival(), Some((ms(26), packet(0, 1250))));
        assert_eq!(link.on_transmitted(ms(7)), None);
        assert_eq!(link.take_arrival(), None);
    }

    #[test]
    fn packets_leave_one_after_another_while_others_propagate() {
        let mut link = link("rate=10mbit,delay=20ms,loss=0");
        assert_eq!(link.offer(ms(0), packet(0, 1250)), Some(ms(1)));
        assert_eq!(link.offer(ms(0), packet(1, 2500)), None);
        assert_eq!(link.on_transmitted(ms(1)), Some(ms(3)));
        assert_eq!(link.take_arrival(), Some((ms(21), packet(0, 1250))));
        assert_eq!(link.on_transmitted(ms(3)), None);
        assert_eq!(link.take_arrival(), Some((ms(23), packet(1, 2500))));
    }

    #[test]
    fn the_packet_in_service_does_not_count_in_the_queue() {
        let mut link = link("queue=2,loss=0");
        for number in 0..4 {
            link.offer(ms(0), packet(number, 100));
        }
        assert_eq!(link.take_drop(), Some((packet(3, 100), DropReason::QueueFull)));
        link.on_transmitted(ms(1)).unwrap();
        link.offer(ms(1), packet(4, 100));
        assert_eq!(link.take_drop(), None);
    }

    #[test]
    fn without_a_queue_a_packet_that_finds_the_line_idle_is_sent() {
        let mut link = link("rate=10mbit,queue=0,loss=0");
        assert_eq!(link.offer(ms(0), packet(0, 1250)), Some(ms(1)));
        assert_eq!(link.offer(ms(0), packet(1, 1250)), None);
        assert_eq!(link.take_drop(), Some((packet(1, 1250), DropReason::QueueFull)));
    }

    #[test]
    fn a_lost_packet_has_taken_its_time_of_the_line() {
        let mut link = link("rate=10mbit,loss=100%");
        assert_eq!(link.offer(ms(0), packet(0, 1250)), Some(ms(1)));
        assert_eq!(link.offer(ms(0), packet(1, 1250)), None);
        assert_eq!(link.on_transmitted(ms(1)), Some(ms(2)));
        assert_eq!(link.take_arrival(), None);
        assert_eq!(link.take_drop(), Some((packet(0, 1250), DropReason::Loss)));
    }

    #[test]
    fn every_packet_is_counted_once() {
        let mut link = link("queue=1,loss=0");
        for number in 0..4 {
            link.offer(ms(0), packet(number, 100));
        }
        while link.on_transmitted(ms(1)).is_some() {}
        let expected = LinkStatistics {
            packets_offered: 4,
            packets_dropped: 2,
            packets_carried: 2,
            bytes_carried: 200,
            ..LinkStatistics::default()
        };
        assert_eq!(*link.statistics(), expected);
    }
}
