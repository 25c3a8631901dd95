//! The type of IPv6 addresses in a build with IPv6.

use core::net::Ipv6Addr;
use core::ops::Deref;

/// An IPv6 address; it has no values without the feature `ipv6`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ipv6Address(Ipv6Addr);

impl Ipv6Address {
    /// Whether the build has IPv6.
    pub(crate) const EXISTS: bool = true;

    /// The address; `None` without the feature `ipv6`.
    #[inline]
    pub const fn new(address: Ipv6Addr) -> Option<Self> {
        Some(Ipv6Address(address))
    }
}

impl Deref for Ipv6Address {
    type Target = Ipv6Addr;

    #[inline]
    fn deref(&self) -> &Ipv6Addr {
        &self.0
    }
}
