//! Measuring real networks: routes, bursts, and campaigns of transfers.

mod bprobe;
mod campaign;
mod path;

pub(crate) use bprobe::run as bprobe;
pub(crate) use campaign::run as campaign;
pub(crate) use path::run as path;

use crate::failure::Failure;
use ackclock_measure::probe::ProbeError;
use std::net::{IpAddr, ToSocketAddrs};

/// An address of the host, of the family that is preferred if it has one.
fn resolve(host: &str, prefer_ipv6: bool) -> Result<IpAddr, Failure> {
    let addresses = (host, 0).to_socket_addrs().map_err(|error| {
        Failure::Transfer(format!(
            "cannot find the address of {host}: {error}; check the name with 'getent hosts'"
        ))
    })?;
    let mut addresses: Vec<IpAddr> = addresses.map(|address| address.ip()).collect();
    addresses.sort_by_key(|address| address.is_ipv6() != prefer_ipv6);
    let first = addresses.first().copied();
    first.ok_or_else(|| Failure::Transfer(format!("{host} has no address")))
}

fn probe_failure(error: &ProbeError) -> Failure {
    match error {
        ProbeError::Size { .. } | ProbeError::Family(_) => Failure::Usage(error.to_string()),
        _ => Failure::Environment(error.to_string()),
    }
}
