//! Retransmission timer as a setting: the one of RFC 6298, older ones, and those of Linux and FreeBSD.

use super::ticks::Ticks;
use crate::UnknownWord;
use crate::time::Duration;
use crate::words::words;
use core::fmt;
use core::str::FromStr;

/// Retransmission timer. The default is that of RFC 6298; the others are for experiments.
///
/// Textual form: the estimator, then `:ticks` for BSD's coarse clock (or `:ticks=100ms/3` for another length of
/// a tick and another number of ticks as the least timeout), then `:one` if only one segment per window is
/// timed (`:one-without-karn`: even if it is sent again). Bounds and backoff are not part of it; a parsed
/// setting has the default ones.
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
    /// Timeout before the first round-trip measurement, above zero; 1 s by default (RFC 6298 rule 2.1).
    pub initial: Duration,
    /// Least timeout, above zero. The default is 200 ms, as in common stacks; RFC 6298 rule 2.4 recommends 1 s.
    /// If [`ticks`](Self::ticks) are set, their minimum is used instead.
    pub min: Duration,
    /// Largest timeout, backoff included; 120 s by default (RFC 6298 rule 2.5: at least 60 s). More than 4,294
    /// s count as that.
    pub max: Duration,
    /// Rule for the timeout.
    pub estimator: RtoEstimator,
    /// Growth of the timeout when it expires repeatedly.
    pub backoff: RtoBackoff,
    /// Segments whose round-trip time is measured.
    pub sampling: RttSampling,
    /// Ticking clock for measurements and the timer; `None`: an exact clock. SYNs always use the exact clock.
    pub ticks: Option<Ticks>,
}

impl Default for RtoConfig {
    fn default() -> Self {
        Self::STANDARD
    }
}

impl RtoConfig {
    /// The default timer.
    pub(crate) const STANDARD: Self = RtoConfig {
        initial: Duration::from_secs(1),
        min: Duration::from_millis(200),
        max: Duration::from_secs(120),
        estimator: RtoEstimator::Rfc6298,
        backoff: RtoBackoff::Exponential,
        sampling: RttSampling::EachAck,
        ticks: None,
    };

    /// The textual forms, as help and error messages list them.
    pub const WORDS: &'static str = "an estimator (linux, freebsd; or rfc6298, rfc793, jacobson88, \
                                     jacobson88-k2, then maybe :ticks or :ticks=500ms/2, then maybe :one or \
                                     :one-without-karn)";

    /// Timeout of a SYN after this number of `retransmissions`.
    pub(crate) fn syn_timeout(&self, retransmissions: u32) -> Duration {
        let backed_off = self.initial.saturating_mul(self.backoff.factor(retransmissions).into());
        // The first timeout is without it.
        let slop = if retransmissions > 0 { self.estimator.slop() } else { Duration::ZERO };
        (backed_off + slop).min(self.max)
    }
}

/// Rule by which the timeout is computed from round-trip times.
///
/// Textual form: `rfc6298`, `rfc793`, `jacobson88`, `jacobson88-k2`, `linux` or `freebsd`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum RtoEstimator {
    /// SRTT + max(G, 4 RTTVAR) (RFC 6298 rule 2.3).
    #[default]
    Rfc6298,
    /// 2 SRTT with a gain of 1/10, as in 4.2BSD and 4.3BSD: examples of RFC 793 section 3.7 for beta (2) and
    /// alpha (0.9).
    Rfc793,
    /// SRTT + 4 RTTVAR, in scaled integers (jacobson88 appendix A.2).
    Jacobson88,
    /// SRTT + 2 RTTVAR, as in the first version of the paper (jacobson88 footnote 21) and in 4.3BSD-Tahoe.
    Jacobson88K2,
    /// SRTT + max([`min`](RtoConfig::min), 4 RTTVAR), as in Linux: RTTVAR follows the largest deviation of each
    /// round trip and falls slowly, and a round trip much shorter than the mean counts little. The clock is
    /// exact and each ack is measured, whatever [`ticks`](RtoConfig::ticks) and
    /// [`sampling`](RtoConfig::sampling) are.
    Linux,
    /// SRTT + 4 RTTVAR + 200 ms, to which the bounds apply, as in FreeBSD: 200 ms (`tcp.rexmit_slop`) leave
    /// time for the peer's delayed ack. They are added once to a timeout that has backed off, also to that of a
    /// SYN, whose first timeout is without them. Clock and sampling are those of `Linux`.
    FreeBsd,
}

impl RtoEstimator {
    /// Whether the clock is exact and each ack is measured, whatever the other settings.
    pub(crate) fn has_exact_clock(self) -> bool {
        matches!(self, RtoEstimator::Linux | RtoEstimator::FreeBsd)
    }

    /// Time that is added to a timeout behind its backoff (FreeBSD's TCPTV_CPU_VAR).
    pub(crate) const fn slop(self) -> Duration {
        match self {
            RtoEstimator::FreeBsd => Duration::from_millis(200),
            _ => Duration::ZERO,
        }
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

/// Growth of the timeout each time it expires again without an ack.
///
/// Textual form: `none`, `linear` or `exponential`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum RtoBackoff {
    /// No growth. Only exponential growth is sure to be stable (jacobson88 section 2).
    None,
    /// Growth by the first timeout each time.
    Linear,
    /// Doubling (RFC 6298 rule 5.5).
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
    /// Factor of the timeout after it has expired `times` times.
    pub(crate) fn factor(self, times: u32) -> u32 {
        match self {
            RtoBackoff::None => 1,
            RtoBackoff::Linear => times.saturating_add(1),
            _ => 1_u32.checked_shl(times).unwrap_or(u32::MAX),
        }
    }
}

/// Segments whose round-trip time is measured.
///
/// Textual form: `each`, `one` or `one-without-karn`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum RttSampling {
    /// Segments sent once, with every ack (RFC 6298 section 3, RFC 7323 section 4).
    #[default]
    EachAck,
    /// One segment at a time, so about one per window, as in BSD before timestamps: after the ack of one, the
    /// next new segment is timed. A retransmission ends the measurement.
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
        if config.estimator.has_exact_clock() && !is_exact {
            return Err(UnknownWord::Value { wanted: Self::WORDS });
        }
        Ok(config)
    }
}

impl fmt::Display for RtoConfig {
    /// Writes estimator, clock and sampling in the textual form.
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
