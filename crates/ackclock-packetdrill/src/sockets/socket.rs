//! What a socket is.

use super::Errno;
use super::departures::FirstAck;
use super::error_queue::ErrorQueue;
use super::pipe::PipeEnd;
use super::poll::Epoll;
use super::records::Records;
use super::segments::Segments;
use crate::flags::{FastOpenRules, Flags};
use ackclock::congestion::BuiltIn;
use ackclock::stack::{Handle, ListenConfig, Listener};
use ackclock::tcp::{Config, FastOpenMode, Keepalive, Nagle};
use ackclock::time::{Duration, Instant};
use std::net::{Ipv4Addr, SocketAddr};

/// A socket.
pub(super) struct Socket {
    pub(super) kind: Kind,
    pub(super) is_v6: bool,
    /// IPV6_V6ONLY.
    pub(super) v6_only: bool,
    pub(super) nonblocking: bool,
    pub(super) local: Option<SocketAddr>,
    /// What a connection is opened with.
    pub(super) config: Config,
    /// For how long a listener sends a SYN-ACK again, where it is not as of a SYN.
    pub(super) syn_ack_give_up: Option<Duration>,
    /// TCP_CONGESTION, if it was set.
    pub(super) law: Option<BuiltIn>,
    /// How many connections wait at a listener at most.
    pub(super) backlog: usize,
    /// TCP_DEFER_ACCEPT in timeouts of the SYN-ACK; 0: off.
    pub(super) defer_accept: u8,
    /// TCP_FASTOPEN: how many connections with data in their SYN may wait for the handshake; 0: off.
    pub(super) fast_open: u16,
    /// TCP_FASTOPEN_CONNECT and TCP_FASTOPEN_NO_COOKIE.
    pub(super) fast_open_connect: bool,
    pub(super) fast_open_no_cookie: bool,
    /// What of that is allowed.
    pub(super) fast_open_rules: FastOpenRules,
    pub(super) reuse_address: bool,
    /// SO_ZEROCOPY: MSG_ZEROCOPY is heeded.
    pub(super) zerocopy: bool,
    /// IP_FREEBIND, and SO_MARK.
    pub(super) free_bind: bool,
    pub(super) mark: i32,
    /// TCP_INQ.
    pub(super) tells_queued: bool,
    /// SO_OOBINLINE.
    pub(super) urgent_inline: bool,
    /// IP_MTU_DISCOVER.
    pub(super) path_mtu_discovery: i32,
    pub(super) linger: Linger,
    pub(super) cork: bool,
    pub(super) keepalive_on: bool,
    /// Its times also count while keepalive is off.
    pub(super) keepalive: Keepalive,
    /// TCP_NOTSENT_LOWAT in bytes; 0: what the flags say.
    pub(super) unsent_low_water: u32,
    /// SO_SNDTIMEO and SO_RCVTIMEO; `None`: for ever.
    pub(super) send_timeout: Option<Duration>,
    pub(super) receive_timeout: Option<Duration>,
    /// IP_TOS without its lower two bits: TCP marks its packets itself.
    pub(super) dscp: u8,
    /// What holds small segments back unless `TCP_NODELAY` is set.
    pub(super) nagle: Nagle,
}

/// What it has become.
pub(super) enum Kind {
    /// Nothing yet.
    Fresh,
    Listening {
        listener: Listener,
        /// That for IPv4, where it takes connections of both (`::` without IPV6_V6ONLY).
        mapped: Option<Listener>,
        /// How many connections were accepted.
        accepted: u64,
    },
    Stream(Stream),
    /// A connection to this peer that the first write opens (TCP_FASTOPEN_CONNECT).
    Deferred(SocketAddr),
    /// Not a socket in the kernel either, but a descriptor.
    Epoll(Epoll),
    /// Nor is this.
    Pipe(PipeEnd),
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
    /// Where in the peer's stream the urgent byte lies that was read last.
    pub(super) urgent_read: Option<u64>,
    /// When what a cork holds back is sent all the same.
    pub(super) corked_until: Instant,
    /// Bytes that went with our SYN.
    pub(super) syn_text: usize,
    /// When data came last, or the connection began.
    pub(super) data_heard: Instant,
    /// Bytes received by then.
    pub(super) data_count: u64,
    /// Its handshake was not finished when it was looked at last.
    pub(super) was_opening: bool,
    /// The ack and the window, as it stands in the header, that the peer was told last.
    pub(super) told: Option<(u32, u16)>,
    /// Largest window that the peer has told, in bytes.
    pub(super) largest_window: u32,
    /// The last write was one with MSG_MORE.
    pub(super) is_unfinished: bool,
    /// It has answered data at once (the kernel's pingpong mode).
    pub(super) is_interactive: bool,
    /// A write waited while it was opened.
    pub(super) has_waited: bool,
    /// A write waits for room.
    pub(super) waits_for_room: bool,
    /// Up to where in our stream the peer was asked to hand on what it has.
    pub(super) pushed: u64,
    /// Where in our stream the piece begins that is being filled.
    pub(super) piece_begin: u64,
    pub(super) segments: Box<Segments>,
    pub(super) first_ack: FirstAck,
    /// What MSG_EOR keeps apart.
    pub(super) records: Records,
    pub(super) errors: Box<ErrorQueue>,
    /// What an ICMP error said since the peer was heard.
    pub(super) icmp: Option<Errno>,
}

impl Stream {
    pub(super) fn connecting(handle: Handle, now: Instant) -> Self {
        Stream {
            handle,
            connect_told: false,
            error_told: false,
            read_shut: false,
            write_shut: false,
            saw_end: false,
            urgent_read: None,
            corked_until: Instant::FAR_FUTURE,
            syn_text: 0,
            data_heard: now,
            data_count: 0,
            was_opening: true,
            told: None,
            largest_window: 0,
            is_unfinished: false,
            is_interactive: false,
            has_waited: false,
            waits_for_room: false,
            pushed: 0,
            piece_begin: 0,
            segments: Box::default(),
            first_ack: FirstAck::default(),
            records: Records::default(),
            errors: Box::default(),
            icmp: None,
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
    pub(super) fn new(is_v6: bool, flags: &Flags) -> Self {
        let config = flags.connection;
        Socket {
            kind: Kind::Fresh,
            is_v6,
            v6_only: false,
            nonblocking: false,
            local: None,
            config,
            syn_ack_give_up: flags.syn_ack_give_up,
            law: None,
            backlog: 0,
            defer_accept: 0,
            fast_open: 0,
            fast_open_connect: false,
            fast_open_no_cookie: false,
            fast_open_rules: flags.fast_open,
            reuse_address: false,
            zerocopy: false,
            free_bind: false,
            mark: 0,
            tells_queued: false,
            urgent_inline: false,
            path_mtu_discovery: libc::IP_PMTUDISC_WANT,
            linger: Linger::Off,
            cork: false,
            keepalive_on: false,
            keepalive: flags.keepalive,
            unsent_low_water: 0,
            send_timeout: None,
            receive_timeout: None,
            dscp: config.dscp,
            nagle: config.nagle,
        }
    }

    /// An address of the socket's family as the stack has it: one of IPv4 that is mapped into IPv6 becomes that of
    /// IPv4 (RFC 4291 section 2.5.5.2).
    ///
    /// # Errors
    /// `EAFNOSUPPORT` if it is of another family, `ENETUNREACH` if it is mapped and IPV6_V6ONLY is set.
    pub(super) fn inside(&self, address: SocketAddr) -> Result<SocketAddr, Errno> {
        if address.is_ipv6() != self.is_v6 {
            return Err(Errno(libc::EAFNOSUPPORT));
        }
        let inside = SocketAddr::new(address.ip().to_canonical(), address.port());
        if inside.is_ipv6() == address.is_ipv6() {
            return Ok(address);
        }
        if self.v6_only { Err(Errno(libc::ENETUNREACH)) } else { Ok(inside) }
    }

    /// An address of the stack's as the socket's user sees it.
    pub(super) fn outside(&self, address: SocketAddr) -> SocketAddr {
        match address {
            SocketAddr::V4(it) if self.is_v6 => {
                SocketAddr::new(it.ip().to_ipv6_mapped().into(), it.port())
            }
            address => address,
        }
    }

    /// Whether it is one in the kernel too.
    pub(super) fn is_socket(&self) -> bool {
        !matches!(self.kind, Kind::Epoll(_) | Kind::Pipe(_))
    }

    /// What a listener at `local` is to do.
    pub(super) fn listen_config(&self, local: SocketAddr) -> ListenConfig {
        let mut config = ListenConfig::new(local);
        config.backlog = self.backlog;
        config.defer_accept = self.defer_accept;
        config.connection = self.config;
        config.connection.syn_give_up = self.syn_ack_give_up.unwrap_or(self.config.syn_give_up);
        let FastOpenRules { server, all_listeners, .. } = self.fast_open_rules;
        config.fast_open = match (server, self.fast_open) {
            (FastOpenMode::Off, _) => 0,
            (_, 0) if all_listeners => self.backlog,
            (_, most) => most.into(),
        };
        config.fast_open_without_cookie = server == FastOpenMode::WithoutCookie;
        config
    }

    /// Where a listener at `local` takes connections of IPv4, if that is of all addresses.
    pub(super) fn mapped_local(&self, local: SocketAddr) -> Option<SocketAddr> {
        let is_dual = local.is_ipv6() && local.ip().is_unspecified() && !self.v6_only;
        is_dual.then(|| SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), local.port()))
    }

    /// An accepted connection, which inherits the listener's options.
    pub(super) fn child(&self, handle: Handle, now: Instant) -> Socket {
        let stream = Stream { connect_told: true, ..Stream::connecting(handle, now) };
        Socket { kind: Kind::Stream(stream), local: None, ..*self }
    }
}
