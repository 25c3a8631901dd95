//! Propagation to the other end: the delay of a path, and its jitter.

use crate::random::Random;
use crate::units::{ShowDuration, UnitError, parse_duration};
use ackclock::time::{Duration, Instant};
use std::fmt;
use std::str::FromStr;

/// Jitter: a random time by which each packet's propagation is longer than the path's delay.
///
/// As text: `5ms` or `5ms:reorder`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Jitter {
    /// The longest such time; all times up to it are equally likely.
    pub most: Duration,
    /// Whether packets may overtake each other. Otherwise a packet that would arrive before an
    /// earlier one arrives right behind it, at the same time.
    pub reorders: bool,
}

impl FromStr for Jitter {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (text, reorders) = match text.strip_suffix(":reorder") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        Ok(Jitter { most: parse_duration(text)?, reorders })
    }
}

/// Writes the text that [`FromStr`] reads.
impl fmt::Display for Jitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", ShowDuration(self.most), if self.reorders { ":reorder" } else { "" })
    }
}

/// The propagation of packets that leave a line.
#[derive(Debug)]
pub(crate) struct Propagation {
    delay: Duration,
    jitter: Jitter,
    random: Random,
    latest: Instant,
}

impl Propagation {
    pub(crate) fn new(delay: Duration, jitter: Jitter, random: Random) -> Self {
        Propagation { delay, jitter, random, latest: Instant::ZERO }
    }

    /// Sets the delay from now on. Packets on their way are not overtaken, unless jitter reorders.
    pub(crate) fn change(&mut self, delay: Duration, jitter: Jitter) {
        (self.delay, self.jitter) = (delay, jitter);
    }

    /// The propagation time of the next packet that leaves the line.
    pub(crate) fn next_delay(&mut self) -> Duration {
        let most = self.jitter.most.as_nanos();
        if most == 0 {
            return self.delay;
        }
        let steps = u128::from(most) + 1;
        let extra = (u128::from(self.random.next_u64()) * steps) >> 64;
        self.delay + Duration::from_nanos(extra as u64)
    }

    /// The arrival of a packet that leaves at `leaves_at` and takes `delay`. A packet that is held
    /// back on purpose (`held`) does not delay those behind it.
    pub(crate) fn arrival(&mut self, leaves_at: Instant, delay: Duration, held: bool) -> Instant {
        let at = leaves_at + delay;
        if held || self.jitter.reorders {
            return at;
        }
        self.latest = self.latest.max(at);
        self.latest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Streams;
    use ackclock::time::ParseDurationError;

    const fn ms(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    /// Arrivals of packets that leave each millisecond.
    fn arrivals(text: &str) -> Vec<Instant> {
        let random = Streams::new(1).take_stream();
        let delay = Duration::from_millis(10);
        let mut propagation = Propagation::new(delay, text.parse().unwrap(), random);
        let mut arrival = |millis| {
            let delay = propagation.next_delay();
            propagation.arrival(ms(millis), delay, false)
        };
        (0..10_000).map(&mut arrival).collect()
    }

    #[test]
    fn no_jitter_is_the_delay() {
        let expected: Vec<_> = (10..10_010).map(ms).collect();
        assert_eq!(arrivals("0s"), expected);
    }

    #[test]
    fn jitter_is_uniform_and_reorders_only_if_it_may() {
        let free = arrivals("4ms:reorder");
        let extra = (10..).map(ms).zip(&free).map(|(at, got)| got.saturating_since(at));
        let extra: Vec<_> = extra.collect();
        assert!(extra.iter().all(|extra| extra.as_millis() <= 4));
        // The mean of 10,000 is 2 ms with a deviation of 4 ms / sqrt(12 * 10,000) = 11.5 us.
        let mean = extra.iter().map(|extra| extra.as_nanos()).sum::<u64>() / 10_000;
        assert!((1_950_000..2_050_000).contains(&mean), "{mean}");
        assert!(!free.is_sorted());
        let ordered = arrivals("4ms");
        assert!(ordered.is_sorted());
        // The same draws, each packet at its time or with the latest before it.
        let latest = free.into_iter().scan(Instant::ZERO, |latest, at| {
            *latest = at.max(*latest);
            Some(*latest)
        });
        assert!(latest.eq(ordered));
    }

    #[test]
    fn a_held_packet_holds_up_nobody() {
        let jitter = "1ms".parse().unwrap();
        let random = Streams::new(1).take_stream();
        let mut propagation = Propagation::new(Duration::ZERO, jitter, random);
        assert_eq!(propagation.arrival(ms(100), Duration::ZERO, true), ms(100));
        assert_eq!(propagation.arrival(ms(2), Duration::ZERO, false), ms(2));
    }

    #[test]
    fn jitter_is_written_so_that_it_is_read_back() {
        for text in ["5ms", "5ms:reorder"] {
            assert_eq!(text.parse::<Jitter>().unwrap().to_string(), text);
        }
        assert_eq!(
            "5ms:order".parse::<Jitter>(),
            Err(UnitError::Duration(ParseDurationError::Unit))
        );
        assert_eq!("reorder".parse::<Jitter>(), Err(UnitError::Duration(ParseDurationError::Unit)));
    }
}
