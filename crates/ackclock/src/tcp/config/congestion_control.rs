//! A window law by its word, and the recovery that belongs to it.

use crate::UnknownWord;
use crate::congestion::{BuiltIn, CongestionController};
use crate::tcp::RecoveryAlgorithm;
use core::fmt;
use core::str::FromStr;

/// A window law, and how the sender that had it repaired losses.
///
/// As a word it is the law's: `cubic`, `fixed:20`. `newreno` is law reno with recovery newreno; laws
/// of senders before fast recovery bring their own: `tahoe` recovery tahoe, `none` go-back-n.
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
    /// How much may be in flight.
    pub law: BuiltIn,
    /// Which segment goes next, unless another recovery is asked for; `None`: the law has no wish.
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
        // `newreno` is `reno` with something before it.
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
