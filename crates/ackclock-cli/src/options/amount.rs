//! Options for how much to send.

use crate::values::{parse_bytes, parse_positive_duration};
use ackclock::apps::Amount;
use ackclock::time::Duration;
use clap::Args;

/// Options for how much to send.
#[derive(Args, Clone, Debug)]
pub(crate) struct AmountOptions {
    /// Bytes to send; k, M, G and T are powers of 1024
    #[arg(long, value_name = "BYTES", default_value = "16M", value_parser = parse_bytes)]
    bytes: u64,
    /// Send for this time instead of a number of bytes, such as 10s
    #[arg(long, value_name = "TIME", conflicts_with = "bytes", value_parser = parse_positive_duration)]
    time: Option<Duration>,
}

impl AmountOptions {
    /// Amount that the two options together mean.
    pub(crate) fn amount(&self) -> Amount {
        match self.time {
            Some(time) => Amount::Time(time),
            None => Amount::Bytes(self.bytes),
        }
    }
}
