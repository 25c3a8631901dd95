//! `ackclock discard`

use crate::failure::Failure;
use crate::options::TransferOptions;
use ackclock::apps::Service;
use clap::Args;

/// Send to a discard service (RFC 863)
#[derive(Args, Debug)]
pub(crate) struct Discard {
    #[command(flatten)]
    transfer: TransferOptions,
}

impl Discard {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        super::run_transfer(&self.transfer, Service::Discard)
    }
}
