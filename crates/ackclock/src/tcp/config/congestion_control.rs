//! Congestion control as a setting: an algorithm with the loss recovery that it is used with.

use crate::UnknownWord;
use crate::congestion::{BuiltIn, CongestionController};
use crate::tcp::RecoveryAlgorithm;
use core::fmt;
use core::str::FromStr;

/// Congestion control algorithm (*law*), and a loss recovery algorithm if one belongs to it.
///
/// The textual form is that of the law, such as `cubic` or `fixed:20`. The word `newreno` is the law `reno`
/// with the recovery `newreno`. The laws from before fast recovery come with their own recovery: `tahoe` with
/// `tahoe`, `none` with `go-back-n`.
///
/// ```
/// use ackclock::congestion::CongestionController;
/// use ackclock::tcp::{CongestionControl, RecoveryAlgorithm};
///
/// let newreno: CongestionControl = "newreno".parse()?;
/// assert_eq!(newreno.law.name(), "reno");
/// assert_eq!(newreno.recovery, Some(RecoveryAlgorithm::NewReno));
/// assert_eq!("reno".parse::<CongestionControl>()?.recovery, None);
/// # Ok::<(), ackclock::UnknownWord>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct CongestionControl {
    /// Congestion control: how much may be in flight.
    pub law: BuiltIn,
    /// Loss recovery, unless another one is configured; `None`: the law works with any.
    pub recovery: Option<RecoveryAlgorithm>,
}

impl From<BuiltIn> for CongestionControl {
    fn from(law: BuiltIn) -> Self {
        let recovery = match law.name() {
            "tahoe" => "tahoe".parse().ok(),
            "none" => "go-back-n".parse().ok(),
            _ => None,
        };
        CongestionControl { law, recovery }
    }
}

impl FromStr for CongestionControl {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        // `newreno` may have the parameters of `reno`, such as `newreno:growth=abc`.
        let reno = text.strip_prefix("new").and_then(|law| law.parse().ok());
        if let Some(law) = reno.filter(is_reno) {
            return Ok(CongestionControl { law, recovery: Some(RecoveryAlgorithm::NewReno) });
        }
        text.parse().map(BuiltIn::into)
    }
}

impl fmt::Display for CongestionControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_newreno = self.recovery == Some(RecoveryAlgorithm::NewReno) && is_reno(&self.law);
        write!(f, "{}{}", if is_newreno { "new" } else { "" }, self.law)
    }
}

fn is_reno(law: &BuiltIn) -> bool {
    law.name() == "reno"
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn newreno_is_reno_with_the_recovery_newreno() {
        let newreno: CongestionControl = "newreno".parse().unwrap();
        assert_eq!(newreno.law.name(), "reno");
        assert_eq!(newreno.recovery, Some(RecoveryAlgorithm::NewReno));
        assert_eq!(newreno.to_string(), "newreno");
    }

    #[test]
    fn laws_before_fast_recovery_bring_their_own_and_others_none() {
        let recovery = |word: &str| word.parse::<CongestionControl>().map(|cc| cc.recovery);
        assert_eq!(recovery("tahoe"), Ok(Some(RecoveryAlgorithm::Tahoe)));
        assert_eq!(recovery("none"), Ok(Some(RecoveryAlgorithm::GoBackN)));
        for word in ["reno", "cubic", "veno", "fixed:20"] {
            assert_eq!(recovery(word), Ok(None), "{word}");
        }
    }

    #[test]
    fn every_law_is_read_back() {
        let more = ["newreno:growth=abc", "veno:threshold=3", "fixed:20"];
        for name in BuiltIn::NAMES.iter().chain(&more) {
            assert_eq!(name.parse::<CongestionControl>().unwrap().to_string(), *name);
        }
    }

    #[test]
    fn other_words_are_refused() {
        for word in ["", "new", "newcubic", "newnewreno", "vogon", "fixed:many"] {
            assert!(word.parse::<CongestionControl>().is_err(), "{word}");
        }
    }
}
