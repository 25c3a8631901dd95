//! Settings of a stack and of a listener.

use super::Capabilities;
use crate::tcp::{Config, FastOpenMode};
use core::net::SocketAddr;

/// Settings of a stack.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct StackConfig {
    /// What the link can do.
    pub link: Capabilities,
    /// 128 secret random bits: initial sequence numbers (RFC 6528), ports (RFC 6056), timestamp
    /// offsets and the demultiplexing hash are derived from them. The same secret and the same
    /// inputs give the same packets.
    pub secret: [u64; 2],
    /// Most bytes in the send and receive queues of all connections together, promised windows
    /// included, where storage grows. When it is short, queues get equal shares, and connections for
    /// which there is nothing are refused.
    pub memory: u64,
    /// Most connections at a time, where storage grows.
    pub max_connections: usize,
    /// Most half-open connections of all listeners together, where storage grows.
    pub max_half_open: usize,
    /// Most connections in TIME-WAIT; at the limit the oldest gives way.
    pub max_time_wait: usize,
    /// Lowest ephemeral port (RFC 6335: 49152).
    pub first_ephemeral_port: u16,
    /// Highest ephemeral port.
    pub last_ephemeral_port: u16,
    /// Most RST segments sent per second to one address (over IPv6, to one network of 64 bits) for segments
    /// that belong to nobody. Up to a half fewer are sent, so that nobody can count on them. In a profile
    /// for [`Few`](crate::profile::Few) connections it is so many to all addresses together.
    pub resets_per_second: u32,
    /// Which part of what the stacks with the same addresses have in common is this one's.
    pub(super) part: Part,
}

/// One of several stacks with the same addresses and the same secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    /// Which one, from 0.
    pub(super) index: u16,
    /// How many there are.
    pub(super) stacks: u16,
}

impl StackConfig {
    /// Defaults for a link with these capabilities.
    pub const fn new(link: Capabilities, secret: [u64; 2]) -> Self {
        StackConfig {
            link,
            secret,
            memory: 1 << 30,
            max_connections: 65_536,
            max_half_open: 4_096,
            max_time_wait: 16_384,
            first_ephemeral_port: 49_152,
            last_ephemeral_port: 65_535,
            resets_per_second: 1_000,
            part: Part { index: 0, stacks: 1 },
        }
    }

    /// The settings of the `index`-th (from 0) of `stacks` stacks that have the same addresses, as one
    /// for each queue of a device: each has its part of the memory and of the ephemeral ports, so that
    /// no two of them choose the same. The secret is common to all: an initial sequence number goes
    /// on from that of the four-tuple's last connection, whichever stack had it, and a SYN that comes
    /// again is [claimed](super::Stack::claim) by the same stack as before.
    pub fn share(self, index: u16, stacks: u16) -> Self {
        let stacks = stacks.max(1);
        let part = Part { index: index.min(stacks - 1), stacks };
        let (index, stacks) = (u32::from(part.index), u32::from(stacks));
        let first = u32::from(self.first_ephemeral_port);
        let ports = (u32::from(self.last_ephemeral_port) + 1).saturating_sub(first);
        // Below 2^16: a part of the range.
        let at =
            |part: u32| first + (u64::from(ports) * u64::from(part) / u64::from(stacks)) as u32;
        StackConfig {
            memory: self.memory / u64::from(stacks),
            first_ephemeral_port: at(index) as u16,
            last_ephemeral_port: at(index + 1).saturating_sub(1) as u16,
            part,
            ..self
        }
    }
}

/// Settings of a listener.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ListenConfig {
    /// Where to listen. An unspecified address means any local address of that family, port 0 any
    /// port.
    pub local: SocketAddr,
    /// Most half-open connections (SYN received, handshake not finished). SYN segments beyond them are
    /// answered with a SYN cookie ([`Profile::SynCookies`]), or older ones give way.
    ///
    /// [`Profile::SynCookies`]: crate::profile::Profile::SynCookies
    pub half_open: usize,
    /// Most established connections waiting for `accept`. While there are as many, SYN segments
    /// are dropped, and so are the last acks of handshakes that were begun before.
    pub backlog: usize,
    /// Wait for data: an ack that finishes a handshake without data is not heard before the SYN-ACK's
    /// timer has fired so often (after 1, 3, 7… initial timeouts); 0: accept at once. At the end the
    /// SYN-ACK is sent once more, and its ack counts.
    pub defer_accept: u8,
    /// Accept packets to any destination address, not only to ours (for a TUN that routes foreign
    /// traffic to a proxy).
    pub any_destination: bool,
    /// A SYN is a request that the application answers ([`Stack::next_request`]): before that nothing is
    /// sent. While `half_open` of them wait, older ones give way to new ones; there are no SYN cookies.
    ///
    /// [`Stack::next_request`]: super::Stack::next_request
    pub requests: bool,
    /// Most connections that were opened fast (RFC 7413) and whose handshakes are not finished; 0: no Fast
    /// Open. Data that come with a SYN and a cookie of ours can be read at once, and answered: whoever
    /// enables it must bear that they come twice (section 6.1). While there are as many, and where the
    /// application answers `requests`, handshakes go their ordinary way.
    pub fast_open: usize,
    /// Data that come with a SYN need no cookie (section 7.3): for networks where nobody lies about his
    /// address only.
    pub fast_open_without_cookie: bool,
    /// Settings that accepted connections inherit.
    pub connection: Config,
}

/// How many connections a listener opens fast at a time, whoever enables it without saying so.
const PENDING_FAST_OPENS: usize = 256;

impl ListenConfig {
    /// A listener at `local` with default settings.
    pub const fn new(local: SocketAddr) -> Self {
        ListenConfig {
            local,
            half_open: 4_096,
            backlog: 128,
            defer_accept: 0,
            any_destination: false,
            requests: false,
            fast_open: 0,
            fast_open_without_cookie: false,
            connection: Config::new(),
        }
    }

    /// Opens connections fast as `mode` has it, with a bound of 256 on those that are not finished.
    pub const fn set_fast_open(&mut self, mode: FastOpenMode) {
        self.fast_open = match mode {
            FastOpenMode::Off => 0,
            _ => PENDING_FAST_OPENS,
        };
        self.fast_open_without_cookie = matches!(mode, FastOpenMode::WithoutCookie);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_that_share_addresses_share_the_ports() {
        let whole = StackConfig::new(Capabilities::with_mtu(1500), [1, 2]);
        let parts = [0, 1, 2].map(|index| whole.share(index, 3));
        let ports = parts.map(|part| (part.first_ephemeral_port, part.last_ephemeral_port));
        assert_eq!(ports, [(49_152, 54_612), (54_613, 60_073), (60_074, 65_535)]);
        assert!(parts.iter().all(|part| part.memory == whole.memory / 3));
        let alone = whole.share(0, 1);
        assert_eq!((alone.first_ephemeral_port, alone.last_ephemeral_port), (49_152, 65_535));
    }
}
