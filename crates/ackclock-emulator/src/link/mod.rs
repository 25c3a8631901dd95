//! A link: queue, line, impairments and propagation of one direction of a path. It has neither
//! clock nor event queue: each call gives it the time, and returns when it wants to be called
//! again.

mod account;
pub(crate) mod impairments;
pub(crate) mod path;
pub(crate) mod propagation;
pub(crate) mod queue;
pub(crate) mod rate_and_outages;
pub(crate) mod statistics;
pub(crate) mod wire_size;

use crate::observer::{DropReason, QueueLength};
use crate::packet::Packet;
use crate::random::Random;
use account::{Account, Note};
use ackclock::time::Instant;
use impairments::{ImpairmentSettings, Impairments};
use path::{Path, Place};
use propagation::Propagation;
use queue::{Line, Queue};
use rate_and_outages::Schedule;
use statistics::LinkStatistics;
use std::collections::VecDeque;
use std::num::NonZeroU64;
use wire_size::WireSize;

/// A line that sends one packet at a time, and the packets that wait for it.
///
/// ```text
///   offer --> queue --> line (rate) --> impairments --> propagation (delay) --> arrival
/// ```
///
/// The impairments may also strike before the queue.
#[derive(Debug)]
pub(crate) struct Link {
    mtu: u32,
    drops_silently: bool,
    size: WireSize,
    schedule: Schedule,
    queue: Queue,
    /// How many bytes a host lets wait.
    byte_queue_limit: Option<NonZeroU64>,
    counts_in_service: bool,
    impairments: Impairments,
    place: Place,
    propagation: Propagation,
    in_service: Option<Packet>,
    /// When the transmission of the packet in service began.
    began: Instant,
    /// When a line that stands still has asked to be called again.
    resumes: Option<Instant>,
    /// Packets that the impairments have just let go, with the times at which they go on.
    struck: VecDeque<(Instant, Packet)>,
    /// Packets held back before the queue, with the times at which they come to it, for the driver
    /// to take.
    held: VecDeque<(Instant, Packet)>,
    /// Packets on their way to the other end, with the times at which they arrive, for the driver
    /// to take.
    arrivals: VecDeque<(Instant, Packet)>,
    account: Account,
}

impl Link {
    /// A link of this path. `random` decides what is lost; whatever else is random has a stream of
    /// its own, a sibling of that.
    pub(crate) fn new(path: &Path, random: Random) -> Self {
        let queue = random.sibling();
        let corruption = queue.sibling();
        let duplication = corruption.sibling();
        let reordering = duplication.sibling();
        let jitter = reordering.sibling();
        let impairments = ImpairmentSettings::of(path);
        Link {
            mtu: path.mtu,
            drops_silently: path.drops_silently,
            size: path.size,
            schedule: Schedule::new(path.rate, &path.rate_changes, &path.outages),
            queue: Queue::new(path.queue, path.rate, queue),
            byte_queue_limit: path.byte_queue_limit,
            counts_in_service: path.counts_in_service,
            impairments: Impairments::new(
                impairments,
                [random, corruption, duplication, reordering],
            ),
            place: path.impair,
            propagation: Propagation::new(path.delay, path.jitter, jitter),
            in_service: None,
            began: Instant::ZERO,
            resumes: None,
            struck: VecDeque::new(),
            held: VecDeque::new(),
            arrivals: VecDeque::new(),
            account: Account::default(),
        }
    }

    /// Takes MTU, sizes, delay, jitter and impairments from another path. The line's rates and outages, the queue
    /// and where impairments strike stay as they are.
    pub(crate) fn change(&mut self, path: &Path) {
        (self.mtu, self.drops_silently, self.size) = (path.mtu, path.drops_silently, path.size);
        self.impairments.change(ImpairmentSettings::of(path));
        self.propagation.change(path.delay, path.jitter);
    }

    pub(crate) fn statistics(&self) -> &LinkStatistics {
        &self.account.statistics
    }

    /// Restarts [`LinkStatistics::longest_queue`] with the present length of the queue.
    pub(crate) fn forget_longest_queue(&mut self) {
        self.account.statistics.longest_queue = self.packets();
    }

    /// Keeps notes for [`Link::take_note`] from now on.
    pub(crate) fn keep_notes(&mut self) {
        self.account.keep_notes();
    }

    /// The queue's packets and bytes, and whether a packet is in service.
    pub(crate) fn queue_length(&self) -> QueueLength {
        QueueLength {
            packets: self.queue.packets() as u64,
            bytes: self.queue.bytes(),
            in_service: self.in_service.is_some(),
        }
    }

    /// Whether a host may hand over another transmission.
    pub(crate) fn has_room(&self) -> bool {
        self.byte_queue_limit.is_none_or(|limit| self.queue.bytes() < limit.get())
    }

    /// Largest IP packet in bytes.
    pub(crate) fn mtu(&self) -> u32 {
        self.mtu
    }

    /// Whether nobody is to be told of a longer one.
    pub(crate) fn drops_silently(&self) -> bool {
        self.drops_silently
    }

    /// Packets that wait and the packet in service.
    fn packets(&self) -> u64 {
        self.queue.packets() as u64 + u64::from(self.in_service.is_some())
    }

    /// Takes a packet in. Returns when to call [`Link::on_transmitted`] if the line begins to send
    /// now, or stands still and no call is due for that yet. Afterwards [`Link::take_held`] and
    /// [`Link::take_drop`] tell what became of packets.
    pub(crate) fn offer(&mut self, now: Instant, packet: Packet) -> Option<Instant> {
        self.account.statistics.packets_offered += 1;
        if packet.bytes.len() > self.mtu as usize {
            self.account.drop(packet, DropReason::TooBig);
            return None;
        }
        if self.place == Place::Egress {
            return self.enqueue(now, packet);
        }
        self.impairments.strike(now, packet, &mut self.account, &mut self.struck);
        let mut calls_at = None;
        while let Some((at, packet)) = self.struck.pop_front() {
            if at > now {
                self.held.push_back((at, packet));
            } else {
                calls_at = self.enqueue(now, packet).or(calls_at);
            }
        }
        calls_at
    }

    /// Puts a packet that was held back before the queue into it; returns and tells what
    /// [`Link::offer`] does.
    pub(crate) fn enqueue(&mut self, now: Instant, packet: Packet) -> Option<Instant> {
        let busy = self.in_service.is_some() || self.resumes.is_some();
        let is_idle = !busy && self.schedule.stands_until(now).is_none();
        let mut line = Line { is_idle, ..Line::default() };
        if let Some(in_service) = self.in_service.as_ref().filter(|_| self.counts_in_service) {
            (line.packets, line.bytes) = (1, in_service.bytes.len() as u64);
        }
        self.queue.push(now, packet, line, &mut self.account);
        let calls_at = if busy { None } else { self.serve_next(now) };
        let packets = self.packets();
        let longest = &mut self.account.statistics.longest_queue;
        *longest = (*longest).max(packets);
        calls_at
    }

    /// Ends the transmission of the packet in service, or resumes after an outage. Returns when to
    /// call again if another transmission begins. Afterwards [`Link::take_arrival`] and
    /// [`Link::take_drop`] tell what became of packets.
    pub(crate) fn on_transmitted(&mut self, now: Instant) -> Option<Instant> {
        self.resumes = None;
        if let Some(packet) = self.in_service.take() {
            self.account.note(&packet, Note::TransmissionEnded);
            let statistics = &mut self.account.statistics;
            statistics.busy += now.saturating_since(self.began);
            let delay = self.propagation.next_delay();
            match self.place {
                Place::Egress => {
                    self.impairments.strike(now, packet, &mut self.account, &mut self.struck);
                }
                Place::Ingress => self.struck.push_back((now, packet)),
            }
            let lost = self.schedule.loses(now);
            while let Some((leaves_at, packet)) = self.struck.pop_front() {
                if lost {
                    self.account.drop(packet, DropReason::Outage);
                    continue;
                }
                let statistics = &mut self.account.statistics;
                statistics.packets_carried += 1;
                statistics.bytes_carried += packet.bytes.len() as u64;
                let at = self.propagation.arrival(leaves_at, delay, leaves_at > now);
                self.arrivals.push_back((at, packet));
            }
        }
        self.serve_next(now)
    }

    /// A packet on its way to the other end, and when it arrives there.
    pub(crate) fn take_arrival(&mut self) -> Option<(Instant, Packet)> {
        self.arrivals.pop_front()
    }

    /// A packet that is held back before the queue, and when to [`Link::enqueue`] it.
    pub(crate) fn take_held(&mut self) -> Option<(Instant, Packet)> {
        self.held.pop_front()
    }

    /// A packet that will not arrive, and why.
    pub(crate) fn take_drop(&mut self) -> Option<(Packet, DropReason)> {
        self.account.take_drop()
    }

    /// The next note of what happened to a packet that stays in the network, if notes are kept.
    pub(crate) fn take_note(&mut self) -> Option<(Packet, Note)> {
        self.account.take_note()
    }

    /// Puts the next packet on the line; returns when its last bit has left, or when the line works
    /// again.
    fn serve_next(&mut self, now: Instant) -> Option<Instant> {
        if let Some(until) = self.schedule.stands_until(now) {
            self.resumes = (self.queue.packets() > 0).then_some(until);
            return self.resumes;
        }
        let packet = self.queue.pop(now, &mut self.account)?;
        let size = self.size.of(&packet.bytes);
        let ends_at = now + self.schedule.rate(now).transmission_time(size);
        self.account.note(&packet, Note::TransmissionBegan);
        self.in_service = Some(packet);
        self.began = now;
        Some(ends_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::testing::{ip_packet, packet};
    use crate::random::Streams;
    use ackclock::time::Duration;
    use ackclock::wire::Ecn;

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
    fn a_host_finds_room_while_less_than_the_byte_queue_limit_waits() {
        let mut link = link("queue=infinite,loss=0,bql=200B");
        let room = |link: &mut Link| {
            link.offer(ms(0), packet(0, 100));
            link.has_room()
        };
        assert_eq!([(); 3].map(|()| room(&mut link)), [true, true, false]);
        link.on_transmitted(ms(1)).unwrap();
        assert!(link.has_room());
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
            busy: Duration::from_millis(1),
            longest_queue: 2,
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

    /// Sends packets of 1250 bytes, one after another. Returns the millisecond of each arrival and
    /// the packet's number.
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

    /// Offers packets of 1250 bytes at these milliseconds and makes the calls that the link asks
    /// for. Returns the millisecond of each arrival and the packet's number.
    fn run(link: &mut Link, offers: &[u64]) -> Vec<(u64, u64)> {
        enum Todo {
            Offer(Packet),
            Enqueue(Packet),
            Call,
        }
        let mut todo: Vec<_> = (0..)
            .zip(offers)
            .map(|(number, &at)| (ms(at), Todo::Offer(packet(number, 1250))))
            .collect();
        let mut arrivals = Vec::new();
        while let Some(next) = (0..todo.len()).min_by_key(|&index| todo[index].0) {
            let (now, what) = todo.remove(next);
            let calls_at = match what {
                Todo::Offer(packet) => link.offer(now, packet),
                Todo::Enqueue(packet) => link.enqueue(now, packet),
                Todo::Call => link.on_transmitted(now),
            };
            todo.extend(calls_at.map(|at| (at, Todo::Call)));
            todo.extend(link.take_held().map(|(at, packet)| (at, Todo::Enqueue(packet))));
            arrivals.extend(std::iter::from_fn(|| link.take_arrival()));
        }
        arrivals.sort_by_key(|(at, _)| *at);
        arrivals.into_iter().map(|(at, packet)| (at.as_millis(), packet.number)).collect()
    }

    #[test]
    fn a_rate_holds_for_transmissions_that_begin_under_it() {
        let mut link = link("rate=10mbit/5mbit@1ms/1mbit@4ms,delay=0s,loss=0");
        assert_eq!(run(&mut link, &[0, 0, 0, 0]), [(1, 0), (3, 1), (5, 2), (15, 3)]);
    }

    #[test]
    fn a_line_that_stands_still_keeps_its_packets() {
        let mut line = link("rate=10mbit,delay=0s,loss=0,outage=1ms..10ms/11ms..20ms,queue=3");
        assert_eq!(
            run(&mut line, &[0, 0, 5, 5, 5, 30]),
            [(1, 0), (11, 1), (21, 2), (22, 3), (31, 5)]
        );
        assert_eq!(line.take_drop().unwrap().0.number, 4);
        // A line that stands still is not idle: without a queue it has no room.
        let mut line = link("rate=10mbit,delay=0s,loss=0,outage=1ms..10ms,queue=0");
        assert_eq!(run(&mut line, &[2, 10]), [(11, 1)]);
    }

    #[test]
    fn a_line_that_loses_in_outages_goes_on() {
        let mut line = link("rate=10mbit,delay=5ms,loss=0,outage=1ms..3ms:lose");
        assert_eq!(run(&mut line, &[0, 0, 0]), [(8, 2)]);
        assert_eq!(line.take_drop().unwrap().1, DropReason::Outage);
        assert_eq!((line.statistics().packets_lost, line.statistics().packets_carried), (2, 1));
    }

    #[test]
    fn the_packet_in_service_counts_if_it_is_told_to() {
        for (words, dropped) in [
            ("queue=2", 1),
            ("queue=2,in_service=counted", 2),
            ("queue=2500B", 1),
            ("queue=2500B,in_service=counted", 2),
            ("queue=codel:5ms:100ms:2", 1),
            ("queue=codel:5ms:100ms:2,in_service=counted", 2),
            ("queue=fq_codel:5ms:100ms:2:16:1500", 1),
            ("queue=fq_codel:5ms:100ms:2:16:1500,in_service=counted", 2),
            ("queue=red:50:60:0.5:0.1:2", 1),
            ("queue=red:50:60:0.5:0.1:2,in_service=counted", 2),
        ] {
            let mut link = link(&format!("loss=0,{words}"));
            for number in 0..4 {
                link.offer(ms(0), packet(number, 1250));
            }
            assert_eq!(link.statistics().packets_dropped, dropped, "{words}");
            assert_eq!(link.statistics().longest_queue, 4 - dropped, "{words}");
        }
        // The packet in service counts in RED's average too: 0.5 * 0 + 0.5 * 2.
        let drops = |words: &str| {
            let mut link = link(&format!("loss=0,queue=red:0:1:0.5:0:100,{words}"));
            for number in 0..3 {
                link.offer(ms(0), packet(number, 1250));
            }
            link.statistics().packets_dropped_forced
        };
        assert_eq!([drops("in_service=uncounted"), drops("in_service=counted")], [0, 1]);
    }

    #[test]
    fn impairments_before_the_queue_take_no_time_of_the_line_or_more_of_it() {
        let mut lossy = link("rate=10mbit,delay=0s,loss=packets:1,impair=ingress");
        assert_eq!(run(&mut lossy, &[0, 0]), [(1, 1)]);
        let mut twice = link("rate=10mbit,delay=0s,loss=0,duplicate=1,impair=ingress");
        assert_eq!(run(&mut twice, &[0, 0]), [(1, 0), (2, 0), (3, 1), (4, 1)]);
        let mut held = link("rate=10mbit,delay=0s,loss=0,reorder=1:5ms,impair=ingress");
        assert_eq!(run(&mut held, &[0, 2]), [(6, 0), (8, 1)]);
        let mut overtaken = link("rate=10mbit,delay=0s,loss=0,reorder=1:1,impair=ingress");
        assert_eq!(run(&mut overtaken, &[0, 2, 4]), [(3, 0), (5, 1)]);
    }

    #[test]
    fn a_line_is_busy_while_it_transmits_anything() {
        let mut line = link("rate=10mbit,loss=1,outage=10ms..20ms");
        run(&mut line, &[0, 0, 5, 15, 15]);
        assert_eq!(line.statistics().busy, Duration::from_millis(5));
        assert_eq!(line.statistics().longest_queue, 2);
        line.forget_longest_queue();
        assert_eq!(line.statistics().longest_queue, 0);
    }

    #[test]
    fn acks_of_a_fixed_size_take_a_fixed_time() {
        let mut link = link("rate=1mbit,loss=0,delay=0s,ack=0");
        let bytes = ip_packet(false, 1, Ecn::NotEct, 40);
        assert_eq!(link.offer(ms(0), Packet { number: 0, bytes }), Some(ms(0)));
        assert_eq!(link.on_transmitted(ms(0)), None);
        let bytes = ip_packet(false, 1, Ecn::NotEct, 125);
        assert_eq!(link.offer(ms(0), Packet { number: 1, bytes }), Some(ms(1)));
    }
}
