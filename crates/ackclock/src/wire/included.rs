//! What of the wire formats a build includes. What it leaves out is neither read nor written.

/// IPv4 packets.
pub(super) const IPV4: bool = cfg!(feature = "ipv4");
/// ICMP and ICMPv6 errors.
pub(super) const ICMP_ERRORS: bool = cfg!(feature = "icmp-errors");
/// The options of selective acknowledgments.
pub(super) const SACK: bool = cfg!(feature = "sack");
/// The timestamps option.
pub(super) const TIMESTAMPS: bool = cfg!(feature = "timestamps");
/// The window scale option.
pub(super) const WINDOW_SCALING: bool = cfg!(feature = "window-scaling");
