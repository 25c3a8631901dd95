//! `ackclock hosts`

use super::{refuse_idle, refuse_other_ways};
use crate::failure::Failure;
use crate::hosts::{self, HostsSettings, Manner};
use crate::options::{TcpChoice, WayOptions};
use crate::values::{parse_bytes, parse_positive_duration};
use ackclock::apps::Service;
use ackclock::time::Duration;
use clap::{ArgMatches, Args, ValueEnum};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

/// Find the hosts of a list that accept a discard or echo connection
///
/// Each host is tried once, and the connection is closed as soon as it is established. The hosts found
/// are printed one per line, so that the output is a valid list again; the reasons why others do not
/// qualify are on standard error. Ask before you try other people's hosts, and put those that object on
/// a stop list.
#[derive(Args, Debug)]
pub(crate) struct Hosts {
    /// Names or addresses, one per line, each with :PORT if it is not the service's standard port; text
    /// after # is a comment; '-' for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Which service
    #[arg(long, value_name = "SERVICE", default_value = "discard")]
    service: Wanted,
    /// Minimum receive window that a host must advertise when it accepts; not with --via kernel,
    /// which does not report it
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    window: Option<u64>,
    /// Hosts that are never tried: names (with all names below them), addresses or networks, one per line
    #[arg(long, value_name = "FILE")]
    stop_list: Option<PathBuf>,
    /// Hosts tried at a time
    #[arg(long, value_name = "NUMBER", default_value = "16")]
    parallel: NonZeroUsize,
    /// Hosts tried per second
    #[arg(long, value_name = "NUMBER", default_value = "10")]
    rate: NonZeroU32,
    /// Give up a host that has not answered after this time
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_positive_duration)]
    timeout: Duration,
    /// Which TCP to use: this program's over a TUN interface, raw or packet sockets, or the
    /// kernel's (needs no privileges)
    #[arg(long, value_name = "TCP", default_value = "kernel")]
    via: TcpChoice,
    #[command(flatten)]
    way: WayOptions,
    /// Write one JSON object instead of text
    #[arg(long)]
    json: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    /// Discards received data (RFC 863)
    Discard,
    /// Sends received data back (RFC 862)
    Echo,
}

impl Hosts {
    /// Refuses options of ways out that are not used.
    pub(super) fn check(matches: &ArgMatches) -> Result<(), clap::Error> {
        match matches.get_one::<TcpChoice>("via").and_then(|via| via.way()) {
            None => refuse_idle::<WayOptions>(matches, &[], "--via kernel"),
            way => refuse_other_ways(matches, way),
        }
    }

    pub(crate) fn run(&self) -> Result<(), Failure> {
        hosts::run(&self.settings())
    }

    fn settings(&self) -> HostsSettings {
        HostsSettings {
            list: self.file.clone(),
            service: match self.service {
                Wanted::Discard => Service::Discard,
                Wanted::Echo => Service::Echo,
            },
            least_window: self.window,
            stop_list: self.stop_list.clone(),
            manner: Manner {
                parallel: self.parallel.get(),
                interval: Duration::from_nanos(1_000_000_000 / u64::from(self.rate.get())),
                timeout: self.timeout,
            },
            way: self.via.way().map(|via| self.way.settings(via, 1)),
            json: self.json,
        }
    }
}
