//! What can be watched while a capture is read.

use crate::explain::Cause;
use crate::report::Connection;
use ackclock::time::{Duration, Instant};
use std::net::SocketAddr;

/// Hears of packets as they pass and of connections as they end. Every method does nothing unless
/// it is written.
pub trait Observer {
    /// Something happened on a connection.
    fn on_event(&mut self, event: &Event) {
        let _ = event;
    }

    /// A connection has closed, or the capture has ended.
    fn on_connection(&mut self, connection: &Connection) {
        let _ = connection;
    }
}

/// Nobody listens.
impl Observer for () {}

impl<A: Observer, B: Observer> Observer for (A, B) {
    fn on_event(&mut self, event: &Event) {
        self.0.on_event(event);
        self.1.on_event(event);
    }

    fn on_connection(&mut self, connection: &Connection) {
        self.0.on_connection(connection);
        self.1.on_connection(connection);
    }
}

impl<O: Observer> Observer for Option<O> {
    fn on_event(&mut self, event: &Event) {
        if let Some(observer) = self {
            observer.on_event(event);
        }
    }

    fn on_connection(&mut self, connection: &Connection) {
        if let Some(observer) = self {
            observer.on_connection(connection);
        }
    }
}

impl<O: Observer> Observer for &mut O {
    fn on_event(&mut self, event: &Event) {
        (**self).on_event(event);
    }

    fn on_connection(&mut self, connection: &Connection) {
        (**self).on_connection(connection);
    }
}

/// Which direction of which connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Place {
    /// Number of the connection, from 1.
    pub connection: u64,
    /// The end that sends.
    pub source: SocketAddr,
    /// The end that receives.
    pub destination: SocketAddr,
    /// Whether the sender is the end that began (`a`).
    pub from_a: bool,
    /// When the connection's first packet was seen.
    pub began: Instant,
}

/// Something that the data of one direction met with. Sequence numbers do not wrap; the SYN, or the
/// first number that was seen, is 0 or 1.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Event {
    /// Whose data.
    pub place: Place,
    /// When.
    pub time: Instant,
    /// Bytes on their way afterwards.
    pub outstanding: u64,
    /// What.
    pub kind: EventKind,
}

/// The kinds of events.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum EventKind {
    /// A segment that takes sequence numbers passed.
    Sent {
        /// First sequence number.
        start: i64,
        /// First number behind it.
        end: i64,
        /// What it is.
        sort: Sort,
    },
    /// The other end acknowledged or advertised.
    Acked {
        /// Next number that it expects.
        ack: i64,
        /// Bytes beyond that for which it has room.
        window: u64,
        /// A duplicate ack.
        is_duplicate: bool,
    },
    /// The other end reported data beyond the ack.
    Sacked {
        /// First number of the block.
        start: i64,
        /// First number behind it.
        end: i64,
    },
    /// A round-trip time was measured.
    Rtt(Duration),
}

/// Class of a segment, compared with earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Sort {
    /// It has nothing that was sent before.
    New,
    /// Sent again by the sender.
    Retransmitted(Cause),
    /// Delayed by the network.
    Reordered,
    /// Copied by the network.
    Duplicated,
    /// A keep-alive or a probe of a closed window without data.
    Probe,
}
