//! A single link for a driver with a clock of its own, with the same queues, impairments and
//! statistics as in virtual time.

use crate::event_queue::EventQueue;
use crate::link::Link;
use crate::link::path::Path;
use crate::link::statistics::LinkStatistics;
use crate::packet::{Packet, PacketPool};
use crate::random::{Random, Streams};
use ackclock::time::Instant;
use std::collections::VecDeque;

/// One direction of a path, driven by the caller's clock.
///
/// The driver hands in packets as they come and comes back at [`poll_at`](Self::poll_at) for those
/// that have arrived. The driver may be late: events inside the link keep the times at which they
/// were due, so that neither the rate nor the order suffers, and each arrival says when it was due.
/// If `now` goes back, the latest one so far counts.
///
/// ```
/// use ackclock::time::Instant;
/// use ackclock_emulator::LiveLink;
///
/// let path = "rate=10mbit,delay=20ms,loss=0".parse()?;
/// let [mut there, _back] = LiveLink::pair([&path, &path], 1);
/// // 1250 bytes need 1 ms of the line, then 20 ms to the other end.
/// there.offer(Instant::from_millis(5), &[0; 1250]);
/// assert_eq!(there.poll_at(), Instant::from_millis(6));
/// let mut arrived = Vec::new();
/// there.deliver(Instant::from_millis(30), &mut |due, packet| arrived.push((due, packet.len())));
/// assert_eq!(arrived, [(Instant::from_millis(26), 1250)]);
/// # Ok::<(), ackclock_emulator::PathError>(())
/// ```
#[derive(Debug)]
pub struct LiveLink {
    link: Link,
    now: Instant,
    events: EventQueue<Pending>,
    /// Packets that have arrived and wait to be delivered, with the times at which they were due.
    arrived: VecDeque<(Instant, Packet)>,
    pool: PacketPool,
}

/// What waits in the event queue.
#[derive(Debug)]
enum Pending {
    /// The packet in service has left the line, or the line works again.
    Transmitted,
    /// A packet that was held back comes to the queue.
    Enqueue(Packet),
    /// A packet reaches the far end.
    Arrival(Packet),
}

impl LiveLink {
    /// The links of both directions of a path, there and back. Everything random follows from the
    /// seed.
    pub fn pair(paths: [&Path; 2], seed: u64) -> [Self; 2] {
        let mut streams = Streams::new(seed);
        paths.map(|path| LiveLink::new(path, streams.take_stream()))
    }

    fn new(path: &Path, random: Random) -> Self {
        LiveLink {
            link: Link::new(path, random),
            now: Instant::ZERO,
            events: EventQueue::new(),
            arrived: VecDeque::new(),
            pool: PacketPool::default(),
        }
    }

    /// Counters of the link.
    pub fn statistics(&self) -> &LinkStatistics {
        self.link.statistics()
    }

    /// Restarts [`LinkStatistics::longest_queue`] with the present length of the queue.
    pub fn forget_longest_queue(&mut self) {
        self.link.forget_longest_queue();
    }

    /// Gives the link a packet at its near end.
    pub fn offer(&mut self, now: Instant, packet: &[u8]) {
        self.advance_to(now);
        let mut offered = self.pool.empty();
        offered.bytes.extend_from_slice(packet);
        let ends_at = self.link.offer(self.now, offered);
        self.follow(ends_at);
    }

    /// When to call [`deliver`](Self::deliver) again if nothing is offered before;
    /// [`Instant::FAR_FUTURE`] if no packet is under way.
    pub fn poll_at(&self) -> Instant {
        let arrived = self.arrived.front().map(|(due, _)| *due);
        arrived.or_else(|| self.events.next_at()).unwrap_or(Instant::FAR_FUTURE)
    }

    /// Hands over the packets that have reached the far end by `now`, in order, each with the time
    /// of its arrival.
    pub fn deliver(&mut self, now: Instant, to: &mut dyn FnMut(Instant, &[u8])) {
        self.advance_to(now);
        while let Some((due, packet)) = self.arrived.pop_front() {
            to(due, &packet.bytes);
            self.pool.recycle(packet);
        }
    }

    /// Processes all events up to `now`.
    fn advance_to(&mut self, now: Instant) {
        while self.events.next_at().is_some_and(|at| at <= now)
            && let Some((at, pending)) = self.events.pop()
        {
            match pending {
                Pending::Transmitted => {
                    let ends_at = self.link.on_transmitted(at);
                    self.follow(ends_at);
                }
                Pending::Enqueue(packet) => {
                    let ends_at = self.link.enqueue(at, packet);
                    self.follow(ends_at);
                }
                Pending::Arrival(packet) => self.arrived.push_back((at, packet)),
            }
        }
        self.now = self.now.max(now);
    }

    /// Schedules what follows from a call of the link: the end of a transmission, arrivals, packets
    /// that are held back. Dropped packets are recycled.
    fn follow(&mut self, ends_at: Option<Instant>) {
        if let Some(at) = ends_at {
            self.events.schedule(at, Pending::Transmitted);
        }
        while let Some((at, packet)) = self.link.take_arrival() {
            self.events.schedule_in_lane(0, at, Pending::Arrival(packet));
        }
        while let Some((at, packet)) = self.link.take_held() {
            self.events.schedule(at, Pending::Enqueue(packet));
        }
        while let Some((packet, _)) = self.link.take_drop() {
            self.pool.recycle(packet);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::pair::{LEFT, RIGHT};
    use crate::network::routing_table::Routes;
    use crate::network::{Network, Step};
    use crate::packet::testing::transmit;

    const fn ms(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    fn link(path: &str) -> LiveLink {
        let path = path.parse().unwrap();
        let [there, _back] = LiveLink::pair([&path, &path], 1);
        there
    }

    /// When packets arrived, and their first bytes.
    fn deliver(link: &mut LiveLink, now: Instant) -> Vec<(Instant, u8)> {
        let mut arrived = Vec::new();
        link.deliver(now, &mut |due, packet| arrived.push((due, packet[0])));
        arrived
    }

    #[test]
    fn a_late_driver_takes_nothing_of_the_rate() {
        let mut late = link("rate=10mbit,delay=1ms,loss=0");
        for number in 0..5 {
            late.offer(ms(0), &[number; 1250]);
        }
        assert_eq!(late.poll_at(), ms(1));
        // The driver comes when three packets have left the line, and again when all have arrived.
        assert_eq!(deliver(&mut late, ms(3)), [(ms(2), 0), (ms(3), 1)]);
        assert_eq!(late.poll_at(), ms(4));
        assert_eq!(deliver(&mut late, ms(100)), [(ms(4), 2), (ms(5), 3), (ms(6), 4)]);
        assert_eq!(late.poll_at(), Instant::FAR_FUTURE);
    }

    #[test]
    fn what_has_arrived_is_due_at_once() {
        let mut link = link("rate=10mbit,delay=0s,loss=0");
        link.offer(ms(0), &[0; 1250]);
        link.offer(ms(5), &[1; 1250]);
        assert_eq!(link.poll_at(), ms(1));
        assert_eq!(deliver(&mut link, ms(5)), [(ms(1), 0)]);
        assert_eq!(link.poll_at(), ms(6));
    }

    #[test]
    fn a_clock_that_goes_back_stands_still() {
        let mut link = link("rate=10mbit,delay=0s,loss=0");
        assert_eq!(deliver(&mut link, ms(10)), []);
        link.offer(ms(5), &[0; 1250]);
        assert_eq!(link.poll_at(), ms(11));
        assert_eq!(deliver(&mut link, ms(11)), [(ms(11), 0)]);
    }

    #[test]
    fn the_longest_queue_can_begin_anew() {
        let mut link = link("rate=10mbit,delay=0s,loss=0,queue=2");
        for number in 0..5 {
            link.offer(ms(0), &[number; 1250]);
        }
        assert_eq!(link.statistics().longest_queue, 3);
        link.deliver(ms(2), &mut |_, _| {});
        link.forget_longest_queue();
        assert_eq!(link.statistics().longest_queue, 1);
    }

    #[test]
    fn packets_arrive_as_they_do_in_virtual_time_however_rarely_the_driver_comes() {
        let words = "rate=10mbit/8mbit@500ms,delay=3ms,loss=5%,queue=codel:1ms:10ms:20,\
                     duplicate=5%,reorder=5%:7ms,corrupt=5%,jitter=1ms,outage=1s..1100ms";
        for path in [words.to_owned(), format!("{words},impair=ingress")] {
            compare(&path.parse().unwrap());
        }
    }

    /// Sends the same packets over the path in virtual and in real time, and compares what arrives.
    fn compare(path: &Path) {
        // Bursts of ten packets, somewhat faster than the line.
        let packets: Vec<_> = (0..2000_u64)
            .map(|number| (ms(number / 10 * 9), vec![number as u8; 1000 + number as usize % 300]))
            .collect();

        let mut network = Network::new(Routes::default(), ());
        let random = Streams::new(1).take_stream();
        let id = network.add_link(Link::new(path, random), LEFT.into(), RIGHT.into());
        let mut virtual_time = Vec::new();
        let mut arrive = |network: &mut Network<()>| {
            if let Some(Step::Arrived(_, packet)) = network.step() {
                virtual_time.push((network.now(), packet.bytes.clone()));
                network.recycle(packet);
            }
        };
        for (at, packet) in &packets {
            while network.next_at().is_some_and(|next| next <= *at) {
                arrive(&mut network);
            }
            network.advance_to(*at);
            network.send(id, &transmit(packet));
        }
        while network.next_at().is_some() {
            arrive(&mut network);
        }

        let [mut live, _back] = LiveLink::pair([path, path], 1);
        let mut real_time = Vec::new();
        let mut take = |due: Instant, packet: &[u8]| real_time.push((due, packet.to_vec()));
        for (number, (at, packet)) in packets.iter().enumerate() {
            live.offer(*at, packet);
            if number % 37 == 0 {
                live.deliver(*at, &mut take);
            }
        }
        live.deliver(Instant::from_secs(3600), &mut take);
        assert_eq!(real_time, virtual_time);
        assert_eq!(live.statistics(), network.link_statistics(id));
        let statistics = live.statistics();
        assert!(statistics.packets_dropped_late > 0 && statistics.packets_lost > 0);
    }
}
