//! Which connections are wanted.

use crate::observer::Place;
use crate::report::Connection;
use std::net::{IpAddr, SocketAddr};

/// Which connections are wanted: those that fulfil everything that is said.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selection {
    /// This address is at an end.
    pub host: Option<IpAddr>,
    /// This port is at an end.
    pub port: Option<u16>,
    /// It has one of these numbers; if there are none, any.
    pub connections: Vec<u64>,
}

impl Selection {
    /// Whether this connection is wanted.
    pub fn wants(&self, connection: &Connection) -> bool {
        self.has(connection.number, connection.a, connection.b)
    }

    /// Whether what happens here is wanted.
    pub fn wants_place(&self, place: &Place) -> bool {
        self.has(place.connection, place.source, place.destination)
    }

    fn has(&self, number: u64, a: SocketAddr, b: SocketAddr) -> bool {
        self.host.is_none_or(|host| a.ip() == host || b.ip() == host)
            && self.port.is_none_or(|port| a.port() == port || b.port() == port)
            && (self.connections.is_empty() || self.connections.contains(&number))
    }
}
