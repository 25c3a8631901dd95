//! What is written while a transfer goes on and at its end.

use crate::values::parse_positive_duration;
use ackclock::time::Duration;
use clap::Args;

/// What is written while a transfer goes on and at its end.
#[derive(Args, Clone, Debug)]
pub(crate) struct ReportOptions {
    /// Report each interval of this length, such as 1s
    #[arg(short, long, value_name = "TIME", value_parser = parse_positive_duration)]
    pub(crate) interval: Option<Duration>,
    /// Write one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
