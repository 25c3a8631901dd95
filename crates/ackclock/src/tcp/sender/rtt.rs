//! Round-trip time: mean and mean deviation, and the timeout that follows from them.

use crate::profile::{Kept, Part, Profile};
use crate::tcp::RtoEstimator;

/// The longest measurement taken as it is: 2^59 ns, 18 years. Scaled by 10 it fits with a bit to
/// spare.
const LONGEST_SAMPLE: u64 = 1 << 59;

/// Smoothed round-trip time and its mean deviation, kept as the scaled integers of jacobson88
/// appendix A.2: each is multiplied by the reciprocal of its gain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RttEstimator<P: Profile> {
    /// SRTT times 8 (the paper's `sa`), or times 10 by RFC 793.
    scaled_srtt: u64,
    /// RTTVAR times 4: the paper's `sv`.
    scaled_rttvar: u64,
    samples: u32,
    rule: <P::Historic as Part>::Keeps<RtoEstimator>,
}

impl<P: Profile> RttEstimator<P> {
    /// Nothing measured yet.
    pub(crate) fn new(rule: RtoEstimator) -> Self {
        RttEstimator { scaled_srtt: 0, scaled_rttvar: 0, samples: 0, rule: Kept::new(rule) }
    }

    #[inline(always)]
    fn rule(&self) -> RtoEstimator {
        self.rule.get().copied().unwrap_or(RtoEstimator::Rfc6298)
    }

    #[inline(always)]
    fn is_by(&self, rule: RtoEstimator) -> bool {
        self.rule() == rule
    }

    /// The reciprocal of the mean's gain: RFC 793's alpha of 0.9 makes it 10.
    fn scale(&self) -> u64 {
        if self.is_by(RtoEstimator::Rfc793) { 10 } else { 8 }
    }

    /// Smoothed round-trip time in the clock's units.
    fn mean(&self) -> u64 {
        // Each by a division of its own: by a power of two it is none.
        if self.is_by(RtoEstimator::Rfc793) { self.scaled_srtt / 10 } else { self.scaled_srtt / 8 }
    }

    /// Takes a measurement. Which acks may be measured (Karn's rule) is the caller's to know.
    #[inline(always)]
    pub(crate) fn on_sample(&mut self, measured: u64) {
        let measured = measured.min(LONGEST_SAMPLE);
        if self.samples == 0 {
            // RFC 6298 rule 2.2: SRTT = R, RTTVAR = R/2.
            self.scaled_srtt = measured * self.scale();
            self.scaled_rttvar = measured << 1;
        } else {
            // RFC 6298 rule 2.3. The error is against the old mean, for both.
            let mean = self.mean();
            let error = measured.abs_diff(mean);
            self.scaled_srtt = self.scaled_srtt - mean + measured;
            self.scaled_rttvar = self.scaled_rttvar - (self.scaled_rttvar >> 2) + error;
        }
        self.samples = self.samples.saturating_add(1);
    }

    /// Takes a measurement after a spurious timeout (RFC 4015 section 3.2, step 7): the path has
    /// become so slow at once that smoothing would let the timer fire again.
    pub(crate) fn on_delay_spike(&mut self, measured: u64) {
        let (srtt, rttvar) = (self.scaled_srtt, self.scaled_rttvar);
        self.on_sample(measured);
        let measured = measured.min(LONGEST_SAMPLE);
        self.scaled_srtt = srtt.max(measured * self.scale());
        self.scaled_rttvar = rttvar.max(measured << 1);
    }

    /// Smoothed round-trip time, SRTT, where a tick of the clock is `unit` long; zero before the
    /// first sample.
    #[allow(clippy::useless_conversion, reason = "`Units` may have 32 bits")]
    #[inline]
    pub(crate) fn srtt(&self, unit: u64) -> u64 {
        let scaled = self.scaled_srtt.saturating_mul(unit);
        // Each by a division of its own: by a power of two it is none.
        if self.is_by(RtoEstimator::Rfc793) { scaled / 10 } else { scaled / 8 }
    }

    /// Mean deviation of the round-trip time, RTTVAR, likewise.
    #[allow(clippy::useless_conversion, reason = "`Units` may have 32 bits")]
    pub(crate) fn rttvar(&self, unit: u64) -> u64 {
        self.scaled_rttvar.saturating_mul(unit) >> 2
    }

    /// The timeout, not yet bounded, by a clock of that granularity (G of RFC 6298).
    #[inline]
    pub(crate) fn timeout(&self, granularity: u64) -> u64 {
        let (mean, four_deviations) = (self.mean(), self.scaled_rttvar);
        match self.rule() {
            RtoEstimator::Rfc6298 => mean + four_deviations.max(granularity),
            // Beta is 2: twice a tenth.
            RtoEstimator::Rfc793 => self.scaled_srtt / 5,
            RtoEstimator::Jacobson88 => mean + four_deviations,
            RtoEstimator::Jacobson88K2 => ((self.scaled_srtt >> 2) + four_deviations) >> 1,
        }
    }

    /// How many samples there were.
    pub(crate) fn samples(&self) -> u32 {
        self.samples
    }
}

#[cfg(test)]
#[path = "rtt_tests.rs"]
mod tests;
