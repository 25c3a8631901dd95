//! Numbers that nobody outside can guess and that repeat from run to run: all of them are keyed
//! hashes over the secret of the stack.

use super::siphash::Key;
use super::tuple::FourTuple;
use crate::seq::SeqNumber;
use crate::time::Instant;
use crate::wire::Address;

/// Tick of the clock in initial sequence numbers, in microseconds (RFC 9293 section 3.4.1, RFC 6528
/// section 3).
const ISN_TICK_MICROS: u64 = 4;

/// The golden ratio in 64 bits: a multiplication by it spreads each bit over those above (Knuth, "The
/// Art of Computer Programming", section 6.4).
const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;

/// The secret of a stack.
#[derive(Clone, Copy)]
pub struct Secret {
    key: Key,
    clock_phase: u32,
}

/// What a hash is for: numbers with different purposes have nothing to do with each other.
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
        let clock_phase = key.with(Purpose::ClockPhase as u64).hash(&[0]) as u32;
        Secret { key, clock_phase }
    }

    /// Key number `number` of the demultiplexer's hash.
    pub(super) fn demux_key(&self, number: u8) -> u64 {
        // One byte, and that it is one.
        self.key.with(Purpose::Demux as u64).hash(&[u64::from(number) | 1 << 56])
    }

    /// The initial sequence number and the offset of the timestamps: a half each of one hash, of which
    /// neither tells anything of the other.
    pub(super) fn first_numbers(&self, now: Instant, tuple: &FourTuple) -> FirstNumbers {
        let clock = now.as_micros() / ISN_TICK_MICROS;
        let hash = self.hash(Purpose::FirstNumbers, tuple);
        let timestamp_offset = (hash >> 32) as u32;
        FirstNumbers { isn: SeqNumber(clock as u32) + hash as u32, timestamp_offset }
    }

    /// Where the search for an ephemeral port begins: F of RFC 6056 section 3.3.3, over both
    /// addresses and the remote port; the local port is 0.
    pub(super) fn port_offset(&self, tuple: &FourTuple) -> u32 {
        self.hash(Purpose::Port, tuple) as u32
    }

    /// A word that only we can know of a handshake with this initial sequence number of the peer's and
    /// what else is to be remembered of it.
    pub(super) fn cookie(&self, tuple: &FourTuple, irs: SeqNumber, rest: u32) -> u32 {
        let of_tuple = self.hash(Purpose::Cookie, tuple);
        let words = [of_tuple, u64::from(irs.0) | u64::from(rest) << 32, 16 << 56];
        self.key.with(Purpose::Cookie as u64).hash(&words) as u32
    }

    /// Which of `stacks` with this secret has the four-tuples that nobody has yet.
    pub(super) fn share(&self, tuple: &FourTuple, stacks: u16) -> u16 {
        (self.hash(Purpose::Share, tuple) % u64::from(stacks.max(1))) as u16
    }

    /// A number for the group of sources that an address belongs to. All of an IPv6 subnet (RFC 4291
    /// section 2.5.4), of which one host may have any, are in one group.
    pub(super) fn group(&self, source: Address) -> u64 {
        let key = self.key.with(Purpose::Group as u64);
        match source {
            Address::V4(address) => key.hash(&[u64::from(address.to_bits()) | 4 << 56]),
            Address::V6(address) => key.hash(&[(address.to_bits() >> 64) as u64, 8 << 56]),
        }
    }

    /// A word for what of its resets a group does not get in the interval that began then.
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

impl core::fmt::Debug for Secret {
    /// Does not show the bits.
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
