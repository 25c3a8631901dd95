//! Which retransmission timer: RFC 6298's, or one of those that came before it.

use super::ticks::Ticks;
use crate::UnknownWord;
use crate::time::Duration;
use crate::words::words;
use core::fmt;
use core::str::FromStr;

/// The retransmission timer. RFC 6298's is the default; the others are for experiments.
///
/// It can be written as a word: the estimator, then `:ticks` for BSD's coarse clock (or
/// `:ticks=100ms/3` for ticks of another length, and how many are the least timeout), then `:one`
/// if only one segment per window is timed (`:one-without-karn`: sent again or not). Bounds and backoff are the default's.
///
/// ```
/// use ackclock::tcp::{RtoConfig, RtoEstimator};
///
/// let bsd: RtoConfig = "jacobson88:ticks:one".parse().unwrap();
/// assert_eq!(bsd.estimator, RtoEstimator::Jacobson88);
/// assert_eq!(bsd.to_string(), "jacobson88:ticks=500ms/2:one");
/// assert_eq!("rfc6298".parse(), Ok(RtoConfig::default()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RtoConfig {
    /// Timeout before the first round-trip measurement; 1 s by default (RFC 6298 rule 2.1).
    pub initial: Duration,
    /// Least timeout. RFC 6298 rule 2.4 says 1 s; 200 ms, as common stacks have it, is the
    /// default. With [`ticks`](Self::ticks) their own minimum stands in its place.
    pub min: Duration,
    /// Largest timeout, backoff included; at least 60 s (RFC 6298 rule 2.5), 120 s by default. Of a
    /// longer time 4,294 s are used.
    pub max: Duration,
    /// How the timeout follows from the measurements.
    pub estimator: RtoEstimator,
    /// What repeated timeouts make of it.
    pub backoff: RtoBackoff,
    /// Which segments are measured.
    pub sampling: RttSampling,
    /// The clock by which time is measured and the timer fires; `None`: an exact one. The SYN is
    /// timed exactly whatever the clock.
    pub ticks: Option<Ticks>,
}

impl Default for RtoConfig {
    fn default() -> Self {
        Self::STANDARD
    }
}

impl RtoConfig {
    /// The default.
    pub(crate) const STANDARD: Self = RtoConfig {
        initial: Duration::from_secs(1),
        min: Duration::from_millis(200),
        max: Duration::from_secs(120),
        estimator: RtoEstimator::Rfc6298,
        backoff: RtoBackoff::Exponential,
        sampling: RttSampling::EachAck,
        ticks: None,
    };

    /// The words there are, as help and errors tell them.
    pub const WORDS: &'static str = "an estimator (linux, freebsd; or rfc6298, rfc793, jacobson88, \
                                     jacobson88-k2, then maybe :ticks or :ticks=500ms/2, then maybe :one or \
                                     :one-without-karn)";

    /// How long to wait for the answer to a SYN that was sent `retransmissions` times again.
    pub(crate) fn syn_timeout(&self, retransmissions: u32) -> Duration {
        self.initial.saturating_mul(self.backoff.factor(retransmissions).into()).min(self.max)
    }
}

/// How the timeout follows from round-trip times.
///
/// As a word: `rfc6298`, `rfc793`, `jacobson88`, `jacobson88-k2`, `linux` or `freebsd`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum RtoEstimator {
    /// SRTT + max(G, 4 RTTVAR) (RFC 6298 rule 2.3).
    #[default]
    Rfc6298,
    /// 2 SRTT with a gain of 1/10: the values that RFC 793 section 3.7 gives as examples for beta
    /// and alpha (alpha 0.9), and 4.2BSD and 4.3BSD had.
    Rfc793,
    /// Mean and four mean deviations in scaled integers (jacobson88 appendix A.2).
    Jacobson88,
    /// Mean and two mean deviations: the paper's first version (jacobson88 footnote 21), and
    /// 4.3BSD-Tahoe.
    Jacobson88K2,
    /// SRTT + max([`min`](RtoConfig::min), 4 RTTVAR), where RTTVAR follows the largest deviation of each round
    /// trip and gives way slowly, and a round trip that is shorter than the mean counts little: as Linux has
    /// it. By an exact clock and each ack, whatever [`ticks`](RtoConfig::ticks) and
    /// [`sampling`](RtoConfig::sampling) say.
    Linux,
    /// SRTT + 4 RTTVAR + 200 ms, then the bounds: as FreeBSD has it (its `tcp.rexmit_slop`), so that a peer's
    /// delayed ack is waited for. Clock and sampling as for `Linux`.
    FreeBsd,
}

impl RtoEstimator {
    /// Whether it has a clock of its own.
    pub(crate) fn is_a_hosts(self) -> bool {
        matches!(self, RtoEstimator::Linux | RtoEstimator::FreeBsd)
    }
}

words! {
    RtoEstimator: "rfc6298, rfc793, jacobson88, jacobson88-k2, linux or freebsd",
    "rfc6298" = Rfc6298,
    "rfc793" = Rfc793,
    "jacobson88" = Jacobson88,
    "jacobson88-k2" = Jacobson88K2,
    "linux" = Linux,
    "freebsd" = FreeBsd,
}

/// How the timeout grows each time the timer fires again without an ack.
///
/// As a word: `none`, `linear` or `exponential`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum RtoBackoff {
    /// It does not. Nothing slower than exponential is sure to be stable (jacobson88 section 2).
    None,
    /// By its first value each time.
    Linear,
    /// It doubles (RFC 6298 rule 5.5).
    #[default]
    Exponential,
}

words! {
    RtoBackoff: "none, linear or exponential",
    "none" = None,
    "linear" = Linear,
    "exponential" = Exponential,
}

impl RtoBackoff {
    /// By what the timeout is multiplied after it has passed `times` times.
    pub(crate) fn factor(self, times: u32) -> u32 {
        match self {
            RtoBackoff::None => 1,
            RtoBackoff::Linear => times.saturating_add(1),
            _ => 1_u32.checked_shl(times).unwrap_or(u32::MAX),
        }
    }
}

/// Which segments give a round-trip measurement.
///
/// As a word: `each` or `one`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum RttSampling {
    /// Each ack of something that was sent once (RFC 6298 section 3, RFC 7323 section 4).
    #[default]
    EachAck,
    /// One segment at a time, hence about one per window, as BSD did before timestamps: the next
    /// new segment is timed when the last one is acknowledged. A retransmission ends the
    /// measurement.
    OnePerWindow,
    /// The same, but what is sent again does not end the measurement (no Karn's rule): the time from the first
    /// transmission of a segment until an ack covers it, as RFC 793 section 3.7 has it and 4.2BSD had.
    OneWithoutKarn,
}

words! {
    RttSampling: "each, one or one-without-karn",
    "each" = EachAck,
    "one" = OnePerWindow,
    "one-without-karn" = OneWithoutKarn,
}

impl FromStr for RtoConfig {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let mut parts = text.split(':');
        let mut config =
            RtoConfig { estimator: parts.next().unwrap_or_default().parse()?, ..Self::default() };
        for part in parts {
            match part.split_once('=') {
                None if part == "ticks" => config.ticks = Some(Ticks::BSD),
                Some(("ticks", value)) => config.ticks = Some(value.parse()?),
                None => {
                    config.sampling =
                        part.parse().map_err(|_| UnknownWord::Value { wanted: Self::WORDS })?
                }
                Some(_) => return Err(UnknownWord::Value { wanted: Self::WORDS }),
            }
        }
        let is_exact = config.ticks.is_none() && config.sampling == RttSampling::EachAck;
        if config.estimator.is_a_hosts() && !is_exact {
            return Err(UnknownWord::Value { wanted: Self::WORDS });
        }
        Ok(config)
    }
}

impl fmt::Display for RtoConfig {
    /// Estimator, clock and sampling as the word that is read back.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.estimator)?;
        if let Some(ticks) = self.ticks {
            write!(f, ":ticks={ticks}")?;
        }
        match self.sampling {
            RttSampling::EachAck => Ok(()),
            sampling => write!(f, ":{sampling}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn each_word_is_read_back() {
        for word in [
            "rfc6298",
            "rfc793:ticks=500ms/2",
            "jacobson88:one",
            "rfc793:ticks=500ms/2:one-without-karn",
            "jacobson88-k2",
            "linux",
            "freebsd",
        ] {
            assert_eq!(word.parse::<RtoConfig>().unwrap().to_string(), word);
        }
        for word in ["none", "linear", "exponential"] {
            assert_eq!(word.parse::<RtoBackoff>().unwrap().to_string(), word);
        }
        for word in ["each", "one", "one-without-karn"] {
            assert_eq!(word.parse::<RttSampling>().unwrap().to_string(), word);
        }
    }

    #[test]
    fn other_words_are_refused() {
        for word in [
            "",
            "rfc",
            "rfc793:",
            "rfc793:tick",
            "rfc793:one=1",
            "rfc793:ticks=0ms/2",
            "linux:one",
            "freebsd:ticks",
        ] {
            assert!(word.parse::<RtoConfig>().is_err(), "{word}");
        }
        let error = "often".parse::<RtoBackoff>().unwrap_err();
        assert_eq!(error.to_string(), "use none, linear or exponential");
    }

    #[test]
    fn the_backoff_decides_how_the_timeout_grows() {
        let after = |backoff: RtoBackoff| [0, 1, 2, 3, 64].map(|times| backoff.factor(times));
        assert_eq!(after(RtoBackoff::None), [1; 5]);
        assert_eq!(after(RtoBackoff::Linear), [1, 2, 3, 4, 65]);
        assert_eq!(after(RtoBackoff::Exponential), [1, 2, 4, 8, u32::MAX]);
    }
}
