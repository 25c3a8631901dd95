//! `ackclock echo`

use crate::failure::Failure;
use crate::options::TransferOptions;
use ackclock::apps::Service;
use clap::Args;

/// Send to an echo service (RFC 862) and verify every byte that comes back
#[derive(Args, Debug)]
pub(crate) struct Echo {
    #[command(flatten)]
    transfer: TransferOptions,
}

impl Echo {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        super::run_transfer(&self.transfer, Service::Echo)
    }
}
