//! Settings that are chosen by a word, the same on command lines and in scenario files.

use core::fmt;

/// A word that names no value of a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownWord {
    /// What may stand there.
    pub(super) wanted: &'static str,
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "use {}", self.wanted)
    }
}

impl core::error::Error for UnknownWord {}

/// Makes an enum readable from the words that its values are written as.
macro_rules! words {
    ($setting:ident: $wanted:literal, $($word:literal = $value:ident),+ $(,)?) => {
        impl $setting {
            /// The words there are, as help and errors tell them.
            pub const WORDS: &'static str = $wanted;
        }

        impl core::fmt::Display for $setting {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(match self { $($setting::$value => $word,)+ })
            }
        }

        impl core::str::FromStr for $setting {
            type Err = $crate::tcp::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($word => Ok($setting::$value),)+
                    _ => Err($crate::tcp::UnknownWord { wanted: Self::WORDS }),
                }
            }
        }
    };
}
pub(super) use words;
