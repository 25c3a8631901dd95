//! Loss: which packets are lost on the line, and how that is written in a path.

use crate::random::Random;
use crate::units::{Probability, UnitError, parse_number};
use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

/// Which packets are lost on the line. A lost packet has waited in the queue and has taken its time
/// of the line, but does not arrive. Packets are counted from 1 as they leave the line.
///
/// As text: `1%`, `every:100`, `packets:1:5:6`, `gilbert:P:R[:BAD[:GOOD]]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Loss {
    /// Each packet with the same probability, whatever happened to the others.
    Bernoulli(Probability),
    /// Packets in bursts.
    Gilbert(GilbertElliott),
    /// Every packet whose number is a multiple of this.
    Every(NonZeroU64),
    /// The packets of these numbers.
    Packets(BTreeSet<u64>),
}

/// Loss by a Markov chain of a good and a bad state (E. N. Gilbert, "Capacity of a Burst-Noise
/// Channel", 1960; E. O. Elliott, "Estimates of Error Rates for Codes on Burst-Noise Channels",
/// 1963). It begins in the good state. Each packet is lost by the state's probability, then the
/// state may change; time alone does not change it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GilbertElliott {
    /// `P`: probability of the good state becoming bad.
    pub to_bad: Probability,
    /// `R`: probability of the bad state becoming good.
    pub to_good: Probability,
    /// `BAD`: share of packets lost in the bad state; 100% by default.
    pub loss_in_bad: Probability,
    /// `GOOD`: share of packets lost in the good state; 0% by default.
    pub loss_in_good: Probability,
}

impl FromStr for Loss {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        match text.split_once(':') {
            None if text.starts_with(char::is_alphabetic) => Err(UnitError::Loss),
            None => text.parse().map(Loss::Bernoulli),
            Some(("every", n)) => {
                NonZeroU64::new(parse_number(n)?).map(Loss::Every).ok_or(UnitError::Positive)
            }
            Some(("packets", list)) => parse_packets(list).map(Loss::Packets),
            Some(("gilbert", values)) => parse_gilbert(values).map(Loss::Gilbert),
            Some(_) => Err(UnitError::Loss),
        }
    }
}

fn parse_packets(list: &str) -> Result<BTreeSet<u64>, UnitError> {
    list.split(':')
        .map(|number| match parse_number(number)? {
            0 => Err(UnitError::Positive),
            number => Ok(number),
        })
        .collect()
}

fn parse_gilbert(values: &str) -> Result<GilbertElliott, UnitError> {
    let values: Result<Vec<Probability>, _> = values.split(':').map(str::parse).collect();
    let (to_bad, to_good, loss_in_bad, loss_in_good) = match values?[..] {
        [p, r] => (p, r, Probability::ALWAYS, Probability::NEVER),
        [p, r, bad] => (p, r, bad, Probability::NEVER),
        [p, r, bad, good] => (p, r, bad, good),
        _ => return Err(UnitError::Gilbert),
    };
    Ok(GilbertElliott { to_bad, to_good, loss_in_bad, loss_in_good })
}

/// Writes the text that [`FromStr`] reads.
impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Bernoulli(probability) => probability.fmt(f),
            Loss::Gilbert(GilbertElliott { to_bad, to_good, loss_in_bad, loss_in_good }) => {
                write!(f, "gilbert:{to_bad}:{to_good}:{loss_in_bad}:{loss_in_good}")
            }
            Loss::Every(n) => write!(f, "every:{n}"),
            Loss::Packets(numbers) => {
                f.write_str("packets")?;
                numbers.iter().try_for_each(|number| write!(f, ":{number}"))
            }
        }
    }
}

/// The loss process of a line, which decides about each packet.
#[derive(Debug)]
pub(crate) struct LossProcess {
    loss: Loss,
    random: Random,
    /// Packets decided about so far.
    packets: u64,
    /// Whether Gilbert's chain is in its bad state.
    bad: bool,
}

impl LossProcess {
    pub(crate) fn new(loss: Loss, random: Random) -> Self {
        LossProcess { loss, random, packets: 0, bad: false }
    }

    /// Loses as another path does from now on; packets are counted on.
    pub(crate) fn change(&mut self, loss: Loss) {
        self.loss = loss;
    }

    /// Whether the next packet is lost. Each packet takes the same number of random numbers, so
    /// that two runs that differ only in a probability draw the same ones.
    pub(crate) fn loses(&mut self) -> bool {
        self.packets += 1;
        match &self.loss {
            Loss::Bernoulli(probability) => self.random.happens(*probability),
            Loss::Gilbert(chain) => {
                let (loss, change) = if self.bad {
                    (chain.loss_in_bad, chain.to_good)
                } else {
                    (chain.loss_in_good, chain.to_bad)
                };
                let lost = self.random.happens(loss);
                self.bad ^= self.random.happens(change);
                lost
            }
            Loss::Every(n) => self.packets.is_multiple_of(n.get()),
            Loss::Packets(numbers) => numbers.contains(&self.packets),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Streams;

    /// The lost ones of `packets` packets, counted from 0.
    fn lost(seed: u64, loss: &str, packets: usize) -> Vec<usize> {
        let loss = loss.parse().unwrap();
        let mut loss = LossProcess::new(loss, Streams::new(seed).take_stream());
        (0..packets).filter(|_| loss.loses()).collect()
    }

    #[test]
    fn the_same_seed_loses_the_same_packets() {
        let packets = lost(42, "1%", 10_000);
        assert_eq!(packets, lost(42, "1%", 10_000));
        assert_ne!(packets, lost(43, "1%", 10_000));
        // Computed apart from this program, from the published generator: it must not change.
        assert_eq!(packets[..5], [159, 213, 278, 364, 475]);
    }

    #[test]
    fn the_share_of_lost_packets_is_the_probability() {
        // Of a million packets, 10,000 on average with a standard deviation of 99.5.
        let count = lost(1, "1%", 1_000_000).len();
        assert!((9_600..=10_400).contains(&count), "{count}");
    }

    #[test]
    fn what_a_lower_probability_loses_a_higher_one_loses_too() {
        let few = lost(5, "1%", 10_000);
        let many = lost(5, "2%", 10_000);
        assert!(few.iter().all(|packet| many.contains(packet)));
        assert!(few.len() < many.len());
    }

    #[test]
    fn zero_loses_nothing_and_one_everything() {
        assert_eq!(lost(3, "0", 1_000), Vec::<usize>::new());
        assert_eq!(lost(3, "1", 1_000).len(), 1_000);
    }

    #[test]
    fn every_nth_and_listed_packets_are_lost_and_no_others() {
        assert_eq!(lost(1, "every:3", 10), [2, 5, 8]);
        assert_eq!(lost(1, "every:1", 3), [0, 1, 2]);
        assert_eq!(lost(1, "packets:7:1:2", 10), [0, 1, 6]);
    }

    #[test]
    fn a_chain_that_always_changes_loses_every_other_packet() {
        assert_eq!(lost(1, "gilbert:1:1", 6), [1, 3, 5]);
        assert_eq!(lost(1, "gilbert:1:1:0:1", 6), [0, 2, 4]);
        assert_eq!(lost(1, "gilbert:1:0", 4), [1, 2, 3]);
        assert_eq!(lost(1, "gilbert:0:1", 100), [0; 0]);
    }

    #[test]
    fn bursts_are_as_long_as_the_chain_stays_bad() {
        let packets = lost(1, "gilbert:1%:25%", 1_000_000);
        // Bad for 0.01 / 0.26 of the time; the chain's correlation of 0.74 makes the standard
        // deviation of the number sqrt(1e6 * 0.0385 * 0.9615 * 1.74 / 0.26) = 498.
        assert!((36_500..=40_500).contains(&packets.len()), "{}", packets.len());
        // Bursts of 4 packets on average: about 9,615 bursts.
        let bursts = packets.windows(2).filter(|pair| pair[1] != pair[0] + 1).count() + 1;
        let length = packets.len() as f64 / bursts as f64;
        assert!((3.8..4.2).contains(&length), "{length}");
    }

    #[test]
    fn a_loss_is_written_so_that_it_is_read_back() {
        for (text, shown) in [
            ("0.01", "1%"),
            ("every:100", "every:100"),
            ("packets:5:1", "packets:1:5"),
            ("gilbert:1%:25%", "gilbert:1%:25%:100%:0%"),
            ("gilbert:1%:25%:50%", "gilbert:1%:25%:50%:0%"),
            ("gilbert:1%:25%:50%:0.1%", "gilbert:1%:25%:50%:0.1%"),
        ] {
            let loss: Loss = text.parse().unwrap();
            assert_eq!(loss.to_string(), shown);
            assert_eq!(shown.parse(), Ok(loss));
        }
    }

    #[test]
    fn errors_say_what_is_expected() {
        for (text, error) in [
            ("often", UnitError::Loss),
            ("often:1", UnitError::Loss),
            ("2", UnitError::AboveOne),
            ("every:0", UnitError::Positive),
            ("every:1.5", UnitError::Count),
            ("packets:", UnitError::Count),
            ("packets:1:0", UnitError::Positive),
            ("gilbert:1%", UnitError::Gilbert),
            ("gilbert:1%:1%:1%:1%:1%", UnitError::Gilbert),
            ("gilbert:1%:110%", UnitError::AboveOne),
        ] {
            assert_eq!(text.parse::<Loss>(), Err(error), "{text}");
        }
    }
}
