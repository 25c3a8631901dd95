//! RED, Random Early Detection: S. Floyd and V. Jacobson, "Random Early Detection Gateways for
//! Congestion Avoidance", IEEE/ACM Transactions on Networking, 1993.
//!
//! The queue's length, averaged over some time, distinguishes congestion from bursts. Between two
//! thresholds of the average each arriving packet is "marked" (dropped, or marked by ECN) with a
//! probability that grows with the average and with the number of packets since the last mark, so
//! that marks come at even distances; above the larger threshold every packet is marked.

use super::fifo::Fifo;
use super::{Account, Line, RedConfig};
use crate::link::account::Note;
use crate::observer::DropReason;
use crate::packet::Packet;
use crate::random::Random;
use crate::units::{Probability, Rate};
use ackclock::time::{Duration, Instant};

/// Size in bytes of the packets that an idle line could have sent, for the idle-time correction
/// (the paper's "typical transmission time for a small packet", section 4).
const TYPICAL_PACKET: usize = 500;

/// A RED gateway's queue; variables as in figure 2 of the paper.
#[derive(Debug)]
pub(crate) struct Red {
    waiting: Fifo,
    config: RedConfig,
    random: Random,
    /// `s`: how long the line needs for a typical packet.
    typical: Duration,
    /// `avg`: the average queue size in packets.
    average: f64,
    /// `count`: packets since the last mark; `None` (the paper's -1) if the average was below the
    /// smaller threshold since.
    count: Option<u64>,
    /// `q_time`: when the line became idle; `None` if it is busy.
    idle_since: Option<Instant>,
}

/// The decision about an arriving packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Pass,
    Signal(DropReason),
}

impl Red {
    pub(super) fn new(config: RedConfig, rate: Rate, random: Random) -> Self {
        Red {
            waiting: Fifo::default(),
            config,
            random,
            typical: rate.transmission_time(TYPICAL_PACKET),
            average: 0.0,
            count: None,
            idle_since: Some(Instant::ZERO),
        }
    }

    pub(super) fn push(&mut self, now: Instant, packet: Packet, line: Line, account: &mut Account) {
        self.update_average(now, line);
        let kept = match self.verdict() {
            Verdict::Pass => Some(packet),
            Verdict::Signal(reason) => account.signal(packet, reason, self.config.ecn),
        };
        let Some(packet) = kept else { return };
        if self.waiting.packets() + line.packets >= self.config.limit.get() as usize {
            self.count = Some(0);
            account.drop(packet, DropReason::QueueFull);
            return;
        }
        self.idle_since = None;
        account.note(&packet, Note::Queued);
        self.waiting.push(now, packet);
    }

    /// Takes the next packet; `None` if there is none, and the line is idle from now on.
    pub(super) fn pop(&mut self, now: Instant) -> Option<Packet> {
        let next = self.waiting.pop();
        if next.is_none() {
            self.idle_since = Some(now);
        }
        next.map(|(_, packet)| packet)
    }

    pub(super) fn packets(&self) -> usize {
        self.waiting.packets()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.waiting.bytes()
    }

    /// Updates the average (section 4): `avg <- (1 - w) avg + w q`, or, after an idle time in which
    /// `m` small packets could have been sent, `avg <- (1 - w)^m avg`.
    fn update_average(&mut self, now: Instant, line: Line) {
        let weight = fraction(self.config.weight);
        match &mut self.idle_since {
            Some(since) => {
                let idle = now.saturating_since(*since).as_nanos();
                let packets = idle / self.typical.as_nanos().max(1);
                self.average *= power(1.0 - weight, packets);
                // A packet that is dropped does not end the idle time: the part counted here must
                // not be counted again.
                *since += Duration::from_nanos(packets.saturating_mul(self.typical.as_nanos()));
            }
            None => {
                let length = (self.waiting.packets() + line.packets) as f64;
                self.average = (1.0 - weight) * self.average + weight * length;
            }
        }
    }

    fn verdict(&mut self) -> Verdict {
        let smaller = f64::from(self.config.min_threshold);
        let larger = f64::from(self.config.max_threshold);
        if self.average >= larger {
            self.count = Some(0);
            return Verdict::Signal(DropReason::Forced);
        }
        if self.average < smaller {
            self.count = None;
            return Verdict::Pass;
        }
        let count = self.count.map_or(0, |count| count + 1);
        self.count = Some(count);
        let max_p = fraction(self.config.max_probability);
        if self.random.next_fraction() < probability(self.average, count, smaller, larger, max_p) {
            self.count = Some(0);
            return Verdict::Signal(DropReason::Early);
        }
        Verdict::Pass
    }
}

/// The probability of a mark (section 4): `p_b = max_p (avg - min_th) / (max_th - min_th)` and `p_a
/// = p_b / (1 - count p_b)`, which is certainty once `count` reaches `1 / p_b`.
fn probability(average: f64, count: u64, smaller: f64, larger: f64, max_p: f64) -> f64 {
    let base = max_p * (average - smaller) / (larger - smaller);
    let rest = 1.0 - count as f64 * base;
    if rest <= base { 1.0 } else { base / rest }
}

fn fraction(probability: Probability) -> f64 {
    f64::from(probability.parts_per_billion()) / 1e9
}

/// A power by repeated squaring: multiplications only, which are the same on every platform.
fn power(base: f64, exponent: u64) -> f64 {
    let (mut result, mut square, mut left) = (1.0, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    result
}

#[cfg(test)]
impl Red {
    /// The average queue size in packets.
    pub(super) fn average(&self) -> f64 {
        self.average
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::queue::Discipline;
    use crate::link::queue::testing::discipline;
    use crate::link::statistics::LinkStatistics;
    use crate::packet::testing::{ip_packet, packet};
    use crate::random::Streams;
    use ackclock::wire::Ecn;

    /// 500 bytes, the typical packet, take 4 ms.
    const RATE: Rate = Rate::from_bits_per_second(1_000_000).unwrap();

    fn red(text: &str) -> Red {
        let Discipline::Red(config) = discipline(text) else { panic!("{text}") };
        Red::new(config, RATE, Streams::new(1).take_stream())
    }

    const fn ms(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    #[test]
    fn the_average_follows_the_queue_by_its_weight() {
        let mut queue = red("red:5:15:0.25:0.1:100");
        let mut account = Account::default();
        let averages = [0, 1, 2, 3, 4].map(|number| {
            queue.push(ms(0), packet(number, 500), Line::default(), &mut account);
            queue.average
        });
        // Lengths of 0 (the line was idle until then), 1, 2, 3 and 4 packets; every step is exact
        // in binary: 0.75 * 0 + 0.25 * 1, 0.75 * 0.25 + 0.25 * 2 ...
        assert_eq!(averages, [0.0, 0.25, 0.6875, 1.265625, 1.94921875]);
    }

    #[test]
    fn an_idle_time_counts_as_the_small_packets_that_it_had_room_for() {
        let mut queue = red("red:50:150:0.5:0.1:100");
        let mut account = Account::default();
        queue.average = 32.0;
        queue.idle_since = Some(ms(100));
        // 3 packets of 4 ms in 15 ms: 32 / 2^3.
        queue.push(ms(115), packet(0, 500), Line::default(), &mut account);
        assert_eq!((queue.average, queue.idle_since), (4.0, None));
        // The line is busy again: half of the average and half of a packet.
        queue.push(ms(115), packet(1, 500), Line::default(), &mut account);
        assert_eq!(queue.average, 2.5);
        // A line is idle only once it has found the queue empty.
        queue.pop(ms(120)).unwrap();
        queue.pop(ms(124)).unwrap();
        queue.push(ms(126), packet(2, 500), Line::default(), &mut account);
        assert_eq!(queue.average, 1.25);
        queue.pop(ms(128)).unwrap();
        assert_eq!(queue.pop(ms(132)), None);
        queue.push(ms(139), packet(3, 500), Line::default(), &mut account);
        assert_eq!(queue.average, 0.625);
    }

    #[test]
    fn an_idle_time_across_a_dropped_packet_counts_once() {
        let mut queue = red("red:1:2:0.5:1:100");
        let mut account = Account::default();
        queue.average = 32.0;
        queue.idle_since = Some(ms(0));
        // 9 ms: 2 packets of 4 ms and 1 ms; the average of 8 forces the drop, the line stays idle.
        queue.push(ms(9), packet(0, 500), Line::default(), &mut account);
        assert_eq!(queue.average, 8.0);
        assert_eq!(account.take_drop(), Some((packet(0, 500), DropReason::Forced)));
        // At 20 ms five are over in all: 32 / 2^5.
        queue.push(ms(20), packet(1, 500), Line::default(), &mut account);
        assert_eq!(queue.average, 1.0);
    }

    #[test]
    fn a_long_idle_time_forgets_the_average() {
        assert_eq!(power(0.5, 10), 1.0 / 1024.0);
        assert_eq!(power(0.998, 0), 1.0);
        assert_eq!(power(0.998, u64::MAX), 0.0);
        let by_hand = (0..1000).fold(1.0, |product, _| product * 0.998);
        assert!((power(0.998, 1000) / by_hand - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_probability_grows_with_the_average_and_with_the_distance() {
        let at = |average, count| probability(average, count, 5.0, 15.0, 0.5);
        assert_eq!([at(5.0, 0), at(10.0, 0), at(15.0, 0)], [0.0, 0.25, 0.5]);
        // With p_b = 1/4 each of four packets is the first that is marked with the probability 1/4:
        // 1/4, 3/4 * 1/3, 1/2 * 1/2, 1/4 * 1, the uniform distances that the paper asks for.
        assert_eq!([0, 1, 2, 3].map(|count| at(10.0, count)), [0.25, 0.25 / 0.75, 0.5, 1.0]);
        assert_eq!(at(10.0, 100), 1.0);
    }

    /// Keeps the average at `average` and offers `packets` packets. Returns which are dropped.
    fn dropped_at(average: f64, text: &str, packets: u64) -> (Vec<u64>, LinkStatistics) {
        let mut queue = red(text);
        let mut account = Account::default();
        queue.idle_since = None;
        for number in 0..packets {
            queue.average = average;
            queue.push(ms(0), packet(number, 500), Line::default(), &mut account);
            while queue.waiting.pop().is_some() {}
        }
        (account.dropped(), account.statistics)
    }

    #[test]
    fn below_the_smaller_threshold_none_is_dropped_and_from_the_larger_all_are() {
        // A weight of the smallest step leaves the average where it is put.
        let text = "red:5:15:0.000000001:0.1:100";
        assert_eq!(dropped_at(4.9, text, 1000).0, [0; 0]);
        let (dropped, statistics) = dropped_at(15.1, text, 10);
        assert_eq!(dropped, (0..10).collect::<Vec<_>>());
        let expected = LinkStatistics {
            packets_dropped: 10,
            packets_dropped_forced: 10,
            ..LinkStatistics::default()
        };
        assert_eq!(statistics, expected);
    }

    #[test]
    fn between_the_thresholds_drops_come_at_uniform_distances() {
        // p_b = 0.1 * 5 / 10 = 1/20. The paper's figure 2 counts a packet before it decides about
        // it, so that distances are uniform from 1 to 19, 10 on average.
        let (dropped, statistics) = dropped_at(10.0, "red:5:15:0.000000001:0.1:100", 100_000);
        let distances: Vec<_> = dropped.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!((distances.iter().min(), distances.iter().max()), (Some(&1), Some(&19)));
        // 10,000 drops on average; the deviation of a distance, 5.48, makes that of their number 55.
        assert!((9_780..=10_220).contains(&dropped.len()), "{}", dropped.len());
        assert_eq!(statistics.packets_dropped_early, dropped.len() as u64);
    }

    #[test]
    fn a_full_queue_drops_whatever_the_average() {
        let mut queue = red("red:5:15:0.002:0.1:2");
        let mut account = Account::default();
        for number in 0..3 {
            queue.push(ms(0), packet(number, 500), Line::default(), &mut account);
        }
        assert_eq!(account.take_drop(), Some((packet(2, 500), DropReason::QueueFull)));
    }

    #[test]
    fn packets_that_can_be_marked_are_not_dropped() {
        for (text, ecn, marked) in [
            ("red:5:15:0.5:0.1:100:ecn", Ecn::Ect0, 1),
            ("red:5:15:0.5:0.1:100:ecn", Ecn::NotEct, 0),
            ("red:5:15:0.5:0.1:100", Ecn::Ect0, 0),
        ] {
            let mut queue = red(text);
            let mut account = Account::default();
            (queue.average, queue.idle_since) = (100.0, None);
            let bytes = ip_packet(false, 1, ecn, 100);
            queue.push(ms(0), Packet { number: 0, bytes }, Line::default(), &mut account);
            assert_eq!(account.statistics.packets_marked, marked, "{text}");
            assert_eq!(account.dropped().len() as u64, 1 - marked, "{text}");
            assert_eq!(queue.waiting.packets() as u64, marked, "{text}");
        }
    }
}
