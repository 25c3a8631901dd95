//! Tests of RED and CoDel against the examples of their papers, and against their pseudo-code,
//! which is written here a second time and shares nothing with the code under test.

use super::codel::CoDel;
use super::red::Red;
use super::testing::discipline;
use super::{Account, Discipline, Line};
use crate::packet::testing::packet;
use crate::random::{Random, Streams};
use crate::units::Rate;
use ackclock::time::Instant;
use std::collections::VecDeque;

/// 500 bytes, RED's typical packet, take 4 ms.
const RATE: Rate = Rate::from_bits_per_second(1_000_000).unwrap();
const TYPICAL: u64 = 4_000_000;
const MS: u64 = 1_000_000;

fn random() -> Random {
    Streams::new(7).take_stream()
}

fn red(text: &str) -> Red {
    let Discipline::Red(config) = discipline(text) else { panic!("{text}") };
    Red::new(config, RATE, random())
}

fn none() -> Line {
    Line::default()
}

/// Floyd and Jacobson, section 6: a queue that grows from 0 to L packets by L arrivals brings the
/// average to L + 1 + ((1 - w)^(L + 1) - 1) / w, which is 4.88 for w = 0.001 and L = 100.
#[test]
fn a_burst_moves_the_average_as_far_as_the_paper_works_out() {
    let mut account = Account::default();
    let mut queue = red("red:200:300:0.001:0.1:1000");
    // The first packet finds an idle line; the second, a packet that waits.
    queue.push(Instant::ZERO, packet(0, 500), none(), &mut account);
    let mut power = 0.999;
    for length in 1..=100_u32 {
        queue.push(Instant::ZERO, packet(length.into(), 500), none(), &mut account);
        power *= 0.999;
        let expected = f64::from(length) + 1.0 + (power - 1.0) / 0.001;
        assert!((queue.average() - expected).abs() < 1e-9, "{length}");
    }
    assert_eq!((queue.average() * 100.0).floor(), 488.0);
}

/// Section 6: a queue that stays at one packet brings the average to 0.63, 1 - 1/e, within
/// -1/ln(1 - w) arrivals: 1000 of them for w = 0.001.
#[test]
fn a_queue_of_one_packet_is_averaged_in_as_many_arrivals_as_the_paper_works_out() {
    let mut account = Account::default();
    let mut queue = red("red:200:300:0.001:0.1:1000");
    queue.push(Instant::ZERO, packet(0, 500), none(), &mut account);
    for _ in 0..1000 {
        queue.push(Instant::ZERO, packet(0, 500), none(), &mut account);
        queue.pop(Instant::ZERO).unwrap();
    }
    // Within the paper's rounding of the logarithm.
    assert!((queue.average() - (1.0 - (-1.0_f64).exp())).abs() < 2e-4, "{}", queue.average());
}

/// RED as in figure 2 of the paper, with section 11 for the idle time; a full queue drops.
struct RedOracle {
    avg: f64,
    count: i64,
    q_time: Option<u64>,
    queue: VecDeque<u64>,
    random: Random,
}

impl RedOracle {
    fn arrival(&mut self, time: u64, number: u64, [min, max, w, max_p, limit]: [f64; 5]) -> bool {
        match self.q_time {
            None => self.avg = (1.0 - w) * self.avg + w * self.queue.len() as f64,
            Some(q_time) => {
                let m = (time - q_time) / TYPICAL;
                (0..m).for_each(|_| self.avg *= 1.0 - w);
                self.q_time = Some(q_time + m * TYPICAL);
            }
        }
        let mut marked = false;
        if min <= self.avg && self.avg < max {
            self.count += 1;
            let p_b = max_p * (self.avg - min) / (max - min);
            let left = 1.0 - self.count as f64 * p_b;
            let p_a = if left > p_b { p_b / left } else { 1.0 };
            marked = self.random.next_fraction() < p_a;
        } else if max <= self.avg {
            marked = true;
        } else {
            self.count = -1;
        }
        if marked || self.queue.len() as f64 >= limit {
            self.count = 0;
            return false;
        }
        self.queue.push_back(number);
        self.q_time = None;
        true
    }

    fn departure(&mut self, time: u64) -> Option<u64> {
        let first = self.queue.pop_front();
        if first.is_none() {
            self.q_time = Some(time);
        }
        first
    }
}

/// Arrivals and departures at arbitrary times, with bursts and pauses: the time of each, whether it
/// is an arrival, and the packet's bytes.
fn traffic(steps: usize) -> Vec<(u64, bool, usize)> {
    let mut numbers = Streams::new(11).take_stream();
    let mut time = 0;
    let mut step = |index: usize| {
        // The load changes every 400 steps: mostly arrivals, about even, mostly departures.
        let arrivals = [7, 5, 3][index / 400 % 3];
        let is_arrival = numbers.next_u64() % 10 < arrivals;
        time += match numbers.next_u64() % 50 {
            0 => 20 * MS,
            some => some * MS / 20,
        };
        (time, is_arrival, 100 + (numbers.next_u64() % 1400) as usize)
    };
    (0..steps).map(&mut step).collect()
}

#[test]
fn red_decides_as_its_pseudo_code() {
    for (text, parameters) in [
        ("red:5:15:0.02:0.1:40", [5.0, 15.0, 0.02, 0.1, 40.0]),
        ("red:2:6:0.25:0.5:8", [2.0, 6.0, 0.25, 0.5, 8.0]),
        ("red:7:21:0.002:0.1:20", [7.0, 21.0, 0.002, 0.1, 20.0]),
    ] {
        let mut queue = red(text);
        let (queued, idle) = (VecDeque::new(), Some(0));
        let mut oracle =
            RedOracle { avg: 0.0, count: -1, q_time: idle, queue: queued, random: random() };
        let mut account = Account::default();
        let mut dropped = 0;
        // The driver takes no packet for an idle line.
        let mut busy = false;
        for (number, (time, is_arrival, bytes)) in (0..).zip(traffic(20_000)) {
            let now = Instant::from_nanos(time);
            if is_arrival {
                queue.push(now, packet(number, bytes), none(), &mut account);
                let kept = oracle.arrival(time, number, parameters);
                let expected: &[u64] = if kept { &[] } else { &[number] };
                assert_eq!(account.dropped(), expected, "{text}");
                dropped += expected.len();
                busy |= kept;
            } else if busy {
                let left = queue.pop(now).map(|packet| packet.number);
                assert_eq!(left, oracle.departure(time), "{text}");
                busy = left.is_some();
            }
            assert!((queue.average() - oracle.avg).abs() < 1e-9, "{text}");
        }
        assert!(dropped > 100, "{text}: {dropped}");
        assert!(account.statistics.packets_dropped_early > 10, "{text}");
    }
}

/// CoDel as in RFC 8289 sections 5.3 to 5.6, with its variables. A packet is its number, its length
/// and the time at which it came.
#[derive(Default)]
struct CoDelOracle {
    queue: VecDeque<(u64, u64, u64)>,
    maxpacket: u64,
    first_above_time: u64,
    drop_next: u64,
    count: u64,
    lastcount: u64,
    dropping: bool,
    dropped: Vec<u64>,
}

impl CoDelOracle {
    const TARGET: u64 = 5 * MS;
    const INTERVAL: u64 = 100 * MS;

    fn dodequeue(&mut self, now: u64) -> (Option<u64>, bool) {
        let Some((number, _, came)) = self.queue.pop_front() else {
            self.first_above_time = 0;
            return (None, false);
        };
        let bytes: u64 = self.queue.iter().map(|(_, bytes, _)| bytes).sum();
        let mut ok_to_drop = false;
        if now - came < Self::TARGET || bytes <= self.maxpacket {
            self.first_above_time = 0;
        } else if self.first_above_time == 0 {
            self.first_above_time = now + Self::INTERVAL;
        } else if now >= self.first_above_time {
            ok_to_drop = true;
        }
        (Some(number), ok_to_drop)
    }

    fn deque(&mut self, now: u64) -> Option<u64> {
        let control_law = |t: u64, count: u64| t + Self::quotient(count);
        let mut r = self.dodequeue(now);
        if self.dropping {
            if !r.1 {
                self.dropping = false;
            }
            while now >= self.drop_next && self.dropping {
                self.dropped.extend(r.0);
                self.count += 1;
                r = self.dodequeue(now);
                if r.1 {
                    self.drop_next = control_law(self.drop_next, self.count);
                } else {
                    self.dropping = false;
                }
            }
        } else if r.1 {
            self.dropped.extend(r.0);
            r = self.dodequeue(now);
            self.dropping = true;
            let delta = self.count - self.lastcount;
            self.count = 1;
            if delta > 1 && now < self.drop_next + 16 * Self::INTERVAL {
                self.count = delta;
            }
            self.drop_next = control_law(now, self.count);
            self.lastcount = self.count;
        }
        r.0
    }

    /// The largest whole number whose square times `count` is at most INTERVAL's: no root is taken.
    fn quotient(count: u64) -> u64 {
        let (mut low, mut high) = (0, Self::INTERVAL + 1);
        while high - low > 1 {
            let middle = (low + high) / 2;
            let square = u128::from(middle) * u128::from(middle) * u128::from(count);
            if square <= u128::from(Self::INTERVAL).pow(2) { low = middle } else { high = middle }
        }
        low
    }
}

#[test]
fn codel_drops_what_its_pseudo_code_drops() {
    let Discipline::CoDel(config) = discipline("codel:5ms:100ms:100000") else { panic!() };
    let mut queue = CoDel::new(config);
    let mut oracle = CoDelOracle::default();
    let mut account = Account::default();
    for (number, (time, is_arrival, bytes)) in (0..).zip(traffic(20_000)) {
        // RFC 8289 takes zero for "not set".
        let time = time + 1;
        let now = Instant::from_nanos(time);
        if is_arrival {
            queue.push(now, packet(number, bytes), none(), &mut account);
            oracle.maxpacket = oracle.maxpacket.max(bytes as u64);
            oracle.queue.push_back((number, bytes as u64, time));
        } else {
            let left = queue.pop(now, &mut account).map(|packet| packet.number);
            assert_eq!(left, oracle.deque(time));
            assert_eq!(account.dropped(), std::mem::take(&mut oracle.dropped));
        }
    }
    assert!(account.statistics.packets_dropped_late > 100);
}
