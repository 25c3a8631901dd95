//! Policies for delayed acks, as a setting.

use crate::UnknownWord;
use crate::time::Duration;
use core::fmt;
use core::str::FromStr;

/// Policy for delayed acks (RFC 9293 section 3.8.6.3, RFC 5681 section 4.2).
///
/// Under every policy, segments that are out of order or fill a hole, and duplicates, are acknowledged at once.
///
/// Textual form: `every`, `delayed`, `delayed=40ms`, `delayed=40ms/0` (the number of quick acks), `second=40ms`
/// or `bsd43`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AckPolicy {
    /// An ack for each segment.
    EverySegment,
    /// An ack for every second full-sized segment, or after a timeout.
    Delayed {
        /// Longest delay, at most 500 ms; 500 ms count as 499 ms (MUST-40). The default is 40 ms.
        timeout: Duration,
        /// Number of segments at the start of the connection that are acknowledged one by one; 16 by default.
        quick_acks: u16,
    },
    /// An ack for every second segment with data, however short, or after a timeout, as in FreeBSD. Without the
    /// part [`Historic`](crate::profile::Profile::Historic) the same as [`Delayed`](Self::Delayed).
    EverySecond {
        /// Longest delay, with the range of [`Delayed`](Self::Delayed).
        timeout: Duration,
    },
    /// The policy of 4.3BSD before Tahoe: an ack when 35 % of the window has been filled, or after 200 ms
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
    /// The default policy.
    pub(super) const STANDARD: Self =
        AckPolicy::Delayed { timeout: Self::TIMEOUT, quick_acks: Self::QUICK_ACKS };

    /// Default delay.
    pub(crate) const TIMEOUT: Duration = Duration::from_millis(40);
    /// Default number of quick acks.
    pub(crate) const QUICK_ACKS: u16 = 16;

    /// The textual forms, as help and error messages list them.
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
    fn the_textual_form_of_each_ack_policy_is_read_back() {
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
    fn other_words_are_refused() {
        for word in ["", "always", "every=1ms", "delayed=", "delayed=40", "delayed=1ms/", "bsd43="]
        {
            assert!(word.parse::<AckPolicy>().is_err(), "{word}");
        }
    }
}
