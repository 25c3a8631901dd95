//! Round-trip time estimator: mean, mean deviation, and the timeout that follows from them.

use crate::profile::{Absent, Kept, Part, Present, Profile};
use crate::tcp::RtoEstimator;
use crate::time::Duration;
use core::fmt::Debug;
use core::ops::{Add, Div, Mul, Shr, Sub};

/// Time in units of the clock that measures it: ticks, or the fixed unit of a clock that does not tick.
pub trait Units:
    Copy
    + Ord
    + Debug
    + From<u8>
    + Into<u64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Shr<u32, Output = Self>
{
    /// Unit of a clock that does not tick, in nanoseconds.
    const NANOS: u64;
    /// Longest measurement; a longer one counts as this. Multiplied by 10 it leaves a bit to spare.
    const LONGEST: Self;
    /// Absolute difference.
    fn distance(self, other: Self) -> Self;
    /// A number of units, limited to the type's largest number.
    fn from_count(units: u64) -> Self;
    /// Converts a time to units of a clock that does not tick.
    fn from_span(span: Duration) -> Self;
    /// Converts to whole microseconds, rounded up, at most `u32::MAX`; a unit has `nanos` nanoseconds.
    fn to_micros(self, nanos: u64) -> u32;
}

/// Nanoseconds. The longest measurement is 2^59 ns, 18 years.
impl Units for u64 {
    const NANOS: u64 = 1;
    const LONGEST: u64 = 1 << 59;

    #[inline(always)]
    fn distance(self, other: u64) -> u64 {
        self.abs_diff(other)
    }

    #[inline(always)]
    fn from_count(units: u64) -> u64 {
        units
    }

    #[inline(always)]
    fn from_span(span: Duration) -> u64 {
        span.as_nanos()
    }

    #[inline(always)]
    fn to_micros(self, nanos: u64) -> u32 {
        super::rto::micros(Duration::from_nanos(self.saturating_mul(nanos)))
    }
}

/// Microseconds, for clocks that do not tick. They fit into a 32-bit register, which makes small code. The
/// longest measurement is 2^27 us, 134 s.
impl Units for u32 {
    const NANOS: u64 = 1_000;
    const LONGEST: u32 = 1 << 27;

    fn distance(self, other: u32) -> u32 {
        self.abs_diff(other)
    }

    fn from_count(units: u64) -> u32 {
        u32::try_from(units).unwrap_or(u32::MAX)
    }

    fn from_span(span: Duration) -> u32 {
        super::rto::whole_micros(span)
    }

    fn to_micros(self, _nanos: u64) -> u32 {
        self
    }
}

/// Units in which an image measures round trips: nanoseconds if clocks may tick, otherwise microseconds.
pub trait UnitChoice: Part {
    /// Units of the image.
    type Units: Units;
}

impl UnitChoice for Present {
    type Units = u64;
}

impl UnitChoice for Absent {
    type Units = u32;
}

/// Units of a profile.
pub(super) type UnitsOf<P> = <<P as Profile>::Historic as UnitChoice>::Units;

/// Smoothed round-trip time and its mean deviation, as the scaled integers of jacobson88 appendix A.2: each is
/// multiplied by the reciprocal of its gain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RttEstimator<P: Profile> {
    /// SRTT times 8 (the paper's `sa`), or times 10 with RFC 793's rule.
    scaled_srtt: UnitsOf<P>,
    /// RTTVAR times 4 (the paper's `sv`).
    scaled_rttvar: UnitsOf<P>,
    samples: u32,
    rule: <P::Historic as Part>::Keeps<RtoEstimator>,
}

impl<P: Profile> RttEstimator<P> {
    /// An estimator without measurements.
    pub(crate) fn new(rule: RtoEstimator) -> Self {
        let none = 0.into();
        RttEstimator { scaled_srtt: none, scaled_rttvar: none, samples: 0, rule: Kept::new(rule) }
    }

    #[inline(always)]
    pub(super) fn rule(&self) -> RtoEstimator {
        self.rule.get().copied().unwrap_or(RtoEstimator::Rfc6298)
    }

    #[inline(always)]
    fn is_by(&self, rule: RtoEstimator) -> bool {
        self.rule() == rule
    }

    /// Reciprocal of the mean's gain: 8, or 10 with RFC 793's alpha of 0.9.
    fn scale(&self) -> UnitsOf<P> {
        if self.is_by(RtoEstimator::Rfc793) { 10.into() } else { 8.into() }
    }

    /// Smoothed round-trip time in the clock's units.
    fn mean(&self) -> UnitsOf<P> {
        if self.is_by(RtoEstimator::Rfc793) {
            self.scaled_srtt / 10.into()
        } else {
            self.scaled_srtt >> 3
        }
    }

    /// Takes a measurement. The caller decides which acks may be measured (Karn's algorithm).
    #[inline(always)]
    pub(crate) fn on_sample(&mut self, measured: UnitsOf<P>) {
        let measured = measured.min(Units::LONGEST);
        if self.samples == 0 && !(P::HOST_METRICS && self.scaled_srtt > 0.into()) {
            // RFC 6298 rule 2.2: SRTT = R, RTTVAR = R/2.
            self.scaled_srtt = measured * self.scale();
            self.scaled_rttvar = measured + measured;
        } else {
            // RFC 6298 rule 2.3: both use the difference from the old mean.
            let mean = self.mean();
            let error = measured.distance(mean);
            self.scaled_srtt = self.scaled_srtt - mean + measured;
            self.scaled_rttvar = self.scaled_rttvar - (self.scaled_rttvar >> 2) + error;
        }
        self.samples = self.samples.saturating_add(1);
    }

    /// Takes a measurement by Linux's rule: if it is shorter than the mean by more than the deviation, the excess
    /// counts only an eighth, so that a queue that drains does not pass for jitter.
    pub(crate) fn on_linux_sample(&mut self, measured: UnitsOf<P>) {
        let measured = measured.min(Units::LONGEST);
        let (mean, deviation) = (self.mean(), self.scaled_rttvar >> 2);
        let is_first = self.samples == 0 && self.scaled_srtt == 0.into();
        self.on_sample(measured);
        let error = measured.distance(mean);
        if !is_first && measured < mean && error > deviation {
            self.scaled_rttvar = deviation * 4.into() + ((error - deviation) >> 3);
        }
    }

    /// Begins with the mean and deviation that an earlier connection has measured.
    pub(crate) fn expect(&mut self, mean: UnitsOf<P>, deviation: UnitsOf<P>) {
        let (mean, deviation) = (mean.min(Units::LONGEST), deviation.min(Units::LONGEST));
        self.scaled_srtt = mean * self.scale();
        self.scaled_rttvar = deviation * 4.into();
    }

    /// Takes a measurement after a spurious timeout (RFC 4015 section 3.2, step 7). The path has suddenly
    /// become so slow that with smoothing the timer would expire again.
    pub(crate) fn on_delay_spike(&mut self, measured: UnitsOf<P>) {
        let (srtt, rttvar) = (self.scaled_srtt, self.scaled_rttvar);
        self.on_sample(measured);
        let measured = measured.min(Units::LONGEST);
        self.scaled_srtt = srtt.max(measured * self.scale());
        self.scaled_rttvar = rttvar.max(measured + measured);
    }

    /// Smoothed round-trip time (SRTT) in nanoseconds, with a clock unit of `unit` nanoseconds; zero before the
    /// first measurement.
    #[inline]
    pub(crate) fn srtt(&self, unit: u64) -> u64 {
        let scaled: u64 = self.scaled_srtt.into();
        let scaled = scaled.saturating_mul(unit);
        // Two divisions, since the one by a power of two is compiled to a shift.
        if self.is_by(RtoEstimator::Rfc793) { scaled / 10 } else { scaled / 8 }
    }

    /// Mean deviation of the round-trip time (RTTVAR) in nanoseconds, with a clock unit of `unit` nanoseconds.
    pub(crate) fn rttvar(&self, unit: u64) -> u64 {
        let scaled: u64 = self.scaled_rttvar.into();
        scaled.saturating_mul(unit) >> 2
    }

    /// Timeout without bounds, for a clock with this granularity (G of RFC 6298).
    #[inline]
    pub(crate) fn timeout(&self, granularity: UnitsOf<P>) -> UnitsOf<P> {
        let (mean, four_deviations) = (self.mean(), self.scaled_rttvar);
        match self.rule() {
            RtoEstimator::Rfc6298 => mean + four_deviations.max(granularity),
            // Twice the mean (beta is 2): a fifth of the mean scaled by 10.
            RtoEstimator::Rfc793 => self.scaled_srtt / 5.into(),
            // The caller applies Linux's rules for the deviation.
            RtoEstimator::Jacobson88 | RtoEstimator::Linux => mean + four_deviations,
            RtoEstimator::FreeBsd => {
                mean + four_deviations + Units::from_span(RtoEstimator::FreeBsd.slop())
            }
            RtoEstimator::Jacobson88K2 => ((self.scaled_srtt >> 2) + four_deviations) >> 1,
        }
    }

    /// Number of measurements.
    pub(crate) fn samples(&self) -> u32 {
        self.samples
    }
}

#[cfg(test)]
#[path = "rtt_tests.rs"]
mod tests;
