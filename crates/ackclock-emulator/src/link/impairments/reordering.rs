//! Reordering: packets that are held back and so overtaken, and how that is written in a path.

use crate::packet::Packet;
use crate::random::{Chosen, Random};
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
