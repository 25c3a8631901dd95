//! `ackclock path`

use crate::failure::Failure;
use crate::values::parse_positive_duration;
use ackclock::time::Duration;
use ackclock_measure::probe::Method;
use clap::Args;

/// Find the routers on the way to hosts, and the path that most of the ways share
///
/// A router belongs to the common path if it is the first, or the one before it belongs, and if it
/// is on at least a third of the ways, alone or together with routers that share its hop's load.
/// Needs root, or the capability cap_net_raw.
///
/// Exit status: 0 all routes were looked for, 1 some could not be: what is missing is said for each
/// host; 2 the command line is wrong, 3 the environment lacks something.
#[derive(Args, Debug)]
pub(crate) struct Path {
    /// Names or addresses
    #[arg(value_name = "HOST", required = true)]
    pub(crate) hosts: Vec<String>,
    /// What the probes are made of: icmp, udp or tcp (SYN; IPv4 only)
    #[arg(long, value_name = "NAME", default_value_t)]
    pub(crate) probe: Method,
    /// Port that TCP probes go to
    #[arg(long, value_name = "NUMBER", default_value_t = 80)]
    pub(crate) port: u16,
    /// Probes for each hop
    #[arg(long, value_name = "NUMBER", default_value_t = 3,
          value_parser = clap::value_parser!(u8).range(1..=10))]
    pub(crate) queries: u8,
    /// Look no further than so many hops
    #[arg(long, value_name = "HOPS", default_value_t = 30,
          value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) max_hops: u8,
    /// How long to wait for an answer
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_positive_duration)]
    pub(crate) wait: Duration,
    /// Prefer IPv6 addresses of names that have both
    #[arg(short = '6', long)]
    pub(crate) ipv6: bool,
    /// Write one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

impl Path {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        #[cfg(target_os = "linux")]
        return crate::measure::path(self);
        #[cfg(not(target_os = "linux"))]
        return Err(Failure::elsewhere("finding a route"));
    }
}
