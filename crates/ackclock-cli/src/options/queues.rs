//! Option for the number of queues of an interface.

use clap::Args;

/// Option for the number of queues that are used.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct QueueOptions {
    /// Over TUN, number of queues of the interface, each with its own stack and thread, and when
    /// sending with its own connection, which sends a share of the bytes; an interface that exists
    /// must have been created for several ('ackclock setup tun NAME --queues 2')
    #[arg(long, value_name = "NUMBER", default_value = "1", value_parser = queues())]
    pub(crate) queues: u16,
}

/// Most queues that an interface can have (`MAX_TAP_QUEUES` of Linux).
const MOST: i64 = 256;

/// Parser of a number of queues.
pub(crate) fn queues() -> clap::builder::RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..=MOST)
}
