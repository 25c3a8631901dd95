//! Every built-in law, chosen at run time without a heap.

use super::CongestionController;
use super::forward::forward_controller;

/// Calls a method of whichever law it is.
macro_rules! call_law {
    ([$($law:ident)+] $self:ident.$method:ident $arguments:tt) => {
        match $self {
            $(BuiltIn::$law(law) => law.$method $arguments,)+
        }
    };
}

/// Makes the choice out of the list of laws.
macro_rules! built_in {
    ($($(#[$doc:meta])+ $law:ident,)+) => {
        /// One of the built-in laws.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[non_exhaustive]
        pub enum BuiltIn {
            $($(#[$doc])+ $law(super::$law),)+
        }

        impl BuiltIn {
            /// Names of all laws, the default first.
            pub const NAMES: &'static [&'static str] = &[$(super::$law::NAME),+];

            /// The law of that name with its default parameters; `None` if there is no such law.
            ///
            /// ```
            /// use ackclock::congestion::{BuiltIn, CongestionController};
            ///
            /// assert_eq!(BuiltIn::by_name("tahoe").map(|law| law.name()), Some("tahoe"));
            /// assert_eq!(BuiltIn::by_name("no such law"), None);
            /// ```
            pub fn by_name(name: &str) -> Option<BuiltIn> {
                match name {
                    $(super::$law::NAME => Some(BuiltIn::$law(super::$law::default())),)+
                    _ => None,
                }
            }
        }

        $(
            impl From<super::$law> for BuiltIn {
                fn from(law: super::$law) -> Self {
                    BuiltIn::$law(law)
                }
            }
        )+

        impl CongestionController for BuiltIn {
            forward_controller!(call_law [$($law)+]);
        }
    };
}

built_in! {
    /// RFC 5681 with appropriate byte counting.
    Reno,
    /// RFC 9438: a cubic function of the time since the last loss.
    Cubic,
    /// SACK TCP Veno: halves for congestion, gives up a fifth for a random loss.
    Veno,
    /// jacobson88 appendix B: slow start after every loss.
    Tahoe,
    /// A constant window.
    Fixed,
    /// A sketch of BBR, not for production.
    Bbr,
}

impl Default for BuiltIn {
    /// Reno.
    fn default() -> Self {
        BuiltIn::Reno(super::Reno::default())
    }
}
