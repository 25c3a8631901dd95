//! The subcommands, a file each.

mod discard;
mod echo;
pub(crate) mod emulate;
mod serve;
pub(crate) mod setup;

use crate::failure::Failure;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;

/// A TCP stack in userspace: over an emulated path, or over a TUN interface to real hosts; and the
/// emulated path by itself, between TUN interfaces.
///
/// Exit status: 0 done, 1 the transfer failed, 2 the command line is wrong, 3 the environment lacks
/// something.
#[derive(Parser, Debug)]
#[command(name = "ackclock", version)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Discard(discard::Discard),
    Echo(echo::Echo),
    Emulate(emulate::Emulate),
    Serve(serve::Serve),
    Setup(setup::Setup),
}

impl CommandLine {
    /// Reads a command line, the program's name included.
    pub(crate) fn read(
        arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    ) -> Result<Self, clap::Error> {
        let matches = Self::command().try_get_matches_from(arguments)?;
        if let Some(("serve", matches)) = matches.subcommand() {
            serve::Serve::check(matches)?;
        }
        Self::from_arg_matches(&matches)
    }

    /// Does what the command line says.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match &self.command {
            Command::Discard(command) => command.run(),
            Command::Echo(command) => command.run(),
            Command::Emulate(command) => command.run(),
            Command::Serve(command) => command.run(),
            Command::Setup(command) => command.run(),
        }
    }
}
