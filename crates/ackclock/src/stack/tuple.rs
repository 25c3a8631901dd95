//! What identifies a connection: two addresses and two ports (RFC 9293 section 3.3.1).

use crate::wire::{Address, Segment};
use core::fmt;
use core::net::{Ipv4Addr, SocketAddr};

/// Nobody. All zeros.
pub(super) const NOBODY: Address = Address::V4(Ipv4Addr::UNSPECIFIED);

/// One end of a connection: less memory than a [`SocketAddr`], which has more to say of IPv6.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct End {
    address: Address,
    port: u16,
}

impl End {
    /// Nobody's. All zeros, so that memory with nothing in it is.
    pub(super) const NOBODY: Self = End { address: NOBODY, port: 0 };

    pub(super) const fn new(address: Address, port: u16) -> Self {
        End { address, port }
    }

    pub(super) const fn ip(&self) -> Address {
        self.address
    }

    pub(super) const fn port(&self) -> u16 {
        self.port
    }
}

impl From<SocketAddr> for End {
    fn from(end: SocketAddr) -> Self {
        End::new(end.ip().into(), end.port())
    }
}

impl From<End> for SocketAddr {
    fn from(end: End) -> Self {
        SocketAddr::new(end.ip().into(), end.port())
    }
}

/// The two ends of a connection, both of one address family.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct FourTuple {
    /// Our end.
    pub(super) local: End,
    /// The peer's end.
    pub(super) remote: End,
}

impl FourTuple {
    /// The connection that a received segment belongs to.
    pub(super) fn of(segment: &Segment<'_>) -> Self {
        FourTuple {
            local: End::new(segment.ip.destination, segment.header.destination_port),
            remote: End::new(segment.ip.source, segment.header.source_port),
        }
    }

    /// Whether a received segment belongs to this connection.
    #[inline]
    pub(super) fn is_of(&self, segment: &Segment<'_>) -> bool {
        self.remote.port() == segment.header.source_port
            && self.local.port() == segment.header.destination_port
            && self.remote.ip() == segment.ip.source
            && self.local.ip() == segment.ip.destination
    }

    /// Length of the IP header between these ends, in bytes.
    pub(super) const fn ip_header(&self) -> u8 {
        match self.local.ip() {
            Address::V4(_) => 20,
            #[cfg(feature = "ipv6")]
            Address::V6(_) => 40,
        }
    }

    /// The tuple as bytes, for hashing: no two tuples share a form.
    #[cfg(feature = "ipv6")]
    pub(super) fn with_bytes<R>(&self, use_bytes: impl FnOnce(&[u8]) -> R) -> R {
        let [ours, theirs] = [self.local, self.remote].map(|end| end.port().to_be_bytes());
        match (self.local.ip(), self.remote.ip()) {
            (Address::V4(local), Address::V4(remote)) => {
                let ([a, b, c, d], [e, f]) = (local.octets(), ours);
                let ([g, h, i, j], [k, l]) = (remote.octets(), theirs);
                use_bytes(&[a, b, c, d, e, f, g, h, i, j, k, l])
            }
            (local, remote) => {
                let mut bytes = [0; 36];
                let [local, remote] = [local, remote].map(octets);
                let parts = [&local[..], &ours, &remote, &theirs];
                for (to, from) in bytes.iter_mut().zip(parts.into_iter().flatten()) {
                    *to = *from;
                }
                use_bytes(&bytes)
            }
        }
    }

    /// The same, where both addresses have the same length.
    #[cfg(not(feature = "ipv6"))]
    pub(super) fn with_bytes<R>(&self, use_bytes: impl FnOnce(&[u8]) -> R) -> R {
        let ends = [self.local, self.remote].map(|End { address: Address::V4(ip), port }| {
            let ([a, b, c, d], [high, low]) = (ip.octets(), port.to_be_bytes());
            [a, b, c, d, high, low]
        });
        use_bytes(ends.as_flattened())
    }
}

#[cfg(feature = "ipv6")]
fn octets(address: Address) -> [u8; 16] {
    match address {
        Address::V4(address) => address.to_ipv6_mapped().octets(),
        Address::V6(address) => address.octets(),
    }
}

impl fmt::Display for FourTuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [local, remote] = [self.local, self.remote].map(SocketAddr::from);
        write!(f, "{local} to {remote}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_hold_both_ends_in_order() {
        let end = |text: &str| End::from(text.parse::<SocketAddr>().unwrap());
        let tuple = FourTuple { local: end("10.0.0.1:80"), remote: end("10.0.0.2:258") };
        let expected = [10, 0, 0, 1, 0, 80, 10, 0, 0, 2, 1, 2];
        tuple.with_bytes(|bytes| assert_eq!(bytes, expected));
        let tuple = FourTuple { local: end("[::1]:80"), remote: end("[::2]:258") };
        tuple.with_bytes(|bytes| {
            assert_eq!(bytes.len(), 36);
            assert_eq!(bytes[15..18], [1, 0, 80]);
            assert_eq!(bytes[33..], [2, 1, 2]);
        });
    }
}
