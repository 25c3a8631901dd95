//! The value of the user timeout option (RFC 5482 section 3.3).

use crate::time::Duration;
use core::num::NonZeroU16;

/// A user timeout as encoded in the option: whole seconds up to 32,767, or whole minutes up to 32,767 (22
/// days). It is never zero, which is reserved (section 3.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UserTimeout(NonZeroU16);

/// The granularity bit G: minutes.
const MINUTES: u16 = 1 << 15;
/// Largest number in either unit.
const LONGEST: u16 = MINUTES - 1;
const SECONDS_IN_A_MINUTE: u64 = 60;

impl UserTimeout {
    /// Length of the option, in bytes.
    pub(crate) const OPTION_LEN: u32 = 4;

    /// The shortest time of at least `timeout` that the option can encode: from one second to 32,767 minutes,
    /// which also stand for anything longer.
    pub fn new(timeout: Duration) -> Self {
        let seconds = timeout.as_millis().div_ceil(1_000).max(1);
        let word = if seconds <= LONGEST.into() {
            seconds as u16
        } else {
            let minutes = seconds.div_ceil(SECONDS_IN_A_MINUTE).min(LONGEST.into());
            MINUTES | minutes as u16
        };
        UserTimeout(NonZeroU16::new(word).unwrap_or(NonZeroU16::MIN))
    }

    /// Decodes the option's two bytes; `None` for the reserved values, which are ignored.
    pub(super) fn from_word(word: u16) -> Option<Self> {
        NonZeroU16::new(word).filter(|word| word.get() != MINUTES).map(UserTimeout)
    }

    /// The option's two bytes.
    pub(super) fn word(self) -> u16 {
        self.0.get()
    }

    /// The option with this kind.
    pub(super) fn option(self, kind: u8) -> [u8; 4] {
        let [high, low] = self.word().to_be_bytes();
        [kind, Self::OPTION_LEN as u8, high, low]
    }

    /// The time as a duration.
    pub fn duration(self) -> Duration {
        let word = self.word();
        let number = u64::from(word & LONGEST);
        let unit = if word & MINUTES > 0 { SECONDS_IN_A_MINUTE } else { 1 };
        Duration::from_secs(number * unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_rounded_up_to_what_can_be_said() {
        let said =
            |timeout| (UserTimeout::new(timeout).word(), UserTimeout::new(timeout).duration());
        let seconds = Duration::from_secs;
        assert_eq!(said(Duration::ZERO), (1, seconds(1)));
        assert_eq!(said(Duration::from_millis(99_001)), (100, seconds(100)));
        assert_eq!(said(seconds(32_767)), (32_767, seconds(32_767)));
        assert_eq!(said(seconds(32_768)), (0x8000 | 547, seconds(547 * 60)));
        assert_eq!(said(Duration::MAX), (0xffff, seconds(32_767 * 60)));
    }

    /// Section 3.4.
    #[test]
    fn zero_says_nothing_in_either_unit() {
        assert_eq!((UserTimeout::from_word(0), UserTimeout::from_word(0x8000)), (None, None));
        for word in [1, 0x7fff, 0x8001, 0xffff] {
            assert_eq!(UserTimeout::from_word(word).map(UserTimeout::word), Some(word));
        }
    }
}
