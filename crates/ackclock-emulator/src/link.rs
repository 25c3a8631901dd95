//! One direction of a path: queue, line, loss and propagation. It knows no clock and no event
//! queue: whoever drives it tells it what time it is and comes back when it says.

use crate::loss::Bernoulli;
use crate::packet::Packet;
use crate::path::Path;
use crate::queue::DropTail;
use crate::random::Random;
use crate::units::Rate;
use ackclock::time::{Duration, Instant};

/// A line that sends one packet at a time, and the packets that wait for it.
///
/// ```text
///   offer --> queue --> line (rate) --> loss --> propagation (delay) --> arrival
/// ```
#[derive(Debug)]
pub(crate) struct Link {
    rate: Rate,
    delay: Duration,
    queue: DropTail,
    loss: Bernoulli,
    in_service: Option<Packet>,
    statistics: LinkStatistics,
}

/// What a link has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct LinkStatistics {
    /// Packets offered to it.
    pub packets_offered: u64,
    /// Packets dropped because the queue was full.
    pub packets_dropped: u64,
    /// Packets lost on the line.
    pub packets_lost: u64,
    /// Packets that left for the other end.
    pub packets_carried: u64,
    /// Bytes of those, IP headers included.
    pub bytes_carried: u64,
}

/// What became of a packet that was offered.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Offered {
    /// The line was idle; call [`Link::on_transmitted`] at this time.
    InService(Instant),
    /// It waits for the line.
    Queued,
    /// The queue is full.
    Refused(Packet),
}

/// A transmission that ended.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Transmitted {
    pub(crate) packet: Packet,
    /// When it arrives at the other end; `None`: it is lost.
    pub(crate) arrives_at: Option<Instant>,
    /// When the next transmission ends; `None`: the line is idle now.
    pub(crate) next: Option<Instant>,
}

impl Link {
    pub(crate) fn new(path: &Path, random: Random) -> Self {
        Link {
            rate: path.rate,
            delay: path.delay,
            queue: DropTail::new(path.queue),
            loss: Bernoulli::new(path.loss, random),
            in_service: None,
            statistics: LinkStatistics::default(),
        }
    }

    pub(crate) fn statistics(&self) -> &LinkStatistics {
        &self.statistics
    }

    pub(crate) fn offer(&mut self, now: Instant, packet: Packet) -> Offered {
        self.statistics.packets_offered += 1;
        if self.in_service.is_none() {
            return Offered::InService(self.serve(now, packet));
        }
        match self.queue.push(packet) {
            Ok(()) => Offered::Queued,
            Err(packet) => {
                self.statistics.packets_dropped += 1;
                Offered::Refused(packet)
            }
        }
    }

    /// The transmission of the packet in service has ended; `None` if there was none.
    pub(crate) fn on_transmitted(&mut self, now: Instant) -> Option<Transmitted> {
        let packet = self.in_service.take()?;
        let arrives_at = if self.loss.loses() {
            self.statistics.packets_lost += 1;
            None
        } else {
            self.statistics.packets_carried += 1;
            self.statistics.bytes_carried += packet.bytes.len() as u64;
            Some(now + self.delay)
        };
        let next = self.queue.pop().map(|next| self.serve(now, next));
        Some(Transmitted { packet, arrives_at, next })
    }

    /// Puts the packet on the line; returns when its last bit has left.
    fn serve(&mut self, now: Instant, packet: Packet) -> Instant {
        let ends_at = now + self.rate.transmission_time(packet.bytes.len());
        self.in_service = Some(packet);
        ends_at
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
        assert_eq!(link.offer(ms(5), packet(0, 1250)), Offered::InService(ms(6)));
        let expected =
            Transmitted { packet: packet(0, 1250), arrives_at: Some(ms(26)), next: None };
        assert_eq!(link.on_transmitted(ms(6)), Some(expected));
        assert_eq!(link.on_transmitted(ms(7)), None);
    }

    #[test]
    fn packets_leave_one_after_another_while_others_propagate() {
        let mut link = link("rate=10mbit,delay=20ms,loss=0");
        assert_eq!(link.offer(ms(0), packet(0, 1250)), Offered::InService(ms(1)));
        assert_eq!(link.offer(ms(0), packet(1, 2500)), Offered::Queued);
        let first = link.on_transmitted(ms(1)).unwrap();
        assert_eq!((first.arrives_at, first.next), (Some(ms(21)), Some(ms(3))));
        let second = link.on_transmitted(ms(3)).unwrap();
        assert_eq!((second.arrives_at, second.next), (Some(ms(23)), None));
    }

    #[test]
    fn the_packet_in_service_does_not_count_in_the_queue() {
        let mut link = link("queue=2,loss=0");
        assert!(matches!(link.offer(ms(0), packet(0, 100)), Offered::InService(_)));
        assert_eq!(link.offer(ms(0), packet(1, 100)), Offered::Queued);
        assert_eq!(link.offer(ms(0), packet(2, 100)), Offered::Queued);
        let refused = Offered::Refused(packet(3, 100));
        assert_eq!(link.offer(ms(0), packet(3, 100)), refused);
        link.on_transmitted(ms(1)).unwrap();
        assert_eq!(link.offer(ms(1), packet(4, 100)), Offered::Queued);
    }

    #[test]
    fn a_lost_packet_has_taken_its_time_of_the_line() {
        let mut link = link("rate=10mbit,loss=100%");
        assert_eq!(link.offer(ms(0), packet(0, 1250)), Offered::InService(ms(1)));
        assert_eq!(link.offer(ms(0), packet(1, 1250)), Offered::Queued);
        let lost = link.on_transmitted(ms(1)).unwrap();
        assert_eq!((lost.arrives_at, lost.next), (None, Some(ms(2))));
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
            packets_lost: 0,
            packets_carried: 2,
            bytes_carried: 200,
        };
        assert_eq!(*link.statistics(), expected);
    }
}
