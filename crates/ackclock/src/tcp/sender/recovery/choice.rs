//! The loss recovery algorithms of an image, as types: the values of
//! [`Profile::Recovery`](crate::profile::Profile::Recovery).

use super::forward::forward_rules;
use super::*;
use crate::profile::{Absent, Part, Present};

/// The loss recovery algorithms that an image has; one of the types beside this trait.
pub trait RecoveryChoice: Copy + Eq + Debug + Default + Send + Sync + 'static {
    /// The rules of one of these algorithms, chosen at run time.
    #[expect(private_bounds, reason = "what rules do is the affair of this crate alone")]
    type Rules: RuleSet;
    /// Whether one of them uses the times at which segments were sent.
    type ByTime: Part;
}

/// All loss recovery algorithms.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct All;

/// NewReno alone (RFC 6582).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NewReno;

/// RFC 6675, and NewReno for peers without SACK.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rfc6675;

/// RACK-TLP (RFC 8985), and NewReno for peers without SACK.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rack;

impl RecoveryChoice for All {
    type Rules = AnyRules;
    type ByTime = Present;
}

impl RecoveryChoice for NewReno {
    type Rules = newreno::NewReno;
    type ByTime = Absent;
}

impl RecoveryChoice for Rfc6675 {
    type Rules = OrNewReno<rfc6675::Rfc6675>;
    type ByTime = Absent;
}

impl RecoveryChoice for Rack {
    type Rules = OrNewReno<rack::Rack>;
    type ByTime = Present;
}

/// The rules of one of an image's loss recovery algorithms.
pub(super) trait RuleSet: Rules + Debug {
    /// The rules of `algorithm`, or of the best one that the image has instead. `sack`: whether the peer
    /// permits SACK; if not, the algorithm is one that does not need it.
    fn choose(algorithm: RecoveryAlgorithm, sack: bool) -> Self;

    /// The algorithm whose rules these are.
    fn algorithm(&self) -> RecoveryAlgorithm;

    /// Whether losses are detected by SACK, for now.
    fn uses_sack(&self) -> bool {
        self.algorithm().needs_sack()
    }
}

impl RuleSet for newreno::NewReno {
    fn choose(_algorithm: RecoveryAlgorithm, _sack: bool) -> Self {
        Self::default()
    }

    fn algorithm(&self) -> RecoveryAlgorithm {
        RecoveryAlgorithm::NewReno
    }
}

/// The rules of an algorithm that needs SACK.
pub(super) trait NeedsSack: Rules + Debug + Default {
    /// The algorithm.
    const ALGORITHM: RecoveryAlgorithm;
}

impl NeedsSack for rfc6675::Rfc6675 {
    const ALGORITHM: RecoveryAlgorithm = RecoveryAlgorithm::Rfc6675;
}

impl NeedsSack for rack::Rack {
    const ALGORITHM: RecoveryAlgorithm = RecoveryAlgorithm::Rack;
}

/// The rules of an algorithm that needs SACK, or else NewReno's.
#[derive(Debug)]
pub enum OrNewReno<R> {
    /// With a peer that permits SACK.
    WithSack(R),
    /// With any other peer, or if NewReno was asked for.
    NewReno(newreno::NewReno),
}

/// Calls a method of whichever variant of `OrNewReno` it is.
macro_rules! either {
    (() $self:ident.$method:ident $arguments:tt) => {
        match $self {
            OrNewReno::WithSack(rules) => rules.$method $arguments,
            OrNewReno::NewReno(rules) => rules.$method $arguments,
        }
    };
}

impl<R: NeedsSack> Rules for OrNewReno<R> {
    forward_rules!(either());
}

impl<R: NeedsSack> RuleSet for OrNewReno<R> {
    fn choose(algorithm: RecoveryAlgorithm, sack: bool) -> Self {
        if sack && algorithm != RecoveryAlgorithm::NewReno {
            OrNewReno::WithSack(R::default())
        } else {
            OrNewReno::NewReno(newreno::NewReno::default())
        }
    }

    fn algorithm(&self) -> RecoveryAlgorithm {
        match self {
            OrNewReno::WithSack(_) => R::ALGORITHM,
            OrNewReno::NewReno(_) => RecoveryAlgorithm::NewReno,
        }
    }

    fn uses_sack(&self) -> bool {
        matches!(self, OrNewReno::WithSack(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which recovery an image uses when `asked` is asked for.
    fn used<R: RecoveryChoice>(asked: RecoveryAlgorithm, sack: bool) -> RecoveryAlgorithm {
        R::Rules::choose(asked, sack).algorithm()
    }

    #[test]
    fn an_image_with_all_recoveries_uses_the_one_that_is_asked_for_unless_it_needs_sack() {
        for asked in RecoveryAlgorithm::ALL.iter().copied() {
            assert_eq!(used::<All>(asked, true), asked);
            let alone = if asked.needs_sack() { RecoveryAlgorithm::NewReno } else { asked };
            assert_eq!(used::<All>(asked, false), alone);
        }
    }

    #[test]
    fn what_an_image_lacks_is_done_by_the_best_that_it_has() {
        use RecoveryAlgorithm::NewReno as Fallback;
        for asked in RecoveryAlgorithm::ALL.iter().copied() {
            let expected = |best| if asked == Fallback { Fallback } else { best };
            assert_eq!(used::<Rack>(asked, true), expected(RecoveryAlgorithm::Rack));
            assert_eq!(used::<Rfc6675>(asked, true), expected(RecoveryAlgorithm::Rfc6675));
            assert_eq!(used::<NewReno>(asked, true), Fallback);
            let without_sack = [
                used::<Rack>(asked, false),
                used::<Rfc6675>(asked, false),
                used::<NewReno>(asked, false),
            ];
            assert_eq!(without_sack, [Fallback; 3]);
        }
    }
}
