//! How much a service's stacks may hold.

use crate::values::parse_bytes;
use clap::Args;

/// How much a service's stacks may hold.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct LimitOptions {
    /// Most bytes in the send and receive queues of all connections together, promised windows
    /// included; when it is short, windows become smaller [default: 1G, or enough for a connection
    /// with this --buffer on each queue]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub(crate) memory: Option<u64>,
    /// Most connections at a time, on each queue [default: 65536]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) max_connections: Option<usize>,
}
