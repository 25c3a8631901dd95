//! `ackclock bprobe`

use crate::failure::Failure;
#[cfg(target_os = "linux")]
use crate::measure::bprobe::{self, BprobeSettings};
use crate::values::parse_positive_duration;
use ackclock::time::Duration;
#[cfg(target_os = "linux")]
use ackclock_measure::burst::BurstPlan;
use clap::Args;

/// Measure how many back-to-back packets a path takes
///
/// This command sends --count ICMP echo requests at once towards HOST, which end at hop --ttl: choose
/// one more than the number of routers that the burst should pass. The number of answers is a lower
/// bound on the burst capacity. If answers are missing, smaller packets and packets with pauses
/// show whether the path did not take the burst, or whether a router limits the rate of its
/// answers. Needs root, or the capability cap_net_raw.
#[derive(Args, Debug)]
pub(crate) struct Bprobe {
    /// A host behind the routers in question
    #[arg(value_name = "HOST")]
    host: String,
    /// Hop at which the packets end; 'ackclock path HOST' shows the routers
    #[arg(long, value_name = "HOPS", default_value_t = 64,
          value_parser = clap::value_parser!(u8).range(1..))]
    ttl: u8,
    /// Packets in a burst
    #[arg(long, value_name = "NUMBER", default_value_t = 100,
          value_parser = clap::value_parser!(u16).range(1..=10_000))]
    count: u16,
    /// Length of each packet with its IP header, in bytes, up to 1500
    #[arg(long, value_name = "BYTES", default_value_t = 512,
          value_parser = clap::value_parser!(u16).range(1..=1500))]
    size: u16,
    /// How long to wait for the next answer
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = parse_positive_duration)]
    wait: Duration,
    /// Number of measurements; 0: until Ctrl-C
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    repeat: u32,
    /// Time from the beginning of one measurement to that of the next
    #[arg(long, value_name = "TIME", default_value = "2min", value_parser = parse_positive_duration)]
    interval: Duration,
    /// Write one JSON object instead of text
    #[arg(long)]
    json: bool,
}

impl Bprobe {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        #[cfg(target_os = "linux")]
        return bprobe::run(&self.settings());
        #[cfg(not(target_os = "linux"))]
        return Err(Failure::elsewhere("a burst probe"));
    }

    #[cfg(target_os = "linux")]
    fn settings(&self) -> BprobeSettings {
        BprobeSettings {
            host: self.host.clone(),
            plan: BurstPlan {
                count: self.count,
                bytes: self.size,
                hop_limit: self.ttl,
                patience: self.wait,
            },
            repeat: self.repeat,
            interval: self.interval,
            json: self.json,
        }
    }
}
