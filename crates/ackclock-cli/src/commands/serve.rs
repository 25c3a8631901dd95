//! `ackclock serve`

use super::{refuse_idle, refuse_other_ways};
use crate::failure::Failure;
use crate::options::{
    ConnectionOptions, LimitOptions, QueueOptions, ReportOptions, SignatureOptions, TcpChoice,
    WayOptions,
};
#[cfg(target_os = "linux")]
use crate::serve::StackSettings;
use crate::serve::{self, ServeSettings};
#[cfg(target_os = "linux")]
use crate::way::Via;
use ackclock::apps::Service;
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, ValueEnum};
use std::path::PathBuf;

/// Run a discard, echo or chargen service
#[derive(Args, Debug)]
pub(crate) struct Serve {
    /// Which service
    #[arg(value_name = "SERVICE")]
    service: ServiceName,
    /// Which TCP to use: this program's over a TUN interface, raw or packet sockets, or the
    /// kernel's (needs no privileges)
    #[arg(long, value_name = "TCP", default_value = "tun")]
    via: TcpChoice,
    /// Port to listen on; 0: any free port with --via kernel, all ports over TUN [default: the
    /// service's standard port: discard 9, echo 7, chargen 19]
    #[arg(long, value_name = "NUMBER")]
    port: Option<u16>,
    /// End after the first connection
    #[arg(long)]
    once: bool,
    #[command(flatten)]
    way: WayOptions,
    #[command(flatten)]
    queues: QueueOptions,
    #[command(flatten)]
    connection: ConnectionOptions,
    #[command(flatten)]
    signatures: SignatureOptions,
    #[command(flatten)]
    limits: LimitOptions,
    /// Seed of everything random [default: random]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Capture every packet in this file, with nanosecond timestamps
    #[arg(long, value_name = "FILE")]
    pcap: Option<PathBuf>,
    #[command(flatten)]
    report: ReportOptions,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum ServiceName {
    /// Discard received data (RFC 863)
    Discard,
    /// Send received data back (RFC 862)
    Echo,
    /// Send lines of rotating characters (RFC 864)
    Chargen,
}

/// Arguments that have an effect together with `--via kernel`.
const OF_THE_KERNEL: [&str; 5] = ["service", "via", "port", "once", "json"];

impl Serve {
    /// Refuses options that have no effect with the TCP that is used.
    pub(crate) fn check(matches: &ArgMatches) -> Result<(), clap::Error> {
        match matches.get_one::<TcpChoice>("via").and_then(|via| via.way()) {
            Some(way) => {
                refuse_other_ways(matches, Some(way))?;
                let queues = matches.get_one::<u16>("queues").is_some_and(|queues| *queues > 1);
                if matches.get_flag("once") && queues {
                    let problem =
                        "--queues has no effect with --once: a connection is on one queue";
                    return Err(clap::Error::raw(ErrorKind::ArgumentConflict, problem));
                }
                Ok(())
            }
            None => refuse_idle::<Self>(matches, &OF_THE_KERNEL, "--via kernel"),
        }
    }

    pub(crate) fn run(&self) -> Result<(), Failure> {
        let settings = self.settings();
        match self.via.way() {
            #[cfg(unix)]
            None => serve::over_kernel(&settings),
            #[cfg(target_os = "linux")]
            Some(via) => serve::over_own_stack(&settings, &self.stack_settings(via)?),
            #[cfg(not(target_os = "linux"))]
            via => Err(Failure::elsewhere(&format!("serve --via {via:?}"))),
        }
    }

    fn settings(&self) -> ServeSettings {
        let service = match self.service {
            ServiceName::Discard => Service::Discard,
            ServiceName::Echo => Service::Echo,
            ServiceName::Chargen => Service::Chargen,
        };
        ServeSettings {
            service,
            port: self.port.unwrap_or(service.port()),
            once: self.once,
            json: self.report.json,
        }
    }

    #[cfg(target_os = "linux")]
    fn stack_settings(&self, via: Via) -> Result<StackSettings, Failure> {
        let mut config = self.connection.config_of_service()?;
        config.keepalive = self.limits.keepalive();
        Ok(StackSettings {
            way: self.way.settings(via, self.queues.queues),
            config,
            keys: self.signatures.keys(),
            controller: self.connection.controller()?,
            limits: self.limits.limits(&config),
            idle_time: self.limits.idle_time(),
            seed: self.seed,
            interval: self.report.interval,
            pcap: self.pcap.clone(),
        })
    }
}
