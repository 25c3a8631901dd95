//! Numbers that nobody outside can guess and that repeat from run to run: all of them are keyed
//! hashes over the secret of the stack.
//!
//! Those that go out are SipHash's. The demultiplexer's, which no packet shows, is needed for many
//! packets and must only be such that nobody who does not know the keys can choose four-tuples that
//! collide: any two do so with a probability of 2^-32, whatever they are (multilinear hashing with
//! half as many multiplications; Lemire and Kaser, "Strongly universal string hashing is fast", 2014,
//! section 3).

use super::siphash::Key;
use super::tuple::FourTuple;
use crate::seq::SeqNumber;
use crate::time::Instant;
use crate::wire::Address;
use core::net::IpAddr;

/// Tick of the clock in initial sequence numbers, in microseconds (RFC 9293 section 3.4.1, RFC 6528
/// section 3).
const ISN_TICK_MICROS: u64 = 4;

/// The golden ratio in 64 bits: a multiplication by it spreads each bit over those above (Knuth, "The
/// Art of Computer Programming", section 6.4).
const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;

/// Without a table there is no hash for it.
const DEMUX_KEYS: usize = if cfg!(feature = "many-connections") { 11 } else { 1 };

/// The secret of a stack.
#[derive(Clone, Copy)]
pub(super) struct Secret {
    key: Key,
    /// Keys of the demultiplexer's hash: one for each word of a four-tuple, and for the sum.
    demux: [u64; DEMUX_KEYS],
    clock_phase: u32,
}

/// What a hash is for: numbers with different purposes have nothing to do with each other.
#[derive(Clone, Copy)]
enum Purpose {
    Demux = 1,
    FirstNumbers,
    Port,
    ClockPhase,
}

/// What the peer first learns of our counting.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstNumbers {
    /// Initial sequence number: a clock plus a number that depends on the four-tuple (RFC 6528
    /// section 3), so that a later connection of the same tuple has a higher one.
    pub(super) isn: SeqNumber,
    /// What is added to the timestamp clock of a connection (RFC 7323 section 5.4). It stays the
    /// same for a four-tuple, so that timestamps grow from one connection to the next (RFC 6191).
    pub(super) timestamp_offset: u32,
}

impl Secret {
    /// A secret of 128 random bits.
    pub(super) const fn new(bits: [u64; 2]) -> Self {
        let key = Key::new(bits);
        let mut demux = [0; DEMUX_KEYS];
        if cfg!(feature = "many-connections") {
            let mut number = 0;
            let mut left = demux.as_mut_slice();
            while let [key_of_word, rest @ ..] = left {
                // One byte, and that it is one.
                *key_of_word = key.with(Purpose::Demux as u64).hash(&[number | 1 << 56]);
                number += 1;
                left = rest;
            }
        }
        let clock_phase = if cfg!(feature = "historic") {
            key.with(Purpose::ClockPhase as u64).hash(&[0]) as u32
        } else {
            0
        };
        Secret { key, demux, clock_phase }
    }

    /// Hash for the demultiplexer.
    pub(super) fn demux(&self, tuple: &FourTuple) -> u32 {
        if !cfg!(feature = "many-connections") {
            return 0;
        }
        let FourTuple { local, remote } = tuple;
        let ports = u32::from(local.port()) << 16 | u32::from(remote.port());
        match (local.ip(), remote.ip()) {
            (Address::V4(local), Address::V4(remote)) => {
                self.multilinear([local.to_bits(), remote.to_bits(), ports, 0])
            }
            #[cfg(feature = "ipv6")]
            (local, remote) => {
                let [a, b, c, d] = words(local);
                let [e, f, g, h] = words(remote);
                self.multilinear([a, b, c, d, e, f, g, h, ports, 0])
            }
        }
    }

    fn multilinear<const WORDS: usize>(&self, words: [u32; WORDS]) -> u32 {
        let [offset, keys @ ..] = &self.demux;
        let pairs = keys.as_chunks::<2>().0.iter().zip(words.as_chunks::<2>().0);
        let sum = pairs.fold(*offset, |sum, ([key0, key1], [word0, word1])| {
            let product = key0.wrapping_add(u64::from(*word0));
            sum.wrapping_add(product.wrapping_mul(key1.wrapping_add(u64::from(*word1))))
        });
        (sum >> 32) as u32
    }

    /// The initial sequence number and the offset of the timestamps: a half each of one hash, of which
    /// neither tells anything of the other.
    pub(super) fn first_numbers(&self, now: Instant, tuple: &FourTuple) -> FirstNumbers {
        let clock = now.as_micros() / ISN_TICK_MICROS;
        let hash = self.hash(Purpose::FirstNumbers, tuple);
        let timestamp_offset = if cfg!(feature = "timestamps") { (hash >> 32) as u32 } else { 0 };
        FirstNumbers { isn: SeqNumber(clock as u32) + hash as u32, timestamp_offset }
    }

    /// Where the search for an ephemeral port begins: F of RFC 6056 section 3.3.3, over both
    /// addresses and the remote port; the local port is 0.
    pub(super) fn port_offset(&self, tuple: &FourTuple) -> u32 {
        self.hash(Purpose::Port, tuple) as u32
    }

    /// Seed of a connection's random words, of which nothing secret comes: a multiplication mixes well
    /// enough what is different for each connection. The key has a part in it by the sequence number
    /// only, since it could be found out from them.
    pub(super) fn random(now: Instant, isn: SeqNumber) -> u64 {
        let different = now.as_nanos() ^ u64::from(isn.0) << 32;
        different.wrapping_mul(GOLDEN_RATIO).rotate_left(32)
    }

    /// A word for the phase of the clocks that tick in all connections.
    pub(super) fn clock_phase(&self) -> u32 {
        self.clock_phase
    }

    fn hash(&self, purpose: Purpose, tuple: &FourTuple) -> u64 {
        tuple.with_words(|words| self.key.with(purpose as u64).hash(words))
    }
}

#[cfg(feature = "ipv6")]
fn words(address: IpAddr) -> [u32; 4] {
    let bits = match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits(),
    };
    [96, 64, 32, 0].map(|shift| (bits >> shift) as u32)
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
    pub(super) const fn new(first: u16, last: u16) -> Self {
        let (first, last) = if first < last { (first, last) } else { (last, first) };
        // No port is 0.
        let first = if first == 0 { 1 } else { first };
        let last = if last == 0 { 1 } else { last };
        EphemeralPorts { first, last, next: 0 }
    }

    /// The first port from `offset` on that is not `in_use`; `None` if all are.
    pub(super) fn choose(
        &mut self,
        offset: u32,
        mut in_use: impl FnMut(u16) -> bool,
    ) -> Option<u16> {
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
    use crate::stack::tuple::End;
    use core::net::SocketAddr;

    fn secret() -> Secret {
        Secret::new([1, 2])
    }

    fn tuple(port: u16) -> FourTuple {
        FourTuple {
            local: End::new([10, 0, 0, 1].into(), port),
            remote: End::new([10, 0, 0, 2].into(), 80),
        }
    }

    #[test]
    fn the_isn_counts_four_microseconds() {
        let first = secret().first_numbers(Instant::ZERO, &tuple(1));
        let later = secret().first_numbers(Instant::from_micros(4000), &tuple(1));
        assert_eq!(later.isn.distance(first.isn), 1000);
        let same = later.timestamp_offset == first.timestamp_offset;
        assert!(same, "the same for a later connection");
    }

    #[test]
    fn numbers_depend_on_tuple_secret_and_purpose() {
        let other = Secret::new([1, 3]);
        let (a, b) = (tuple(1), tuple(2));
        let first = |secret: Secret, tuple| secret.first_numbers(Instant::ZERO, tuple);
        let (of_a, of_b) = (first(secret(), &a), first(secret(), &b));
        assert_ne!(of_a.isn, of_b.isn);
        assert_ne!(of_a.timestamp_offset, of_b.timestamp_offset);
        assert_ne!(of_a.isn, first(other, &a).isn);
        assert_ne!(of_a.isn.0, of_a.timestamp_offset);
        assert_ne!(secret().demux(&a), secret().demux(&b));
        assert_ne!(secret().demux(&a), other.demux(&a));
        let (random, later) = (Instant::ZERO, Instant::from_secs(1));
        let random = [(random, of_a.isn), (random, of_b.isn), (later, of_a.isn)]
            .map(|(now, isn)| Secret::random(now, isn) as u32);
        let [of_a, of_b, later] = random;
        assert!(of_a != of_b && of_a != later && of_b != later);
    }

    #[test]
    fn every_word_of_a_tuple_counts_for_the_demultiplexer() {
        let end = |address: [u16; 8], port| SocketAddr::new(address.into(), port);
        let mut hashes = std::vec![];
        for word in 0..=16 {
            let mut ends = [[0; 8]; 2];
            if let Some(word) = ends.as_flattened_mut().get_mut(word) {
                *word = 1;
            }
            for (local, remote) in [(1, 2), (2, 1)] {
                let [ours, theirs] = ends;
                let tuple = FourTuple {
                    local: end(ours, local).into(),
                    remote: end(theirs, remote).into(),
                };
                hashes.push(secret().demux(&tuple));
            }
        }
        let count = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), count);
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
