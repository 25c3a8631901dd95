//! Options by Linux's numbers and meanings.

use super::socket::{Kind, Socket};
use super::{Descriptor, Errno, Linger, Sockets, tcp_info};
use crate::flags::syn_give_up;
use ackclock::congestion::{BuiltIn, CongestionController};
use ackclock::tcp::State;
use ackclock::time::Duration;

/// Level and name of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SocketOption {
    pub(crate) level: i32,
    pub(crate) name: i32,
}

/// The kernel's least buffers in bytes (SOCK_MIN_RCVBUF, SOCK_MIN_SNDBUF), as getsockopt tells them.
const MIN_RECEIVE_BUFFER: u32 = 2_304;
const MIN_SEND_BUFFER: u32 = 4_608;
/// The largest that setsockopt takes, so that twice as much fits.
const MAX_BUFFER: i32 = 1 << 29;
/// TCP_MAXSEG's bounds (TCP_MIN_MSS, MAX_TCP_WINDOW).
const MSS: std::ops::RangeInclusive<i32> = 88..=32_767;
const MAX_KEEPALIVE_SECONDS: i32 = 32_767;
const MAX_KEEPALIVE_COUNT: i32 = 127;
const MAX_SYN_RETRIES: i32 = 127;
/// Longest name of a congestion controller, with its final zero.
const CONGESTION_NAME: usize = 16;

const UNKNOWN: Errno = Errno(libc::ENOPROTOOPT);
const INVALID: Errno = Errno(libc::EINVAL);

impl Sockets {
    /// `setsockopt`.
    pub(crate) fn set_option(
        &mut self,
        descriptor: Descriptor,
        option: SocketOption,
        value: &[u8],
    ) -> Result<(), Errno> {
        let is_fresh = matches!(self.get(descriptor)?.kind, Kind::Fresh);
        let is_v6 = self.get(descriptor)?.is_v6;
        let socket = self.get_mut(descriptor)?;
        if let Kind::Epoll(_) = socket.kind {
            return Err(Errno(libc::ENOTSOCK));
        }
        match (option.level, option.name) {
            (libc::SOL_SOCKET, libc::SO_LINGER) => socket.linger = linger(value)?,
            (libc::SOL_SOCKET, libc::SO_RCVTIMEO) => socket.receive_timeout = timeout(value)?,
            (libc::SOL_SOCKET, libc::SO_SNDTIMEO) => socket.send_timeout = timeout(value)?,
            (libc::IPPROTO_TCP, libc::TCP_CONGESTION) => {
                let name = value.split(|byte| *byte == 0).next().unwrap_or_default();
                let law = std::str::from_utf8(name).ok().and_then(BuiltIn::by_name);
                let law = law.ok_or(Errno(libc::ENOENT))?;
                // A connection keeps its law, and a listener's connections have the stack's.
                if !is_fresh {
                    return Err(Errno(libc::EBUSY));
                }
                socket.law = Some(law);
            }
            (level, name) => {
                let value = integer(value)?;
                match level {
                    libc::SOL_SOCKET => set_socket(socket, name, value, is_fresh)?,
                    libc::IPPROTO_TCP => set_tcp(socket, name, value, is_fresh)?,
                    libc::IPPROTO_IP if !is_v6 => set_ip(socket, name, value)?,
                    libc::IPPROTO_IPV6 if is_v6 => set_ipv6(socket, name, value)?,
                    _ => return Err(UNKNOWN),
                }
            }
        }
        self.apply_options(descriptor);
        Ok(())
    }

    /// Tells the connection, if there is one, what can change while it is open.
    pub(super) fn apply_options(&mut self, descriptor: Descriptor) {
        let Some(socket) = self.sockets.get(&descriptor) else {
            return;
        };
        let Kind::Stream(stream) = &socket.kind else {
            return;
        };
        let (now, handle) = (self.now, stream.handle);
        let keepalive = socket.keepalive_on.then_some(socket.keepalive);
        // The values were checked when they were set.
        let _ = self.stack.set_nagle(now, handle, socket.config.nagle);
        let _ = self.stack.set_cork(now, handle, socket.cork);
        let _ = self.stack.set_keepalive(now, handle, keepalive);
        let _ = self.stack.set_dscp(handle, socket.dscp);
        let _ = self.stack.set_hop_limit(handle, socket.config.hop_limit);
    }

    /// `getsockopt`: the value's bytes.
    pub(crate) fn option(
        &mut self,
        descriptor: Descriptor,
        option: SocketOption,
    ) -> Result<Vec<u8>, Errno> {
        let socket = self.get(descriptor)?;
        if let Kind::Epoll(_) = socket.kind {
            return Err(Errno(libc::ENOTSOCK));
        }
        let number = |value: i32| Ok(value.to_ne_bytes().to_vec());
        let switch = |on: bool| number(on.into());
        match (option.level, option.name) {
            (libc::SOL_SOCKET, libc::SO_ERROR) => {
                number(self.take_error(descriptor).map_or(0, |error| error.0))
            }
            (libc::SOL_SOCKET, libc::SO_TYPE) => number(libc::SOCK_STREAM),
            (libc::SOL_SOCKET, libc::SO_PROTOCOL) => number(libc::IPPROTO_TCP),
            (libc::SOL_SOCKET, libc::SO_DOMAIN) => {
                number(if socket.is_v6 { libc::AF_INET6 } else { libc::AF_INET })
            }
            (libc::SOL_SOCKET, libc::SO_ACCEPTCONN) => {
                switch(matches!(socket.kind, Kind::Listening(_)))
            }
            (libc::SOL_SOCKET, libc::SO_REUSEADDR) => switch(socket.reuse_address),
            (libc::SOL_SOCKET, libc::SO_KEEPALIVE) => switch(socket.keepalive_on),
            (libc::SOL_SOCKET, libc::SO_RCVBUF) => {
                number(socket.config.receive_buffer.saturating_mul(2) as i32)
            }
            (libc::SOL_SOCKET, libc::SO_SNDBUF) => {
                number(socket.config.send_buffer.saturating_mul(2) as i32)
            }
            (libc::SOL_SOCKET, libc::SO_LINGER) => {
                let (on, seconds) = match socket.linger {
                    Linger::Off => (0, 0),
                    Linger::For(time) => (1, seconds(time)),
                };
                Ok([i32::to_ne_bytes(on), i32::to_ne_bytes(seconds)].concat())
            }
            (libc::IPPROTO_TCP, libc::TCP_NODELAY) => switch(!socket.config.nagle),
            (libc::IPPROTO_TCP, libc::TCP_CORK) => switch(socket.cork),
            (libc::IPPROTO_TCP, libc::TCP_MAXSEG) => {
                let mss = self.info(descriptor).map(|info| info.mss as i32);
                number(mss.unwrap_or(socket.config.mss.map_or(536, i32::from)))
            }
            (libc::IPPROTO_TCP, libc::TCP_KEEPIDLE) => number(seconds(socket.keepalive.idle)),
            (libc::IPPROTO_TCP, libc::TCP_KEEPINTVL) => number(seconds(socket.keepalive.interval)),
            (libc::IPPROTO_TCP, libc::TCP_KEEPCNT) => number(socket.keepalive.count.into()),
            (libc::IPPROTO_TCP, libc::TCP_USER_TIMEOUT) => {
                number(socket.config.user_timeout.map_or(0, |time| time.as_millis() as i32))
            }
            (libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT) => number(socket.unsent_low_water as i32),
            (libc::IPPROTO_TCP, libc::TCP_INFO) => Ok(match socket.kind {
                Kind::Fresh => tcp_info::idle(State::Closed),
                Kind::Listening(_) => tcp_info::idle(State::Listen),
                _ => tcp_info::write(&self.info(descriptor)?),
            }),
            (libc::IPPROTO_TCP, libc::TCP_CONGESTION) => {
                let law = socket.law.unwrap_or(self.flags.law);
                let mut name = law.name().as_bytes().to_vec();
                name.resize(CONGESTION_NAME, 0);
                Ok(name)
            }
            (libc::IPPROTO_IP, libc::IP_TOS) if !socket.is_v6 => number((socket.dscp << 2).into()),
            (libc::IPPROTO_IPV6, libc::IPV6_TCLASS) if socket.is_v6 => {
                number((socket.dscp << 2).into())
            }
            (libc::IPPROTO_IP, libc::IP_TTL) if !socket.is_v6 => {
                number(socket.config.hop_limit.into())
            }
            (libc::IPPROTO_IPV6, libc::IPV6_UNICAST_HOPS) if socket.is_v6 => {
                number(socket.config.hop_limit.into())
            }
            (libc::SOL_SOCKET | libc::IPPROTO_TCP | libc::IPPROTO_IP | libc::IPPROTO_IPV6, _) => {
                Err(UNKNOWN)
            }
            _ => Err(Errno(libc::EOPNOTSUPP)),
        }
    }

    /// How long a call that reads or writes waits; `None`: for ever.
    pub(crate) fn timeout(&self, descriptor: Descriptor, writes: bool) -> Option<Duration> {
        let socket = self.sockets.get(&descriptor)?;
        if writes { socket.send_timeout } else { socket.receive_timeout }
    }
}

fn set_socket(socket: &mut Socket, name: i32, value: i32, is_fresh: bool) -> Result<(), Errno> {
    match name {
        libc::SO_REUSEADDR => socket.reuse_address = value != 0,
        libc::SO_KEEPALIVE => {
            socket.keepalive_on = value != 0;
            socket.config.keepalive = socket.keepalive_on.then_some(socket.keepalive);
        }
        // The kernel doubles the value for its own bookkeeping, of which we need none.
        libc::SO_RCVBUF if is_fresh => {
            let bytes = value.clamp(0, MAX_BUFFER) as u32;
            socket.config.receive_buffer = bytes.max(MIN_RECEIVE_BUFFER / 2);
        }
        libc::SO_SNDBUF if is_fresh => {
            let bytes = value.clamp(0, MAX_BUFFER) as u32;
            socket.config.send_buffer = bytes.max(MIN_SEND_BUFFER / 2);
        }
        // An open connection's buffers stay as they are, as if the kernel's limit were reached.
        libc::SO_RCVBUF | libc::SO_SNDBUF => {}
        _ => return Err(UNKNOWN),
    }
    Ok(())
}

fn set_tcp(socket: &mut Socket, name: i32, value: i32, is_fresh: bool) -> Result<(), Errno> {
    let within = |range: std::ops::RangeInclusive<i32>| match range.contains(&value) {
        true => Ok(value),
        false => Err(INVALID),
    };
    let config = &mut socket.config;
    match name {
        libc::TCP_NODELAY => config.nagle = value == 0,
        libc::TCP_CORK => socket.cork = value != 0,
        libc::TCP_KEEPIDLE => {
            socket.keepalive.idle = from_seconds(within(1..=MAX_KEEPALIVE_SECONDS)?);
        }
        libc::TCP_KEEPINTVL => {
            socket.keepalive.interval = from_seconds(within(1..=MAX_KEEPALIVE_SECONDS)?);
        }
        libc::TCP_KEEPCNT => socket.keepalive.count = within(1..=MAX_KEEPALIVE_COUNT)? as u16,
        libc::TCP_NOTSENT_LOWAT => socket.unsent_low_water = value as u32,
        libc::TCP_MAXSEG if is_fresh => config.mss = Some(within(MSS)? as u16),
        libc::TCP_USER_TIMEOUT if is_fresh => {
            let millis = within(0..=i32::MAX)? as u64;
            config.user_timeout = (millis > 0).then(|| Duration::from_millis(millis));
        }
        libc::TCP_SYNCNT if is_fresh => {
            config.syn_give_up = syn_give_up(config, within(1..=MAX_SYN_RETRIES)? as u32);
        }
        _ => return Err(UNKNOWN),
    }
    config.keepalive = socket.keepalive_on.then_some(socket.keepalive);
    Ok(())
}

fn set_ip(socket: &mut Socket, name: i32, value: i32) -> Result<(), Errno> {
    match name {
        libc::IP_TOS => socket.dscp = value as u8 >> 2,
        libc::IP_TTL if (1..=255).contains(&value) => socket.config.hop_limit = value as u8,
        libc::IP_TTL => return Err(INVALID),
        _ => return Err(UNKNOWN),
    }
    socket.config.dscp = socket.dscp;
    Ok(())
}

fn set_ipv6(socket: &mut Socket, name: i32, value: i32) -> Result<(), Errno> {
    match name {
        libc::IPV6_TCLASS if (0..=255).contains(&value) => socket.dscp = value as u8 >> 2,
        libc::IPV6_UNICAST_HOPS if (1..=255).contains(&value) => {
            socket.config.hop_limit = value as u8;
        }
        libc::IPV6_TCLASS | libc::IPV6_UNICAST_HOPS => return Err(INVALID),
        _ => return Err(UNKNOWN),
    }
    socket.config.dscp = socket.dscp;
    Ok(())
}

fn integer(value: &[u8]) -> Result<i32, Errno> {
    Ok(i32::from_ne_bytes(*value.first_chunk().ok_or(INVALID)?))
}

/// `struct linger`.
fn linger(value: &[u8]) -> Result<Linger, Errno> {
    let (on, seconds) = (integer(value)?, integer(value.get(4..).unwrap_or_default())?);
    Ok(if on == 0 { Linger::Off } else { Linger::For(from_seconds(seconds.max(0))) })
}

/// `struct timeval`; zero: for ever.
fn timeout(value: &[u8]) -> Result<Option<Duration>, Errno> {
    let word = |from: usize| value.get(from..)?.first_chunk().map(|word| i64::from_ne_bytes(*word));
    let (seconds, micros) = word(0).zip(word(8)).ok_or(INVALID)?;
    if !(0..1_000_000).contains(&micros) {
        return Err(Errno(libc::EDOM));
    }
    let time = Duration::from_secs(seconds.max(0) as u64) + Duration::from_micros(micros as u64);
    Ok((!time.is_zero()).then_some(time))
}

fn from_seconds(seconds: i32) -> Duration {
    Duration::from_secs(seconds.max(0) as u64)
}

fn seconds(time: Duration) -> i32 {
    (time.as_millis() / 1_000) as i32
}
