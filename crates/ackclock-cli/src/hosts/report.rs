//! Report of the hosts, as text and as JSON.

use super::candidate::{Accepted, Candidate};
use super::settings::HostsSettings;
use crate::failure::Failure;
use crate::interrupt;
use crate::report::{SCHEMA, milliseconds, seconds, stdout, write_object};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct Report {
    schema: u32,
    version: &'static str,
    command: &'static str,
    service: &'static str,
    via: &'static str,
    /// Minimum receive window of `--window`; null: any.
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
    /// Receive window of the peer; null if the kernel's TCP was used.
    window_bytes: Option<u32>,
    mss_bytes: Option<u32>,
    /// Reason why the host is of no use; null if it was found or not tried.
    reason: Option<String>,
}

impl HostReport {
    fn new(host: &Candidate) -> Self {
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

impl Candidate {
    fn accepted(&self) -> Option<&Accepted> {
        self.outcome.as_ref().and_then(|outcome| outcome.as_ref().ok())
    }

    /// Line for a host that was found, in the form of a list of hosts.
    fn line(&self, accepted: &Accepted) -> String {
        let address = self.address.map_or_else(String::new, |address| address.ip().to_string());
        let told = accepted.told.map_or_else(String::new, |told| {
            format!(", window {} bytes, MSS {}", told.window, told.mss)
        });
        format!("{}  # {address}, {}{told}\n", self.peer, milliseconds(accepted.connect))
    }
}

/// Writes the report: the hosts that were found to standard output and the reasons against the others
/// to standard error, or everything as one JSON object.
///
/// # Errors
/// The report cannot be written, or the user ended the run before all hosts were tried.
pub(super) fn write(settings: &HostsSettings, hosts: &[Candidate]) -> Result<(), Failure> {
    let found = hosts.iter().filter(|host| host.accepted().is_some()).count();
    let interrupted = interrupt::requested() && hosts.iter().any(|host| host.outcome.is_none());
    let mut stdout = stdout();
    if settings.json {
        let report = Report {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            command: "hosts",
            service: settings.service.name(),
            via: settings.way.as_ref().map_or("kernel", |way| way.via.word()),
            least_window_bytes: settings.least_window,
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
                    // The hosts are found even if the line cannot be written.
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
