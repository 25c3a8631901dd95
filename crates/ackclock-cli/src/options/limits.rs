//! Options for the limits of the stacks of a service.

#[cfg(target_os = "linux")]
use crate::driver::Limits;
use crate::values::parse_bytes;
#[cfg(target_os = "linux")]
use ackclock::tcp::Config;
use clap::Args;

/// Options for the limits of the stacks of a service.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct LimitOptions {
    /// Most bytes in the send and receive queues of all connections together, promised windows
    /// included; when it is short, windows become smaller [default: 1G, or enough for a connection
    /// with this --buffer on each queue]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    memory: Option<u64>,
    /// Most connections at a time, on each queue [default: 65536]
    #[arg(long, value_name = "NUMBER")]
    max_connections: Option<usize>,
    /// Most handshakes under way at a time, on each queue; SYNs beyond them are answered with SYN
    /// cookies
    #[arg(long, value_name = "NUMBER", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..))]
    half_open: u32,
}

#[cfg(target_os = "linux")]
impl LimitOptions {
    /// Limits of stacks whose connections have this configuration.
    pub(crate) fn limits(&self, config: &Config) -> Limits {
        Limits {
            memory: self.memory,
            max_connections: self.max_connections,
            half_open: Some(self.half_open as usize),
            ..Limits::of_a_connection(config)
        }
    }
}
