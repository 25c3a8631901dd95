//! Textual forms of settings, the same on command lines and in scenario files.
//!
//! A setting is parsed by `FromStr` and written by `Display`, next to the type that it names; this module has
//! what those types share.

use core::fmt;

/// A text that is no valid setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum UnknownWord {
    /// No item of this kind has that name.
    Name {
        /// The kind: a congestion control algorithm, a loss recovery.
        kind: &'static str,
        /// The valid names.
        names: &'static [&'static str],
    },
    /// The congestion control algorithm exists, but has no such parameter or does not accept its value.
    Parameter {
        /// The name of the algorithm.
        law: &'static str,
        /// The parameters that it has; empty: none.
        takes: &'static str,
    },
    /// The value is not one of those possible.
    Value {
        /// The possible values.
        wanted: &'static str,
    },
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownWord::Name { kind, names } => {
                write!(f, "unknown {kind}: use ")?;
                for (index, name) in names.iter().enumerate() {
                    write!(f, "{}{name}", if index == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
            UnknownWord::Parameter { law, takes: "" } => write!(f, "{law} takes no such parameter"),
            UnknownWord::Parameter { law, takes } => write!(f, "{law} takes {takes}"),
            UnknownWord::Value { wanted } => write!(f, "use {wanted}"),
        }
    }
}

impl core::error::Error for UnknownWord {}

/// Makes an enum parseable from the words that its values are written as.
macro_rules! words {
    ($setting:ident: $wanted:literal, $($word:literal = $value:ident),+ $(,)?) => {
        impl $setting {
            /// The possible words, for help and error texts.
            pub const WORDS: &'static str = $wanted;
        }

        impl core::fmt::Display for $setting {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(match self { $($setting::$value => $word,)+ })
            }
        }

        impl core::str::FromStr for $setting {
            type Err = $crate::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($word => Ok($setting::$value),)+
                    _ => Err($crate::UnknownWord::Value { wanted: Self::WORDS }),
                }
            }
        }
    };
}
pub(crate) use words;

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn errors_say_what_there_is() {
        let name = UnknownWord::Name { kind: "law", names: &["one", "two"] };
        assert_eq!(name.to_string(), "unknown law: use one, two");
        let value = UnknownWord::Value { wanted: "this or that" };
        assert_eq!(value.to_string(), "use this or that");
        let takes = UnknownWord::Parameter { law: "reno", takes: "growth=RULE" };
        assert_eq!(takes.to_string(), "reno takes growth=RULE");
        let nothing = UnknownWord::Parameter { law: "none", takes: "" };
        assert_eq!(nothing.to_string(), "none takes no such parameter");
    }
}
