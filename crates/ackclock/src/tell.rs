//! Telling a developer what happens, through `log` or `defmt`, whichever feature is on; both may be.
//!
//! - `debug`: a connection is opened, accepted or over (and why), or a packet is dropped (and why);
//! - `warn`: a limit is hit (`stack::limits` has them), or a neighbour does not answer.
//!
//! What is told is counted too. With neither feature nothing is compiled, the values included.

/// `tell!(debug, "packet dropped: {}", error)`: everything told is `Display`.
macro_rules! tell {
    ($level:ident, $text:literal $(, $value:expr)* $(,)?) => {{
        #[cfg(feature = "log")]
        log::$level!(target: "ackclock", $text $(, $value)*);
        #[cfg(feature = "defmt")]
        defmt::$level!($text $(, defmt::Display2Format(&$value))*);
        #[cfg(not(any(feature = "log", feature = "defmt")))]
        let _ = || {
            $(let _ = &$value;)*
        };
    }};
}
