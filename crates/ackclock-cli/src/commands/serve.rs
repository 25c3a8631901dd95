//! `ackclock serve`

use super::refuse_idle;
use crate::failure::Failure;
use crate::options::{ConnectionOptions, InterfaceOptions};
use crate::serve;
use ackclock::apps::Service;
use clap::{ArgMatches, Args, ValueEnum};
use std::path::PathBuf;

/// Be a discard, echo or chargen service
#[derive(Args, Debug)]
pub(crate) struct Serve {
    /// Which service
    #[arg(value_name = "SERVICE")]
    service: ServiceName,
    /// Whose TCP: this program's over a TUN interface, or the kernel's (no privilege needed)
    #[arg(long, value_name = "TCP", default_value = "tun")]
    via: Via,
    /// Port to listen on; 0: any free one with --via kernel, all of them over TUN [default: the
    /// service's own: discard 9, echo 7, chargen 19]
    #[arg(long, value_name = "NUMBER")]
    port: Option<u16>,
    /// End after the first connection
    #[arg(long)]
    once: bool,
    #[command(flatten)]
    interface: InterfaceOptions,
    #[command(flatten)]
    connection: ConnectionOptions,
    /// Seed of everything random [default: random]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Capture every packet in this file, with nanosecond timestamps
    #[arg(long, value_name = "FILE")]
    pcap: Option<PathBuf>,
    /// Write one JSON object at the end instead of text
    #[arg(long)]
    json: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum ServiceName {
    /// Throw away what comes (RFC 863)
    Discard,
    /// Send it back (RFC 862)
    Echo,
    /// Send lines of rotating characters (RFC 864)
    Chargen,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Via {
    Tun,
    Kernel,
}

/// What `--via kernel` has a use for.
const OF_THE_KERNEL: [&str; 5] = ["service", "via", "port", "once", "json"];

impl Serve {
    /// Refuses options of a TCP that is not used.
    pub(crate) fn check(matches: &ArgMatches) -> Result<(), clap::Error> {
        if matches.get_one("via") != Some(&Via::Kernel) {
            return Ok(());
        }
        refuse_idle::<Self>(matches, &OF_THE_KERNEL, "--via kernel")
    }

    pub(crate) fn run(&self) -> Result<(), Failure> {
        let service = match self.service {
            ServiceName::Discard => Service::Discard,
            ServiceName::Echo => Service::Echo,
            ServiceName::Chargen => Service::Chargen,
        };
        let order = serve::Order {
            service,
            port: self.port.unwrap_or(service.port()),
            once: self.once,
            json: self.json,
        };
        match (self.via, &self.interface.tun) {
            (Via::Tun, None) => Err(Failure::Usage(
                "give --tun NAME and --address CIDR, or --via kernel for ordinary sockets".into(),
            )),
            #[cfg(unix)]
            (Via::Kernel, _) => serve::over_kernel(&order),
            #[cfg(target_os = "linux")]
            (Via::Tun, Some(_)) => serve::over_tun(
                &order,
                &self.interface,
                &self.connection,
                self.seed,
                self.pcap.as_deref(),
            ),
            #[cfg(not(target_os = "linux"))]
            (via, _) => Err(Failure::elsewhere(&format!("serve --via {via:?}"))),
        }
    }
}
