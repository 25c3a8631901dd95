//! How much one ack makes a loss-based congestion window grow.

use super::Ack;
use crate::UnknownWord;
use core::fmt;
use core::num::{NonZeroU8, NonZeroU32};
use core::str::FromStr;

/// Most segments that one ack counts for in limited byte counting (allman99 section 3).
const LBC_LIMIT: u32 = 2;

/// How acks are counted when a loss-based congestion window grows.
///
/// In congestion avoidance the window grows by one segment each time acks have covered all of it; the
/// remainder is kept in a counter. The older `MSS * MSS / cwnd` per ack loses what the division truncates,
/// and in sum whole increments (zhang91 section 2.1).
///
/// "Initial slow start" means any that does not follow a loss: the first of a connection, and those after an
/// idle period (allman99, footnote 3). While a loss is repaired, an ack for much data does not show that this
/// much has just left the network.
///
/// ```
/// use ackclock::congestion::Growth;
///
/// assert_eq!("sabc:1/2".parse().ok(), Growth::scaled(1, 2));
/// assert_eq!(Growth::default().to_string(), "rfc3465:2");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Growth {
    /// `per-ack`: an ack counts for one segment, however much it acknowledges (jacobson88 appendix B).
    PerAck,
    /// `floor`: as `per-ack`, but in congestion avoidance the window grows by a segment after floor(cwnd)
    /// acks, cwnd in segments, so that floor(cwnd) grows by one each time a window was acknowledged (zhang91
    /// section 2.1).
    Floor,
    /// `lbc`, limited byte counting: in every slow start an ack counts for the bytes that it acknowledges, at
    /// most two segments (allman99 section 3).
    LimitedByteCounting,
    /// `abc`, appropriate byte counting: as `lbc` in initial slow starts, otherwise as `per-ack` (allman99
    /// section 3).
    AppropriateByteCounting,
    /// `sabc:N/D`, scaled byte counting: in initial slow starts an ack of n segments counts for 1 + (n - 1)
    /// S, with S = N/D; otherwise as `per-ack` (allman99 section 4, equation 1).
    ScaledByteCounting(Scale),
    /// `rfc3465:L`: an ack counts for the bytes it acknowledges, also in congestion avoidance (RFC 3465
    /// section 2.1); in slow start for at most L segments, 1 to 255, and while a loss is repaired for at most
    /// one (sections 2.2 and 2.3). A limit of 0 counts as 1.
    ByteCounting {
        /// L, in segments.
        limit: u8,
    },
    /// `delivered`: an ack of new data counts for all that it tells of for the first time, and so not for what was
    /// SACKed before, in every slow start and in congestion avoidance; as Linux has it.
    Delivered,
}

/// The scale factor S of scaled byte counting, 0 to 1: 0 is `per-ack`, 1 is unlimited byte counting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scale {
    numerator: u8,
    denominator: NonZeroU8,
}

impl Scale {
    /// `bytes` times the factor, rounded down. Computed in two parts, since a microcontroller would need a
    /// 64-bit division for nothing else.
    fn of(self, bytes: u32) -> u32 {
        let numerator = u32::from(self.numerator);
        let denominator = NonZeroU32::from(self.denominator);
        let (whole, rest) = (bytes / denominator, bytes % denominator);
        whole * numerator + rest * numerator / denominator
    }
}

impl Default for Growth {
    /// RFC 3465 with L = 2 (its section 2.2).
    fn default() -> Self {
        Self::STANDARD
    }
}

impl Growth {
    /// The default.
    pub(super) const STANDARD: Self = Growth::ByteCounting { limit: 2 };

    /// The possible words, for help and error texts.
    pub const WORDS: &'static str = "per-ack, floor, lbc, abc, sabc:N/D with N at most D and D at most \
                                 255, rfc3465:L with L from 1 to 255, or delivered";

    /// Scaled byte counting with S = numerator/denominator; `None` if the denominator is 0, or if S exceeds
    /// 1, with which the window would more than double in a round trip (allman99 section 4).
    pub const fn scaled(numerator: u8, denominator: u8) -> Option<Self> {
        match NonZeroU8::new(denominator) {
            Some(denominator) if numerator <= denominator.get() => {
                Some(Growth::ScaledByteCounting(Scale { numerator, denominator }))
            }
            _ => None,
        }
    }

    /// Bytes that an ack counts for.
    pub(super) fn counted(self, ack: &Ack) -> u32 {
        if self == Growth::Delivered { ack.bytes_delivered } else { ack.bytes_acked }
    }

    /// Bytes by which an ack of `bytes_acked` new bytes makes the window grow in slow start.
    pub(super) fn slow_start_increase(self, bytes_acked: u32, mss: u32, repairs_loss: bool) -> u32 {
        let limit = match self {
            Growth::LimitedByteCounting => LBC_LIMIT,
            Growth::AppropriateByteCounting if !repairs_loss => LBC_LIMIT,
            Growth::ByteCounting { .. } if repairs_loss => 1,
            Growth::ByteCounting { limit } => limit.max(1).into(),
            Growth::Delivered => return bytes_acked,
            Growth::ScaledByteCounting(scale) if !repairs_loss => {
                // Equation 1 in bytes; with less than a segment, N - 1 is negative.
                let part = scale.of(bytes_acked.abs_diff(mss));
                return if bytes_acked < mss { mss - part } else { mss.saturating_add(part) };
            }
            _ => return mss,
        };
        bytes_acked.min(mss.saturating_mul(limit))
    }

    /// Bytes that an ack of `bytes_acked` new bytes counts for in congestion avoidance.
    pub(super) fn avoidance_credit(self, bytes_acked: u32, mss: u32) -> u32 {
        match self {
            Growth::ByteCounting { .. } | Growth::Delivered => bytes_acked,
            _ => mss,
        }
    }

    /// Bytes to be counted before the window grows by a segment in congestion avoidance.
    pub(super) fn avoidance_price(self, cwnd: u32, mss: u32) -> u32 {
        match self {
            Growth::Floor => cwnd - cwnd.checked_rem(mss).unwrap_or(0),
            _ => cwnd,
        }
    }
}

impl FromStr for Growth {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let number = |text: &str| text.parse::<u8>().ok().filter(|_| !text.starts_with('+'));
        let growth = match text.split_once(':') {
            None => match text {
                "per-ack" => Some(Growth::PerAck),
                "floor" => Some(Growth::Floor),
                "lbc" => Some(Growth::LimitedByteCounting),
                "abc" => Some(Growth::AppropriateByteCounting),
                "delivered" => Some(Growth::Delivered),
                _ => None,
            },
            Some(("sabc", scale)) => {
                scale.split_once('/').and_then(|(n, d)| Growth::scaled(number(n)?, number(d)?))
            }
            Some(("rfc3465", limit)) => {
                number(limit).filter(|&l| l > 0).map(|limit| Growth::ByteCounting { limit })
            }
            Some(_) => None,
        };
        growth.ok_or(UnknownWord::Value { wanted: Self::WORDS })
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Growth::PerAck => f.write_str("per-ack"),
            Growth::Floor => f.write_str("floor"),
            Growth::LimitedByteCounting => f.write_str("lbc"),
            Growth::AppropriateByteCounting => f.write_str("abc"),
            Growth::Delivered => f.write_str("delivered"),
            Growth::ScaledByteCounting(Scale { numerator, denominator }) => {
                write!(f, "sabc:{numerator}/{denominator}")
            }
            Growth::ByteCounting { limit } => write!(f, "rfc3465:{limit}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    const MSS: u32 = 1000;

    fn growth(word: &str) -> Growth {
        word.parse().unwrap()
    }

    /// What acks of half a segment and of 1, 2, 3 and 9 segments open in slow start.
    fn increases(word: &str, repairs_loss: bool) -> [u32; 5] {
        [500, 1000, 2000, 3000, 9000]
            .map(|bytes| growth(word).slow_start_increase(bytes, MSS, repairs_loss))
    }

    #[test]
    fn per_ack_counting_ignores_how_much_an_ack_covers() {
        for word in ["per-ack", "floor", "sabc:0/1"] {
            assert_eq!(increases(word, false), [1000; 5], "{word}");
            assert_eq!(increases(word, true), [1000; 5], "{word}");
        }
    }

    #[test]
    fn limited_byte_counting_counts_two_segments_at_most_in_every_slow_start() {
        assert_eq!(increases("lbc", false), [500, 1000, 2000, 2000, 2000]);
        assert_eq!(increases("lbc", true), [500, 1000, 2000, 2000, 2000]);
    }

    #[test]
    fn appropriate_byte_counting_counts_acks_while_a_loss_is_repaired() {
        assert_eq!(increases("abc", false), [500, 1000, 2000, 2000, 2000]);
        assert_eq!(increases("abc", true), [1000; 5]);
    }

    /// allman99 section 4: S = 1/2 makes 1.5 segments of an ack for two.
    #[test]
    fn scaled_byte_counting_counts_part_of_what_is_beyond_the_first_segment() {
        assert_eq!(increases("sabc:1/2", false), [750, 1000, 1500, 2000, 5000]);
        assert_eq!(increases("sabc:1/3", false), [834, 1000, 1333, 1666, 3666]);
        assert_eq!(increases("sabc:1/1", false), [500, 1000, 2000, 3000, 9000]);
        assert_eq!(increases("sabc:1/2", true), [1000; 5]);
    }

    #[test]
    fn rfc_3465_counts_l_segments_and_one_while_a_loss_is_repaired() {
        assert_eq!(increases("rfc3465:1", false), [500, 1000, 1000, 1000, 1000]);
        assert_eq!(increases("rfc3465:2", false), [500, 1000, 2000, 2000, 2000]);
        assert_eq!(increases("rfc3465:8", false), [500, 1000, 2000, 3000, 8000]);
        assert_eq!(increases("rfc3465:8", true), [500, 1000, 1000, 1000, 1000]);
        let zero = Growth::ByteCounting { limit: 0 };
        assert_eq!(zero.slow_start_increase(9000, MSS, false), 1000);
    }

    #[test]
    fn what_was_delivered_counts_without_limit() {
        assert_eq!(increases("delivered", false), [500, 1000, 2000, 3000, 9000]);
        assert_eq!(increases("delivered", true), [500, 1000, 2000, 3000, 9000]);
        let ack = Ack { bytes_acked: 3000, bytes_delivered: 1000, ..Ack::default() };
        assert_eq!(growth("delivered").counted(&ack), 1000);
        assert_eq!(growth("rfc3465:2").counted(&ack), 3000);
    }

    #[test]
    fn only_rfc_3465_counts_bytes_in_congestion_avoidance() {
        for word in ["per-ack", "floor", "lbc", "abc", "sabc:1/1"] {
            assert_eq!(growth(word).avoidance_credit(50_000, MSS), 1000, "{word}");
        }
        assert_eq!(growth("rfc3465:1").avoidance_credit(50_000, MSS), 50_000);
    }

    #[test]
    fn only_floor_charges_whole_segments() {
        assert_eq!(growth("floor").avoidance_price(2999, MSS), 2000);
        for word in ["per-ack", "lbc", "abc", "sabc:1/1", "rfc3465:2"] {
            assert_eq!(growth(word).avoidance_price(2999, MSS), 2999, "{word}");
        }
    }

    #[test]
    fn words_are_written_as_they_are_read() {
        for word in
            ["per-ack", "floor", "lbc", "abc", "sabc:0/1", "sabc:3/8", "rfc3465:255", "delivered"]
        {
            assert_eq!(growth(word).to_string(), word);
        }
    }

    #[test]
    fn what_is_no_rule_is_refused_with_those_there_are() {
        for word in [
            "",
            "ABC",
            "abc:1",
            "sabc",
            "sabc:1",
            "sabc:2/1",
            "sabc:0/0",
            "sabc:1/256",
            "sabc:+1/2",
            "rfc3465",
            "rfc3465:0",
            "rfc3465:256",
            "rfc3465:-1",
            "per-ack:1",
        ] {
            let error = word.parse::<Growth>().unwrap_err();
            assert!(error.to_string().starts_with("use per-ack, floor, lbc"), "{word}: {error}");
        }
    }

    #[test]
    fn the_largest_numbers_saturate() {
        for word in ["per-ack", "lbc", "abc", "sabc:255/255", "rfc3465:255"] {
            assert_eq!(growth(word).slow_start_increase(u32::MAX, u32::MAX, false), u32::MAX);
        }
        assert_eq!(growth("floor").avoidance_price(5, 0), 5);
    }
}
