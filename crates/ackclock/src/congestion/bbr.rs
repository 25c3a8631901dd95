//! A sketch of BBR: a law that follows a model of the path instead of its losses.
//!
//! **Not for production.** It shows that [`CongestionController`] carries what a model-based law
//! needs (delivery rate samples, rounds, pacing, quantum) and gives the core a paced law to run.
//! What makes BBR fit to share a network is missing: no reaction to loss or ECN, no probing of the
//! round-trip time, no cruising below the bandwidth found, no allowance for aggregated acks.
//! A complete BBRv3 (draft-ietf-ccwg-bbr) comes later.

use super::{
    Ack, Congestion, CongestionController, CongestionKind, DEFAULT_MSS, DeliveryRate, Start,
};
use crate::time::{Duration, Instant};

/// A gain in hundredths.
type Gain = u64;

/// Pacing gain of Startup: 4 ln 2, the least that doubles the rate each round (section 5.3.1 of
/// the draft).
const STARTUP_PACING_GAIN: Gain = 277;
/// Pacing gain of Drain: half the bandwidth, so that Startup's queue empties.
const DRAIN_PACING_GAIN: Gain = 50;
/// Pacing gains of ProbeBW, a round each: probe for more, drain what the probe queued, cruise.
const PROBE_BW_PACING_GAINS: [Gain; 8] = [125, 75, 100, 100, 100, 100, 100, 100];
/// The window in bandwidth-delay products: one in flight, one for delayed acks.
const WINDOW_GAIN: Gain = 200;
/// Paces 1 % below the bandwidth found, so that queues do not build up by rounding.
const PACING_MARGIN: Gain = 99;
/// Startup has filled the pipe when a round does not find this much more bandwidth...
const FULL_PIPE_GROWTH: Gain = 125;
/// ...so many times in a row.
const FULL_PIPE_ROUNDS: u8 = 3;
/// Least window, in segments: enough for a peer that acks every second one.
const LEAST_WINDOW_SEGMENTS: u32 = 4;
/// How long a minimum round-trip time is believed.
const MIN_RTT_WINDOW: Duration = Duration::from_secs(10);
/// A quantum is what the pacing rate sends in 1 ms...
const QUANTA_PER_SECOND: u64 = 1_000;
/// ...but at most 64 KiB...
const LARGEST_QUANTUM: u64 = 64 * 1024;
/// ...and at least two segments.
const LEAST_QUANTUM_SEGMENTS: u32 = 2;

/// A sketch of BBR. Not for production: see the head of this module's source.
///
/// It ignores losses, so that on a shared network it starves other traffic; it is here to exercise
/// pacing and delivery-rate samples until a complete BBRv3 takes its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bbr {
    mss: u32,
    window: u32,
    /// The window before a timeout, to be restored if it was a false alarm.
    window_before_timeout: Option<u32>,
    bandwidth: MaxBandwidth,
    min_rtt: Option<MinRtt>,
    phase: Phase,
}

/// What the law is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Doubling the rate each round until the bandwidth stops growing.
    Startup {
        /// The bandwidth at the last round that found much more, in bytes per second.
        full_bandwidth: u64,
        /// Rounds since.
        rounds: u8,
    },
    /// Emptying the queue that Startup made.
    Drain,
    /// Cycling around the bandwidth found.
    ProbeBw {
        /// Index into the gains.
        round: usize,
    },
}

const STARTUP: Phase = Phase::Startup { full_bandwidth: 0, rounds: 0 };

/// The largest bandwidth sampled in this cycle of rounds and the one before, in bytes per second.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct MaxBandwidth {
    this_cycle: u64,
    last_cycle: u64,
    rounds: usize,
}

impl MaxBandwidth {
    fn get(&self) -> u64 {
        self.this_cycle.max(self.last_cycle)
    }

    /// A sample that the application limited says only that the path bears at least so much.
    fn on_sample(&mut self, sample: &DeliveryRate) {
        let nanos = sample.interval.as_nanos();
        let rate = (u64::from(sample.delivered) * 1_000_000_000).checked_div(nanos);
        if let Some(rate) = rate
            && (!sample.app_limited || rate > self.get())
        {
            self.this_cycle = self.this_cycle.max(rate);
        }
    }

    fn on_round(&mut self) {
        self.rounds += 1;
        if self.rounds >= PROBE_BW_PACING_GAINS.len() {
            *self = MaxBandwidth { last_cycle: self.this_cycle, ..MaxBandwidth::default() };
        }
    }
}

/// The least round-trip time of the last seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct MinRtt {
    rtt: Duration,
    seen: Instant,
}

impl Default for Bbr {
    fn default() -> Self {
        Bbr {
            mss: DEFAULT_MSS,
            window: DEFAULT_MSS,
            window_before_timeout: None,
            bandwidth: MaxBandwidth::default(),
            min_rtt: None,
            phase: STARTUP,
        }
    }
}

impl Bbr {
    pub(super) const NAME: &'static str = "bbr";

    fn on_rtt(&mut self, now: Instant, rtt: Duration) {
        let keep = self
            .min_rtt
            .is_some_and(|min| min.rtt < rtt && now.saturating_since(min.seen) <= MIN_RTT_WINDOW);
        if !keep {
            self.min_rtt = Some(MinRtt { rtt, seen: now });
        }
    }

    /// `gain` times the bandwidth-delay product in bytes, once there is a model of the path.
    fn bandwidth_delay_product(&self, gain: Gain) -> Option<u32> {
        let rtt = self.min_rtt?.rtt.as_micros();
        let bytes = self.bandwidth.get().saturating_mul(rtt) / 1_000_000;
        let scaled = bytes.saturating_mul(gain) / 100;
        (scaled > 0).then(|| u32::try_from(scaled).unwrap_or(u32::MAX))
    }

    fn advance_phase(&mut self, ack: &Ack) {
        self.phase = match self.phase {
            Phase::Startup { .. } if !ack.new_round => self.phase,
            Phase::Startup { full_bandwidth, rounds } => {
                self.after_startup_round(full_bandwidth, rounds)
            }
            Phase::Drain => match self.bandwidth_delay_product(100) {
                Some(product) if ack.flight_after > product => Phase::Drain,
                _ => Phase::ProbeBw { round: 0 },
            },
            Phase::ProbeBw { round } if ack.new_round => {
                Phase::ProbeBw { round: (round + 1) % PROBE_BW_PACING_GAINS.len() }
            }
            Phase::ProbeBw { .. } => self.phase,
        };
    }

    fn after_startup_round(&self, full_bandwidth: u64, rounds: u8) -> Phase {
        let bandwidth = self.bandwidth.get();
        if bandwidth >= full_bandwidth.saturating_mul(FULL_PIPE_GROWTH) / 100 {
            Phase::Startup { full_bandwidth: bandwidth, rounds: 0 }
        } else if rounds + 1 < FULL_PIPE_ROUNDS {
            Phase::Startup { full_bandwidth, rounds: rounds + 1 }
        } else {
            Phase::Drain
        }
    }

    /// Opens the window by what was delivered; once the pipe has been filled, to the target only.
    fn set_window(&mut self, ack: &Ack) {
        let delivered = ack.bytes_acked.saturating_add(ack.bytes_sacked);
        let grown = self.window.saturating_add(delivered);
        let target = self.bandwidth_delay_product(WINDOW_GAIN);
        self.window = match (self.phase, target) {
            (Phase::Drain | Phase::ProbeBw { .. }, Some(target)) => grown.min(target),
            (_, Some(target)) if self.window >= target => self.window,
            _ => grown,
        }
        .max(self.mss.saturating_mul(LEAST_WINDOW_SEGMENTS));
    }

    fn pacing_gain(&self) -> Gain {
        match self.phase {
            Phase::Startup { .. } => STARTUP_PACING_GAIN,
            Phase::Drain => DRAIN_PACING_GAIN,
            Phase::ProbeBw { round } => PROBE_BW_PACING_GAINS.get(round).copied().unwrap_or(100),
        }
    }
}

impl CongestionController for Bbr {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn on_start(&mut self, start: &Start) {
        let mss = start.mss.max(1);
        *self = Bbr { mss, window: start.initial_window.max(mss), ..Bbr::default() };
        if let Some(rtt) = start.rtt {
            self.on_rtt(start.now, rtt);
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        if ack.new_round {
            self.bandwidth.on_round();
        }
        if let Some(sample) = &ack.delivery {
            self.bandwidth.on_sample(sample);
        }
        if let Some(rtt) = ack.rtt {
            self.on_rtt(ack.now, rtt);
        }
        self.advance_phase(ack);
        self.set_window(ack);
    }

    /// Only a timeout matters to the sketch: the ack clock is gone, so it begins with one segment.
    fn on_congestion(&mut self, event: &Congestion) {
        match event.kind {
            CongestionKind::Timeout => {
                self.window_before_timeout = Some(self.window);
                self.window = self.mss;
            }
            CongestionKind::RepeatedTimeout => self.window = self.mss,
            CongestionKind::FastRetransmit | CongestionKind::Ecn => {
                self.window_before_timeout = None;
            }
        }
    }

    fn on_undo(&mut self, _now: Instant) {
        if let Some(window) = self.window_before_timeout.take() {
            self.window = self.window.max(window);
        }
    }

    fn on_mss_change(&mut self, mss: u32) {
        self.mss = mss.max(1);
        self.window = self.window.max(self.mss);
    }

    fn window(&self) -> u32 {
        self.window
    }

    fn slow_start_threshold(&self) -> u32 {
        u32::MAX
    }

    fn pacing_rate(&self) -> Option<u64> {
        let bandwidth = self.bandwidth.get();
        let rate = bandwidth.saturating_mul(self.pacing_gain() * PACING_MARGIN) / 10_000;
        (rate > 0).then_some(rate)
    }

    fn send_quantum(&self) -> Option<u32> {
        let quantum = (self.pacing_rate()? / QUANTA_PER_SECOND).min(LARGEST_QUANTUM);
        let least = self.mss.saturating_mul(LEAST_QUANTUM_SEGMENTS);
        Some(u32::try_from(quantum).unwrap_or(u32::MAX).max(least))
    }

    fn wants_prr(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::tests::{acked, congestion, start};

    const MSS: u32 = 1000;
    /// 10 Mbit/s, so that the bandwidth-delay product at 40 ms is 50,000 bytes.
    const BANDWIDTH: u64 = 1_250_000;

    fn bbr() -> Bbr {
        let mut bbr = Bbr::default();
        bbr.on_start(&start(MSS, 10 * MSS));
        bbr
    }

    fn at(millis: u64, bytes_delivered: u32, rtt_millis: u64) -> Ack {
        let rtt = Duration::from_millis(rtt_millis);
        Ack {
            now: Instant::from_millis(millis),
            rtt: Some(rtt),
            new_round: true,
            delivery: Some(DeliveryRate {
                delivered: bytes_delivered,
                interval: rtt,
                app_limited: false,
                ..DeliveryRate::default()
            }),
            ..acked(bytes_delivered)
        }
    }

    /// Rounds on the path of 10 Mbit/s and 40 ms.
    fn rounds(bbr: &mut Bbr, count: u64, flight_after: u32) {
        for _ in 0..count {
            let mut ack = at(0, 50_000, 40);
            ack.flight_after = flight_after;
            bbr.on_ack(&ack);
        }
    }

    #[test]
    fn without_a_sample_it_does_not_pace() {
        let bbr = bbr();
        assert_eq!(bbr.window(), 10 * MSS);
        assert_eq!((bbr.pacing_rate(), bbr.send_quantum()), (None, None));
    }

    #[test]
    fn startup_paces_at_277_percent_of_the_bandwidth() {
        let mut bbr = bbr();
        rounds(&mut bbr, 1, 100_000);
        assert_eq!(bbr.pacing_rate(), Some(BANDWIDTH * 277 / 100 * 99 / 100));
    }

    #[test]
    fn startup_goes_on_as_long_as_the_bandwidth_grows_by_a_quarter() {
        let mut bbr = bbr();
        let mut delivered = 10_000;
        for _ in 0..20 {
            bbr.on_ack(&at(0, delivered, 40));
            delivered = delivered * 5 / 4;
        }
        assert!(matches!(bbr.phase, Phase::Startup { rounds: 0, .. }));
    }

    #[test]
    fn three_rounds_without_growth_drain_the_queue_and_then_probe() {
        let mut bbr = bbr();
        rounds(&mut bbr, 4, 100_000);
        assert_eq!(bbr.pacing_rate(), Some(618_750));
        // Still more than one bandwidth-delay product in flight.
        rounds(&mut bbr, 1, 50_001);
        assert_eq!(bbr.pacing_rate(), Some(618_750));
        let rates: [_; 9] = core::array::from_fn(|_| {
            rounds(&mut bbr, 1, 50_000);
            bbr.pacing_rate()
        });
        let [up, down, cruise] = [1_546_875, 928_125, 1_237_500].map(Some);
        assert_eq!(rates, [up, down, cruise, cruise, cruise, cruise, cruise, cruise, up]);
    }

    #[test]
    fn the_window_is_two_bandwidth_delay_products() {
        let mut bbr = bbr();
        rounds(&mut bbr, 20, 50_000);
        assert_eq!(bbr.window(), 100_000);
    }

    #[test]
    fn the_window_holds_four_segments_on_the_smallest_path() {
        let mut bbr = bbr();
        for _ in 0..20 {
            bbr.on_ack(&at(0, 100, 1));
        }
        assert_eq!(bbr.window(), 4 * MSS);
    }

    #[test]
    fn a_lower_bandwidth_is_believed_after_two_cycles() {
        let mut bbr = bbr();
        rounds(&mut bbr, 16, 0);
        for _ in 0..15 {
            bbr.on_ack(&at(0, 25_000, 40));
        }
        assert_eq!(bbr.bandwidth.get(), BANDWIDTH);
        bbr.on_ack(&at(0, 25_000, 40));
        assert_eq!(bbr.bandwidth.get(), BANDWIDTH / 2);
    }

    #[test]
    fn a_sample_limited_by_the_application_can_only_raise_the_bandwidth() {
        let mut filter = MaxBandwidth::default();
        let mut sample = DeliveryRate {
            delivered: 50_000,
            interval: Duration::from_millis(40),
            app_limited: true,
            ..DeliveryRate::default()
        };
        filter.on_sample(&sample);
        assert_eq!(filter.get(), BANDWIDTH);
        sample.delivered = 25_000;
        filter.on_sample(&sample);
        assert_eq!((filter.get(), filter.this_cycle), (BANDWIDTH, BANDWIDTH));
        sample.interval = Duration::ZERO;
        filter.on_sample(&sample);
        assert_eq!(filter.get(), BANDWIDTH);
    }

    #[test]
    fn the_least_round_trip_time_is_forgotten_after_ten_seconds() {
        let mut bbr = bbr();
        let mut min_after = |millis, rtt| {
            bbr.on_rtt(Instant::from_millis(millis), Duration::from_millis(rtt));
            bbr.min_rtt.map(|min| min.rtt.as_millis())
        };
        assert_eq!(min_after(0, 40), Some(40));
        assert_eq!(min_after(10_000, 60), Some(40));
        assert_eq!(min_after(10_001, 60), Some(60));
        assert_eq!(min_after(10_002, 50), Some(50));
    }

    #[test]
    fn a_quantum_is_a_millisecond_within_two_segments_and_64_kib() {
        let mut slow = bbr();
        rounds(&mut slow, 1, 0);
        assert_eq!(slow.send_quantum(), Some(3_427));
        rounds(&mut slow, 3, 100_000);
        assert_eq!(slow.send_quantum(), Some(2 * MSS));
        let mut fast = bbr();
        fast.on_ack(&at(0, 5_000_000, 40));
        assert_eq!(fast.send_quantum(), Some(65_536));
    }

    #[test]
    fn a_timeout_begins_with_one_segment_and_can_be_taken_back() {
        let mut bbr = bbr();
        bbr.on_congestion(&congestion(CongestionKind::FastRetransmit, 10 * MSS));
        assert_eq!(bbr.window(), 10 * MSS);
        bbr.on_congestion(&congestion(CongestionKind::Timeout, 10 * MSS));
        bbr.on_congestion(&congestion(CongestionKind::RepeatedTimeout, 10 * MSS));
        assert_eq!(bbr.window(), MSS);
        bbr.on_undo(Instant::ZERO);
        assert_eq!(bbr.window(), 10 * MSS);
    }
}
