//! The retransmission timeout (RFC 6298).

use super::rtt::RttEstimator;
use crate::tcp::RtoConfig;
use crate::time::Duration;

/// G of RFC 6298: the granularity that a driver's timers are assumed to have at least.
const CLOCK_GRANULARITY: Duration = Duration::from_millis(1);
/// Least timeout for data after the SYN had to be retransmitted (RFC 6298 rule 5.7).
const AFTER_SYN_LOSS: Duration = Duration::from_secs(3);

/// The retransmission timeout, with the estimator that it is computed from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rto {
    rtt: RttEstimator,
    min: Duration,
    max: Duration,
    base: Duration,
    backoff: u32,
}

impl Rto {
    /// RFC 6298 rule 2.1: the initial timeout, until there is a measurement. `config` has been
    /// validated.
    pub(crate) fn new(config: &RtoConfig) -> Self {
        Rto {
            rtt: RttEstimator::default(),
            min: config.min,
            max: config.max,
            base: config.initial.min(config.max),
            backoff: 0,
        }
    }

    /// An ack of data that was sent once gave a measurement (RFC 6298 rules 2.2 to 2.5, jacobson88
    /// appendix A). It ends the backoff; by Karn's rule (RFC 6298 section 3) an ack of
    /// retransmitted data is no measurement, and the backed-off timeout stays.
    pub(crate) fn on_sample(&mut self, rtt: Duration) {
        self.rtt.on_sample(rtt);
        let deviation = self.rtt.four_rttvar().max(CLOCK_GRANULARITY);
        let computed = self.rtt.srtt() + deviation;
        self.base = computed.max(self.min).min(self.max);
        self.backoff = 0;
    }

    /// The timer fired: the timeout doubles, up to the maximum (RFC 6298 rule 5.5).
    pub(crate) fn back_off(&mut self) {
        self.backoff = self.backoff.saturating_add(1);
    }

    /// The timeouts so far had another reason than loss.
    pub(crate) fn end_backoff(&mut self) {
        self.backoff = 0;
    }

    /// The handshake is complete, but the SYN had to be retransmitted (RFC 6298 rule 5.7): data
    /// begins with a timeout of at least 3 s, not backed off.
    pub(crate) fn on_syn_lost(&mut self) {
        self.base = self.base.max(AFTER_SYN_LOSS).min(self.max);
        self.backoff = 0;
    }

    /// How long to wait for an ack now, backoff included.
    pub(crate) fn timeout(&self) -> Duration {
        let factor = 1u64.checked_shl(self.backoff).unwrap_or(u64::MAX);
        self.base.saturating_mul(factor).min(self.max)
    }

    /// How often the timer has fired since the last measurement.
    pub(crate) fn backoff(&self) -> u32 {
        self.backoff
    }

    /// Smoothed round-trip time, SRTT; zero before the first measurement.
    pub(crate) fn smoothed_rtt(&self) -> Duration {
        self.rtt.srtt()
    }

    /// Mean deviation of the round-trip time, RTTVAR; zero before the first measurement.
    pub(crate) fn deviation(&self) -> Duration {
        self.rtt.rttvar()
    }

    /// Least round-trip time measured; zero before the first measurement.
    pub(crate) fn min_rtt(&self) -> Duration {
        self.rtt.min()
    }

    /// How many measurements there were.
    pub(crate) fn samples(&self) -> u32 {
        self.rtt.samples()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rto() -> Rto {
        Rto::new(&RtoConfig::default())
    }

    fn after(samples_in_millis: &[u64]) -> Rto {
        let mut rto = rto();
        for &millis in samples_in_millis {
            rto.on_sample(Duration::from_millis(millis));
        }
        rto
    }

    fn backed_off(mut rto: Rto, times: u32) -> Rto {
        for _ in 0..times {
            rto.back_off();
        }
        rto
    }

    #[test]
    fn it_is_the_initial_timeout_before_a_measurement() {
        assert_eq!(rto().timeout(), Duration::from_secs(1));
    }

    #[test]
    fn the_first_measurement_makes_it_three_times_the_round_trip_time() {
        // R + 4 * R/2
        assert_eq!(after(&[100]).timeout(), Duration::from_millis(300));
        assert_eq!(after(&[2_000]).timeout(), Duration::from_millis(6_000));
    }

    #[test]
    fn later_measurements_add_four_deviations_to_the_mean() {
        // Mean 100 + (180 - 100)/8 = 110 ms, deviation 50 + (80 - 50)/4 = 57.5 ms.
        assert_eq!(after(&[100, 180]).timeout(), Duration::from_millis(340));
    }

    #[test]
    fn it_stays_within_its_bounds() {
        assert_eq!(after(&[1]).timeout(), Duration::from_millis(200));
        assert_eq!(after(&[100_000]).timeout(), Duration::from_secs(120));
    }

    #[test]
    fn a_steady_path_leaves_one_clock_tick_of_deviation() {
        let mut rto =
            Rto::new(&RtoConfig { min: Duration::from_millis(1), ..RtoConfig::default() });
        for _ in 0..200 {
            rto.on_sample(Duration::from_millis(40));
        }
        assert_eq!(rto.timeout(), Duration::from_millis(41));
    }

    #[test]
    fn every_expiry_doubles_it_up_to_the_maximum() {
        let seconds = [0, 1, 2, 6, 7, 63, 64, u32::BITS].map(|times| {
            let rto = backed_off(rto(), times);
            assert_eq!(rto.backoff(), times);
            rto.timeout().as_millis() / 1000
        });
        assert_eq!(seconds, [1, 2, 4, 64, 120, 120, 120, 120]);
    }

    #[test]
    fn the_measured_timeout_is_what_doubles() {
        let rto = backed_off(after(&[100]), 3);
        assert_eq!(rto.timeout(), Duration::from_millis(2_400));
    }

    #[test]
    fn a_measurement_ends_the_backoff() {
        let mut rto = backed_off(after(&[100]), 3);
        rto.on_sample(Duration::from_millis(180));
        assert_eq!((rto.timeout(), rto.backoff()), (Duration::from_millis(340), 0));
    }

    #[test]
    fn data_after_a_lost_syn_begins_with_three_seconds() {
        let mut lost_once = backed_off(rto(), 1);
        lost_once.on_syn_lost();
        assert_eq!(lost_once.timeout(), Duration::from_secs(3));
        lost_once.on_sample(Duration::from_millis(100));
        assert_eq!(lost_once.timeout(), Duration::from_millis(300));
    }

    #[test]
    fn a_longer_initial_timeout_survives_a_lost_syn() {
        let mut rto =
            Rto::new(&RtoConfig { initial: Duration::from_secs(5), ..RtoConfig::default() });
        rto.back_off();
        rto.on_syn_lost();
        assert_eq!(rto.timeout(), Duration::from_secs(5));
    }

    #[test]
    fn the_measurements_can_be_read() {
        let rto = after(&[100, 180]);
        assert_eq!(rto.smoothed_rtt(), Duration::from_millis(110));
        assert_eq!(rto.deviation(), Duration::from_micros(57_500));
        assert_eq!(rto.min_rtt(), Duration::from_millis(100));
        assert_eq!(rto.samples(), 2);
        let unmeasured = Rto::new(&RtoConfig::default());
        assert_eq!((unmeasured.smoothed_rtt(), unmeasured.min_rtt()), Default::default());
    }
}
