//! Keys that sign segments, written as `[PEERS=]KEY`.

use crate::failure::Failure;
use ackclock::congestion::CongestionController;
use ackclock::stack::{Cidr, KeyScope, Stack};
use ackclock::time::Instant;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;
use std::str::FromStr;

/// Everybody.
const ALL: [Cidr; 2] = [
    Cidr { address: IpAddr::V4(Ipv4Addr::UNSPECIFIED), prefix: 0 },
    Cidr { address: IpAddr::V6(Ipv6Addr::UNSPECIFIED), prefix: 0 },
];

/// A key, and with whom it is shared.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SignatureKey {
    /// `None`: everybody.
    peers: Option<Cidr>,
    key: Secret,
}

#[derive(Clone, PartialEq, Eq)]
enum Secret {
    Text(String),
    /// Its first line.
    In(PathBuf),
}

impl SignatureKey {
    /// Has a stack sign and believe segments by this key.
    pub(crate) fn set<C: CongestionController + Clone>(
        &self,
        now: Instant,
        stack: &mut Stack<'_, C>,
    ) -> Result<(), Failure> {
        let read;
        let key = match &self.key {
            Secret::Text(text) => text,
            Secret::In(path) => {
                read = std::fs::read_to_string(path).map_err(|error| {
                    Failure::Environment(format!("--md5-key @{}: {error}", path.display()))
                })?;
                read.lines().next().unwrap_or_default()
            }
        };
        self.peers.as_ref().map_or(&ALL[..], std::slice::from_ref).iter().try_for_each(|peers| {
            stack
                .set_md5_key(now, &KeyScope::of(*peers), key.as_bytes())
                .map_err(|error| Failure::Usage(format!("--md5-key: {error}")))
        })
    }
}

impl fmt::Debug for SignatureKey {
    /// Keys are secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignatureKey").field("peers", &self.peers).finish_non_exhaustive()
    }
}

impl FromStr for SignatureKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = text.split_once('=').and_then(|(peers, key)| Some((peers_of(peers)?, key)));
        let (peers, key) = match named {
            Some((peers, key)) => (Some(peers), key),
            None => (None, text),
        };
        let key = match key.strip_prefix('@') {
            Some(path) => Secret::In(path.into()),
            None if key.is_empty() => return Err("a key has 1 to 80 bytes".into()),
            None => Secret::Text(key.into()),
        };
        Ok(SignatureKey { peers, key })
    }
}

/// An address or a network; `None` of what is neither.
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
        let read = |text: &str| text.parse::<SignatureKey>().map(|read| (read.peers, read.key));
        let key = |text: &str| Secret::Text(text.into());
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
        let key: SignatureKey = "10.1.0.1=hidden".parse().unwrap();
        assert!(!format!("{key:?}").contains("hidden"));
    }
}
