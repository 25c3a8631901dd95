//! Options by Linux's numbers and meanings.

use super::packets::{View, allow_fragments};
use super::settings::{
    QUICK_ACKS, SO_MARK, TCP_FASTOPEN_CONNECT, TCP_FASTOPEN_NO_COOKIE, TCP_INQ, seconds_of_timeouts,
};
use super::socket::{Kind, Socket};
use super::values::{
    INVALID, UNKNOWN, integer, integer_or_byte, linger, seconds, timeout, write_linger,
    write_timeout,
};
use super::{Descriptor, Errno, Sockets, tcp_info};
use crate::flags::Habits;
use crate::flags::{quick_acks, syn_retries};
use ackclock::congestion::{BuiltIn, CongestionController};
use ackclock::tcp::{Nagle, State};
use ackclock::time::Duration;

/// Level and name of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SocketOption {
    pub(crate) level: i32,
    pub(crate) name: i32,
}

/// Keys of Fast Open cookies, of 16 bytes each (linux/tcp.h).
const TCP_FASTOPEN_KEY: i32 = 33;
/// What a law tells of itself (linux/tcp.h).
const TCP_CC_INFO: i32 = 26;
/// Memory of a socket (asm-generic/socket.h).
const SO_MEMINFO: i32 = 55;
/// Longest name of a congestion controller, with its final zero.
const CONGESTION_NAME: usize = 16;
/// What the kernel tells of a segment size that is neither set nor agreed on (TCP_MSS_DEFAULT).
const DEFAULT_MSS: i32 = 536;

impl Sockets {
    /// `setsockopt`.
    pub(crate) fn set_option(
        &mut self,
        descriptor: Descriptor,
        option: SocketOption,
        value: &[u8],
    ) -> Result<(), Errno> {
        let is_v6 = self.get(descriptor)?.is_v6;
        let socket = self.get_mut(descriptor)?;
        match (option.level, option.name) {
            _ if !socket.is_socket() => return Err(Errno(libc::ENOTSOCK)),
            (libc::SOL_SOCKET, libc::SO_LINGER) => socket.linger = linger(value)?,
            (libc::SOL_SOCKET, libc::SO_RCVTIMEO) => socket.receive_timeout = timeout(value)?,
            (libc::SOL_SOCKET, libc::SO_SNDTIMEO) => socket.send_timeout = timeout(value)?,
            (libc::IPPROTO_TCP, libc::TCP_CONGESTION) => {
                let name = value.split(|byte| *byte == 0).next().unwrap_or_default();
                let law = std::str::from_utf8(name).ok().and_then(BuiltIn::by_name);
                let law = law.ok_or(Errno(libc::ENOENT))?;
                let law = self.flags.as_in_profile(law, "");
                self.get_mut(descriptor)?.law = Some(law);
                self.apply_law(descriptor);
            }
            // There is no other protocol above TCP.
            (libc::IPPROTO_TCP, libc::TCP_ULP) if value.is_empty() => return Err(INVALID),
            (libc::IPPROTO_TCP, libc::TCP_ULP) => return Err(Errno(libc::ENOENT)),
            (libc::IPPROTO_TCP, TCP_FASTOPEN_KEY) => {
                let (keys, rest) = value.as_chunks();
                match (keys, rest) {
                    (&[first], []) => self.stack.set_fast_open_keys(first, None),
                    (&[first, second], []) => self.stack.set_fast_open_keys(first, Some(second)),
                    _ => return Err(INVALID),
                }
            }
            (libc::SOL_SOCKET, libc::SO_TIMESTAMPING) => {
                self.set_timestamping(descriptor, integer(value)?)?;
            }
            (libc::SOL_SOCKET, name) => socket.set_socket(name, integer(value)?)?,
            (libc::IPPROTO_TCP, name) => {
                let value = integer(value)?;
                socket.set_tcp(name, value)?;
                let cork = socket.cork;
                match (name, self.handle(descriptor)) {
                    (libc::TCP_QUICKACK, Ok(handle)) => {
                        let count = if value != 0 { QUICK_ACKS } else { 0 };
                        let _ = self.stack.set_quick_acks(self.now, handle, count);
                    }
                    // Either sends what MSG_MORE holds back, and TCP_NODELAY what a cork does too.
                    (libc::TCP_CORK, Ok(handle)) => self.set_cork(descriptor, handle, cork),
                    (libc::TCP_NODELAY, Ok(handle)) => {
                        self.set_cork(descriptor, handle, cork);
                        if value != 0 {
                            let _ = self.stack.push(self.now, handle);
                        }
                    }
                    _ => {}
                }
            }
            // Sockets of IPv6 have these too, for what they send over IPv4.
            (libc::IPPROTO_IP, name) => socket.set_ip(name, integer_or_byte(value)?)?,
            (libc::IPPROTO_IPV6, name) if is_v6 => socket.set_ipv6(name, integer(value)?)?,
            _ => return Err(UNKNOWN),
        }
        self.apply_options(descriptor);
        Ok(())
    }

    /// Tells the connection, if there is one, its law, unless that is the stack's.
    pub(super) fn apply_law(&mut self, descriptor: Descriptor) {
        if let Some(Socket { kind: Kind::Stream(stream), law: Some(law), .. }) =
            self.sockets.get(&descriptor)
        {
            let _ = self.stack.set_controller(self.now, stream.handle, *law);
        }
    }

    /// Tells the connection or listener, if there is one, what can change while it is open.
    pub(super) fn apply_options(&mut self, descriptor: Descriptor) {
        let Some(socket) = self.sockets.get(&descriptor) else {
            return;
        };
        let (now, config) = (self.now, &socket.config);
        let handle = match (&socket.kind, socket.local) {
            (Kind::Stream(stream), _) => stream.handle,
            (Kind::Listening { listener, mapped, .. }, Some(local)) => {
                let _ = self.stack.set_listener(*listener, socket.listen_config(local));
                if let (Some(mapped), Some(local)) = (*mapped, socket.mapped_local(local)) {
                    let _ = self.stack.set_listener(mapped, socket.listen_config(local));
                }
                return;
            }
            _ => return,
        };
        let keepalive = socket.keepalive_on.then_some(socket.keepalive);
        // The values were checked when they were set.
        let _ = self.stack.set_nagle(now, handle, config.nagle);
        let _ = self.stack.set_keepalive(now, handle, keepalive);
        let _ = self.stack.set_dscp(now, handle, socket.dscp);
        let _ = self.stack.set_hop_limit(now, handle, config.hop_limit);
        let _ = self.stack.set_user_timeout(now, handle, config.user_timeout);
        let _ = self.stack.set_syn_give_up(now, handle, config.syn_give_up);
        // By habit a write that has begun goes on to the end of its piece.
        let more = if self.flags.habits == Habits::Linux { 1 << 16 } else { 0 };
        let send_buffer = config.send_buffer.saturating_add(more).min(1 << 30);
        let _ = self.stack.set_send_buffer(now, handle, send_buffer);
        let _ = self.stack.set_receive_buffer(now, handle, config.receive_buffer);
        let _ = self.stack.set_window_clamp(now, handle, config.window_clamp);
    }

    /// Clears DF in what a socket sends that finds no path MTU (IP_MTU_DISCOVER).
    pub(super) fn fragment(&self, packet: &mut [u8]) {
        let may_be_cut = |socket: &Socket| {
            let discovery = socket.path_mtu_discovery;
            matches!(discovery, libc::IP_PMTUDISC_DONT | libc::IP_PMTUDISC_OMIT)
        };
        if !self.sockets.values().any(may_be_cut) {
            return;
        }
        let Some(view) = View::of(packet) else { return };
        let is_its = |socket: &Socket| match socket.kind {
            Kind::Stream(_) => socket.local == Some(view.ends[0]),
            Kind::Listening { .. } => {
                socket.local.is_some_and(|it| it.port() == view.ends[0].port())
            }
            _ => false,
        };
        let mut streams = self.sockets.values().filter(|socket| is_its(socket));
        if streams.next().is_some_and(may_be_cut) {
            allow_fragments(packet);
        }
    }

    /// `getsockopt`: the value's bytes.
    pub(crate) fn option(
        &mut self,
        descriptor: Descriptor,
        option: SocketOption,
    ) -> Result<Vec<u8>, Errno> {
        let socket = self.get(descriptor)?;
        if !socket.is_socket() {
            return Err(Errno(libc::ENOTSOCK));
        }
        match (option.level, option.name) {
            (libc::SOL_SOCKET, libc::SO_ERROR) => {
                let error = self.take_error(descriptor).map_or(0, |error| error.0);
                Ok(error.to_ne_bytes().to_vec())
            }
            (libc::SOL_SOCKET, libc::SO_LINGER) => Ok(write_linger(socket.linger)),
            (libc::SOL_SOCKET, libc::SO_RCVTIMEO) => Ok(write_timeout(socket.receive_timeout)),
            (libc::SOL_SOCKET, libc::SO_SNDTIMEO) => Ok(write_timeout(socket.send_timeout)),
            (libc::IPPROTO_TCP, libc::TCP_INFO) => Ok(match &socket.kind {
                Kind::Listening { .. } => tcp_info::idle(State::Listen),
                Kind::Deferred(_) => tcp_info::idle(State::SynSent),
                Kind::Stream(stream) => {
                    tcp_info::write(&self.info(descriptor)?, &socket.config, stream, self.now)
                }
                _ => tcp_info::idle(State::Closed),
            }),
            // No law tells more of itself than TCP_INFO does.
            (libc::IPPROTO_TCP, TCP_CC_INFO | libc::TCP_ULP) => Ok(Vec::new()),
            (libc::SOL_SOCKET, SO_MEMINFO) => Ok(self.memory(descriptor)),
            (libc::IPPROTO_TCP, libc::TCP_CONGESTION) => {
                let law = socket.law.unwrap_or(self.flags.law);
                let mut name = law.name().as_bytes().to_vec();
                name.resize(CONGESTION_NAME, 0);
                Ok(name)
            }
            _ => self.number(descriptor, option).map(|number| number.to_ne_bytes().to_vec()),
        }
    }

    /// SO_MEMINFO: nine numbers in the kernel's order, of which ours are what is queued and the buffers.
    fn memory(&self, descriptor: Descriptor) -> Vec<u8> {
        let (received, queued) =
            self.info(descriptor).map_or((0, 0), |info| (info.receive_queue, info.send_queue));
        // As those options tell them.
        let [most_received, most_queued] = [libc::SO_RCVBUF, libc::SO_SNDBUF].map(|name| {
            let option = SocketOption { level: libc::SOL_SOCKET, name };
            self.number(descriptor, option).unwrap_or(0).cast_unsigned()
        });
        let numbers = [received, most_received, queued, most_queued, 0, queued, 0, 0, 0];
        numbers.map(u32::to_ne_bytes).concat()
    }

    /// An option that is an `int`.
    fn number(&self, descriptor: Descriptor, option: SocketOption) -> Result<i32, Errno> {
        let socket = self.get(descriptor)?;
        let config = &socket.config;
        let info = || self.info(descriptor);
        Ok(match (option.level, option.name) {
            (libc::SOL_SOCKET, libc::SO_TYPE) => libc::SOCK_STREAM,
            (libc::SOL_SOCKET, libc::SO_PROTOCOL) => libc::IPPROTO_TCP,
            (libc::SOL_SOCKET, libc::SO_DOMAIN) if socket.is_v6 => libc::AF_INET6,
            (libc::SOL_SOCKET, libc::SO_DOMAIN) => libc::AF_INET,
            (libc::SOL_SOCKET, libc::SO_ACCEPTCONN) => {
                matches!(socket.kind, Kind::Listening { .. }).into()
            }
            (libc::SOL_SOCKET, libc::SO_REUSEADDR) => socket.reuse_address.into(),
            (libc::SOL_SOCKET, libc::SO_ZEROCOPY) => socket.zerocopy.into(),
            (libc::SOL_SOCKET, libc::SO_TIMESTAMPING) => match &socket.kind {
                Kind::Stream(stream) => stream.errors.bits() as i32,
                _ => 0,
            },
            (libc::SOL_SOCKET, SO_MARK) => socket.mark,
            (libc::IPPROTO_TCP, TCP_INQ) => socket.tells_queued.into(),
            (libc::SOL_SOCKET, libc::SO_OOBINLINE) => socket.urgent_inline.into(),
            (libc::SOL_SOCKET, libc::SO_KEEPALIVE) => socket.keepalive_on.into(),
            (libc::SOL_SOCKET, libc::SO_RCVBUF) => config.receive_buffer.saturating_mul(2) as i32,
            (libc::SOL_SOCKET, libc::SO_SNDBUF) => config.send_buffer as i32,
            (libc::IPPROTO_TCP, libc::TCP_NODELAY) => (config.nagle == Nagle::Off).into(),
            (libc::IPPROTO_TCP, libc::TCP_CORK) => socket.cork.into(),
            (libc::IPPROTO_TCP, libc::TCP_MAXSEG) => {
                let asked = || config.mss.map_or(DEFAULT_MSS, i32::from);
                info().map_or_else(|_| asked(), |info| info.mss as i32)
            }
            (libc::IPPROTO_TCP, libc::TCP_KEEPIDLE) => seconds(socket.keepalive.idle),
            (libc::IPPROTO_TCP, libc::TCP_KEEPINTVL) => seconds(socket.keepalive.interval),
            (libc::IPPROTO_TCP, libc::TCP_KEEPCNT) => socket.keepalive.count.into(),
            (libc::IPPROTO_TCP, libc::TCP_USER_TIMEOUT) => {
                config.user_timeout.map_or(0, |time| time.as_millis() as i32)
            }
            (libc::IPPROTO_TCP, libc::TCP_SYNCNT) => syn_retries(config) as i32,
            (libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT) => socket.unsent_low_water as i32,
            (libc::IPPROTO_TCP, libc::TCP_DEFER_ACCEPT) => seconds_of_timeouts(socket.defer_accept),
            (libc::IPPROTO_TCP, libc::TCP_FASTOPEN) => socket.fast_open.into(),
            (libc::IPPROTO_TCP, TCP_FASTOPEN_CONNECT) => socket.fast_open_connect.into(),
            (libc::IPPROTO_TCP, TCP_FASTOPEN_NO_COOKIE) => socket.fast_open_no_cookie.into(),
            (libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP) => {
                config.window_clamp.unwrap_or(config.receive_buffer) as i32
            }
            (libc::IPPROTO_TCP, libc::TCP_QUICKACK) => {
                let count = info().map(|info| info.quick_acks);
                (count.unwrap_or_else(|_| quick_acks(config.ack_policy)) > 0).into()
            }
            (libc::IPPROTO_IP, libc::IP_TOS) => (socket.dscp << 2).into(),
            (libc::IPPROTO_IP, libc::IP_TTL) => config.hop_limit.into(),
            (libc::IPPROTO_IP, libc::IP_MTU_DISCOVER) => socket.path_mtu_discovery,
            (libc::IPPROTO_IP, libc::IP_FREEBIND) => socket.free_bind.into(),
            (libc::IPPROTO_IP, libc::IP_MTU) => info()?.pmtu as i32,
            (libc::IPPROTO_IPV6, libc::IPV6_TCLASS) if socket.is_v6 => (socket.dscp << 2).into(),
            (libc::IPPROTO_IPV6, libc::IPV6_UNICAST_HOPS) if socket.is_v6 => {
                config.hop_limit.into()
            }
            (libc::IPPROTO_IPV6, libc::IPV6_MTU_DISCOVER) if socket.is_v6 => {
                socket.path_mtu_discovery
            }
            (libc::IPPROTO_IPV6, libc::IPV6_MTU) if socket.is_v6 => info()?.pmtu as i32,
            (libc::IPPROTO_IPV6, libc::IPV6_V6ONLY) if socket.is_v6 => socket.v6_only.into(),
            (libc::IPPROTO_IPV6, _) if !socket.is_v6 => return Err(Errno(libc::EOPNOTSUPP)),
            (libc::SOL_SOCKET | libc::IPPROTO_TCP | libc::IPPROTO_IP | libc::IPPROTO_IPV6, _) => {
                return Err(UNKNOWN);
            }
            _ => return Err(Errno(libc::EOPNOTSUPP)),
        })
    }

    /// Below how many unsent bytes a socket is writable (TCP_NOTSENT_LOWAT).
    pub(super) fn unsent_low_water(&self, socket: &Socket) -> u32 {
        match socket.unsent_low_water {
            0 => self.flags.unsent_low_water,
            bytes => bytes,
        }
    }

    /// How long a call that reads or writes waits; `None`: for ever.
    pub(crate) fn timeout(&self, descriptor: Descriptor, writes: bool) -> Option<Duration> {
        let socket = self.sockets.get(&descriptor)?;
        if writes { socket.send_timeout } else { socket.receive_timeout }
    }
}
