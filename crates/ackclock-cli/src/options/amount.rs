//! How much to send.

use crate::values::{parse_bytes, parse_positive_duration};
use ackclock::apps::Amount;
use ackclock::time::Duration;
use clap::Args;

/// How much to send.
#[derive(Args, Clone, Debug)]
pub(crate) struct AmountOptions {
    /// Bytes to send; k, M, G and T are powers of 1024
    #[arg(long, value_name = "BYTES", default_value = "16M", value_parser = parse_bytes)]
    bytes: u64,
    /// Send for so long instead, such as 10s
    #[arg(long, value_name = "TIME", conflicts_with = "bytes", value_parser = parse_positive_duration)]
    time: Option<Duration>,
}

impl AmountOptions {
    /// The choice between the two.
    pub(crate) fn amount(&self) -> Amount {
        match self.time {
            Some(time) => Amount::Time(time),
            None => Amount::Bytes(self.bytes),
        }
    }

    /// What one of `count` connections has to do that share it: time passes for all at once.
    pub(crate) fn share(&self, index: usize, count: usize) -> Amount {
        let (index, count) = (index as u64, count.max(1) as u64);
        match self.amount() {
            Amount::Bytes(bytes) => Amount::Bytes(bytes / count + u64::from(index < bytes % count)),
            time @ Amount::Time(_) => time,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_share_bytes_to_the_last_one_and_have_the_same_time() {
        let bytes = AmountOptions { bytes: 11, time: None };
        let shares = [0, 1, 2].map(|index| bytes.share(index, 3));
        assert_eq!(shares, [4, 4, 3].map(Amount::Bytes));
        let second = Duration::from_secs(1);
        let time = AmountOptions { bytes: 11, time: Some(second) };
        assert_eq!([0, 1].map(|index| time.share(index, 2)), [Amount::Time(second); 2]);
    }
}
