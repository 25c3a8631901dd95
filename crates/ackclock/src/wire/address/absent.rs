//! IPv6 addresses, where IPv6 is left out: a type without values.

use core::convert::Infallible;
use core::net::Ipv6Addr;
use core::ops::Deref;

/// An IPv6 address; without the feature `ipv6` there is none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ipv6Address(Infallible);

impl Ipv6Address {
    /// Whether there is any.
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
