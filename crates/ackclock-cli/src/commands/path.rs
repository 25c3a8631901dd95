//! `ackclock path`

use crate::failure::Failure;
#[cfg(target_os = "linux")]
use crate::measure::path::{self, PathSettings};
use crate::values::parse_positive_duration;
use ackclock::time::Duration;
use ackclock_measure::probe::Method;
#[cfg(target_os = "linux")]
use ackclock_measure::route::RoutePlan;
use clap::Args;

/// Find the routers on the routes to hosts, and the path that most of the routes share
///
/// A router belongs to the common path if it is the first, or the one before it belongs, and if it
/// is on at least a third of the routes, alone or together with routers that share its hop's load.
/// Needs root, or the capability cap_net_raw.
///
/// Exit status: 0 all routes were probed, 1 some could not be, for the reasons printed for each
/// host; 2 the command line is wrong, 3 the environment lacks something.
#[derive(Args, Debug)]
pub(crate) struct Path {
    /// Names or addresses
    #[arg(value_name = "HOST", required = true)]
    hosts: Vec<String>,
    /// Protocol of the probes: icmp, udp or tcp (SYN; IPv4 only)
    #[arg(long, value_name = "NAME", default_value_t)]
    probe: Method,
    /// Destination port of TCP probes
    #[arg(long, value_name = "NUMBER", default_value_t = 80)]
    port: u16,
    /// Probes for each hop
    #[arg(long, value_name = "NUMBER", default_value_t = 3,
          value_parser = clap::value_parser!(u8).range(1..=10))]
    queries: u8,
    /// Maximum number of hops
    #[arg(long, value_name = "HOPS", default_value_t = 30,
          value_parser = clap::value_parser!(u8).range(1..=64))]
    max_hops: u8,
    /// How long to wait for an answer
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_positive_duration)]
    wait: Duration,
    /// Prefer IPv6 addresses of names that have both
    #[arg(short = '6', long)]
    ipv6: bool,
    /// Write one JSON object instead of text
    #[arg(long)]
    json: bool,
}

impl Path {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        #[cfg(target_os = "linux")]
        return path::run(&self.settings());
        #[cfg(not(target_os = "linux"))]
        return Err(Failure::elsewhere("finding a route"));
    }

    #[cfg(target_os = "linux")]
    fn settings(&self) -> PathSettings {
        PathSettings {
            hosts: self.hosts.clone(),
            plan: RoutePlan {
                method: self.probe,
                max_hops: self.max_hops,
                queries: self.queries,
                patience: self.wait,
                ..RoutePlan::default()
            },
            port: self.port,
            ipv6: self.ipv6,
            json: self.json,
        }
    }
}
