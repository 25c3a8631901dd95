//! Retransmission timeout (RFC 6298), and the older rules that came before it.

use super::rto_clock::RtoClock;
use super::rtt::{RttEstimator, Units, UnitsOf};
use super::spurious_timeout::SpuriousTimeout;
use crate::FOR_SPEED;
use crate::profile::{Kept, Part, Profile};
use crate::seq::SeqNumber;
use crate::tcp::{RtoBackoff, RtoConfig, TickingClock};
use crate::time::{Duration, Instant};

/// Clock granularity (G of RFC 6298): a driver's timers are assumed to be no coarser.
const CLOCK_GRANULARITY: Duration = Duration::from_millis(1);
/// Least timeout for data if the SYN had to be retransmitted (RFC 6298 rule 5.7).
const AFTER_SYN_LOSS: Duration = Duration::from_secs(3);

/// Bounds of the timeout, in microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bounds {
    min: u32,
    max: u32,
}

impl Bounds {
    /// Bounds in images where they cannot be set.
    const STANDARD: Self =
        Bounds { min: micros(RtoConfig::STANDARD.min), max: micros(RtoConfig::STANDARD.max) };
}

/// Retransmission timeout, with the round-trip time estimator that it is computed from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rto<P: Profile> {
    rtt: RttEstimator<P>,
    /// Least round-trip time measured, in microseconds, rounded down; `u32::MAX` before the first
    /// measurement.
    min_rtt: u32,
    bounds: <P::RareSettings as Part>::Keeps<Bounds>,
    /// Timeout without backoff, in microseconds.
    base: u32,
    clock: <P::Historic as Part>::Keeps<RtoClock>,
    backoff: u8,
    backoff_rule: <P::Historic as Part>::Keeps<RtoBackoff>,
    spurious: SpuriousTimeout,
}

impl<P: Profile> Rto<P> {
    /// The initial timeout, until a round trip is measured (RFC 6298 rule 2.1). `config` has been validated;
    /// `phase` is the host's random number for ticking clocks.
    pub(crate) fn new(config: &RtoConfig, phase: u32) -> Self {
        let bounds = if P::RARE_SETTINGS { config } else { &RtoConfig::STANDARD };
        let least = if P::HISTORIC { RtoClock::min_timeout(config) } else { None };
        let min = least.unwrap_or(bounds.min);
        let max = bounds.max.max(min);
        Rto {
            rtt: RttEstimator::new(config.estimator),
            min_rtt: u32::MAX,
            bounds: Kept::new(Bounds { min: micros(min), max: micros(max) }),
            base: micros(bounds.initial.min(max)),
            clock: Kept::new_with(|| RtoClock::new(config, phase)),
            backoff: 0,
            backoff_rule: Kept::new(config.backoff),
            spurious: SpuriousTimeout::None,
        }
    }

    /// Longest timeout, backoff included.
    pub(crate) fn longest(&self) -> Duration {
        Duration::from_micros(self.bounds().max.into())
    }

    fn bounds(&self) -> Bounds {
        self.bounds.get().copied().unwrap_or(Bounds::STANDARD)
    }

    /// The clock, if it ticks.
    #[inline(always)]
    fn ticking(&self) -> Option<TickingClock> {
        // With `match` here and below: closures would be compiled even into images without such a clock.
        match self.clock.get() {
            Some(clock) => clock.ticking(),
            None => None,
        }
    }

    /// Records that data from `seq` on was sent for the first time.
    pub(crate) fn on_new_data_sent(&mut self, now: Instant, seq: SeqNumber) {
        if let Some(clock) = self.clock.get_mut() {
            clock.on_new_data_sent(now, seq);
        }
    }

    /// Records a retransmission. The next acks may be for either copy, so the measurement of a single segment
    /// ends (Karn's algorithm, RFC 6298 section 3).
    pub(crate) fn on_resent(&mut self) {
        if let Some(clock) = self.clock.get_mut() {
            clock.on_resent();
        }
    }

    /// Processes an ack of everything before `una`. `rtt` is the round-trip time measured by it, if it is for
    /// data that was sent once.
    #[inline(always)]
    pub(crate) fn on_ack(&mut self, now: Instant, una: SeqNumber, rtt: Option<Duration>) {
        let timed = match self.clock.get_mut() {
            Some(RtoClock::Older(clock)) if !clock.times_each_ack() => {
                clock.take_timed_rtt(now, una)
            }
            Some(RtoClock::Linux(_)) => {
                if let Some(rtt) = rtt {
                    self.update_as_linux(rtt, Some(una));
                }
                return;
            }
            _ => {
                if let Some(rtt) = rtt {
                    self.measure(now, rtt);
                }
                return;
            }
        };
        if let Some(rtt) = rtt {
            self.note_min_rtt(rtt);
        }
        if let Some(timed) = timed {
            self.update(Units::from_count(timed));
        }
    }

    /// Takes a measurement by Linux's rules, from an ack of everything before `una` (`None`: from a SYN).
    #[inline(never)]
    fn update_as_linux(&mut self, rtt: Duration, una: Option<SeqNumber>) {
        self.note_min_rtt(rtt);
        self.rtt.on_linux_sample(Units::from_span(rtt));
        let Bounds { min, max } = self.bounds();
        let srtt = micros(Duration::from_nanos(self.rtt.srtt(UnitsOf::<P>::NANOS)));
        let four_deviations = micros(self.deviation().saturating_mul(4));
        if let Some(RtoClock::Linux(deviation)) = self.clock.get_mut() {
            if deviation.timeout_part() == 0 {
                deviation.begin(four_deviations, min);
            } else {
                deviation.on_sample(four_deviations, min, una);
            }
            self.base = srtt.saturating_add(deviation.timeout_part()).min(max);
        }
        self.spurious = SpuriousTimeout::None;
        self.backoff = 0;
    }

    /// Begins with the round-trip time and its deviation that an earlier connection has measured, in
    /// microseconds. The timeout of a SYN does not become shorter by them.
    pub(crate) fn expect(&mut self, rtt: u32, rttvar: u32) {
        if rtt == 0 || self.ticking().is_some() {
            return;
        }
        let units = |micros: u32| Units::from_span(Duration::from_micros(micros.into()));
        self.rtt.expect(units(rtt), units(rttvar));
        let timeout = self.rtt.timeout(Units::from_span(CLOCK_GRANULARITY)).to_micros(self.unit());
        self.base = self.base.max(timeout).min(self.bounds().max);
    }

    fn note_min_rtt(&mut self, rtt: Duration) {
        self.min_rtt = self.min_rtt.min(whole_micros(rtt));
    }

    /// Takes the round-trip time of a SYN, whose ack has arrived now.
    pub(crate) fn on_sample(&mut self, now: Instant, rtt: Duration) {
        match self.clock.get() {
            Some(RtoClock::Linux(_)) => self.update_as_linux(rtt, None),
            _ => self.measure(now, rtt),
        }
    }

    /// Takes a round-trip time whose ack has arrived now (RFC 6298 rules 2.2 to 2.5, jacobson88 appendix A).
    #[inline(always)]
    fn measure(&mut self, now: Instant, rtt: Duration) {
        self.note_min_rtt(rtt);
        let measured = match self.ticking() {
            Some(clock) => Units::from_count(clock.reading(now) - clock.reading(now - rtt)),
            None => Units::from_span(rtt),
        };
        self.update(measured);
    }

    /// Updates the timeout with a measurement in the clock's units, and ends the backoff. An ack of
    /// retransmitted data measures nothing and leaves the timeout backed off (Karn's algorithm, RFC 6298 section
    /// 3).
    fn update(&mut self, measured: UnitsOf<P>) {
        if self.was_spurious() {
            self.rtt.on_delay_spike(measured);
            self.spurious = SpuriousTimeout::None;
        } else {
            self.rtt.on_sample(measured);
        }
        let granularity = match self.ticking() {
            Some(_) => 1.into(),
            None => Units::from_span(CLOCK_GRANULARITY),
        };
        let timeout = self.rtt.timeout(granularity).to_micros(self.unit());
        let Bounds { min, max } = self.bounds();
        self.base = timeout.max(min).min(max);
        self.backoff = 0;
    }

    /// Unit of the clock in nanoseconds.
    fn unit(&self) -> u64 {
        self.ticking().map_or(UnitsOf::<P>::NANOS, |clock| clock.tick().as_nanos())
    }

    /// Increases the timeout after the timer has expired, up to the maximum (RFC 6298 rule 5.5). A spurious
    /// timeout before it no longer counts.
    pub(crate) fn back_off(&mut self) {
        self.backoff = self.backoff.saturating_add(1);
        self.spurious = SpuriousTimeout::None;
    }

    /// Handles a spurious timeout (RFC 4015 section 3.2): gives the next measurement more weight. Until then
    /// the timeout stays backed off (section 3.6).
    pub(crate) fn on_spurious_timeout(&mut self) {
        self.spurious = SpuriousTimeout::OldData;
    }

    /// Whether the last timeout was spurious, and no round trip was measured since; always false without the part
    /// `Undo`.
    pub(crate) fn was_spurious(&self) -> bool {
        P::UNDO && self.spurious != SpuriousTimeout::None
    }

    /// Whether a measurement by an ack of everything before `una` counts; see [`SpuriousTimeout::counts`].
    #[inline(always)]
    pub(crate) fn counts(&mut self, una: SeqNumber, point: SeqNumber) -> bool {
        !P::UNDO || self.spurious.counts(una, point)
    }

    /// Ends the backoff, because the timeouts so far had another reason than loss.
    pub(crate) fn end_backoff(&mut self) {
        self.backoff = 0;
    }

    /// Ends the backoff after a handshake whose SYN had to be retransmitted, and raises the timeout for data to
    /// at least 3 s (RFC 6298 rule 5.7).
    pub(crate) fn on_syn_lost(&mut self) {
        self.base = self.base.max(const { micros(AFTER_SYN_LOSS) }).min(self.bounds().max);
        self.backoff = 0;
    }

    /// Current timeout, backoff included.
    pub(crate) fn timeout(&self) -> Duration {
        self.backed_off(self.backoff.into())
    }

    /// Timeout of a SYN after this number of `retransmissions`, each of which increases it (RFC 6298 rule 5.5).
    pub(crate) fn syn_timeout(&self, retransmissions: u32) -> Duration {
        self.backed_off(retransmissions)
    }

    #[inline]
    fn backed_off(&self, times: u32) -> Duration {
        if times == 0 && (FOR_SPEED || P::HISTORIC) {
            return Duration::from_micros(self.base.into());
        }
        let rule = self.backoff_rule.get().copied().unwrap_or(RtoBackoff::Exponential);
        let slop = if P::HISTORIC { micros(self.rtt.rule().slop()) } else { 0 };
        // The initial timeout is without it.
        let has_slop = P::HISTORIC && self.min_rtt != u32::MAX;
        let base = if has_slop { self.base.saturating_sub(slop) } else { self.base };
        let timeout = base.saturating_mul(rule.factor(times)).saturating_add(slop);
        let timeout = timeout.min(self.bounds().max);
        Duration::from_micros(timeout.into())
    }

    /// Expiry of a timer that is started now. With a ticking clock, a timeout of n ticks expires at the n-th tick
    /// from now, so the first of them is cut short.
    #[inline]
    pub(crate) fn deadline(&self, now: Instant) -> Instant {
        let timeout = self.timeout();
        match self.ticking() {
            Some(clock) => {
                let ticks = timeout.as_nanos().div_ceil(clock.tick().as_nanos().max(1));
                clock.tick_after(now, ticks)
            }
            None => now + timeout,
        }
    }

    /// Number of timeouts since the last measurement.
    pub(crate) fn backoff(&self) -> u32 {
        self.backoff.into()
    }

    /// Smoothed round-trip time, SRTT; zero before the first measurement.
    #[inline]
    pub(crate) fn smoothed_rtt(&self) -> Duration {
        Duration::from_nanos(match self.ticking() {
            Some(clock) => self.rtt.srtt(clock.tick().as_nanos()),
            None => self.rtt.srtt(UnitsOf::<P>::NANOS),
        })
    }

    /// Mean deviation of the round-trip time, RTTVAR; zero before the first measurement.
    pub(crate) fn deviation(&self) -> Duration {
        Duration::from_nanos(self.rtt.rttvar(self.unit()))
    }

    /// Least round-trip time measured; zero before the first measurement.
    pub(crate) fn min_rtt(&self) -> Duration {
        if self.min_rtt == u32::MAX {
            return Duration::ZERO;
        }
        Duration::from_micros(self.min_rtt.into())
    }

    /// Number of measurements.
    pub(crate) fn samples(&self) -> u32 {
        self.rtt.samples()
    }
}

/// Whole microseconds, rounded down; a time above 71 minutes counts as 71 minutes.
pub(super) fn whole_micros(time: Duration) -> u32 {
    u32::try_from(time.as_micros()).unwrap_or(u32::MAX - 1)
}

/// Whole microseconds, rounded up; a time above 71 minutes counts as 71 minutes.
pub(super) const fn micros(time: Duration) -> u32 {
    let micros = time.as_micros_rounded_up();
    if micros < u32::MAX as u64 { micros as u32 } else { u32::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Full, Least};

    /// Time of all acks, later than any round trip of these tests takes.
    const NOW: Instant = Instant::from_secs(1_000);

    fn rto() -> Rto<Full> {
        Rto::new(&RtoConfig::default(), 0)
    }

    fn after(samples_in_millis: &[u64]) -> Rto<Full> {
        let mut rto = rto();
        for &millis in samples_in_millis {
            rto.on_sample(NOW, Duration::from_millis(millis));
        }
        rto
    }

    fn backed_off<P: Profile>(mut rto: Rto<P>, times: u32) -> Rto<P> {
        for _ in 0..times {
            rto.back_off();
        }
        rto
    }

    #[test]
    fn the_timeout_is_the_initial_one_before_a_measurement() {
        assert_eq!(rto().timeout(), Duration::from_secs(1));
    }

    #[test]
    fn the_first_timeout_is_three_times_the_round_trip_time() {
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
    fn an_image_without_older_timers_measures_whole_microseconds() {
        let mut rto = Rto::<Least>::new(&RtoConfig::default(), 0);
        for micros in [100_000, 180_000] {
            rto.on_sample(NOW, Duration::from_nanos(micros * 1_000 + 999));
        }
        assert_eq!(rto.smoothed_rtt(), Duration::from_millis(110));
        assert_eq!(rto.deviation(), Duration::from_micros(57_500));
        assert_eq!(rto.timeout(), Duration::from_millis(340));
    }

    #[test]
    fn without_rare_settings_the_bounds_are_the_default_ones() {
        let config = RtoConfig {
            min: Duration::from_millis(1),
            initial: Duration::from_secs(5),
            max: Duration::from_secs(6),
            ..RtoConfig::default()
        };
        let mut rto = Rto::<Least>::new(&config, 0);
        assert_eq!(rto.timeout(), Duration::from_secs(1));
        assert_eq!(backed_off(rto, 255).timeout(), Duration::from_secs(120));
        rto.on_sample(NOW, Duration::from_millis(1));
        assert_eq!(rto.timeout(), Duration::from_millis(200));
    }

    #[test]
    fn the_timeout_stays_within_its_bounds() {
        assert_eq!(after(&[1]).timeout(), Duration::from_millis(200));
        assert_eq!(after(&[100_000]).timeout(), Duration::from_secs(120));
    }

    #[test]
    fn a_steady_path_leaves_one_clock_tick_of_deviation() {
        let config = RtoConfig { min: Duration::from_millis(1), ..RtoConfig::default() };
        let mut rto = Rto::<Full>::new(&config, 0);
        for _ in 0..200 {
            rto.on_sample(NOW, Duration::from_millis(40));
        }
        assert_eq!(rto.timeout(), Duration::from_millis(41));
    }

    #[test]
    fn every_expiry_doubles_the_timeout_up_to_the_maximum() {
        let seconds = [0, 1, 2, 6, 7, 63, 64, 255].map(|times| {
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
        rto.on_sample(NOW, Duration::from_millis(180));
        assert_eq!((rto.timeout(), rto.backoff()), (Duration::from_millis(340), 0));
    }

    #[test]
    fn data_after_a_lost_syn_begins_with_three_seconds() {
        let mut lost_once = backed_off(rto(), 1);
        lost_once.on_syn_lost();
        assert_eq!(lost_once.timeout(), Duration::from_secs(3));
        lost_once.on_sample(NOW, Duration::from_millis(100));
        assert_eq!(lost_once.timeout(), Duration::from_millis(300));
    }

    #[test]
    fn a_longer_initial_timeout_survives_a_lost_syn() {
        let config = RtoConfig { initial: Duration::from_secs(5), ..RtoConfig::default() };
        let mut rto = Rto::<Full>::new(&config, 0);
        rto.back_off();
        rto.on_syn_lost();
        assert_eq!(rto.timeout(), Duration::from_secs(5));
    }

    #[test]
    fn the_measurements_can_be_read() {
        let unmeasured = rto();
        assert_eq!((unmeasured.smoothed_rtt(), unmeasured.min_rtt()), Default::default());
        let rto = after(&[100, 180]);
        assert_eq!(rto.smoothed_rtt(), Duration::from_millis(110));
        assert_eq!(rto.deviation(), Duration::from_micros(57_500));
        assert_eq!(rto.min_rtt(), Duration::from_millis(100));
        assert_eq!(rto.samples(), 2);
    }

    #[test]
    fn the_backoff_can_be_linear_or_none() {
        let after_three = |backoff| {
            let rto = Rto::<Full>::new(&RtoConfig { backoff, ..RtoConfig::default() }, 0);
            backed_off(rto, 3).timeout().as_millis()
        };
        assert_eq!([RtoBackoff::None, RtoBackoff::Linear].map(after_three), [1_000, 4_000]);
    }

    /// A timeout whose clock ticks at 100 ms, 600 ms and so on, unless `word` sets other ticks.
    fn ticking(word: &str) -> Rto<Full> {
        Rto::new(&word.parse().unwrap(), 100_000)
    }

    fn millis(at: u64) -> Instant {
        Instant::from_millis(at)
    }

    #[test]
    fn a_clock_that_ticks_measures_whole_ticks() {
        // A round trip within one tick, over one, over three. Congestion control gets the exact least one.
        let mut rto = ticking("jacobson88:ticks");
        rto.on_sample(millis(599), Duration::from_millis(499));
        assert_eq!(
            (rto.smoothed_rtt(), rto.min_rtt()),
            (Duration::ZERO, Duration::from_millis(499))
        );
        let mut rto = ticking("jacobson88:ticks");
        rto.on_sample(millis(600), Duration::from_millis(1));
        assert_eq!(rto.smoothed_rtt(), Duration::from_millis(500));
        // 1 tick and 4 * 1/2; then 3 ticks: sa = 8 + 2, sv = 2 - 0 + 2, rto = 10/8 + 4.
        assert_eq!(rto.timeout(), Duration::from_millis(1_500));
        rto.on_sample(millis(2_000), Duration::from_millis(1_450));
        assert_eq!(rto.timeout(), Duration::from_millis(2_500));
    }

    #[test]
    fn a_timeout_is_two_ticks_of_bsd_at_least() {
        let mut rto = ticking("rfc793:ticks");
        rto.on_sample(millis(700), Duration::from_millis(10));
        assert_eq!(rto.timeout(), Duration::from_secs(1));
        let mut short = ticking("rfc793:ticks=500ms/1");
        short.on_sample(millis(700), Duration::from_millis(10));
        assert_eq!(short.timeout(), Duration::from_millis(500));
    }

    #[test]
    fn a_clock_that_ticks_fires_at_a_tick() {
        let rto = ticking("jacobson88:ticks");
        let fires = [100, 101, 599, 600].map(|at| rto.deadline(millis(at)).as_millis());
        assert_eq!(fires, [1_100, 1_100, 1_100, 1_600]);
        assert_eq!(backed_off(rto, 2).deadline(millis(350)).as_millis(), 100 + 8 * 500);
    }

    #[test]
    fn an_exact_clock_fires_when_the_timeout_is_over() {
        assert_eq!(after(&[100]).deadline(millis(7)), millis(307));
    }

    #[test]
    fn one_segment_at_a_time_is_timed() {
        let mut rto = ticking("rfc6298:one");
        let seq = SeqNumber;
        rto.on_new_data_sent(millis(0), seq(0));
        rto.on_new_data_sent(millis(50), seq(1_000));
        let per_ack = Some(Duration::from_millis(90));
        rto.on_ack(millis(90), seq(0), per_ack);
        assert_eq!((rto.samples(), rto.min_rtt()), (0, Duration::from_millis(90)));
        rto.on_ack(millis(100), seq(1_000), per_ack);
        assert_eq!((rto.samples(), rto.smoothed_rtt()), (1, Duration::from_millis(100)));
        rto.on_ack(millis(110), seq(2_000), per_ack);
        assert_eq!(rto.samples(), 1, "the second segment was not timed");
        rto.on_new_data_sent(millis(120), seq(2_000));
        rto.on_ack(millis(300), seq(3_000), per_ack);
        assert_eq!((rto.samples(), rto.smoothed_rtt()), (2, Duration::from_millis(110)));
    }

    #[test]
    fn one_segment_is_timed_in_ticks_too() {
        let mut rto = ticking("jacobson88:ticks:one");
        rto.on_new_data_sent(millis(599), SeqNumber(u32::MAX));
        rto.on_ack(millis(1_100), SeqNumber(999), None);
        assert_eq!(rto.smoothed_rtt(), Duration::from_secs(1), "ticks at 600 and 1,100 ms");
    }

    #[test]
    fn a_retransmission_ends_the_measurement() {
        let mut rto = ticking("rfc6298:one");
        rto.on_new_data_sent(millis(0), SeqNumber(0));
        rto.on_resent();
        rto.on_ack(millis(100), SeqNumber(1_000), None);
        assert_eq!(rto.samples(), 0);
    }

    #[test]
    fn without_karns_rule_a_retransmission_does_not_end_the_measurement() {
        let mut rto = ticking("rfc6298:one-without-karn");
        rto.on_new_data_sent(millis(0), SeqNumber(0));
        rto.back_off();
        rto.on_resent();
        rto.on_ack(millis(1_100), SeqNumber(1_000), None);
        let measured = (rto.samples(), rto.smoothed_rtt(), rto.backoff());
        assert_eq!(measured, (1, Duration::from_millis(1_100), 0));
        rto.on_ack(millis(1_200), SeqNumber(2_000), Some(Duration::from_millis(100)));
        assert_eq!(rto.samples(), 1, "not each ack");
    }

    /// Smoothed round-trip time and timeout of a timer from before RFC 6298, after a round trip of 100 ms and
    /// three timeouts.
    fn older_timer<P: Profile>() -> [Duration; 2] {
        let word: RtoConfig = "rfc793:ticks:one".parse().unwrap();
        let mut rto = Rto::<P>::new(&RtoConfig { backoff: RtoBackoff::Linear, ..word }, 100_000);
        rto.on_new_data_sent(millis(599), SeqNumber(0));
        rto.on_ack(millis(699), SeqNumber(1_000), Some(Duration::from_millis(100)));
        [rto.smoothed_rtt(), backed_off(rto, 3).timeout()]
    }

    #[test]
    fn an_image_without_older_timers_has_that_of_rfc_6298() {
        // One tick, and at least two; 100 ms and 4 * 50 ms, doubled three times.
        assert_eq!(older_timer::<Full>(), [500, 4_000].map(Duration::from_millis));
        assert_eq!(older_timer::<Least>(), [100, 2_400].map(Duration::from_millis));
    }
}
