//! The formats that an image reads and writes besides what every TCP has.

/// What an image reads and writes. What it leaves out is skipped where it is read, and never written.
pub(crate) trait Formats {
    /// ICMP and ICMPv6 errors.
    const ICMP_ERRORS: bool;
    /// The options of selective acknowledgments.
    const SACK: bool;
    /// The timestamps option.
    const TIMESTAMPS: bool;
    /// The window scale option.
    const WINDOW_SCALING: bool;
}

/// All of them: what the public functions of this module read and write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AllFormats;

impl Formats for AllFormats {
    const ICMP_ERRORS: bool = true;
    const SACK: bool = true;
    const TIMESTAMPS: bool = true;
    const WINDOW_SCALING: bool = true;
}
