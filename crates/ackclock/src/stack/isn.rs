//! Numbers that nobody outside can guess and that repeat from run to run: all of them are keyed
//! hashes over the secret of the stack.

use super::tuple::FourTuple;
use crate::seq::SeqNumber;
use crate::time::{Duration, Instant};
use core::net::{IpAddr, SocketAddr};
use siphasher::sip::SipHasher13;

/// Tick of the clock in initial sequence numbers (RFC 9293 section 3.4.1, RFC 6528 section 3).
const ISN_TICK: Duration = Duration::from_micros(4);

/// The secret of a stack.
#[derive(Clone, Copy)]
pub(super) struct Secret([u64; 2]);

/// What a hash is for: numbers with different purposes have nothing to do with each other.
#[derive(Clone, Copy)]
enum Purpose {
    Demux = 1,
    Isn,
    TimestampOffset,
    Port,
    Random,
    ClockPhase,
}

impl Secret {
    /// A secret of 128 random bits.
    pub(super) const fn new(bits: [u64; 2]) -> Self {
        Secret(bits)
    }

    /// Hash for the demultiplexer.
    pub(super) fn demux(&self, tuple: &FourTuple) -> u32 {
        (self.hash(Purpose::Demux, tuple) >> 32) as u32
    }

    /// Initial sequence number: a clock plus a number that depends on the four-tuple (RFC 6528
    /// section 3), so that a later connection of the same tuple has a higher one.
    pub(super) fn isn(&self, now: Instant, tuple: &FourTuple) -> SeqNumber {
        let clock = now.as_nanos() / ISN_TICK.as_nanos();
        SeqNumber(clock as u32) + self.hash(Purpose::Isn, tuple) as u32
    }

    /// What is added to the timestamp clock of a connection (RFC 7323 section 5.4). It stays the
    /// same for a four-tuple, so that timestamps grow from one connection to the next (RFC 6191).
    pub(super) fn timestamp_offset(&self, tuple: &FourTuple) -> u32 {
        self.hash(Purpose::TimestampOffset, tuple) as u32
    }

    /// Where the search for an ephemeral port begins: F of RFC 6056 section 3.3.3, over both
    /// addresses and the remote port.
    pub(super) fn port_offset(&self, local: IpAddr, remote: SocketAddr) -> u32 {
        let tuple = FourTuple { local: SocketAddr::new(local, 0), remote };
        self.hash(Purpose::Port, &tuple) as u32
    }

    /// Seed of a connection's random words.
    pub(super) fn random(&self, now: Instant, tuple: &FourTuple) -> u64 {
        let base = self.hash(Purpose::Random, tuple);
        SipHasher13::new_with_keys(self.0[0], base).hash(&now.as_nanos().to_le_bytes())
    }

    /// A word for the phase of the clocks that tick in all connections.
    pub(super) fn clock_phase(&self) -> u32 {
        let [first, second] = self.0;
        SipHasher13::new_with_keys(first ^ Purpose::ClockPhase as u64, second).hash(&[]) as u32
    }

    fn hash(&self, purpose: Purpose, tuple: &FourTuple) -> u64 {
        let [first, second] = self.0;
        let hasher = SipHasher13::new_with_keys(first ^ purpose as u64, second);
        tuple.with_bytes(|bytes| hasher.hash(bytes))
    }
}

impl core::fmt::Debug for Secret {
    /// Does not show the bits.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Secret")
    }
}

/// Search for an ephemeral port (RFC 6056 section 3.3.3, algorithm 3).
#[derive(Clone, Copy, Debug)]
pub(super) struct EphemeralPorts {
    first: u16,
    last: u16,
    next: u32,
}

impl EphemeralPorts {
    /// Ports from `first` to `last`, in whichever order these stand.
    pub(super) fn new(first: u16, last: u16) -> Self {
        EphemeralPorts { first: first.min(last).max(1), last: first.max(last).max(1), next: 0 }
    }

    /// The first port from `offset` on that is not `in_use`; `None` if all are.
    pub(super) fn choose(&mut self, offset: u32, in_use: impl Fn(u16) -> bool) -> Option<u16> {
        let count = u32::from(self.last - self.first) + 1;
        for _ in 0..count {
            let place = offset.wrapping_add(self.next) % count;
            self.next = self.next.wrapping_add(1);
            let port = self.first.saturating_add(place as u16);
            if !in_use(port) {
                return Some(port);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: Secret = Secret::new([1, 2]);

    fn tuple(port: u16) -> FourTuple {
        FourTuple {
            local: SocketAddr::new([10, 0, 0, 1].into(), port),
            remote: SocketAddr::new([10, 0, 0, 2].into(), 80),
        }
    }

    #[test]
    fn the_isn_counts_four_microseconds() {
        let first = SECRET.isn(Instant::ZERO, &tuple(1));
        let later = SECRET.isn(Instant::from_micros(4000), &tuple(1));
        assert_eq!(later.distance(first), 1000);
    }

    #[test]
    fn numbers_depend_on_tuple_secret_and_purpose() {
        let other = Secret::new([1, 3]);
        let (a, b) = (tuple(1), tuple(2));
        assert_ne!(SECRET.isn(Instant::ZERO, &a), SECRET.isn(Instant::ZERO, &b));
        assert_ne!(SECRET.isn(Instant::ZERO, &a), other.isn(Instant::ZERO, &a));
        assert_ne!(SECRET.isn(Instant::ZERO, &a).0, SECRET.timestamp_offset(&a));
        assert_ne!(SECRET.demux(&a), SECRET.demux(&b));
        assert_ne!(SECRET.random(Instant::ZERO, &a), SECRET.random(Instant::from_secs(1), &a));
        let later = SECRET.timestamp_offset(&a);
        assert_eq!(SECRET.timestamp_offset(&a), later, "the same for a later connection");
    }

    #[test]
    fn ports_follow_each_other_from_the_offset_and_skip_those_in_use() {
        let mut ports = EphemeralPorts::new(50_000, 50_003);
        assert_eq!(ports.choose(2, |_| false), Some(50_002));
        assert_eq!(ports.choose(2, |port| port == 50_003), Some(50_000));
        assert_eq!(ports.choose(2, |_| true), None);
        let mut whole = EphemeralPorts::new(u16::MAX, 0);
        assert_eq!(whole.choose(0, |port| port != u16::MAX), Some(u16::MAX));
    }
}
