//! CoDel (RFC 8289): a queue that drops by how long packets have waited.
//!
//! A queue that absorbs a burst drains within a round trip. A queue in which every packet has
//! waited for at least TARGET, for an INTERVAL, is a standing one. CoDel then drops at the head,
//! ever more often, at distances of INTERVAL / sqrt(count), until a packet has waited less than
//! TARGET.

use super::fifo::Fifo;
use super::{Account, CoDelConfig, Line};
use crate::link::account::Note;
use crate::observer::DropReason;
use crate::packet::Packet;
use ackclock::time::{Duration, Instant};

/// A queue under CoDel's control; variables as in RFC 8289 section 5.3. It has no limit; [`CoDel`]
/// and FQ-CoDel set one.
#[derive(Debug)]
pub(crate) struct Controlled {
    waiting: Fifo,
    target: Duration,
    interval: Duration,
    ecn: bool,
    /// `maxpacket_`: bytes of the largest packet so far, in place of the MTU.
    largest: u64,
    /// When the sojourn time will have been above TARGET for an INTERVAL; `None` (zero in the RFC)
    /// if it is below TARGET.
    first_above_time: Option<Instant>,
    /// When to drop the next packet.
    drop_next: Instant,
    /// Packets dropped since the dropping state was entered.
    count: u32,
    /// `count` when the dropping state was last entered.
    last_count: u32,
    dropping: bool,
}

/// CoDel in front of a line, with a limit in packets.
#[derive(Debug)]
pub(crate) struct CoDel {
    queue: Controlled,
    limit: usize,
}

impl CoDel {
    pub(super) fn new(config: CoDelConfig) -> Self {
        CoDel { queue: Controlled::new(&config), limit: config.limit.get() as usize }
    }

    pub(super) fn push(&mut self, now: Instant, packet: Packet, line: Line, account: &mut Account) {
        if self.queue.packets() + line.packets < self.limit {
            account.note(&packet, Note::Queued);
            self.queue.push(now, packet);
        } else {
            account.drop(packet, DropReason::QueueFull);
        }
    }

    pub(super) fn pop(&mut self, now: Instant, account: &mut Account) -> Option<Packet> {
        self.queue.pop(now, account)
    }

    pub(super) fn packets(&self) -> usize {
        self.queue.packets()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.queue.bytes()
    }
}

impl Controlled {
    pub(super) fn new(config: &CoDelConfig) -> Self {
        Controlled {
            waiting: Fifo::default(),
            target: config.target,
            interval: config.interval,
            ecn: config.ecn,
            largest: 0,
            first_above_time: None,
            drop_next: Instant::ZERO,
            count: 0,
            last_count: 0,
            dropping: false,
        }
    }

    pub(super) fn packets(&self) -> usize {
        self.waiting.packets()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.waiting.bytes()
    }

    pub(super) fn push(&mut self, now: Instant, packet: Packet) {
        self.largest = self.largest.max(packet.bytes.len() as u64);
        self.waiting.push(now, packet);
    }

    /// Takes the packet at the head, however long it has waited.
    pub(super) fn pop_head(&mut self) -> Option<Packet> {
        self.waiting.pop().map(|(_, packet)| packet)
    }

    /// Takes the next packet that is not dropped: `deque` of RFC 8289 section 5.5.
    pub(super) fn pop(&mut self, now: Instant, account: &mut Account) -> Option<Packet> {
        let (mut next, mut ok_to_drop) = self.pop_and_look(now);
        if self.dropping {
            self.dropping = ok_to_drop;
            while self.dropping && now >= self.drop_next {
                let marked = self.signal(next, account);
                self.count = self.count.saturating_add(1);
                if marked.is_some() {
                    self.drop_next = self.control_law(self.drop_next);
                    return marked;
                }
                (next, ok_to_drop) = self.pop_and_look(now);
                self.dropping = ok_to_drop;
                if ok_to_drop {
                    self.drop_next = self.control_law(self.drop_next);
                }
            }
        } else if ok_to_drop {
            next = self.signal(next, account).or_else(|| self.pop_and_look(now).0);
            self.enter_dropping(now);
        }
        next
    }

    /// Takes the next packet and says whether it may be dropped: `dodequeue` of RFC 8289 section
    /// 5.6.
    fn pop_and_look(&mut self, now: Instant) -> (Option<Packet>, bool) {
        let Some((since, packet)) = self.waiting.pop() else {
            self.first_above_time = None;
            return (None, false);
        };
        let mut ok_to_drop = false;
        if now.saturating_since(since) < self.target || self.waiting.bytes() <= self.largest {
            self.first_above_time = None;
        } else {
            let above = *self.first_above_time.get_or_insert(now + self.interval);
            ok_to_drop = now >= above;
        }
        (Some(packet), ok_to_drop)
    }

    /// Enters the dropping state. If the queue has been good only for a short time, the rate of
    /// drops that controlled it last is a good one to begin with (section 5.5).
    fn enter_dropping(&mut self, now: Instant) {
        self.dropping = true;
        let delta = self.count.saturating_sub(self.last_count);
        let recently = now < self.drop_next + self.interval.saturating_mul(16);
        self.count = if delta > 1 && recently { delta } else { 1 };
        self.drop_next = self.control_law(now);
        self.last_count = self.count;
    }

    /// The control law of section 5.4, `t + INTERVAL / sqrt(count)`, in whole nanoseconds. Square
    /// roots are exact on every platform.
    fn control_law(&self, time: Instant) -> Instant {
        let distance = self.interval.as_nanos() as f64 / f64::from(self.count.max(1)).sqrt();
        time + Duration::from_nanos(distance as u64)
    }

    fn signal(&self, packet: Option<Packet>, account: &mut Account) -> Option<Packet> {
        account.signal(packet?, DropReason::Late, self.ecn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::queue::Discipline;
    use crate::link::queue::testing::discipline;
    use crate::packet::testing::{ip_packet, packet};
    use ackclock::wire::{Checksums, Ecn, parse_packet};

    const MS: u64 = 1_000_000;

    fn config(text: &str) -> CoDelConfig {
        let Discipline::CoDel(config) = discipline(text) else { panic!("{text}") };
        config
    }

    /// Times in nanoseconds at which packets are dropped, for a line that takes a packet each
    /// millisecond from a queue that always holds 20, each of which has waited for at least 20 ms.
    fn drop_times(queue: &mut Controlled, from: u64, until: u64) -> Vec<u64> {
        let mut account = Account::default();
        let mut times = Vec::new();
        for now in (from..until).step_by(MS as usize) {
            while queue.packets() < 20 {
                queue.push(Instant::from_nanos(now - 20 * MS), packet(0, 1000));
            }
            queue.pop(Instant::from_nanos(now), &mut account).unwrap();
            times.extend(account.dropped().iter().map(|_| now));
        }
        times
    }

    /// INTERVAL / sqrt(n) for 100 ms and n from 1 to 10, in ns, rounded down: section 5.4's
    /// sequence, by the decimal expansion of the roots.
    const DISTANCES: [u64; 10] = [
        100_000_000,
        70_710_678,
        57_735_026,
        50_000_000,
        44_721_359,
        40_824_829,
        37_796_447,
        35_355_339,
        33_333_333,
        31_622_776,
    ];

    #[test]
    fn the_control_law_divides_the_interval_by_the_square_root_of_the_count() {
        let mut queue = Controlled::new(&config("codel"));
        let distances = std::array::from_fn(|n| {
            queue.count = n as u32 + 1;
            queue.control_law(Instant::ZERO).as_nanos()
        });
        assert_eq!(distances, DISTANCES);
    }

    #[test]
    fn a_standing_queue_is_dropped_from_at_the_times_of_the_control_law() {
        let mut queue = Controlled::new(&config("codel"));
        let begin = 1_000 * MS;
        // The first is dropped an interval after the sojourn time was first seen above the target;
        // each of the others at the first packet after its time, which comes every millisecond.
        let mut due = begin + 100 * MS;
        let mut expected = vec![due];
        for distance in DISTANCES {
            due += distance;
            expected.push(due.next_multiple_of(MS));
        }
        let until = expected[expected.len() - 1] + MS;
        assert_eq!(drop_times(&mut queue, begin, until), expected);
        assert_eq!(queue.count, 11);
    }

    #[test]
    fn a_queue_that_was_bad_recently_goes_on_where_it_was() {
        for (pause, count) in [(100 * MS, 10), (1_700 * MS, 1)] {
            let mut queue = Controlled::new(&config("codel"));
            let times = drop_times(&mut queue, 1_000 * MS, 1_604 * MS);
            assert_eq!((times.len(), queue.count), (11, 11));
            let mut account = Account::default();
            while queue.pop(Instant::from_nanos(1_604 * MS), &mut account).is_some() {}
            let again = 1_604 * MS + pause;
            let times = drop_times(&mut queue, again, again + 101 * MS);
            assert_eq!((times, queue.count), (vec![again + 100 * MS], count));
        }
    }

    #[test]
    fn a_wait_below_the_target_or_a_single_packet_is_never_dropped() {
        let mut account = Account::default();
        let mut queue = Controlled::new(&config("codel"));
        for now in (1_000..3_000).map(|millis| millis * MS) {
            // The third waits 2 ms more: a nanosecond less than the target in all.
            while queue.packets() < 3 {
                queue.push(Instant::from_nanos(now - 3 * MS + 1), packet(0, 1000));
            }
            queue.pop(Instant::from_nanos(now), &mut account).unwrap();
        }
        assert_eq!(account.dropped(), [0; 0]);
        // One packet waits for seconds, and when it leaves at most a packet is behind it.
        let mut queue = Controlled::new(&config("codel"));
        for now in (1..100).map(Instant::from_secs) {
            while queue.packets() < 2 {
                queue.push(Instant::ZERO, packet(0, 1000));
            }
            queue.pop(now, &mut account).unwrap();
        }
        assert_eq!(account.dropped(), [0; 0]);
    }

    #[test]
    fn a_queue_over_its_limit_drops_what_comes() {
        let mut account = Account::default();
        let mut queue = CoDel::new(config("codel:5ms:100ms:2"));
        for number in 0..3 {
            queue.push(Instant::ZERO, packet(number, 100), Line::default(), &mut account);
        }
        assert_eq!(account.take_drop(), Some((packet(2, 100), DropReason::QueueFull)));
        assert_eq!(queue.pop(Instant::ZERO, &mut account), Some(packet(0, 100)));
    }

    #[test]
    fn capable_packets_are_marked_at_the_times_at_which_others_would_be_dropped() {
        let mut queue = Controlled::new(&config("codel:5ms:100ms:1000:ecn"));
        let mut account = Account::default();
        let mut marked = Vec::new();
        for now in (1_000..1_300).map(|millis| millis * MS) {
            while queue.packets() < 20 {
                let bytes = ip_packet(false, 1, Ecn::Ect0, 1000);
                queue.push(Instant::from_nanos(now - 20 * MS), Packet { number: 0, bytes });
            }
            let packet = queue.pop(Instant::from_nanos(now), &mut account).unwrap();
            if parse_packet(&packet.bytes, Checksums::default()).unwrap().ip.ecn == Ecn::Ce {
                marked.push(now / MS);
            }
        }
        assert_eq!(marked, [1_100, 1_200, 1_271]);
        assert_eq!((account.statistics.packets_marked, account.dropped()), (3, vec![]));
    }
}
