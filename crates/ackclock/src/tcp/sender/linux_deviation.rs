//! Deviation in Linux's retransmission timeout (`tcp_rtt_estimator`): it rises at once to the largest of a round
//! trip. After each round trip with a smaller one, it falls by a quarter of the difference. It is never below the
//! least timeout.

use crate::seq::SeqNumber;

/// Four times the mean deviation, smoothed as in Linux; all values are in microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct LinuxDeviation {
    /// Part of the timeout that is added to the mean.
    timeout_part: u32,
    /// Largest value in the current round trip, and at least the least timeout.
    largest: u32,
    /// Whether new data was sent in the current round trip, and its first sequence number.
    timing: bool,
    timed: SeqNumber,
}

impl LinuxDeviation {
    /// Takes the first measurement.
    pub(super) fn begin(&mut self, four_deviations: u32, least: u32) {
        let largest = four_deviations.max(least);
        *self = LinuxDeviation { timeout_part: largest, largest, ..Self::default() };
    }

    /// Takes a measurement, from an ack of everything before `una` (`None`: from a SYN).
    pub(super) fn on_sample(&mut self, four_deviations: u32, least: u32, una: Option<SeqNumber>) {
        self.largest = self.largest.max(four_deviations);
        self.timeout_part = self.timeout_part.max(self.largest);
        if self.timing && una.is_some_and(|una| una.after(self.timed)) {
            self.timeout_part -= (self.timeout_part - self.largest) / 4;
            (self.timing, self.largest) = (false, least);
        }
    }

    /// Records that new data from `seq` on was sent.
    pub(super) fn on_new_data_sent(&mut self, seq: SeqNumber) {
        if !self.timing {
            (self.timing, self.timed) = (true, seq);
        }
    }

    pub(super) fn timeout_part(&self) -> u32 {
        self.timeout_part
    }
}

#[cfg(test)]
mod tests {
    use crate::profile::Full;
    use crate::seq::SeqNumber;
    use crate::tcp::sender::Rto;
    use crate::tcp::{RtoConfig, RtoEstimator};
    use crate::time::{Duration, Instant};
    use std::vec::Vec;

    /// Time of all acks, later than any round trip of these tests takes.
    const NOW: Instant = Instant::from_secs(1_000);

    /// The timeout in milliseconds after each of these `round_trips`, also in milliseconds, each of one segment.
    fn timeouts(estimator: RtoEstimator, round_trips: &[u64]) -> Vec<f64> {
        let mut rto = Rto::<Full>::new(&RtoConfig { estimator, ..RtoConfig::default() }, 0);
        let segments = (0..).map(|segment| SeqNumber(segment * 1_000));
        let after = |(seq, &millis): (SeqNumber, _)| {
            let rtt = Duration::from_millis(millis);
            match seq {
                SeqNumber(0) => rto.on_sample(NOW, rtt),
                _ => {
                    rto.on_new_data_sent(NOW, seq);
                    rto.on_ack(NOW, seq + 1_000, Some(rtt));
                }
            }
            rto.timeout().as_micros() as f64 / 1e3
        };
        segments.zip(round_trips).map(after).collect()
    }

    #[test]
    fn linux_adds_at_least_200_ms_to_the_mean() {
        assert_eq!(timeouts(RtoEstimator::Linux, &[1, 1]), [201.0, 201.0]);
        assert_eq!(timeouts(RtoEstimator::Linux, &[100, 100, 100]), [300.0; 3]);
    }

    #[test]
    fn linux_lets_a_deviation_go_by_a_quarter_in_each_calm_round_trip() {
        // 4 RTTVAR: 600, 450, 337.5 ms. The first round trip had 600, the next has 337.5: 600 - 262.5/4.
        assert_eq!(timeouts(RtoEstimator::Linux, &[300, 300, 300]), [900.0, 900.0, 834.375]);
    }

    #[test]
    fn linux_counts_an_eighth_of_a_round_trip_that_is_much_shorter() {
        // Mean 362.5 ms; 4 RTTVAR = 800 + (300 - 200)/8 where RFC 6298 has 900.
        assert_eq!(timeouts(RtoEstimator::Linux, &[400, 100]), [1_200.0, 1_175.0]);
        assert_eq!(timeouts(RtoEstimator::Rfc6298, &[400, 100]), [1_200.0, 1_262.5]);
    }

    #[test]
    fn linux_ends_the_backoff_with_a_measurement() {
        let config = RtoConfig { estimator: RtoEstimator::Linux, ..RtoConfig::default() };
        let mut rto = Rto::<Full>::new(&config, 0);
        rto.back_off();
        rto.on_sample(NOW, Duration::from_millis(50));
        assert_eq!((rto.timeout(), rto.backoff()), (Duration::from_millis(250), 0));
    }

    #[test]
    fn freebsd_adds_200_ms_before_the_bounds() {
        assert_eq!(timeouts(RtoEstimator::FreeBsd, &[1, 1]), [203.0, 202.5]);
        assert_eq!(timeouts(RtoEstimator::FreeBsd, &[100, 180]), [500.0, 540.0]);
    }

    #[test]
    fn freebsd_adds_200_ms_to_what_was_backed_off() {
        let config = RtoConfig { estimator: RtoEstimator::FreeBsd, ..RtoConfig::default() };
        let mut rto = Rto::<Full>::new(&config, 0);
        let of_syns = [0, 1, 2, 3].map(|times| rto.syn_timeout(times).as_millis());
        assert_eq!(of_syns, [1_000, 2_200, 4_200, 8_200]);
        // SRTT + 4 RTTVAR is 300 ms.
        rto.on_sample(NOW, Duration::from_millis(100));
        let timeouts = [0, 1, 2].map(|_| {
            let timeout = rto.timeout().as_millis();
            rto.back_off();
            timeout
        });
        assert_eq!(timeouts, [500, 800, 1_400]);
    }
}
