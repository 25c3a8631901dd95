//! `ackclock discard`

use crate::failure::Failure;
use crate::options::TransferOptions;
use crate::scenario;
use crate::transfer;
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
        match &self.transfer.scenario {
            Some(file) => scenario::run(Service::Discard, file, &self.transfer),
            None => transfer::run(Service::Discard, &self.transfer),
        }
    }
}
