//! The loss recovery algorithms by name, and one of them chosen at run time without a heap.

use super::choice::RuleSet;
use super::forward::forward_rules;
use super::go_back_n::{GoBackN, TimeoutOnly};
use super::newreno::NewReno;
use super::rack::Rack;
use super::reno::Reno;
use super::rfc6675::Rfc6675;
use super::sack_pipe::{SackPipe, SackPipeGoBackN};
use super::tahoe::{Tahoe, TahoeGoBackN};
use super::*;
use crate::UnknownWord;
use core::str::FromStr;

/// Calls a method of whichever variant of `AnyRules` is in use.
macro_rules! each {
    ([$($rules:ident)+] $self:ident.$method:ident $arguments:tt) => {
        match $self {
            $(AnyRules::$rules(rules) => rules.$method $arguments,)+
        }
    };
}

/// Generates `RecoveryAlgorithm` and `AnyRules` from the list of algorithms.
macro_rules! recoveries {
    ($($(#[$doc:meta])+ $rules:ident,)+ variations: $($(#[$vdoc:meta])+ $varied:ident,)+) => {
        /// Loss recovery algorithm: how losses are detected and repaired. How much may be in flight is up to
        /// congestion control.
        ///
        /// An image may lack some of them ([`Profile::Recovery`](crate::profile::Profile::Recovery)); it then
        /// uses the best that it has.
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
            $($(#[$vdoc])+ $varied,)+
        }

        impl RecoveryAlgorithm {
            /// All loss recovery algorithms. Their [`VARIATIONS`](Self::VARIATIONS) are not among them.
            pub const ALL: &'static [RecoveryAlgorithm] = &[$(RecoveryAlgorithm::$rules),+];

            /// What differs from one of [`ALL`](Self::ALL) in a detail, for experiments. Its name is that
            /// algorithm's with the detail behind a colon.
            pub const VARIATIONS: &'static [RecoveryAlgorithm] = &[$(RecoveryAlgorithm::$varied),+];

            /// Names of all algorithms, in the order of [`ALL`](Self::ALL).
            pub const NAMES: &'static [&'static str] = &[$($rules::NAME),+];

            /// Its name on command lines and in reports.
            pub const fn name(self) -> &'static str {
                match self {
                    $(RecoveryAlgorithm::$rules => $rules::NAME,)+
                    $(RecoveryAlgorithm::$varied => $varied::NAME,)+
                }
            }

            /// Whether it needs a peer that permits SACK. With any other peer
            /// [`NewReno`](RecoveryAlgorithm::NewReno) is used instead.
            pub const fn needs_sack(self) -> bool {
                match self {
                    $(RecoveryAlgorithm::$rules => $rules::NEEDS_SACK,)+
                    $(RecoveryAlgorithm::$varied => $varied::NEEDS_SACK,)+
                }
            }
        }

        /// The rules of whichever algorithm is chosen. Not a `dyn Rules`, whose methods could not be generic
        /// over the flight.
        #[derive(Debug)]
        pub enum AnyRules {
            $($(#[$doc])+ $rules($rules),)+
            $($(#[$vdoc])+ $varied($varied),)+
        }

        impl Rules for AnyRules {
            forward_rules!(each [$($rules)+ $($varied)+]);
        }

        impl RuleSet for AnyRules {
            fn choose(algorithm: RecoveryAlgorithm, sack: bool) -> Self {
                let usable = sack || !algorithm.needs_sack();
                match if usable { algorithm } else { RecoveryAlgorithm::NewReno } {
                    $(RecoveryAlgorithm::$rules => AnyRules::$rules($rules::default()),)+
                    $(RecoveryAlgorithm::$varied => AnyRules::$varied($varied::default()),)+
                }
            }

            fn algorithm(&self) -> RecoveryAlgorithm {
                match self {
                    $(AnyRules::$rules(_) => RecoveryAlgorithm::$rules,)+
                    $(AnyRules::$varied(_) => RecoveryAlgorithm::$varied,)+
                }
            }

            fn uses_sack(&self) -> bool {
                let ignores = match self {
                    $(AnyRules::$varied(rules) => rules.ignores_sack(),)+
                    _ => false,
                };
                self.algorithm().needs_sack() && !ignores
            }
        }
    };
}

recoveries! {
    /// Detects losses by time, and lost tails by a probe (RFC 8985), with proportional rate reduction (RFC
    /// 9937) if congestion control wants it.
    Rack,
    /// Detects losses by SACK, and limits sending by the pipe (RFC 6675).
    Rfc6675,
    /// Retransmits after three duplicate acks, and after each partial ack (RFC 6582).
    NewReno,
    /// SACK with a pipe variable counted in packets (Fall & Floyd 1996), as paper veno's SACK sender.
    SackPipe,
    /// Fast retransmit with an inflated window until the first ack of new data (4.3BSD-Reno).
    Reno,
    /// Fast retransmit of one segment, then on from the old SND.NXT (4.3BSD-Tahoe).
    Tahoe,
    /// Tahoe that goes back to SND.UNA at the third duplicate ack.
    TahoeGoBackN,
    /// No fast retransmit: the retransmission timer repairs every loss (jacobson88 figures 9 to 12).
    TimeoutOnly,
    /// As [`TimeoutOnly`](Self::TimeoutOnly), for the sender before Tahoe, which had no congestion window.
    GoBackN,
    variations:
    /// [`SackPipe`](Self::SackPipe) that ignores SACK blocks in the slow start after a timeout, as the simulator
    /// ns did in 1997.
    SackPipeGoBackN,
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
        let mut known = Self::ALL.iter().chain(Self::VARIATIONS);
        let found = known.find(|algorithm| algorithm.name() == name);
        found.copied().ok_or(UnknownWord::Name { kind: "recovery", names: Self::NAMES })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn every_recovery_is_found_by_its_name() {
        for algorithm in RecoveryAlgorithm::ALL.iter().chain(RecoveryAlgorithm::VARIATIONS) {
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
