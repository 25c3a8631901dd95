//! Options for the output during a run and at its end.

use crate::values::parse_interval;
use ackclock::time::Duration;
use clap::Args;

/// Options for the output during a run and at its end.
#[derive(Args, Clone, Debug)]
pub(crate) struct ReportOptions {
    /// Report each interval of this length, such as 1s; at least 1ms
    #[arg(short, long, value_name = "TIME", value_parser = parse_interval)]
    pub(crate) interval: Option<Duration>,
    /// Write one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
