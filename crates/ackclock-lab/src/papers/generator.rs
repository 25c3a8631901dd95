//! Traffic of others: packets at random times, which nobody answers.

use super::datagram::{EXPERIMENTAL, HEADER, ipv4};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Distribution, Draws, Endpoint};
use std::net::Ipv4Addr;

/// Streams of the times between packets, and of their lengths.
const STREAMS: [u64; 2] = [85, 86];

/// A host that sends packets of exponential lengths at exponential intervals (Poisson arrivals), at a
/// rate that may change.
#[derive(Debug)]
pub(super) struct Generator {
    addresses: [Ipv4Addr; 2],
    intervals: Draws,
    lengths: Draws,
    /// From when on the mean interval is multiplied by this, in thousandths; 0: it is silent. In order
    /// of time.
    pattern: Vec<(Instant, u64)>,
    next: Instant,
}

impl Generator {
    /// Sends from the first address to the second, `mean` bytes long on average.
    pub(super) fn new(
        addresses: [Ipv4Addr; 2],
        mean: u64,
        interval: Duration,
        pattern: Vec<(Instant, u64)>,
        seed: u64,
    ) -> Self {
        let draws = |mean, stream| Draws::new(Distribution::Exponential(mean), seed, stream);
        Generator {
            addresses,
            intervals: draws(interval.as_nanos(), STREAMS[0]),
            lengths: draws(mean, STREAMS[1]),
            pattern,
            next: Instant::ZERO,
        }
    }

    /// What the pattern says of this time, and until when.
    fn pace(&self, now: Instant) -> (u64, Instant) {
        let behind = self.pattern.partition_point(|(from, _)| *from <= now);
        let until = self.pattern.get(behind).map_or(Instant::FAR_FUTURE, |(from, _)| *from);
        let pace = behind.checked_sub(1).and_then(|last| self.pattern.get(last));
        (pace.map_or(0, |(_, pace)| *pace), until)
    }
}

impl Endpoint for Generator {
    fn on_packet(&mut self, _now: Instant, _bytes: &[u8]) {}

    fn poll(&mut self, now: Instant, send: &mut dyn FnMut(&[u8])) {
        while self.next <= now {
            let (pace, until) = self.pace(self.next);
            if pace == 0 {
                self.next = until;
                continue;
            }
            let length = self.lengths.next().unwrap_or(0).clamp(HEADER as u64, 1500);
            let payload = vec![0; length as usize - HEADER];
            send(&ipv4(self.addresses, EXPERIMENTAL, 64, &payload));
            let interval = self.intervals.next().unwrap_or(0);
            self.next += Duration::from_nanos((interval / 1000).saturating_mul(pace).max(1));
        }
    }

    fn poll_at(&self) -> Instant {
        self.next
    }

    fn is_done(&self) -> bool {
        true
    }
}

/// A host that takes whatever comes and says nothing.
#[derive(Debug)]
pub(super) struct Sink;

impl Endpoint for Sink {
    fn on_packet(&mut self, _now: Instant, _bytes: &[u8]) {}

    fn poll(&mut self, _now: Instant, _send: &mut dyn FnMut(&[u8])) {}

    fn poll_at(&self) -> Instant {
        Instant::FAR_FUTURE
    }

    fn is_done(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESSES: [Ipv4Addr; 2] = [Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2)];

    #[test]
    fn it_keeps_its_pace() {
        let pattern = vec![(Instant::ZERO, 1000), (Instant::from_secs(100), 0)];
        let interval = Duration::from_millis(10);
        let mut generator = Generator::new(ADDRESSES, 500, interval, pattern, 1);
        let (mut packets, mut bytes) = (0_u64, 0);
        generator.poll(Instant::from_secs(1000), &mut |packet| {
            packets += 1;
            bytes += packet.len() as u64;
        });
        // 10,000 with a standard deviation of 100, and half a thousand bytes each, less what is cut
        // off at 1500.
        assert!(packets.abs_diff(10_000) < 400, "{packets}");
        assert!((440..500).contains(&(bytes / packets)), "{bytes}");
        assert_eq!(generator.poll_at(), Instant::FAR_FUTURE);
    }
}
