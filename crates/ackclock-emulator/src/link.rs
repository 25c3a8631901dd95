//! One direction of a path: queue, line, impairments and propagation. It knows no clock and no
//! event queue: whoever drives it tells it what time it is and comes back when it says.

use crate::account::{Account, LinkStatistics};
use crate::impairment::{Chosen, Corruption, Hold, Reordering, flip};
use crate::loss::LossProcess;
use crate::observer::DropReason;
use crate::packet::Packet;
use crate::path::Path;
use crate::queue::Queue;
use crate::random::Random;
use crate::units::Rate;
use crate::wire_size::WireSize;
use ackclock::time::{Duration, Instant};
use std::collections::VecDeque;

/// Which siblings of a link's stream the queue and the impairments decide by.
const QUEUE_STREAM: usize = 1;
const CORRUPTION_STREAM: usize = 2;
const DUPLICATION_STREAM: usize = 3;
const REORDERING_STREAM: usize = 4;

/// A line that sends one packet at a time, and the packets that wait for it.
///
/// ```text
///   offer --> queue --> line (rate) --> impairments --> propagation (delay) --> arrival
/// ```
#[derive(Debug)]
pub(crate) struct Link {
    rate: Rate,
    delay: Duration,
    mtu: u32,
    size: WireSize,
    queue: Queue,
    loss: LossProcess,
    corruption: Corruption,
    duplication: Chosen,
    reordering: Reordering,
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
            mtu: path.mtu,
            size: path.size,
            queue: Queue::new(path.queue, path.rate, random.sibling(QUEUE_STREAM)),
            corruption: Corruption::new(path.corrupt, random.sibling(CORRUPTION_STREAM)),
            duplication: Chosen::new(path.duplicate, random.sibling(DUPLICATION_STREAM)),
            reordering: Reordering::new(path.reorder, random.sibling(REORDERING_STREAM)),
            loss: LossProcess::new(path.loss.clone(), random),
            in_service: None,
            arrivals: VecDeque::new(),
            account: Account::default(),
        }
    }

    pub(crate) fn statistics(&self) -> &LinkStatistics {
        &self.account.statistics
    }

    /// Largest IP packet in bytes.
    pub(crate) fn mtu(&self) -> u32 {
        self.mtu
    }

    /// Takes a packet in. If the line begins to send now, returns when to call
    /// [`Link::on_transmitted`]. Afterwards [`Link::take_drop`] tells what was dropped.
    pub(crate) fn offer(&mut self, now: Instant, packet: Packet) -> Option<Instant> {
        self.account.statistics.packets_offered += 1;
        if packet.bytes.len() > self.mtu as usize {
            self.account.drop(packet, DropReason::TooBig);
            return None;
        }
        let idle = self.in_service.is_none();
        self.queue.push(now, packet, idle, &mut self.account);
        if idle { self.serve_next(now) } else { None }
    }

    /// The transmission of the packet in service has ended. If another begins, returns when to
    /// call again. Afterwards [`Link::take_arrival`] and [`Link::take_drop`] tell what became of
    /// packets.
    pub(crate) fn on_transmitted(&mut self, now: Instant) -> Option<Instant> {
        let packet = self.in_service.take()?;
        // All are asked about every packet, so that none changes what the others answer.
        let lost = self.loss.loses();
        let corrupt = self.corruption.next(packet.bytes.len());
        let duplicate = self.duplication.next();
        let hold = self.reordering.next();
        if lost {
            self.account.drop(packet, DropReason::Loss);
        } else {
            self.impair(now, packet, corrupt, duplicate, hold);
        }
        self.serve_next(now)
    }

    /// Sends a packet on its way to the other end, the worse for its time on the line.
    fn impair(
        &mut self,
        now: Instant,
        mut packet: Packet,
        corrupt: Option<usize>,
        duplicate: bool,
        hold: Option<Hold>,
    ) {
        let statistics = &mut self.account.statistics;
        statistics.packets_corrupted += u64::from(corrupt.is_some());
        statistics.packets_duplicated += u64::from(duplicate);
        statistics.packets_reordered += u64::from(hold.is_some());
        if let Some(bit) = corrupt {
            flip(&mut packet, bit);
        }
        let copy = duplicate.then(|| packet.clone());
        self.reordering.overtake();
        match hold {
            None => self.carry(now, packet),
            Some(Hold::Time(time)) => self.carry(now + time, packet),
            Some(Hold::Packets(packets)) => self.reordering.keep(packets, packet),
        }
        if let Some(copy) = copy {
            self.carry(now, copy);
        }
        while let Some(packet) = self.reordering.release() {
            self.carry(now, packet);
        }
    }

    fn carry(&mut self, leaves_at: Instant, packet: Packet) {
        self.account.statistics.packets_carried += 1;
        self.account.statistics.bytes_carried += packet.bytes.len() as u64;
        self.arrivals.push_back((leaves_at + self.delay, packet));
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
        let ends_at = now + self.rate.transmission_time(self.size.of(&packet.bytes));
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
        let mut link = link("rate=10mbit,delay=20ms,loss=0,mtu=2500");
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

    #[test]
    fn the_size_on_the_wire_decides_how_long_a_packet_takes() {
        let mut longer = link("rate=1mbit,loss=0,overhead=+25");
        assert_eq!(longer.offer(ms(0), packet(0, 100)), Some(ms(1)));
        let mut nothing = link("rate=1mbit,loss=0,overhead=-100,delay=1ms");
        assert_eq!(nothing.offer(ms(0), packet(0, 100)), Some(ms(0)));
        assert_eq!(nothing.on_transmitted(ms(0)), None);
        assert_eq!(nothing.take_arrival(), Some((ms(1), packet(0, 100))));
    }

    #[test]
    fn a_packet_longer_than_the_mtu_is_dropped() {
        let mut link = link("loss=0,mtu=1000,overhead=+100");
        assert!(link.offer(ms(0), packet(0, 1000)).is_some());
        assert_eq!(link.offer(ms(0), packet(1, 1001)), None);
        assert_eq!(link.take_drop(), Some((packet(1, 1001), DropReason::TooBig)));
        assert_eq!(link.statistics().packets_dropped, 1);
    }

    /// Sends packets of 1250 bytes, one after another; numbers of those that arrive, by the
    /// millisecond at which they do.
    fn arrivals(link: &mut Link, packets: u64) -> Vec<(u64, u64)> {
        let mut arrivals = Vec::new();
        for number in 0..packets {
            link.offer(ms(number), packet(number, 1250));
            link.on_transmitted(ms(number + 1));
            arrivals.extend(std::iter::from_fn(|| link.take_arrival()));
        }
        arrivals.sort_by_key(|(at, _)| *at);
        arrivals.into_iter().map(|(at, packet)| (at.as_millis(), packet.number)).collect()
    }

    #[test]
    fn a_duplicate_arrives_right_after_its_original() {
        let mut link = link("rate=10mbit,delay=0s,loss=0,duplicate=1");
        assert_eq!(arrivals(&mut link, 2), [(1, 0), (1, 0), (2, 1), (2, 1)]);
        let statistics = link.statistics();
        assert_eq!((statistics.packets_duplicated, statistics.packets_carried), (2, 4));
    }

    #[test]
    fn a_packet_held_for_a_time_arrives_that_much_later() {
        let mut held = link("rate=10mbit,delay=10ms,loss=0,reorder=1:5ms");
        assert_eq!(arrivals(&mut held, 2), [(16, 0), (17, 1)]);
        let mut some = link("rate=10mbit,delay=10ms,loss=0,reorder=10%:5ms");
        let arrivals = arrivals(&mut some, 1000);
        let late = arrivals.iter().filter(|(at, number)| *at == number + 16).count() as u64;
        let punctual = arrivals.iter().filter(|(at, number)| *at == number + 11).count() as u64;
        assert_eq!((late, late + punctual), (some.statistics().packets_reordered, 1000));
        assert!((60..140).contains(&late), "{late}");
    }

    #[test]
    fn a_packet_held_for_a_number_is_overtaken_by_as_many() {
        let mut all = link("rate=10mbit,delay=0s,loss=0,reorder=1:2");
        assert_eq!(arrivals(&mut all, 5), [(3, 0), (4, 1), (5, 2)]);
        let mut some = link("rate=10mbit,delay=0s,loss=0,reorder=10%:3");
        for (at, number) in arrivals(&mut some, 1000) {
            assert!([number + 1, number + 4].contains(&at), "{number} at {at}");
        }
        assert!((60..140).contains(&some.statistics().packets_reordered));
    }

    #[test]
    fn lost_packets_overtake_nobody() {
        let mut link = link("rate=10mbit,delay=0s,loss=packets:2:3,reorder=1:1");
        assert_eq!(arrivals(&mut link, 5), [(4, 0), (5, 3)]);
    }

    #[test]
    fn what_one_impairment_does_does_not_depend_on_the_others() {
        let outcome = |rest: &str| {
            let mut link = link(&format!("rate=10mbit,{rest}"));
            let mut lost = Vec::new();
            for number in 0..1000 {
                link.offer(ms(number), packet(number, 1250));
                link.on_transmitted(ms(number + 1));
                lost.extend(link.take_drop().map(|(packet, _)| packet.number));
            }
            (lost, *link.statistics())
        };
        let (lost, _) = outcome("loss=5%");
        assert_eq!(outcome("loss=5%,duplicate=5%,reorder=5%:3,corrupt=5%").0, lost);
        let alone = |word: &str| outcome(&format!("loss=0,{word}")).1;
        let (_, all) = outcome("loss=0,duplicate=5%,reorder=7%:3,corrupt=9%,queue=codel");
        assert_eq!(all.packets_duplicated, alone("duplicate=5%").packets_duplicated);
        assert_eq!(all.packets_reordered, alone("reorder=7%:3").packets_reordered);
        assert_eq!(all.packets_corrupted, alone("corrupt=9%").packets_corrupted);
    }

    #[test]
    fn a_corrupted_packet_differs_in_one_bit() {
        let mut link = link("rate=10mbit,loss=0,corrupt=1");
        link.offer(ms(0), packet(0, 1250));
        link.on_transmitted(ms(1));
        let (_, packet) = link.take_arrival().unwrap();
        assert_eq!(packet.bytes.iter().map(|byte| byte.count_ones()).sum::<u32>(), 1);
        assert_eq!(link.statistics().packets_corrupted, 1);
    }
}
