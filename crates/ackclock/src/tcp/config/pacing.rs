//! Whether transmissions are paced.

use crate::words::words;

/// Whether transmissions are spread over the round trip instead of going out in bursts.
///
/// The rate is the window law's if it has one. For another law it is two windows in a smoothed
/// round-trip time in slow start, where the window doubles meanwhile, and 1.2 windows from then on:
/// somewhat more than the window fills, so that pacing never holds it back. Paced data goes in
/// quanta, of what the rate sends in a millisecond, but at least two segments and at most 64 KiB,
/// unless the law says otherwise.
///
/// As a word: `law`, `always` or `off`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Pacing {
    /// If the law has a rate, as BBR has: without its rate such a law does not work. Other laws are
    /// clocked by acks.
    #[default]
    Law,
    /// Under every law, once there is a round-trip time.
    Always,
    /// Never, whatever the law wants.
    Off,
}

words! {
    Pacing: "law, always or off",
    "law" = Law,
    "always" = Always,
    "off" = Off,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn each_word_is_read_back_and_others_are_refused() {
        for word in ["law", "always", "off"] {
            assert_eq!(word.parse::<Pacing>().unwrap().to_string(), word);
        }
        let error = "on".parse::<Pacing>().unwrap_err();
        assert_eq!(error.to_string(), "use law, always or off");
    }
}
