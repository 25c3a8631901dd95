//! Statistics of a stream of values: how many, least, greatest, mean, deviation.

use ackclock::time::Duration;
use serde::Serialize;

/// Round-trip times.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Samples {
    count: u64,
    min: u64,
    max: u64,
    /// Mean and sum of squared differences from it (Welford 1962), which lose no precision however
    /// many samples there are.
    mean: f64,
    squares: f64,
}

impl Samples {
    pub(crate) fn add(&mut self, sample: Duration) {
        let nanos = sample.as_nanos();
        self.min = if self.count == 0 { nanos } else { self.min.min(nanos) };
        self.max = self.max.max(nanos);
        self.count += 1;
        let from_mean = nanos as f64 - self.mean;
        self.mean += from_mean / self.count as f64;
        self.squares += from_mean * (nanos as f64 - self.mean);
    }

    pub(crate) fn min(&self) -> Option<Duration> {
        (self.count > 0).then(|| Duration::from_nanos(self.min))
    }

    pub(crate) fn report(&self) -> Option<RttStatistics> {
        let milliseconds = |nanos: f64| nanos / 1e6;
        (self.count > 0).then(|| RttStatistics {
            samples: self.count,
            min_ms: milliseconds(self.min as f64),
            avg_ms: milliseconds(self.mean),
            max_ms: milliseconds(self.max as f64),
            stdev_ms: match self.count {
                1 => 0.0,
                count => milliseconds((self.squares / (count - 1) as f64).sqrt()),
            },
        })
    }
}

/// Round-trip times, in milliseconds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct RttStatistics {
    /// How many there are: at most one for each segment.
    pub samples: u64,
    /// The shortest.
    pub min_ms: f64,
    /// The mean.
    pub avg_ms: f64,
    /// The longest.
    pub max_ms: f64,
    /// The standard deviation of the sample.
    pub stdev_ms: f64,
}

/// The smoothed round-trip time and the retransmission timeout of RFC 6298, as a sender would have
/// them that took the samples of the capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Smoothed {
    /// SRTT and RTTVAR in nanoseconds.
    estimate: Option<(u64, u64)>,
}

/// What Linux and this project's stack take as the least RTO: stacks that wait a whole second
/// (RFC 6298 rule 2.4) are later than that too.
const LEAST_RTO: Duration = Duration::from_millis(200);

/// RFC 6298 rule 2.1.
const FIRST_RTO: Duration = Duration::from_secs(1);

impl Smoothed {
    pub(crate) fn add(&mut self, sample: Duration) {
        let r = sample.as_nanos();
        self.estimate = Some(match self.estimate {
            None => (r, r / 2),
            Some((srtt, rttvar)) => {
                (srtt - srtt / 8 + r / 8, rttvar - rttvar / 4 + srtt.abs_diff(r) / 4)
            }
        });
    }

    pub(crate) fn srtt(&self) -> Option<Duration> {
        self.estimate.map(|(srtt, _)| Duration::from_nanos(srtt))
    }

    /// SRTT and four times RTTVAR, which the least RTO stands in for where it is longer.
    pub(crate) fn rto(&self) -> Duration {
        match self.estimate {
            None => FIRST_RTO,
            Some((srtt, rttvar)) => {
                let variation = Duration::from_nanos(rttvar.saturating_mul(4)).max(LEAST_RTO);
                Duration::from_nanos(srtt) + variation
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_those_of_the_sample() {
        let mut samples = Samples::default();
        assert_eq!(samples.report(), None);
        for millis in [2, 4, 4, 4, 5, 5, 7, 9] {
            samples.add(Duration::from_millis(millis));
        }
        let report = samples.report().unwrap();
        assert_eq!((report.samples, report.min_ms, report.max_ms), (8, 2.0, 9.0));
        assert_eq!(report.avg_ms, 5.0);
        // The squares of the differences add up to 32.
        assert!((report.stdev_ms - (32.0_f64 / 7.0).sqrt()).abs() < 1e-9);
    }

    #[test]
    fn the_timeout_is_that_of_rfc_6298_with_the_least_that_stacks_wait() {
        let mut smoothed = Smoothed::default();
        assert_eq!(smoothed.rto(), FIRST_RTO);
        smoothed.add(Duration::from_millis(100));
        assert_eq!(smoothed.rto(), Duration::from_millis(300));
        assert_eq!(smoothed.srtt(), Some(Duration::from_millis(100)));
        smoothed.add(Duration::from_millis(500));
        // SRTT 150 ms, RTTVAR 37.5 + 100 ms.
        assert_eq!(smoothed.rto(), Duration::from_millis(150 + 550));
    }
}
