//! Corruption: packets of which one bit is flipped.

use crate::packet::Packet;
use crate::random::Random;
use crate::units::Probability;

/// The choice of packets, and of one bit in each, IP header included.
#[derive(Debug)]
pub(super) struct Corruption {
    probability: Probability,
    random: Random,
}

impl Corruption {
    pub(super) fn new(probability: Probability, random: Random) -> Self {
        Corruption { probability, random }
    }

    pub(super) fn change(&mut self, probability: Probability) {
        self.probability = probability;
    }

    /// The bit of the next packet, of `bytes` bytes, that is to be flipped; all bits are equally
    /// likely. `None` if the packet stays as it is.
    pub(super) fn next(&mut self, bytes: usize) -> Option<usize> {
        if !self.random.happens(self.probability) {
            return None;
        }
        let bits = bytes as u128 * 8;
        Some(((u128::from(self.random.next_u64()) * bits) >> 64) as usize)
    }
}

/// Flips a bit; the lowest bit of the first byte is number 0.
pub(super) fn flip(packet: &mut Packet, bit: usize) {
    if let Some(byte) = packet.bytes.get_mut(bit / 8) {
        *byte ^= 1 << (bit % 8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::testing::packet;
    use crate::random::Streams;

    fn random() -> Random {
        Streams::new(1).take_stream()
    }

    #[test]
    fn one_bit_is_flipped_and_every_bit_is_sometime() {
        let mut corruption = Corruption::new(Probability::ALWAYS, random());
        let mut seen = [false; 40];
        for _ in 0..1000 {
            let mut packet = packet(0, 5);
            flip(&mut packet, corruption.next(5).unwrap());
            let ones: Vec<_> =
                (0..40).filter(|n| packet.bytes[n / 8] >> (n % 8) & 1 == 1).collect();
            assert_eq!(ones.len(), 1);
            seen[ones[0]] = true;
        }
        assert_eq!(seen, [true; 40]);
        let mut never = Corruption::new(Probability::NEVER, random());
        assert!((0..1000).all(|_| never.next(5).is_none()));
    }

    #[test]
    fn an_empty_packet_has_no_bit_to_flip() {
        let mut empty = packet(0, 0);
        flip(&mut empty, 0);
        assert_eq!(empty, packet(0, 0));
    }
}
