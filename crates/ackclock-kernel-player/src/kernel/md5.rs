//! A key of TCP-MD5 (RFC 2385): given to the kernel for the peer, and used to sign the peer's segments, whose digests no
//! script can compute.

use crate::calls::sockaddr;
use ackclock::wire::md5::{is_signed_by, sign_headers};
use ackclock::wire::{SignatureKind, WriteChecksum};
use ackclock_testkit::script::Packet;
use std::net::SocketAddr;

/// Longest key in bytes (TCP_MD5SIG_MAXKEYLEN).
const LONGEST: usize = 80;

/// A key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Md5Key(Vec<u8>);

impl Md5Key {
    /// A key of these bytes; `None` if the kernel has no room for it.
    pub(crate) fn new(bytes: &[u8]) -> Option<Self> {
        (!bytes.is_empty() && bytes.len() <= LONGEST).then(|| Md5Key(bytes.to_vec()))
    }

    /// A key of hexadecimal digits.
    pub(crate) fn of_digits(digits: &str) -> Option<Self> {
        let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
        let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes = pairs.iter().map(byte).collect::<Option<Vec<u8>>>()?;
        rest.is_empty().then(|| Self::new(&bytes))?
    }

    /// The value of the option TCP_MD5SIG (`struct tcp_md5sig`).
    pub(crate) fn option(&self, peer: SocketAddr) -> Vec<u8> {
        let mut value = sockaddr(peer);
        value.resize(size_of::<libc::sockaddr_storage>(), 0);
        value.extend([0, 0]);
        value.extend((self.0.len() as u16).to_ne_bytes());
        value.extend([0; 4]);
        value.extend(&self.0);
        value.resize(size_of::<libc::sockaddr_storage>() + 8 + LONGEST, 0);
        value
    }

    /// Signs a packet of the peer's, if its line says that it is signed.
    pub(crate) fn sign(&self, packet: &Packet, bytes: &mut [u8]) {
        if is_signed(packet) {
            let complete = WriteChecksum::Complete;
            sign_headers(bytes, header(bytes), [&[], &[]], complete, &self.0);
        }
    }

    /// Whether the kernel has signed its packet rightly, if it has.
    pub(crate) fn has_signed(&self, packet: &Packet, bytes: &[u8]) -> bool {
        !is_signed(packet) || is_signed_by(bytes, &self.0)
    }
}

fn is_signed(packet: &Packet) -> bool {
    packet.options.and_then(|options| options.signature) == Some(SignatureKind::Md5)
}

/// Bytes before the header of TCP.
fn header(packet: &[u8]) -> usize {
    if packet[0] >> 4 == 4 { 20 } else { 40 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_what_the_kernel_has_room_for() {
        let key = Md5Key::of_digits("000a").expect("a key");
        let option = key.option(([10, 0, 0, 2], 6000).into());
        assert_eq!((option.len(), &option[128..138]), (216, &[0, 0, 2, 0, 0, 0, 0, 0, 0, 10][..]));
        assert!(
            [Md5Key::of_digits("0"), Md5Key::of_digits("xx"), Md5Key::new(&[1; 81])]
                .iter()
                .all(Option::is_none)
        );
    }
}
