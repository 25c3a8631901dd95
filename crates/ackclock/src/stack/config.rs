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
    /// 128 secret random bits, from which initial sequence numbers (RFC 6528), ports (RFC 6056), timestamp
    /// offsets and the keys of the demultiplexing hash are derived. The same secret and the same inputs give
    /// the same packets.
    pub secret: [u64; 2],
    /// Most bytes in the send and receive queues of all connections together, including windows already
    /// advertised, where storage grows. When memory is short all queues get equal shares, and new connections
    /// for which nothing is left are refused.
    pub memory: u64,
    /// Most connections at a time, where storage grows.
    pub max_connections: usize,
    /// Most half-open connections of all listeners together, where storage grows.
    pub max_half_open: usize,
    /// Most connections in TIME-WAIT; beyond this the oldest is dropped.
    pub max_time_wait: usize,
    /// Lowest ephemeral port (RFC 6335: 49152).
    pub first_ephemeral_port: u16,
    /// Highest ephemeral port.
    pub last_ephemeral_port: u16,
    /// Most RST segments sent per second to one address (over IPv6, to one /64 network) in answer to segments
    /// without a connection. Up to half of them are withheld at random, so that no one can count on them. In
    /// a profile for [`Few`](crate::profile::Few) connections the limit is for all addresses together.
    pub resets_per_second: u32,
    /// This stack's part of the resources shared by several stacks with the same addresses.
    pub(super) part: Part,
}

/// The position of one stack among several with the same addresses and the same secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    /// Index of this stack, from 0.
    pub(super) index: u16,
    /// Number of stacks.
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

    /// The settings of stack `index` (from 0) of `stacks` stacks with the same addresses, such as one for
    /// each queue of a device. Each has its part of the memory and of the ephemeral ports, so that no two
    /// choose the same port. All share the secret: an initial sequence number continues from that of the
    /// four-tuple's last connection, whichever stack had it, and a retransmitted SYN is
    /// [claimed](super::Stack::claim) by the same stack as before.
    pub fn share(self, index: u16, stacks: u16) -> Self {
        let stacks = stacks.max(1);
        let part = Part { index: index.min(stacks - 1), stacks };
        let (index, stacks) = (u32::from(part.index), u32::from(stacks));
        let first = u32::from(self.first_ephemeral_port);
        let ports = (u32::from(self.last_ephemeral_port) + 1).saturating_sub(first);
        // Less than 2^16, as it lies in the port range.
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
    /// Most half-open connections (SYN received, handshake not finished). Beyond them a SYN is answered with
    /// a SYN cookie ([`Profile::SynCookies`]), or replaces an older half-open connection.
    ///
    /// [`Profile::SynCookies`]: crate::profile::Profile::SynCookies
    pub half_open: usize,
    /// Most established connections in the accept queue. While it is full, SYN segments are dropped, and so
    /// are the last acks of handshakes in progress.
    pub backlog: usize,
    /// Accept a connection only when data arrives: an ack that finishes a handshake without data is ignored
    /// until the SYN-ACK's timer has expired this many times (after 1, 3, 7… initial timeouts); 0: accept at
    /// once. After that the SYN-ACK is retransmitted once more, and its ack counts (Linux:
    /// `TCP_DEFER_ACCEPT`).
    pub defer_accept: u8,
    /// Accept packets to any destination address, not only to ours (for a TUN device that routes traffic of
    /// others to a proxy).
    pub any_destination: bool,
    /// Let the application answer each SYN ([`Stack::next_request`]); before that nothing is sent. Beyond
    /// `half_open` waiting requests, older ones are dropped for new ones; SYN cookies are not used.
    ///
    /// [`Stack::next_request`]: super::Stack::next_request
    pub requests: bool,
    /// Most connections accepted by Fast Open (RFC 7413) whose handshakes are not finished; 0: no Fast Open.
    /// Data in a SYN with a valid cookie of ours can be read and answered at once. An application that
    /// enables this must tolerate that such data is delivered twice (section 6.1). Beyond the limit, and with
    /// `requests`, handshakes are ordinary ones.
    pub fast_open: usize,
    /// Accept data in a SYN without a cookie (section 7.3): only for networks in which no host spoofs its
    /// address.
    pub fast_open_without_cookie: bool,
    /// Settings that accepted connections inherit.
    pub connection: Config,
}

/// Default for the most connections of a listener that were accepted by Fast Open and are not established.
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

    /// Enables Fast Open as `mode` says, with at most 256 connections whose handshakes are not finished.
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
