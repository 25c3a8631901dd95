//! Peer of a connection, written as `HOST:PORT`.

use ackclock_measure::lists::{HostError, split_port};
use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::str::FromStr;

/// Host, by name or address, and a port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Peer {
    host: String,
    port: u16,
}

impl Peer {
    /// Peer at a port of a host.
    pub(crate) fn new(host: &str, port: u16) -> Self {
        Peer { host: host.to_owned(), port }
    }

    /// Reads a host with or without a port; without one the port is `port`.
    pub(crate) fn with_default_port(text: &str, port: u16) -> Result<Self, HostError> {
        let (host, own) = split_port(text)?;
        Ok(Peer::new(host, own.unwrap_or(port)))
    }

    /// Name or address of the host.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Looks up the addresses of the host, with the port.
    pub(crate) fn resolve(&self) -> io::Result<impl Iterator<Item = SocketAddr> + use<>> {
        (self.host.as_str(), self.port).to_socket_addrs()
    }
}

impl FromStr for Peer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match split_port(text) {
            Ok((host, Some(port))) => Ok(Peer::new(host, port)),
            Ok((_, None)) | Err(HostError::Form) => {
                Err("not HOST:PORT, such as server.example:9, 10.7.0.1:9 or [fd07::1]:9".into())
            }
            Err(error) => Err(error.to_string()),
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
