//! `ackclock`: discard, echo and chargen over a TCP stack in userspace.
#![forbid(unsafe_code)]

mod campaign_report;
mod capture;
mod commands;
#[cfg(target_os = "linux")]
mod driver;
#[cfg(target_os = "linux")]
mod emulate;
mod failure;
mod hosts;
mod interrupt;
mod lab;
#[cfg(target_os = "linux")]
mod measure;
mod options;
mod report;
mod scenario;
mod serve;
#[cfg(target_os = "linux")]
mod setup;
mod trace;
mod transfer;
mod usage;
mod values;
mod watchers;
#[cfg(target_os = "linux")]
mod way;

use commands::CommandLine;
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
            // There is nowhere left to say that this could not be said.
            let _ = writeln!(std::io::stderr(), "ackclock: {failure}");
            ExitCode::from(failure.status())
        }
    }
}
