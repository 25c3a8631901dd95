//! The far end, as `HOST:PORT`.

use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::str::FromStr;

/// A host, by name or address, and a port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Peer {
    host: String,
    port: u16,
}

impl Peer {
    /// The host's name or address.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// The addresses that the system knows for the host.
    pub(crate) fn resolve(&self) -> io::Result<impl Iterator<Item = SocketAddr> + use<>> {
        (self.host.as_str(), self.port).to_socket_addrs()
    }
}

impl FromStr for Peer {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const USAGE: &str = "not HOST:PORT, such as server.example:9, 10.7.0.1:9 or [fd07::1]:9";
        let (host, port) = text.rsplit_once(':').ok_or(USAGE)?;
        let bracketed = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let host = match bracketed {
            Some(host) => host,
            None if host.contains([':', '[', ']']) => return Err(USAGE),
            None => host,
        };
        match port.parse() {
            Ok(0) => Err("port 0 cannot be connected to"),
            Ok(port) if !host.is_empty() => Ok(Peer { host: host.to_owned(), port }),
            _ => Err(USAGE),
        }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_of_both_families_are_read_and_written() {
        for text in ["server.example:9", "10.7.0.1:7", "[fd07::1]:19"] {
            assert_eq!(text.parse::<Peer>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn addresses_need_no_name_service() {
        let peer: Peer = "[fd07::1]:19".parse().unwrap();
        let addresses: Vec<_> = peer.resolve().unwrap().collect();
        assert_eq!(addresses, ["[fd07::1]:19".parse().unwrap()]);
    }

    #[test]
    fn a_missing_host_or_port_is_refused() {
        for text in
            ["server.example", "server.example:", ":9", "fd07::1:9", "a:0", "a:65536", "[a:9"]
        {
            assert!(text.parse::<Peer>().is_err(), "{text}");
        }
    }
}
