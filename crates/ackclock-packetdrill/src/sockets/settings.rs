//! What `setsockopt` changes in a socket, by Linux's numbers, bounds and meanings.

use super::Errno;
use super::socket::{Kind, Socket};
use super::values::{INVALID, UNKNOWN, from_seconds};
use crate::flags::syn_give_up;
use ackclock::tcp::{AckPolicy, BufferTuning, FastOpenMode, Nagle};
use ackclock::time::Duration;
use std::ops::RangeInclusive;

/// The kernel's least buffers in bytes (SOCK_MIN_RCVBUF, SOCK_MIN_SNDBUF), as getsockopt tells them.
const MIN_RECEIVE_BUFFER: u32 = 2_304;
const MIN_SEND_BUFFER: u32 = 4_608;
/// The largest that setsockopt takes, so that twice as much fits.
const MAX_BUFFER: i32 = 1 << 29;
/// TCP_MAXSEG's bounds (TCP_MIN_MSS, MAX_TCP_WINDOW).
const MSS: RangeInclusive<i32> = 88..=32_767;
/// Options of Fast Open that connects (linux/tcp.h).
pub(super) const TCP_FASTOPEN_CONNECT: i32 = 30;
pub(super) const TCP_FASTOPEN_NO_COOKIE: i32 = 34;
/// Options that say how many bytes are left (linux/tcp.h) and which route packets take (asm-generic/socket.h).
pub(super) const TCP_INQ: i32 = 36;
pub(super) const SO_MARK: i32 = 36;
const MAX_KEEPALIVE_SECONDS: i32 = 32_767;
const MAX_KEEPALIVE_COUNT: i32 = 127;
const MAX_SYN_RETRIES: i32 = 127;
/// Segments acknowledged at once after TCP_QUICKACK (TCP_MAX_QUICKACKS).
pub(super) const QUICK_ACKS: u16 = 16;
/// Hop limit where -1 asks for the default.
const DEFAULT_HOP_LIMIT: u8 = 64;

impl Socket {
    /// An option of SOL_SOCKET.
    pub(super) fn set_socket(&mut self, name: i32, value: i32) -> Result<(), Errno> {
        match name {
            libc::SO_REUSEADDR => self.reuse_address = value != 0,
            libc::SO_OOBINLINE => self.urgent_inline = value != 0,
            libc::SO_ZEROCOPY if !(0..=1).contains(&value) => return Err(INVALID),
            libc::SO_ZEROCOPY => self.zerocopy = value == 1,
            // Of no effect: there is one route.
            SO_MARK => self.mark = value,
            libc::SO_KEEPALIVE => {
                self.keepalive_on = value != 0;
                self.set_keepalive();
            }
            // The kernel doubles the value for its own bookkeeping, of which reading needs none.
            libc::SO_RCVBUF => {
                let bytes = value.clamp(0, MAX_BUFFER) as u32;
                self.config.receive_buffer = bytes.max(MIN_RECEIVE_BUFFER / 2);
                self.config.buffer_tuning = BufferTuning::Fixed;
            }
            libc::SO_SNDBUF => {
                let bytes = value.clamp(0, MAX_BUFFER) as u32;
                self.config.send_buffer = bytes.saturating_mul(2).max(MIN_SEND_BUFFER);
            }
            _ => return Err(UNKNOWN),
        }
        Ok(())
    }

    /// An option of IPPROTO_TCP.
    pub(super) fn set_tcp(&mut self, name: i32, value: i32) -> Result<(), Errno> {
        let within = |range: RangeInclusive<i32>| match range.contains(&value) {
            true => Ok(value),
            false => Err(INVALID),
        };
        let config = &mut self.config;
        match name {
            libc::TCP_NODELAY if value == 0 => config.nagle = self.nagle,
            libc::TCP_NODELAY => config.nagle = Nagle::Off,
            libc::TCP_CORK => self.cork = value != 0,
            libc::TCP_KEEPIDLE => {
                self.keepalive.idle = from_seconds(within(1..=MAX_KEEPALIVE_SECONDS)?);
            }
            libc::TCP_KEEPINTVL => {
                self.keepalive.interval = from_seconds(within(1..=MAX_KEEPALIVE_SECONDS)?);
            }
            libc::TCP_KEEPCNT => self.keepalive.count = within(1..=MAX_KEEPALIVE_COUNT)? as u16,
            libc::TCP_NOTSENT_LOWAT => self.unsent_low_water = value as u32,
            libc::TCP_MAXSEG if value == 0 => config.mss = None,
            libc::TCP_MAXSEG => config.mss = Some(within(MSS)? as u16),
            libc::TCP_USER_TIMEOUT => {
                let millis = within(0..=i32::MAX)? as u64;
                config.user_timeout = (millis > 0).then(|| Duration::from_millis(millis));
            }
            libc::TCP_SYNCNT => {
                config.syn_give_up = syn_give_up(config, within(1..=MAX_SYN_RETRIES)? as u32);
                self.syn_ack_give_up = None;
            }
            libc::TCP_WINDOW_CLAMP if value != 0 => {
                let bytes = u32::try_from(value).unwrap_or(0);
                config.window_clamp = Some(bytes.max(MIN_RECEIVE_BUFFER / 2));
            }
            libc::TCP_WINDOW_CLAMP if matches!(self.kind, Kind::Fresh) => {
                config.window_clamp = None;
            }
            libc::TCP_WINDOW_CLAMP => return Err(INVALID),
            libc::TCP_DEFER_ACCEPT => self.defer_accept = syn_ack_timeouts(value),
            libc::TCP_FASTOPEN => {
                self.fast_open = within(0..=i32::MAX)?.min(u16::MAX.into()) as u16;
            }
            TCP_FASTOPEN_CONNECT if self.fast_open_rules.client == FastOpenMode::Off => {
                return Err(Errno(libc::EOPNOTSUPP));
            }
            TCP_FASTOPEN_CONNECT | TCP_FASTOPEN_NO_COOKIE
                if !matches!(self.kind, Kind::Fresh | Kind::Listening { .. }) =>
            {
                return Err(INVALID);
            }
            TCP_FASTOPEN_CONNECT => self.fast_open_connect = within(0..=1)? == 1,
            TCP_FASTOPEN_NO_COOKIE => self.fast_open_no_cookie = within(0..=1)? == 1,
            TCP_INQ => self.tells_queued = within(0..=1)? == 1,
            libc::TCP_QUICKACK => {
                if let AckPolicy::Delayed { quick_acks, .. } = &mut config.ack_policy {
                    *quick_acks = if value != 0 { QUICK_ACKS } else { 0 };
                }
            }
            _ => return Err(UNKNOWN),
        }
        self.set_keepalive();
        Ok(())
    }

    /// An option of IPPROTO_IP.
    pub(super) fn set_ip(&mut self, name: i32, value: i32) -> Result<(), Errno> {
        match name {
            libc::IP_TOS => self.dscp = value as u8 >> 2,
            libc::IP_TTL if value == -1 => self.config.hop_limit = DEFAULT_HOP_LIMIT,
            libc::IP_TTL => self.config.hop_limit = hop_limit(value)?,
            libc::IP_MTU_DISCOVER => self.path_mtu_discovery = path_mtu_discovery(value)?,
            libc::IP_FREEBIND => self.free_bind = value != 0,
            _ => return Err(UNKNOWN),
        }
        self.config.dscp = self.dscp;
        Ok(())
    }

    /// An option of IPPROTO_IPV6.
    pub(super) fn set_ipv6(&mut self, name: i32, value: i32) -> Result<(), Errno> {
        match name {
            libc::IPV6_TCLASS if value == -1 => self.dscp = 0,
            libc::IPV6_TCLASS => self.dscp = u8::try_from(value).map_err(|_| INVALID)? >> 2,
            libc::IPV6_UNICAST_HOPS if value == -1 => self.config.hop_limit = DEFAULT_HOP_LIMIT,
            libc::IPV6_UNICAST_HOPS => self.config.hop_limit = hop_limit(value)?,
            libc::IPV6_MTU_DISCOVER => self.path_mtu_discovery = path_mtu_discovery(value)?,
            libc::IPV6_V6ONLY if self.local.is_none() => self.v6_only = value != 0,
            libc::IPV6_V6ONLY => return Err(INVALID),
            _ => return Err(UNKNOWN),
        }
        self.config.dscp = self.dscp;
        Ok(())
    }

    fn set_keepalive(&mut self) {
        self.config.keepalive = self.keepalive_on.then_some(self.keepalive);
    }
}

/// For IPv6 the kernel takes 0 too, with which no packet arrives anywhere.
fn hop_limit(value: i32) -> Result<u8, Errno> {
    u8::try_from(value).ok().filter(|limit| *limit > 0).ok_or(INVALID)
}

/// From IP_PMTUDISC_DONT to IP_PMTUDISC_OMIT; those of IPv6 have the same numbers.
fn path_mtu_discovery(value: i32) -> Result<i32, Errno> {
    match (libc::IP_PMTUDISC_DONT..=libc::IP_PMTUDISC_OMIT).contains(&value) {
        true => Ok(value),
        false => Err(INVALID),
    }
}

/// The first timeout of a SYN-ACK and the longest, in seconds (TCP_TIMEOUT_INIT, TCP_RTO_MAX), by
/// which TCP_DEFER_ACCEPT counts.
const SYN_ACK_TIMEOUT: (u64, u64) = (1, 120);

/// The end of each timeout of a SYN-ACK, in seconds since it was sent.
fn timeout_ends() -> impl Iterator<Item = u64> {
    let (first, longest) = SYN_ACK_TIMEOUT;
    let lengths = std::iter::successors(Some(first), move |length| Some((length * 2).min(longest)));
    lengths.scan(0, |end, length| {
        *end += length;
        Some(*end)
    })
}

/// After how many timeouts of the SYN-ACK so many seconds are over.
fn syn_ack_timeouts(seconds: i32) -> u8 {
    let seconds = u64::try_from(seconds).unwrap_or(0);
    match seconds {
        0 => 0,
        _ => 1 + timeout_ends().take(254).filter(|end| *end < seconds).count() as u8,
    }
}

/// When so many timeouts of the SYN-ACK are over, in seconds.
pub(super) fn seconds_of_timeouts(timeouts: u8) -> i32 {
    let last = usize::from(timeouts).checked_sub(1);
    last.and_then(|last| timeout_ends().nth(last)).unwrap_or(0) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_timeouts_of_the_syn_ack() {
        let cases =
            [(-1, 0, 0), (0, 0, 0), (1, 1, 1), (2, 2, 3), (3, 2, 3), (4, 3, 7), (128, 8, 247)];
        for (asked, timeouts, told) in cases {
            assert_eq!(syn_ack_timeouts(asked), timeouts, "{asked}");
            assert_eq!(seconds_of_timeouts(timeouts), told, "{asked}");
        }
        assert_eq!(syn_ack_timeouts(i32::MAX), 255);
    }
}
