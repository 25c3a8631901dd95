//! What a socket is.

use super::poll::Epoll;
use ackclock::congestion::BuiltIn;
use ackclock::stack::{Handle, Listener};
use ackclock::tcp::{Config, Keepalive};
use ackclock::time::Duration;

/// A socket.
pub(super) struct Socket {
    pub(super) kind: Kind,
    pub(super) is_v6: bool,
    pub(super) nonblocking: bool,
    pub(super) local: Option<std::net::SocketAddr>,
    /// What a connection is opened with.
    pub(super) config: Config,
    /// TCP_CONGESTION, if it was set.
    pub(super) law: Option<BuiltIn>,
    pub(super) reuse_address: bool,
    pub(super) linger: Linger,
    pub(super) cork: bool,
    pub(super) keepalive_on: bool,
    /// Its times also count while keepalive is off.
    pub(super) keepalive: Keepalive,
    /// TCP_NOTSENT_LOWAT in bytes.
    pub(super) unsent_low_water: u32,
    /// SO_SNDTIMEO and SO_RCVTIMEO; `None`: for ever.
    pub(super) send_timeout: Option<Duration>,
    pub(super) receive_timeout: Option<Duration>,
    /// The lower two bits of IP_TOS; TCP marks its packets itself.
    pub(super) dscp: u8,
}

/// What it has become.
pub(super) enum Kind {
    /// Nothing yet.
    Fresh,
    Listening(Listener),
    Stream(Stream),
    /// Not a socket in the kernel either, but a descriptor.
    Epoll(Epoll),
}

/// A connection.
pub(super) struct Stream {
    pub(super) handle: Handle,
    /// The caller knows that it is connected.
    pub(super) connect_told: bool,
    /// The caller knows the error.
    pub(super) error_told: bool,
    pub(super) read_shut: bool,
    pub(super) write_shut: bool,
    /// The peer had finished before any error came.
    pub(super) saw_end: bool,
}

impl Stream {
    pub(super) fn connecting(handle: Handle) -> Self {
        Stream {
            handle,
            connect_told: false,
            error_told: false,
            read_shut: false,
            write_shut: false,
            saw_end: false,
        }
    }
}

/// SO_LINGER.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Linger {
    /// Closing returns at once.
    Off,
    /// It waits so long for the peer's acks; zero: it resets.
    For(Duration),
}

impl Socket {
    pub(super) fn new(is_v6: bool, config: Config) -> Self {
        Socket {
            kind: Kind::Fresh,
            is_v6,
            nonblocking: false,
            local: None,
            config,
            law: None,
            reuse_address: false,
            linger: Linger::Off,
            cork: false,
            keepalive_on: false,
            keepalive: Keepalive::default(),
            unsent_low_water: u32::MAX,
            send_timeout: None,
            receive_timeout: None,
            dscp: config.dscp,
        }
    }

    /// An accepted connection, which inherits the listener's options.
    pub(super) fn child(&self, handle: Handle) -> Socket {
        let stream = Stream { connect_told: true, ..Stream::connecting(handle) };
        Socket { kind: Kind::Stream(stream), local: None, ..*self }
    }
}
