//! Command line: a file for each subcommand, which reads its options, converts them into the settings of
//! the module that does the work, and calls it.

mod bprobe;
mod campaign;
mod discard;
mod echo;
mod emulate;
mod hosts;
mod lab;
#[cfg(target_os = "linux")]
mod packetdrill;
mod path;
#[cfg(target_os = "linux")]
mod proxy;
mod serve;
mod setup;
mod swarm;
mod trace;
pub(crate) mod usage;

use crate::compare;
use crate::failure::Failure;
use crate::options::{OF_A_SCENARIO, TransferOptions, WayOptions};
use crate::scenario;
use crate::transfer;
use crate::way::Via;
use ackclock::apps::Service;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;

/// A TCP stack in userspace: transfers over an emulated path, or over a TUN interface to real hosts; an
/// emulated path between TUN interfaces; measurements of real networks; analysis of captures; a proxy for
/// connections that are routed into a TUN interface; the experiments of five papers about TCP; and tests of
/// the stack in random networks.
///
/// Exit status: 0 success, 1 the transfer or an experiment failed, 2 the command line is wrong, 3 the environment
/// lacks something, 141 the reader of the output has exited.
#[derive(Parser, Debug)]
#[command(name = "ackclock", version)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Bprobe(bprobe::Bprobe),
    Campaign(campaign::Campaign),
    Discard(discard::Discard),
    Echo(echo::Echo),
    Emulate(emulate::Emulate),
    Hosts(hosts::Hosts),
    Lab(lab::Lab),
    #[cfg(target_os = "linux")]
    Packetdrill(packetdrill::Packetdrill),
    Path(path::Path),
    #[cfg(target_os = "linux")]
    Proxy(proxy::Proxy),
    Serve(serve::Serve),
    Setup(setup::Setup),
    Swarm(swarm::Swarm),
    Trace(trace::Trace),
}

impl CommandLine {
    /// Reads a command line, which begins with the program's name.
    pub(crate) fn read(
        arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    ) -> Result<Self, clap::Error> {
        let matches = Self::command().try_get_matches_from(arguments)?;
        match matches.subcommand() {
            Some(("campaign", matches)) => campaign::Campaign::check(matches)?,
            Some(("hosts", matches)) => hosts::Hosts::check(matches)?,
            Some(("serve", matches)) => serve::Serve::check(matches)?,
            Some(("discard" | "echo", matches)) if matches.contains_id("scenario") => {
                refuse_idle::<TransferOptions>(matches, &OF_A_SCENARIO, "--scenario")?;
            }
            Some(("discard" | "echo", matches)) => {
                let via = matches.get_one::<Via>("via").copied();
                refuse_other_ways(matches, via.filter(|_| matches.contains_id("peer")))?;
            }
            _ => {}
        }
        Self::from_arg_matches(&matches)
    }

    /// Does what the command line says.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match &self.command {
            Command::Bprobe(command) => command.run(),
            Command::Campaign(command) => command.run(),
            Command::Discard(command) => command.run(),
            Command::Echo(command) => command.run(),
            Command::Emulate(command) => command.run(),
            Command::Hosts(command) => command.run(),
            Command::Lab(command) => command.run(),
            #[cfg(target_os = "linux")]
            Command::Packetdrill(command) => command.run(),
            Command::Path(command) => command.run(),
            #[cfg(target_os = "linux")]
            Command::Proxy(command) => command.run(),
            Command::Serve(command) => command.run(),
            Command::Setup(command) => command.run(),
            Command::Swarm(command) => command.run(),
            Command::Trace(command) => command.run(),
        }
    }
}

/// Compares laws and seeds if the options name several, or runs a scenario if they name one, otherwise a
/// transfer.
fn run_transfer(options: &TransferOptions, service: Service) -> Result<(), Failure> {
    if let Some(settings) = options.comparison(service)? {
        return compare::run(&settings);
    }
    match options.scenario(service) {
        Some(settings) => scenario::run(&settings),
        None => transfer::run(&options.settings(service)?),
    }
}

/// Refuses options that belong to another way out than `via`; with `None`, those of all ways out.
fn refuse_other_ways(matches: &ArgMatches, via: Option<Via>) -> Result<(), clap::Error> {
    let problem = WayOptions::idle(matches, via).map(|option| match via {
        Some(via) => format!("--{option} has no effect with --via {}: leave it out", via.word()),
        None => {
            format!("--{option} needs a peer: give HOST:PORT, or leave it out for an emulated path")
        }
    });
    problem.map_or(Ok(()), |problem| Err(clap::Error::raw(ErrorKind::ArgumentConflict, problem)))
}

/// Refuses options on the command line that have no effect together with `with`. Those in `of_use` have
/// one.
fn refuse_idle<A: Args>(
    matches: &ArgMatches,
    of_use: &[&str],
    with: &str,
) -> Result<(), clap::Error> {
    let command = A::augment_args(clap::Command::new("all options"));
    let idle = command.get_arguments().find_map(|argument| {
        let id = argument.get_id().as_str();
        let is_given = matches.value_source(id) == Some(ValueSource::CommandLine);
        argument.get_long().filter(|_| is_given && !of_use.contains(&id))
    });
    match idle {
        None => Ok(()),
        Some(option) => Err(clap::Error::raw(
            ErrorKind::ArgumentConflict,
            format!("--{option} has no effect with {with}: leave it out"),
        )),
    }
}
