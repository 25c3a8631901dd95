//! Reordering: packets that are held back and so overtaken, and how that is written in a path.

use crate::packet::Packet;
use crate::random::{Chosen, Random};
use crate::units::{Probability, ShowDuration, UnitError, parse_duration, parse_positive};
use ackclock::time::Duration;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// Reordering of a share of packets: they are held back and so overtaken by later ones. As text:
/// `5%:10ms` or `5%:3`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reorder {
    /// Share of packets held back.
    pub probability: Probability,
    /// How long each of them is held back.
    pub hold: Hold,
}

/// How long a packet is held back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hold {
    /// The packet arrives later by this time.
    Time(Duration),
    /// The packet goes on right after this many later packets; lost ones do not count. While fewer
    /// follow, it waits for them.
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

/// Writes the text that [`FromStr`] reads.
impl fmt::Display for Reorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hold {
            Hold::Time(time) => write!(f, "{}:{}", self.probability, ShowDuration(time)),
            Hold::Packets(packets) => write!(f, "{}:{packets}", self.probability),
        }
    }
}

/// The packets that are held back until others have overtaken them.
#[derive(Debug)]
pub(crate) struct Reordering {
    chosen: Chosen,
    hold: Hold,
    /// Each packet with the number of packets that have yet to overtake it; the longest held first.
    held: Vec<(u32, Packet)>,
}

impl Reordering {
    /// Reordering as a path asks for it; `None` holds no packet back.
    pub(crate) fn new(reorder: Option<Reorder>, random: Random) -> Self {
        let none = Reorder { probability: Probability::NEVER, hold: Hold::Time(Duration::ZERO) };
        let Reorder { probability, hold } = reorder.unwrap_or(none);
        Reordering { chosen: Chosen::new(probability, random), hold, held: Vec::new() }
    }

    /// Holds back as another path does from now on. What is held for others goes on after so many as before.
    pub(crate) fn change(&mut self, reorder: Option<Reorder>) {
        let none = Reorder { probability: Probability::NEVER, hold: self.hold };
        let Reorder { probability, hold } = reorder.unwrap_or(none);
        self.chosen.change(probability);
        self.hold = hold;
    }

    /// How long the next packet is held back; `None` if it is not.
    pub(crate) fn next(&mut self) -> Option<Hold> {
        self.chosen.next().then_some(self.hold)
    }

    /// Keeps a packet until `packets` others have left.
    pub(crate) fn keep(&mut self, packets: NonZeroU32, packet: Packet) {
        self.held.push((packets.get(), packet));
    }

    /// Counts a packet that has overtaken all that are held.
    pub(crate) fn overtake(&mut self) {
        for (left, _) in &mut self.held {
            *left -= 1;
        }
    }

    /// A packet that has been overtaken by as many others as it had to be. All are held for the
    /// same number, so the one held longest is the first.
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
    use ackclock::time::ParseDurationError;

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
