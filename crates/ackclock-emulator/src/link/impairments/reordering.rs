//! What a path does to packets besides losing them, and how it is written in a path.

use crate::packet::Packet;
use crate::random::Random;
use crate::units::{Probability, ShowDuration, UnitError, parse_duration, parse_positive};
use ackclock::time::Duration;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// Some packets are held back and so overtaken by later ones. As text: `5%:10ms` or `5%:3`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reorder {
    /// Share of packets held back.
    pub probability: Probability,
    /// For how long.
    pub hold: Hold,
}

/// How long a packet is held back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hold {
    /// It arrives that much later.
    Time(Duration),
    /// It begins its way to the other end right after the packet that is so many later; only
    /// packets that are not lost count. While fewer follow, it waits for them.
    Packets(NonZeroU32),
}

impl FromStr for Reorder {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (probability, hold) = text.split_once(':').ok_or(UnitError::Reorder)?;
        let hold = if hold.ends_with('s') {
            Hold::Time(parse_duration(hold)?)
        } else {
            Hold::Packets(parse_positive(hold)?)
        };
        Ok(Reorder { probability: probability.parse()?, hold })
    }
}

/// In the form that is read back.
impl fmt::Display for Reorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hold {
            Hold::Time(time) => write!(f, "{}:{}", self.probability, ShowDuration(time)),
            Hold::Packets(packets) => write!(f, "{}:{packets}", self.probability),
        }
    }
}

/// Packets that are told apart from the others by chance, each with the same probability. It draws
/// one number for each packet, so that runs that differ only in the probability draw the same.
#[derive(Debug)]
pub(crate) struct Chosen {
    probability: Probability,
    random: Random,
}

impl Chosen {
    pub(crate) fn new(probability: Probability, random: Random) -> Self {
        Chosen { probability, random }
    }

    /// Whether the next packet is one of them.
    pub(crate) fn next(&mut self) -> bool {
        self.random.happens(self.probability)
    }
}

/// Flips one bit of some packets, IP header included.
#[derive(Debug)]
pub(crate) struct Corruption(Chosen);

impl Corruption {
    pub(crate) fn new(probability: Probability, random: Random) -> Self {
        Corruption(Chosen::new(probability, random))
    }

    /// Which bit of the next packet, of `bytes` bytes, is to be flipped: all are equally likely.
    pub(crate) fn next(&mut self, bytes: usize) -> Option<usize> {
        let bits = bytes as u128 * 8;
        self.0.next().then(|| ((u128::from(self.0.random.next_u64()) * bits) >> 64) as usize)
    }
}

/// Flips a bit; the lowest bit of the first byte is number 0.
pub(crate) fn flip(packet: &mut Packet, bit: usize) {
    if let Some(byte) = packet.bytes.get_mut(bit / 8) {
        *byte ^= 1 << (bit % 8);
    }
}

/// Packets held back until others have overtaken them.
#[derive(Debug)]
pub(crate) struct Reordering {
    chosen: Chosen,
    hold: Hold,
    /// With how many more packets each must be overtaken by, the longest held first.
    held: Vec<(u32, Packet)>,
}

impl Reordering {
    /// Without `reorder` it holds nothing back.
    pub(crate) fn new(reorder: Option<Reorder>, random: Random) -> Self {
        let none = Reorder { probability: Probability::NEVER, hold: Hold::Time(Duration::ZERO) };
        let Reorder { probability, hold } = reorder.unwrap_or(none);
        Reordering { chosen: Chosen::new(probability, random), hold, held: Vec::new() }
    }

    /// How long the next packet is held back; `None`: not at all.
    pub(crate) fn next(&mut self) -> Option<Hold> {
        self.chosen.next().then_some(self.hold)
    }

    /// Keeps a packet until so many others have left.
    pub(crate) fn keep(&mut self, packets: NonZeroU32, packet: Packet) {
        self.held.push((packets.get(), packet));
    }

    /// A packet has left behind those that are held.
    pub(crate) fn overtake(&mut self) {
        for (left, _) in &mut self.held {
            *left -= 1;
        }
    }

    /// A packet that has been overtaken by as many as it had to be. All are held for the same
    /// number, so that it is the one held longest.
    pub(crate) fn release(&mut self) -> Option<Packet> {
        let (left, _) = self.held.first()?;
        if *left > 0 {
            return None;
        }
        Some(self.held.remove(0).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::testing::packet;
    use crate::random::Streams;
    use ackclock::time::ParseDurationError;

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

    #[test]
    fn reordering_is_written_so_that_it_is_read_back() {
        for text in ["5%:10ms", "5%:3", "0.1%:2s"] {
            assert_eq!(text.parse::<Reorder>().unwrap().to_string(), text);
        }
        for (text, error) in [
            ("5%", UnitError::Reorder),
            ("5%:0", UnitError::Positive),
            ("5%:3h", UnitError::Count),
            ("5%:3days", UnitError::Duration(ParseDurationError::Unit)),
            ("105%:3", UnitError::AboveOne),
        ] {
            assert_eq!(text.parse::<Reorder>(), Err(error), "{text}");
        }
    }
}
