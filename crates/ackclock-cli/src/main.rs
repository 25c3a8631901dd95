//! `ackclock`: the command. `commands` and `options` define the command line; every other module does
//! work, takes plain settings and does not depend on these two.
#![forbid(unsafe_code)]

mod capture;
mod commands;
mod compare;
#[cfg(target_os = "linux")]
mod driver;
#[cfg(target_os = "linux")]
mod emulate;
mod failure;
mod hosts;
mod interrupt;
mod judge;
mod lab;
mod measure;
mod options;
#[cfg(target_os = "linux")]
mod packetdrill;
#[cfg(target_os = "linux")]
mod proxy;
mod recording;
mod report;
mod scenario;
mod serve;
#[cfg(target_os = "linux")]
mod setup;
mod swarm;
mod trace;
mod transfer;
mod values;
mod way;

use commands::{CommandLine, usage};
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let result = match CommandLine::read(&arguments) {
        Ok(command_line) => command_line.run(),
        Err(error) => usage::answer(&error, &arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.is_silent() {
                // If standard error cannot be written to, there is nowhere to report that.
                let _ = writeln!(std::io::stderr(), "ackclock: {failure}");
            }
            ExitCode::from(failure.status())
        }
    }
}
