//! What is said of the hosts.

use super::{Accepted, Host};
use crate::commands::hosts::Hosts;
use crate::failure::Failure;
use crate::interrupt;
use crate::report::{SCHEMA, milliseconds, seconds, write_object};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct Report {
    schema: u32,
    version: &'static str,
    command: &'static str,
    service: &'static str,
    via: &'static str,
    /// Null: any.
    least_window_bytes: Option<u64>,
    found: usize,
    interrupted: bool,
    hosts: Vec<HostReport>,
}

#[derive(Serialize)]
struct HostReport {
    host: String,
    address: Option<String>,
    found: bool,
    connect_seconds: Option<f64>,
    /// Null where the kernel's TCP asked.
    window_bytes: Option<u32>,
    mss_bytes: Option<u32>,
    /// Why it is none; null for those found and those not tried.
    reason: Option<String>,
}

impl HostReport {
    fn new(host: &Host) -> Self {
        let accepted = host.accepted();
        let told = accepted.and_then(|accepted| accepted.told);
        let reason = host.outcome.as_ref().and_then(|outcome| outcome.as_ref().err());
        HostReport {
            host: host.peer.to_string(),
            address: host.address.map(|address| address.ip().to_string()),
            found: accepted.is_some(),
            connect_seconds: accepted.map(|accepted| seconds(accepted.connect)),
            window_bytes: told.map(|told| told.window),
            mss_bytes: told.map(|told| told.mss),
            reason: reason.cloned(),
        }
    }
}

impl Host {
    fn accepted(&self) -> Option<&Accepted> {
        self.outcome.as_ref().and_then(|outcome| outcome.as_ref().ok())
    }

    /// The line of a host that was found: a line of a list of hosts.
    fn line(&self, accepted: &Accepted) -> String {
        let address = self.address.map_or_else(String::new, |address| address.ip().to_string());
        let told = accepted.told.map_or_else(String::new, |told| {
            format!(", window {} bytes, MSS {}", told.window, told.mss)
        });
        format!("{}  # {address}, {}{told}\n", self.peer, milliseconds(accepted.connect))
    }
}

/// Writes the hosts found to standard output, and why the others are none to standard error; or
/// everything as one object.
///
/// # Errors
/// That it could not be written, or that the user ended it before all hosts were tried.
pub(super) fn write(options: &Hosts, hosts: &[Host]) -> Result<(), Failure> {
    let found = hosts.iter().filter(|host| host.accepted().is_some()).count();
    let interrupted = interrupt::requested() && hosts.iter().any(|host| host.outcome.is_none());
    let mut stdout = io::stdout().lock();
    if options.json {
        let report = Report {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            command: "hosts",
            service: options.service().name(),
            via: options.via.word(),
            least_window_bytes: options.window,
            found,
            interrupted,
            hosts: hosts.iter().map(HostReport::new).collect(),
        };
        write_object(&report, &mut stdout)?;
    } else {
        let mut stderr = io::stderr().lock();
        for host in hosts {
            match &host.outcome {
                Some(Ok(accepted)) => stdout
                    .write_all(host.line(accepted).as_bytes())
                    .map_err(|error| Failure::output(&error))?,
                Some(Err(reason)) => {
                    // The hosts found do not depend on anybody's reading this.
                    let _ = writeln!(stderr, "{}: {reason}", host.peer);
                }
                None => {}
            }
        }
        let _ = writeln!(stderr, "{found} of {} hosts found", hosts.len());
    }
    match interrupted {
        true => Err(Failure::Transfer("interrupted before all hosts were tried".into())),
        false => Ok(()),
    }
}
