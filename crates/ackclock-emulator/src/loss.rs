//! Random loss.

use crate::random::Random;
use crate::units::Probability;

/// Each packet is lost with the same probability, whatever happened to the others.
#[derive(Debug)]
pub(crate) struct Bernoulli {
    probability: Probability,
    random: Random,
}

impl Bernoulli {
    pub(crate) fn new(probability: Probability, random: Random) -> Self {
        Bernoulli { probability, random }
    }

    /// Decides the next packet's fate. It draws one number for each packet, so that two runs that
    /// differ only in the probability draw the same numbers.
    pub(crate) fn loses(&mut self) -> bool {
        self.random.happens(self.probability)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Streams;

    /// Which of `packets` packets are lost.
    fn lost(seed: u64, probability: &str, packets: usize) -> Vec<usize> {
        let probability = probability.parse().unwrap();
        let mut loss = Bernoulli::new(probability, Streams::new(seed).take_stream());
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
}
