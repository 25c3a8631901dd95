//! Keys that sign segments, written as `[PEERS=]KEY`, of TCP-AO with numbers before the key.

use crate::failure::Failure;
use ackclock::congestion::CongestionController;
use ackclock::stack::{Cidr, KeyScope, Stack};
use ackclock::time::Instant;
use ackclock::wire::ao::AoKey;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;

/// Everybody.
const ALL: [Cidr; 2] = [
    Cidr { address: IpAddr::V4(Ipv4Addr::UNSPECIFIED), prefix: 0 },
    Cidr { address: IpAddr::V6(Ipv6Addr::UNSPECIFIED), prefix: 0 },
];

/// A key, how it signs, and with whom it is shared.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SignatureKey {
    /// `None`: all peers.
    peers: Option<Cidr>,
    scheme: Scheme,
    key: Secret,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scheme {
    Md5,
    /// By TCP-AO; of this the key is left empty.
    Ao(AoKey<'static>),
}

impl Scheme {
    const fn option(self) -> &'static str {
        match self {
            Scheme::Md5 => "--md5-key",
            Scheme::Ao(_) => "--ao-key",
        }
    }
}

#[derive(Clone, PartialEq, Eq)]
enum Secret {
    Bytes(Vec<u8>),
    /// Its first line.
    In(PathBuf),
}

impl SignatureKey {
    /// Reads `[PEERS=]KEY`, a key of MD5.
    pub(crate) fn md5(text: &str) -> Result<Self, String> {
        let (peers, key) = split_peers(text);
        Ok(SignatureKey { peers, scheme: Scheme::Md5, key: Secret::read(key)? })
    }

    /// Reads `[PEERS=]` and what [`AoKey::read`] reads, a key of TCP-AO. Its bytes can be written in hexadecimal
    /// (RFC 5926 section 3.1).
    pub(crate) fn ao(text: &str) -> Result<Self, String> {
        let (peers, words) = split_peers(text);
        let key = AoKey::read(words).map_err(|error| error.to_string())?;
        let (_, text) = words.split_once('=').unwrap_or_default();
        let secret = match text.strip_prefix("hex:") {
            Some(digits) => Secret::Bytes(from_hex(digits).ok_or("hex: needs pairs of digits")?),
            None => Secret::read(text)?,
        };
        Ok(SignatureKey { peers, scheme: Scheme::Ao(AoKey { key: b"", ..key }), key: secret })
    }

    /// The key as the other end has it.
    pub(crate) fn turned(&self) -> Self {
        let scheme = match self.scheme {
            Scheme::Md5 => Scheme::Md5,
            Scheme::Ao(key) => Scheme::Ao(key.turned()),
        };
        SignatureKey { scheme, ..self.clone() }
    }

    /// Has a stack sign and believe segments by this key.
    pub(crate) fn set<C: CongestionController + Clone>(
        &self,
        now: Instant,
        stack: &mut Stack<'_, C>,
    ) -> Result<(), Failure> {
        let option = self.scheme.option();
        let read;
        let key = match &self.key {
            Secret::Bytes(bytes) => bytes.as_slice(),
            Secret::In(path) => {
                read = std::fs::read_to_string(path).map_err(|error| {
                    Failure::Environment(format!("{option} @{}: {error}", path.display()))
                })?;
                read.lines().next().unwrap_or_default().as_bytes()
            }
        };
        self.peers.as_ref().map_or(&ALL[..], std::slice::from_ref).iter().try_for_each(|peers| {
            let scope = KeyScope::of(*peers);
            let set = match self.scheme {
                Scheme::Md5 => stack.set_md5_key(now, &scope, key),
                Scheme::Ao(parameters) => {
                    stack.add_ao_key(now, &scope, &AoKey { key, ..parameters })
                }
            };
            set.map_err(|error| Failure::Usage(format!("{option}: {error}")))
        })
    }
}

impl fmt::Debug for SignatureKey {
    /// Keys are secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignatureKey").field("peers", &self.peers).finish_non_exhaustive()
    }
}

impl Secret {
    fn read(text: &str) -> Result<Self, String> {
        match text.strip_prefix('@') {
            Some(path) => Ok(Secret::In(path.into())),
            None if text.is_empty() => Err("a key has 1 to 80 bytes".into()),
            None => Ok(Secret::Bytes(text.into())),
        }
    }
}

/// What stands before the first `=` if that is peers, and the rest.
fn split_peers(text: &str) -> (Option<Cidr>, &str) {
    let named = text.split_once('=').and_then(|(peers, rest)| Some((peers_of(peers)?, rest)));
    named.map_or((None, text), |(peers, rest)| (Some(peers), rest))
}

/// Bytes of which each is written as two hexadecimal digits.
fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let (pairs, []) = digits.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let value = |digit: u8| char::from(digit).to_digit(16);
    pairs.iter().map(|[high, low]| Some((value(*high)? << 4 | value(*low)?) as u8)).collect()
}

/// An address or a network; `None` if the text is neither.
fn peers_of(text: &str) -> Option<Cidr> {
    let alone =
        |address: IpAddr| Cidr { address, prefix: if address.is_ipv4() { 32 } else { 128 } };
    text.parse().ok().or_else(|| text.parse().ok().map(alone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_may_stand_before_a_key_and_are_left_away_for_all() {
        let read = |text: &str| SignatureKey::md5(text).map(|read| (read.peers, read.key));
        let key = |text: &str| Secret::Bytes(text.into());
        let peers = |text: &str| Some(text.parse::<Cidr>().unwrap());
        for (text, expected) in [
            ("secret", (None, key("secret"))),
            ("a=b", (None, key("a=b"))),
            ("10.1.0.1=a=b", (peers("10.1.0.1/32"), key("a=b"))),
            ("10.1.0.0/16=x", (peers("10.1.0.0/16"), key("x"))),
            ("fd00::1=x", (peers("fd00::1/128"), key("x"))),
            ("fd00::/8=@/etc/key", (peers("fd00::/8"), Secret::In("/etc/key".into()))),
            ("@key", (None, Secret::In("key".into()))),
        ] {
            assert!(read(text) == Ok(expected), "{text}");
        }
        for text in ["", "10.1.0.1="] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_key_is_not_shown() {
        for key in [SignatureKey::md5("10.1.0.1=hidden"), SignatureKey::ao("10.1.0.1=1=hidden")] {
            assert!(!format!("{key:?}").contains("hidden"));
        }
    }

    #[test]
    fn a_key_of_tcp_ao_has_its_numbers_before_it() {
        let peers = |text: &str| Some(text.parse::<Cidr>().unwrap());
        let bytes = |text: &str| Secret::Bytes(text.into());
        for (text, expected) in [
            ("1=secret", (None, 1, 1, bytes("secret"))),
            ("1/2:AES128=10.1.0.1=x", (None, 1, 2, bytes("10.1.0.1=x"))),
            ("10.1.0.0/16=7/8:no-options=@f", (peers("10.1.0.0/16"), 7, 8, Secret::In("f".into()))),
            ("fd00::1=0/255=hex:00fF", (peers("fd00::1/128"), 0, 255, Secret::Bytes(vec![0, 255]))),
        ] {
            let read = SignatureKey::ao(text).unwrap();
            let Scheme::Ao(key) = read.scheme else { panic!("{text}") };
            assert!((read.peers, key.send_id, key.recv_id, read.key.clone()) == expected, "{text}");
            let Scheme::Ao(turned) = read.turned().scheme else { panic!("{text}") };
            assert_eq!((turned.send_id, turned.recv_id), (key.recv_id, key.send_id), "{text}");
        }
        for text in ["", "secret", "1=", "10.1.0.1=secret", "1=hex:0", "1=hex:0x", "256=x"] {
            assert!(SignatureKey::ao(text).is_err(), "{text}");
        }
    }
}
