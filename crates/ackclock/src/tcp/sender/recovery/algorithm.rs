//! The recoveries by name, and one of any kind chosen at run time without a heap.

use super::choice::RuleSet;
use super::forward::forward_rules;
use super::go_back_n::{GoBackN, TimeoutOnly};
use super::newreno::NewReno;
use super::rack::Rack;
use super::reno::Reno;
use super::rfc6675::Rfc6675;
use super::sack_pipe::SackPipe;
use super::tahoe::{Tahoe, TahoeGoBackN};
use super::*;
use crate::UnknownWord;
use core::str::FromStr;

/// Calls a method of whichever rules it is.
macro_rules! each {
    ([$($rules:ident)+] $self:ident.$method:ident $arguments:tt) => {
        match $self {
            $(AnyRules::$rules(rules) => rules.$method $arguments,)+
        }
    };
}

/// Makes the choice out of the list of recoveries.
macro_rules! recoveries {
    ($($(#[$doc:meta])+ $rules:ident,)+) => {
        /// Which segment goes next: how losses are found and repaired. How much may be in flight
        /// is the window law's business.
        ///
        /// An image may lack some of them ([`Profile::Recovery`](crate::profile::Profile::Recovery)); in
        /// place of those it uses the best that it has.
        ///
        /// ```
        /// use ackclock::tcp::RecoveryAlgorithm;
        ///
        /// assert_eq!("newreno".parse(), Ok(RecoveryAlgorithm::NewReno));
        /// assert_eq!(RecoveryAlgorithm::NewReno.name(), "newreno");
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[non_exhaustive]
        pub enum RecoveryAlgorithm {
            $($(#[$doc])+ $rules,)+
        }

        impl RecoveryAlgorithm {
            /// Every recovery.
            pub const ALL: &'static [RecoveryAlgorithm] = &[$(RecoveryAlgorithm::$rules),+];

            /// Names of all recoveries, in the order of [`ALL`](Self::ALL).
            pub const NAMES: &'static [&'static str] = &[$($rules::NAME),+];

            /// Its name as it stands on command lines and in reports.
            pub const fn name(self) -> &'static str {
                match self {
                    $(RecoveryAlgorithm::$rules => $rules::NAME,)+
                }
            }

            /// Whether it keeps a scoreboard, and so needs a peer that permits SACK. With another
            /// one [`NewReno`](RecoveryAlgorithm::NewReno) takes its place.
            pub const fn needs_sack(self) -> bool {
                match self {
                    $(RecoveryAlgorithm::$rules => $rules::NEEDS_SACK,)+
                }
            }
        }

        /// The rules of whichever recovery it is. Not a `dyn Rules`, which could not have methods that
        /// are generic over the flight.
        #[derive(Debug)]
        pub enum AnyRules {
            $($(#[$doc])+ $rules($rules),)+
        }

        impl Rules for AnyRules {
            forward_rules!(each [$($rules)+]);
        }

        impl RuleSet for AnyRules {
            fn choose(algorithm: RecoveryAlgorithm, sack: bool) -> Self {
                let usable = sack || !algorithm.needs_sack();
                match if usable { algorithm } else { RecoveryAlgorithm::NewReno } {
                    $(RecoveryAlgorithm::$rules => AnyRules::$rules($rules::default()),)+
                }
            }

            fn algorithm(&self) -> RecoveryAlgorithm {
                match self {
                    $(AnyRules::$rules(_) => RecoveryAlgorithm::$rules,)+
                }
            }
        }
    };
}

recoveries! {
    /// Time says what is lost, and a probe finds lost tails (RFC 8985); proportional rate reduction
    /// (RFC 9937) for laws that want it.
    Rack,
    /// SACK says what is lost, the pipe what may be sent (RFC 6675).
    Rfc6675,
    /// Three duplicate acks, then a retransmission for each partial ack (RFC 6582).
    NewReno,
    /// A pipe variable counted by packets (Fall & Floyd 1996), the SACK sender of paper veno.
    SackPipe,
    /// Fast retransmit with an inflated window until the first ack of new data (4.3BSD-Reno).
    Reno,
    /// Fast retransmit of one segment, then on from the old SND.NXT (4.3BSD-Tahoe).
    Tahoe,
    /// Tahoe that goes back to SND.UNA at the third duplicate ack.
    TahoeGoBackN,
    /// No fast retransmit: the timer repairs every loss (jacobson88 figures 9 to 12).
    TimeoutOnly,
    /// The same in the sender before Tahoe, which had no window law either.
    GoBackN,
}

impl RecoveryAlgorithm {
    /// The default: RACK-TLP.
    pub(crate) const STANDARD: Self = RecoveryAlgorithm::Rack;
}

impl Default for RecoveryAlgorithm {
    /// RACK-TLP.
    fn default() -> Self {
        Self::STANDARD
    }
}

impl FromStr for RecoveryAlgorithm {
    type Err = UnknownWord;

    fn from_str(name: &str) -> Result<Self, UnknownWord> {
        let found = Self::ALL.iter().find(|algorithm| algorithm.name() == name);
        found.copied().ok_or(UnknownWord::Name { kind: "recovery", names: Self::NAMES })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn every_recovery_is_found_by_its_name() {
        for algorithm in RecoveryAlgorithm::ALL {
            assert_eq!(algorithm.name().parse(), Ok(*algorithm));
            assert_eq!(AnyRules::choose(*algorithm, true).algorithm(), *algorithm);
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_those_that_are_known() {
        let error = "nothing".parse::<RecoveryAlgorithm>().map_err(|error| error.to_string());
        let names = RecoveryAlgorithm::NAMES.join(", ");
        assert_eq!(error, Err(std::format!("unknown recovery: use {names}")));
    }
}
