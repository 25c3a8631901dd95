//! The type of IPv6 addresses in a build without IPv6: it has no values.

use core::convert::Infallible;
use core::net::Ipv6Addr;
use core::ops::Deref;

/// An IPv6 address; it has no values without the feature `ipv6`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ipv6Address(Infallible);

impl Ipv6Address {
    /// Whether the build has IPv6.
    pub(crate) const EXISTS: bool = false;

    /// The address; `None` without the feature `ipv6`.
    #[inline]
    pub const fn new(_: Ipv6Addr) -> Option<Self> {
        None
    }
}

impl Deref for Ipv6Address {
    type Target = Ipv6Addr;

    #[inline]
    fn deref(&self) -> &Ipv6Addr {
        match self.0 {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_address_is_one_and_none_takes_room() {
        for address in [Ipv6Addr::UNSPECIFIED, Ipv6Addr::LOCALHOST] {
            assert_eq!(Ipv6Address::new(address), None);
        }
        assert_eq!((Ipv6Address::EXISTS, size_of::<Option<Ipv6Address>>()), (false, 0));
    }
}
