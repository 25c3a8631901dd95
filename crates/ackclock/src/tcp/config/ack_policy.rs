//! When the receiver acknowledges.

use crate::UnknownWord;
use crate::time::Duration;
use core::fmt;
use core::str::FromStr;

/// When the receiver acknowledges (RFC 9293 section 3.8.6.3, RFC 5681 section 4.2).
///
/// Under every policy out-of-order segments, segments that fill a hole, and duplicates are
/// acknowledged at once.
///
/// As a word: `every`, `delayed`, `delayed=40ms`, `delayed=40ms/0` (so many quick acks), `second=40ms` or
/// `bsd43`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AckPolicy {
    /// An ack for each segment.
    EverySegment,
    /// An ack for every second full-sized segment, or after a timeout.
    Delayed {
        /// Longest delay, at most 500 ms, of which 499 are used (MUST-40); 40 ms by default.
        timeout: Duration,
        /// So many segments from the start of the connection are acknowledged one by one.
        quick_acks: u16,
    },
    /// An ack for every second segment with data, however short, or after a timeout: as FreeBSD has it. Without the
    /// part [`Historic`](crate::profile::Profile::Historic) as [`Delayed`](Self::Delayed).
    EverySecond {
        /// As of [`Delayed`](Self::Delayed).
        timeout: Duration,
    },
    /// 4.3BSD before Tahoe: an ack when 35 % of the window has been filled or after 200 ms
    /// (jacobson88 section 3, footnote on the receivers of figure 9).
    Bsd43,
}

impl Default for AckPolicy {
    fn default() -> Self {
        Self::STANDARD
    }
}

impl fmt::Display for AckPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AckPolicy::EverySegment => f.write_str("every"),
            AckPolicy::Delayed { timeout, quick_acks } => match *quick_acks {
                Self::QUICK_ACKS => write!(f, "delayed={timeout}"),
                count => write!(f, "delayed={timeout}/{count}"),
            },
            AckPolicy::EverySecond { timeout } => write!(f, "second={timeout}"),
            AckPolicy::Bsd43 => f.write_str("bsd43"),
        }
    }
}

impl AckPolicy {
    /// The default.
    pub(super) const STANDARD: Self =
        AckPolicy::Delayed { timeout: Self::TIMEOUT, quick_acks: Self::QUICK_ACKS };

    /// How long an ack is delayed unless it is set.
    pub(crate) const TIMEOUT: Duration = Duration::from_millis(40);
    /// How many segments are acknowledged one by one unless it is set.
    pub(crate) const QUICK_ACKS: u16 = 16;

    /// The words there are, as help and errors tell them.
    pub const WORDS: &'static str = "every, delayed, delayed=40ms, delayed=40ms/0 (without quick acks at the start), \
         second=40ms or bsd43";
}

impl FromStr for AckPolicy {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        match text.split_once('=') {
            None if text == "every" => Some(AckPolicy::EverySegment),
            None if text == "delayed" => Some(AckPolicy::default()),
            None if text == "bsd43" => Some(AckPolicy::Bsd43),
            Some(("second", time)) => {
                time.parse().ok().map(|timeout| AckPolicy::EverySecond { timeout })
            }
            Some(("delayed", values)) => {
                let (time, count) = values.split_once('/').unzip();
                let timeout = time.unwrap_or(values).parse().ok();
                let quick_acks = count.map_or(Some(Self::QUICK_ACKS), |count| count.parse().ok());
                timeout
                    .zip(quick_acks)
                    .map(|(timeout, quick_acks)| AckPolicy::Delayed { timeout, quick_acks })
            }
            _ => None,
        }
        .ok_or(UnknownWord::Value { wanted: Self::WORDS })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn each_ack_policy_has_a_word_that_is_read_back() {
        for word in
            ["every", "delayed=40ms", "delayed=499.5ms", "delayed=200ms/0", "second=40ms", "bsd43"]
        {
            assert_eq!(word.parse::<AckPolicy>().unwrap().to_string(), word);
        }
        assert_eq!("delayed".parse(), Ok(AckPolicy::default()));
    }

    #[test]
    fn a_delay_changes_nothing_but_the_delay() {
        let AckPolicy::Delayed { quick_acks, .. } = AckPolicy::default() else {
            panic!("the default is not a delayed policy");
        };
        let timeout = Duration::from_millis(100);
        assert_eq!("delayed=100ms".parse(), Ok(AckPolicy::Delayed { timeout, quick_acks }));
    }

    #[test]
    fn what_is_no_ack_policy_is_refused() {
        for word in ["", "always", "every=1ms", "delayed=", "delayed=40", "delayed=1ms/", "bsd43="]
        {
            assert!(word.parse::<AckPolicy>().is_err(), "{word}");
        }
    }
}
