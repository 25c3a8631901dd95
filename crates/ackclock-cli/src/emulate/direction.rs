//! One direction of the path: the wire that the loop drives, and the samples that the reports show.

use ackclock::time::{Duration, Instant};
use ackclock_emulator::{LinkStatistics, LiveLink};
use ackclock_host::bridge::Wire;

/// A link whose deliveries are timed and whose traffic is sampled.
pub(super) struct Direction {
    link: LiveLink,
    late: Lateness,
    /// Longest queue until the last sample, in packets.
    longest_queue: u64,
    /// Statistics at the last sample.
    before: LinkStatistics,
    /// Largest lateness of a delivery since the last sample.
    latest: Duration,
}

/// Lateness of deliveries: the time from when a packet was due until it was delivered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Lateness {
    packets: u64,
    sum: Duration,
    pub(super) max: Duration,
}

impl Lateness {
    fn note(&mut self, by: Duration) {
        self.packets += 1;
        self.sum += by;
        self.max = self.max.max(by);
    }

    pub(super) fn mean(&self) -> Duration {
        Duration::from_nanos(self.sum.as_nanos() / self.packets.max(1))
    }
}

/// What happened in one direction between two samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Sample {
    pub(super) link: LinkStatistics,
    /// Largest lateness of a delivery.
    pub(super) latest: Duration,
}

/// Interval of time, with what happened in it in each direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Interval {
    /// Begin of the interval, in time since the beginning of the emulation.
    pub(super) start: Duration,
    /// End of the interval.
    pub(super) end: Duration,
    pub(super) directions: [Sample; 2],
}

/// What happened in one direction during the whole emulation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Totals {
    pub(super) link: LinkStatistics,
    pub(super) late: Lateness,
    /// Packets that the kernel dropped at the beginning of the path, because they were not read in time.
    pub(super) not_taken: u64,
    /// Packets that came to the end of the path, where the interface did not accept them.
    pub(super) refused: u64,
}

/// Packets that the queue dropped and packets that were lost.
pub(super) fn drops(link: &LinkStatistics) -> u64 {
    link.packets_dropped + link.packets_lost
}

impl Direction {
    pub(super) fn new(link: LiveLink) -> Self {
        Direction {
            link,
            late: Lateness::default(),
            longest_queue: 0,
            before: LinkStatistics::default(),
            latest: Duration::ZERO,
        }
    }

    /// What happened since the last sample.
    pub(super) fn sample(&mut self) -> Sample {
        let now = *self.link.statistics();
        let link = now.since(&std::mem::replace(&mut self.before, now));
        self.longest_queue = self.longest_queue.max(link.longest_queue);
        self.link.forget_longest_queue();
        Sample { link, latest: std::mem::take(&mut self.latest) }
    }

    /// What happened in all. `not_taken` and `refused` are counted by the kernel and the bridge.
    pub(super) fn totals(&self, not_taken: u64, refused: u64) -> Totals {
        let mut link = *self.link.statistics();
        link.longest_queue = link.longest_queue.max(self.longest_queue);
        Totals { link, late: self.late, not_taken, refused }
    }
}

impl Wire for Direction {
    fn offer(&mut self, now: Instant, packet: &[u8]) {
        self.link.offer(now, packet);
    }

    fn poll_at(&self) -> Instant {
        self.link.poll_at()
    }

    fn deliver(&mut self, now: Instant, to: &mut dyn FnMut(&[u8])) {
        let Direction { link, late, latest, .. } = self;
        link.deliver(now, &mut |due, packet| {
            let by = now.saturating_since(due);
            late.note(by);
            *latest = (*latest).max(by);
            to(packet);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    #[test]
    fn samples_are_what_happened_since_the_last_one() {
        let path = "rate=10mbit,delay=0s,loss=0,queue=2".parse().expect("a path");
        let [mut direction, _back] = LiveLink::pair([&path, &path], 1).map(Direction::new);
        for _ in 0..4 {
            direction.offer(ms(0), &[0; 1250]);
        }
        direction.deliver(ms(1), &mut |_| {});
        let first = direction.sample();
        assert_eq!((first.link.packets_carried, first.link.bytes_carried), (1, 1250));
        assert_eq!((drops(&first.link), first.link.longest_queue), (1, 3));
        assert_eq!(first.latest, Duration::ZERO);
        // Due after two and after three milliseconds.
        direction.deliver(ms(7), &mut |_| {});
        let second = direction.sample();
        assert_eq!((second.link.packets_carried, second.link.bytes_carried), (2, 2500));
        assert_eq!((drops(&second.link), second.link.longest_queue), (0, 2));
        assert_eq!(second.latest, Duration::from_millis(5));
        let totals = direction.totals(4, 5);
        assert_eq!((totals.link.packets_carried, totals.link.longest_queue), (3, 3));
        assert_eq!(
            (totals.late.max, totals.late.mean()),
            (second.latest, Duration::from_millis(3))
        );
    }
}
