//! Every built-in congestion control algorithm, chosen at run time without a heap.

use super::delegation::delegate_all;
use super::parameters::{ParameterList, Parameters};
use super::{CongestionController, HyStart, Reno};
use crate::UnknownWord;
use core::fmt;
use core::str::FromStr;

impl Parameters for super::Bbr {}

/// Calls a method of whichever algorithm is chosen.
macro_rules! call_law {
    ([$($law:ident)+] $self:ident.$method:ident $arguments:tt) => {
        match $self {
            $(BuiltIn::$law(law) => law.$method $arguments,)+
        }
    };
}

/// Generates `BuiltIn` from the list of algorithms.
macro_rules! built_in {
    ($($(#[$doc:meta])+ $law:ident $(<$slow_start:ty>)?,)+) => {
        /// One of the built-in congestion control algorithms, chosen at run time. An image that names an
        /// algorithm's own type instead, as in `Stack<'_, Reno>`, contains no other.
        ///
        /// Its textual form is the algorithm's name, optionally followed by a colon and parameters:
        ///
        /// ```
        /// use ackclock::UnknownWord;
        /// use ackclock::congestion::{BuiltIn, CongestionController};
        ///
        /// let law: BuiltIn = "veno:threshold=3,growth=abc".parse()?;
        /// assert_eq!(law.name(), "veno");
        /// assert_eq!(law.to_string(), "veno:threshold=3,growth=abc");
        /// # Ok::<(), UnknownWord>(())
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[non_exhaustive]
        pub enum BuiltIn {
            $($(#[$doc])+ $law(super::$law $(<$slow_start>)?),)+
        }

        impl BuiltIn {
            /// Names of all algorithms, the default first.
            pub const NAMES: &'static [&'static str] = &[
                $(super::$law::NAME),+
            ];

            /// The algorithm with this name and default parameters; `None` if there is no such algorithm.
            ///
            /// ```
            /// use ackclock::congestion::{BuiltIn, CongestionController};
            ///
            /// assert_eq!(BuiltIn::by_name("tahoe").map(|law| law.name()), Some("tahoe"));
            /// assert_eq!(BuiltIn::by_name("no such law"), None);
            /// ```
            pub fn by_name(name: &str) -> Option<BuiltIn> {
                match name {
                    $(super::$law::NAME => Some(super::$law::default().into()),)+
                    _ => None,
                }
            }

            /// The algorithm with one parameter changed, as in its textual form: `"growth"`, `"lbc"`.
            ///
            /// # Errors
            /// [`UnknownWord::Parameter`] if the algorithm does not have this parameter or does not accept
            /// this value.
            pub fn with_parameter(mut self, name: &str, value: &str) -> Result<Self, UnknownWord> {
                match &mut self {
                    $(BuiltIn::$law(law) => law.set(name, value).ok_or(UnknownWord::Parameter {
                        law: super::$law::NAME,
                        takes: super::$law::TAKES,
                    }),)+
                }
                .map(|()| self)
            }

            fn write_parameters(&self, list: &mut ParameterList<'_, '_>) -> fmt::Result {
                match self {
                    $(BuiltIn::$law(law) => law.write(list),)+
                }
            }
        }

        $(
            impl From<super::$law $(<$slow_start>)?> for BuiltIn {
                fn from(law: super::$law $(<$slow_start>)?) -> Self {
                    BuiltIn::$law(law)
                }
            }
        )+

        impl CongestionController for BuiltIn {
            delegate_all!(call_law [$($law)+]);
        }
    };
}

built_in! {
    /// CUBIC (RFC 9438): a cubic function of the time since the last loss.
    Cubic,
    /// Reno (RFC 5681): additive increase, multiplicative decrease.
    Reno<Option<HyStart>>,
    /// SACK TCP Veno: halves the window for congestion, and reduces it by a fifth for a random loss.
    Veno,
    /// Vegas (Brakmo & Peterson): keeps a few segments in the queue, judged by delay.
    Vegas,
    /// Tahoe (jacobson88 appendix B): slow start after every loss.
    Tahoe,
    /// No congestion window, only the peer's window, as in 4.3BSD before Tahoe.
    NoControl,
    /// A constant window.
    Fixed,
    /// BBR (draft-ietf-ccwg-bbr): a model of the path, learned from delivery rates and round-trip times.
    Bbr,
    /// Prague (draft-briscoe-iccrg-prague-congestion-control): responds to the share of marked bytes, for
    /// L4S.
    Prague,
}

impl BuiltIn {
    /// The default: CUBIC.
    pub const fn new() -> Self {
        BuiltIn::Cubic(super::Cubic::new(super::Growth::STANDARD))
    }
}

impl From<Reno> for BuiltIn {
    fn from(law: Reno) -> Self {
        BuiltIn::Reno(law.into())
    }
}

impl From<Reno<HyStart>> for BuiltIn {
    fn from(law: Reno<HyStart>) -> Self {
        BuiltIn::Reno(law.into())
    }
}

impl Default for BuiltIn {
    fn default() -> Self {
        Self::new()
    }
}

impl FromStr for BuiltIn {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let (name, parameters) = text.split_once(':').unzip();
        let law = BuiltIn::by_name(name.unwrap_or(text))
            .ok_or(UnknownWord::Name { kind: "law", names: BuiltIn::NAMES })?;
        parameters.into_iter().flat_map(|list| list.split(',')).try_fold(law, |law, parameter| {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            law.with_parameter(name, value)
        })
    }
}

impl fmt::Display for BuiltIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        self.write_parameters(&mut ParameterList::new(f))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn laws_are_written_as_they_are_read() {
        for words in [
            "cubic",
            "cubic:growth=rfc3465:8,hystart=off",
            "cubic:growth=delivered,hystart=linux",
            "reno",
            "reno:growth=sabc:1/2,hystart=on",
            "veno:threshold=3,base-rtt=keep,growth=per-ack",
            "vegas:alpha=2,beta=4,gamma=2,growth=lbc",
            "tahoe:growth=floor",
            "none",
            "fixed",
            "fixed:20",
            "fixed:32768B",
            "bbr",
            "prague",
        ] {
            assert_eq!(words.parse::<BuiltIn>().unwrap().to_string(), words);
        }
    }

    #[test]
    fn what_is_the_default_anyway_is_not_written() {
        for (words, shorter) in [
            ("cubic:growth=rfc3465:2,hystart=on", "cubic"),
            ("veno:base-rtt=reset,threshold=1", "veno"),
            ("tahoe:growth=per-ack", "tahoe"),
            ("fixed:64", "fixed"),
            ("fixed:1k", "fixed:1024B"),
        ] {
            assert_eq!(words.parse::<BuiltIn>().unwrap().to_string(), shorter);
        }
    }

    #[test]
    fn an_unknown_law_is_answered_with_those_there_are() {
        let expected = "unknown law: use cubic, reno, veno, vegas, tahoe, none, fixed, bbr, prague";
        for words in ["", "Reno", "westwood", ":growth=abc", "renolike"] {
            let error = words.parse::<BuiltIn>().unwrap_err();
            assert_eq!(
                (error, error.to_string().as_str()),
                (UnknownWord::Name { kind: "law", names: BuiltIn::NAMES }, expected)
            );
        }
    }

    #[test]
    fn a_parameter_that_a_law_does_not_take_is_answered_with_those_it_takes() {
        for (words, answer) in [
            ("reno:threshold=3", "reno takes growth=RULE and hystart=on or off"),
            ("reno:", "reno takes growth=RULE and hystart=on or off"),
            ("reno:growth=much", "reno takes growth=RULE and hystart=on or off"),
            ("reno:hystart", "reno takes growth=RULE and hystart=on or off"),
            ("cubic:hystart=on,", "cubic takes growth=RULE and hystart=on, linux or off"),
            (
                "veno:threshold=256",
                "veno takes threshold=SEGMENTS up to 255, base-rtt=keep or reset, and growth=RULE",
            ),
            (
                "vegas:alpha=x",
                "vegas takes alpha=SEGMENTS, beta=SEGMENTS, gamma=SEGMENTS, each up to 255, and \
                 growth=RULE",
            ),
            ("tahoe:hystart=on", "tahoe takes growth=RULE"),
            ("none:1", "none takes no such parameter"),
            ("bbr:growth=abc", "bbr takes no such parameter"),
            ("prague:growth=abc", "prague takes no such parameter"),
            (
                "fixed:20=1",
                "fixed takes a number of segments, as in fixed:20, or of bytes, as in fixed:32k",
            ),
        ] {
            assert_eq!(words.parse::<BuiltIn>().unwrap_err().to_string(), answer, "{words}");
        }
    }
}
