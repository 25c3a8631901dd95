//! Lookup of a host to be probed, and the errors of probing.

use crate::failure::Failure;
use crate::values::Peer;
use crate::way;
use ackclock_measure::probe::ProbeError;
use std::net::{IpAddr, SocketAddr};

/// Looks up the address of a host: the first of the preferred family, or the first one.
pub(super) fn resolve(host: &str, prefer_ipv6: bool) -> Result<IpAddr, Failure> {
    // Only the address is used; the port could be any.
    let addresses = way::resolve(&Peer::new(host, 0))?;
    let preferred = addresses.iter().find(|address| address.is_ipv6() == prefer_ipv6);
    let first = preferred.or(addresses.first()).map(SocketAddr::ip);
    first.ok_or_else(|| Failure::Transfer(format!("{host} has no address")))
}

/// Separates the errors of one target (inner) from those by which this machine cannot probe at all
/// (outer).
pub(super) fn unless_fatal<T>(
    result: Result<T, ProbeError>,
) -> Result<Result<T, String>, ProbeError> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(error) if error.is_of_the_target() => Ok(Err(error.to_string())),
        Err(error) => Err(error),
    }
}

pub(super) fn probe_failure(error: &ProbeError) -> Failure {
    match error {
        ProbeError::Size { .. } | ProbeError::Family(_) => Failure::Usage(error.to_string()),
        _ => Failure::Environment(error.to_string()),
    }
}
