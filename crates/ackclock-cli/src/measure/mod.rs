//! Measuring real networks: routes, bursts, and campaigns of transfers.

mod bprobe;
mod campaign;
mod path;

pub(crate) use bprobe::run as bprobe;
pub(crate) use campaign::run as campaign;
pub(crate) use path::run as path;

use crate::failure::Failure;
use crate::values::Peer;
use crate::way;
use ackclock_measure::probe::ProbeError;
use std::net::{IpAddr, SocketAddr};

/// An address of the host, of the family that is preferred if it has one.
fn resolve(host: &str, prefer_ipv6: bool) -> Result<IpAddr, Failure> {
    // The port is of no meaning.
    let addresses = way::resolve(&Peer::new(host, 0))?;
    let preferred = addresses.iter().find(|address| address.is_ipv6() == prefer_ipv6);
    let first = preferred.or(addresses.first()).map(SocketAddr::ip);
    first.ok_or_else(|| Failure::Transfer(format!("{host} has no address")))
}

/// What became of one target's probes, unless this machine cannot probe at all.
fn unless_fatal<T>(result: Result<T, ProbeError>) -> Result<Result<T, String>, ProbeError> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(error) if error.is_of_the_target() => Ok(Err(error.to_string())),
        Err(error) => Err(error),
    }
}

fn probe_failure(error: &ProbeError) -> Failure {
    match error {
        ProbeError::Size { .. } | ProbeError::Family(_) => Failure::Usage(error.to_string()),
        _ => Failure::Environment(error.to_string()),
    }
}
