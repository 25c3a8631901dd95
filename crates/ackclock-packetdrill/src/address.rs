//! Socket addresses in the kernel's layout.

use crate::sockets::Errno;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

/// Length of `sockaddr_in` in bytes.
const V4_LEN: usize = 16;
/// Least length of `sockaddr_in6` that the kernel takes: without the scope.
const V6_MIN_LEN: usize = 24;

/// Reads a `sockaddr_in` or `sockaddr_in6`.
///
/// # Errors
/// `EINVAL` if it is too short, `EAFNOSUPPORT` if it is of another family.
pub(crate) fn parse(bytes: &[u8]) -> Result<SocketAddr, Errno> {
    let field = |from: usize, len: usize| bytes.get(from..from + len).ok_or(Errno(libc::EINVAL));
    let family = u16::from_ne_bytes(array(field(0, 2)?)?);
    let port = u16::from_be_bytes(array(field(2, 2)?)?);
    match i32::from(family) {
        libc::AF_INET => {
            field(0, V4_LEN)?;
            Ok((Ipv4Addr::from(array(field(4, 4)?)?), port).into())
        }
        libc::AF_INET6 => {
            field(0, V6_MIN_LEN)?;
            Ok((Ipv6Addr::from(array::<16>(field(8, 16)?)?), port).into())
        }
        _ => Err(Errno(libc::EAFNOSUPPORT)),
    }
}

/// Writes it as the kernel would.
pub(crate) fn write(address: SocketAddr) -> Vec<u8> {
    let family = if address.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 } as u16;
    let mut bytes = [family.to_ne_bytes(), address.port().to_be_bytes()].concat();
    match address {
        SocketAddr::V4(address) => {
            bytes.extend(address.ip().octets());
            bytes.extend([0; 8]);
        }
        SocketAddr::V6(address) => {
            bytes.extend(address.flowinfo().to_ne_bytes());
            bytes.extend(address.ip().octets());
            bytes.extend(address.scope_id().to_ne_bytes());
        }
    }
    bytes
}

fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Errno> {
    bytes.try_into().map_err(|_| Errno(libc::EINVAL))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_back() {
        for (text, len) in [("192.168.0.1:8080", 16), ("[2001:db8::1]:80", 28)] {
            let address: SocketAddr = text.parse().expect(text);
            let bytes = write(address);
            assert_eq!((bytes.len(), parse(&bytes)), (len, Ok(address)));
            assert_eq!(parse(&bytes[..len - 5]), Err(Errno(libc::EINVAL)));
        }
    }

    #[test]
    fn other_families_are_refused() {
        let unix = (libc::AF_UNIX as u16).to_ne_bytes();
        assert_eq!(parse(&[unix[0], unix[1], 0, 0]), Err(Errno(libc::EAFNOSUPPORT)));
        assert_eq!(parse(&[]), Err(Errno(libc::EINVAL)));
    }
}
