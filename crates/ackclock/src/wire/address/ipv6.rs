//! IPv6 addresses, where IPv6 is in use.

use core::net::Ipv6Addr;
use core::ops::Deref;

/// An IPv6 address; without the feature `ipv6` there is none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ipv6Address(Ipv6Addr);

impl Ipv6Address {
    /// Whether there is any.
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
