//! Log messages for developers, through `log` or `defmt`, whichever feature is enabled; both may be.
//!
//! - `debug`: a connection is opened, accepted or over (and why), or a packet is dropped (and why);
//! - `warn`: a limit is hit (`stack::limits` has them), or a neighbour does not answer.
//!
//! Everything logged is counted too. Without either feature nothing is compiled, not even the arguments.

/// Logs a message: `tell!(debug, "packet dropped: {}", error)`; all arguments are `Display`.
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
