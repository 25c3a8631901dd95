//! Numbers that no outsider can guess, but that are the same in each run with the same secret: keyed hashes.

use super::siphash::Key;
use super::tuple::FourTuple;
use crate::seq::SeqNumber;
use crate::time::Instant;
use crate::wire::Address;

/// Clock tick of initial sequence numbers, in microseconds (RFC 9293 section 3.4.1, RFC 6528 section 3).
const ISN_TICK_MICROS: u64 = 4;

/// The golden ratio in 64 bits: multiplying by it spreads each bit over those above it (Knuth, "The Art of
/// Computer Programming", section 6.4).
const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;

/// The secret of a stack.
#[derive(Clone, Copy)]
pub struct Secret {
    key: Key,
    clock_phase: u32,
}

/// Purpose of a hash: numbers for different purposes are independent.
#[derive(Clone, Copy)]
enum Purpose {
    Demux = 1,
    FirstNumbers,
    Port,
    ClockPhase,
    Cookie,
    Share,
    Group,
    Withheld,
    FastOpen,
}

/// The initial numbers of a connection that its peer can see.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstNumbers {
    /// Initial sequence number: a clock plus a number that depends on the four-tuple (RFC 6528 section 3), so
    /// that a later connection with the same four-tuple has a higher one.
    pub(super) isn: SeqNumber,
    /// Offset added to the timestamp clock of a connection (RFC 7323 section 5.4). It is the same for all
    /// connections of a four-tuple, so that timestamps grow from one to the next (RFC 6191).
    pub(super) timestamp_offset: u32,
}

impl Secret {
    /// The secret with these 128 random bits.
    pub(super) const fn new(bits: [u64; 2]) -> Self {
        let key = Key::new(bits);
        let clock_phase = key.with(Purpose::ClockPhase as u64).hash(&[0]) as u32;
        Secret { key, clock_phase }
    }

    /// Key number `number` of the demultiplexing hash.
    pub(super) fn demux_key(&self, number: u8) -> u64 {
        // The data is one byte long, as the highest byte says.
        self.key.with(Purpose::Demux as u64).hash(&[u64::from(number) | 1 << 56])
    }

    /// The initial sequence number and the timestamp offset: each is one half of a hash, and reveals nothing
    /// about the other half.
    pub(super) fn first_numbers(&self, now: Instant, tuple: &FourTuple) -> FirstNumbers {
        let clock = now.as_micros() / ISN_TICK_MICROS;
        let hash = self.hash(Purpose::FirstNumbers, tuple);
        let timestamp_offset = (hash >> 32) as u32;
        FirstNumbers { isn: SeqNumber(clock as u32) + hash as u32, timestamp_offset }
    }

    /// Start of the search for an ephemeral port: F of RFC 6056 section 3.3.3, of both addresses and the
    /// remote port (the local port is 0).
    pub(super) fn port_offset(&self, tuple: &FourTuple) -> u32 {
        self.hash(Purpose::Port, tuple) as u32
    }

    /// A hash for a SYN cookie, which only this stack can compute: of the four-tuple, the peer's initial
    /// sequence number `irs`, and `rest`.
    pub(super) fn cookie(&self, tuple: &FourTuple, irs: SeqNumber, rest: u32) -> u32 {
        let of_tuple = self.hash(Purpose::Cookie, tuple);
        let words = [of_tuple, u64::from(irs.0) | u64::from(rest) << 32, 16 << 56];
        self.key.with(Purpose::Cookie as u64).hash(&words) as u32
    }

    /// Which of `stacks` stacks with this secret takes a four-tuple that has no connection yet.
    pub(super) fn share(&self, tuple: &FourTuple, stacks: u16) -> u16 {
        (self.hash(Purpose::Share, tuple) % u64::from(stacks.max(1))) as u16
    }

    /// A hash that selects the group of a source address. All addresses of an IPv6 /64 subnet (RFC 4291
    /// section 2.5.4), which one host may use, are in the same group.
    pub(super) fn group(&self, source: Address) -> u64 {
        let key = self.key.with(Purpose::Group as u64);
        match source {
            Address::V4(address) => key.hash(&[u64::from(address.to_bits()) | 4 << 56]),
            Address::V6(address) => key.hash(&[(address.to_bits() >> 64) as u64, 8 << 56]),
        }
    }

    /// A hash for the number of resets withheld from a group in the interval that began at this time.
    pub(super) fn withheld(&self, group: usize, began_at: u32) -> u32 {
        let word = group as u64 & 0xff_ffff | u64::from(began_at) << 24 | 7 << 56;
        self.key.with(Purpose::Withheld as u64).hash(&[word]) as u32
    }

    /// The key of Fast Open cookies in the period number `period`.
    pub(super) fn fast_open_key(&self, period: u64) -> Key {
        let key = self.key.with(Purpose::FastOpen as u64);
        let half = |half: u64| key.hash(&[period, half | 9 << 56]);
        Key::new([half(0), half(1)])
    }

    /// Seed of a connection's random numbers, which are not for secrets: multiplication mixes well enough
    /// what differs between connections. The secret enters only by the sequence number, since the seed could
    /// be found out from the numbers.
    pub(super) fn random(now: Instant, isn: SeqNumber) -> u64 {
        let different = now.as_nanos() ^ u64::from(isn.0) << 32;
        different.wrapping_mul(GOLDEN_RATIO).rotate_left(32)
    }

    /// A random number that sets the phase of clocks that tick, for all connections.
    pub(super) fn clock_phase(&self) -> u32 {
        self.clock_phase
    }

    fn hash(&self, purpose: Purpose, tuple: &FourTuple) -> u64 {
        tuple.with_words(|words| self.key.with(purpose as u64).hash(words))
    }
}

impl core::fmt::Debug for Secret {
    /// Hides the secret.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack::tuple::End;

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
    fn numbers_depend_on_all_of_the_tuple() {
        let end = |last, port| End::new([10, 0, 0, last].into(), port);
        let tuples = [
            FourTuple { local: end(1, 1), remote: end(2, 2) },
            FourTuple { local: end(3, 1), remote: end(2, 2) },
            FourTuple { local: end(1, 3), remote: end(2, 2) },
            FourTuple { local: end(1, 1), remote: end(3, 2) },
            FourTuple { local: end(1, 1), remote: end(2, 3) },
            FourTuple { local: end(2, 2), remote: end(1, 1) },
        ];
        let mut isns = tuples.map(|tuple| secret().first_numbers(Instant::ZERO, &tuple).isn.0);
        isns.sort_unstable();
        assert!(isns.is_sorted_by(|one, next| one < next), "no two are the same");
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
        let (random, later) = (Instant::ZERO, Instant::from_secs(1));
        let random = [(random, of_a.isn), (random, of_b.isn), (later, of_a.isn)]
            .map(|(now, isn)| Secret::random(now, isn) as u32);
        let [of_a, of_b, later] = random;
        assert!(of_a != of_b && of_a != later && of_b != later);
    }
}
