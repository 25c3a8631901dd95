//! Every recovery, chosen at run time without a heap.

use super::*;
use core::fmt;
use core::str::FromStr;

/// Makes the choice out of the list of recoveries.
macro_rules! recoveries {
    ($($(#[$doc:meta])+ $rules:ident [$($feature:literal)?],)+) => {
        /// Which segment goes next: how losses are found and repaired. How much may be in flight
        /// is the window law's business. Each has a feature of its own but `NewReno`.
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
            $($(#[$doc])+ $(#[cfg(feature = $feature)])? $rules,)+
        }

        impl RecoveryAlgorithm {
            /// Every recovery.
            pub const ALL: &'static [RecoveryAlgorithm] = &[
                $($(#[cfg(feature = $feature)])? RecoveryAlgorithm::$rules),+
            ];

            /// Names of all recoveries, in the order of [`ALL`](Self::ALL).
            pub const NAMES: &'static [&'static str] = &[$($(#[cfg(feature = $feature)])? $rules::NAME),+];

            /// Its name as it stands on command lines and in reports.
            pub const fn name(self) -> &'static str {
                match self {
                    $($(#[cfg(feature = $feature)])? RecoveryAlgorithm::$rules => $rules::NAME,)+
                }
            }

            /// Whether it keeps a scoreboard, and so needs a peer that permits SACK. With another
            /// one [`NewReno`](RecoveryAlgorithm::NewReno) takes its place.
            pub const fn needs_sack(self) -> bool {
                match self {
                    $($(#[cfg(feature = $feature)])? RecoveryAlgorithm::$rules => $rules::NEEDS_SACK,)+
                }
            }

            /// Its rules, with nothing in flight.
            pub(super) fn rules(self) -> AnyRules {
                match self {
                    $($(#[cfg(feature = $feature)])? RecoveryAlgorithm::$rules => AnyRules::$rules($rules::default()),)+
                }
            }
        }

        /// The rules of whichever recovery it is. Not a `dyn Rules`: of the few that an image has nobody
        /// may have a timer of its own or a window of its own, and then all that serves them is left out.
        #[derive(Debug)]
        pub(super) enum AnyRules {
            $($(#[cfg(feature = $feature)])? $rules($rules),)+
        }

        impl AnyRules {
            pub(super) fn algorithm(&self) -> RecoveryAlgorithm {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(_) => RecoveryAlgorithm::$rules,)+
                }
            }
        }

        impl Rules for AnyRules {
            fn on_ack<P: Profile>(&mut self, episode: &mut Episode, flight: &mut Flight<'_, P>, ack: &AckFacts) -> Outcome {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(rules) => rules.on_ack(episode, flight, ack),)+
                }
            }

            fn on_timeout<P: Profile>(&mut self, episode: &Episode, flight: &mut Flight<'_, P>, now: Instant, rtt: &MeasuredRtt) {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(rules) => rules.on_timeout(episode, flight, now, rtt),)+
                }
            }

            fn may_undo(&self) -> bool {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(rules) => rules.may_undo(),)+
                }
            }

            fn forget(&mut self) {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(rules) => rules.forget(),)+
                }
            }

            fn on_reordering(&mut self) {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(rules) => rules.on_reordering(),)+
                }
            }

            fn pipe<P: Profile>(&self, episode: &Episode, flight: &Flight<'_, P>) -> u32 {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(rules) => rules.pipe(episode, flight),)+
                }
            }

            fn window(&self, episode: &Episode, window: u32) -> u32 {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(rules) => rules.window(episode, window),)+
                }
            }

            fn regulate<P: Profile>(&mut self, episode: &Episode, flight: &Flight<'_, P>, outcome: &Outcome, limits: &Limits) {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(rules) => rules.regulate(episode, flight, outcome, limits),)+
                }
            }

            fn next_retransmission<P: Profile>(&self, episode: &Episode, flight: &mut Flight<'_, P>, allowance: u32) -> Option<SeqRange> {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(rules) => rules.next_retransmission(episode, flight, allowance),)+
                }
            }

            fn next_speculation<P: Profile>(&self, episode: &Episode, flight: &Flight<'_, P>) -> Option<SeqRange> {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(rules) => rules.next_speculation(episode, flight),)+
                }
            }

            fn on_sent<P: Profile>(&mut self, episode: &Episode, flight: &Flight<'_, P>, range: SeqRange, new: bool) {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(rules) => rules.on_sent(episode, flight, range, new),)+
                }
            }

            fn is_plain(&self) -> bool {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(rules) => rules.is_plain(),)+
                }
            }

            #[cfg_attr(feature = "fast-path", inline(always))]
            fn take_run(&mut self, now: u64, una: SeqNumber, run: &Run) -> bool {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(rules) => rules.take_run(now, una, run),)+
                }
            }

            fn early_timer(&self) -> (EarlyTimer, Instant) {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(rules) => rules.early_timer(),)+
                }
            }

            fn on_reordering_timeout<P: Profile>(&mut self, episode: &mut Episode, flight: &mut Flight<'_, P>, now_and_nxt: (Instant, SeqNumber), rtt: &MeasuredRtt) -> Outcome {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(rules) => rules.on_reordering_timeout(episode, flight, now_and_nxt, rtt),)+
                }
            }

            #[cfg_attr(feature = "fast-path", inline(always))]
            fn schedule_probe<P: Profile>(&mut self, episode: &Episode, flight: &Flight<'_, P>, facts: &ProbeFacts) {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(rules) => rules.schedule_probe(episode, flight, facts),)+
                }
            }

            fn cancel_early_timer(&mut self) {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(rules) => rules.cancel_early_timer(),)+
                }
            }

            fn on_probe_sent(&mut self, nxt: SeqNumber, range: SeqRange, new: bool) {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(rules) => rules.on_probe_sent(nxt, range, new),)+
                }
            }

            fn superfluous(&self) -> u32 {
                match self {
                    $($(#[cfg(feature = $feature)])? AnyRules::$rules(rules) => rules.superfluous(),)+
                }
            }
        }
    };
}

recoveries! {
    /// Time says what is lost, and a probe finds lost tails (RFC 8985); proportional rate reduction
    /// (RFC 9937) for laws that want it.
    Rack ["recovery-rack"],
    /// SACK says what is lost, the pipe what may be sent (RFC 6675).
    Rfc6675 ["recovery-rfc6675"],
    /// Three duplicate acks, then a retransmission for each partial ack (RFC 6582).
    NewReno [],
    /// A pipe variable counted by packets (Fall & Floyd 1996), the SACK sender of paper veno.
    SackPipe ["recovery-sack-pipe"],
    /// Fast retransmit with an inflated window until the first ack of new data (4.3BSD-Reno).
    Reno ["recovery-reno"],
    /// Fast retransmit of one segment, then on from the old SND.NXT (4.3BSD-Tahoe).
    Tahoe ["recovery-tahoe"],
    /// Tahoe that goes back to SND.UNA at the third duplicate ack.
    TahoeGoBackN ["recovery-tahoe"],
    /// No fast retransmit: the timer repairs every loss (jacobson88 figures 9 to 12).
    TimeoutOnly ["recovery-go-back-n"],
    /// The same in the sender before Tahoe, which had no window law either.
    GoBackN ["recovery-go-back-n"],
}

impl RecoveryAlgorithm {
    /// The default.
    pub(crate) const STANDARD: Self = match Self::ALL {
        [first, ..] => *first,
        [] => RecoveryAlgorithm::NewReno,
    };
}

impl Default for RecoveryAlgorithm {
    /// RACK-TLP; RFC 6675 if that was left out, and NewReno if both were.
    fn default() -> Self {
        Self::STANDARD
    }
}

/// A name that is no recovery's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownRecovery;

impl fmt::Display for UnknownRecovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("recovery must be one of ")?;
        for (index, name) in RecoveryAlgorithm::NAMES.iter().enumerate() {
            write!(f, "{}{name}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownRecovery {}

impl FromStr for RecoveryAlgorithm {
    type Err = UnknownRecovery;

    fn from_str(name: &str) -> Result<Self, UnknownRecovery> {
        let found = Self::ALL.iter().find(|algorithm| algorithm.name() == name);
        found.copied().ok_or(UnknownRecovery)
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn every_recovery_is_found_by_its_name() {
        for algorithm in RecoveryAlgorithm::ALL {
            assert_eq!(algorithm.name().parse(), Ok(*algorithm));
            assert_eq!(algorithm.rules().algorithm(), *algorithm);
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_those_that_are_known() {
        let error = "nothing".parse::<RecoveryAlgorithm>().map_err(|error| error.to_string());
        let names = RecoveryAlgorithm::NAMES.join(", ");
        assert_eq!(error, Err(std::format!("recovery must be one of {names}")));
    }
}
