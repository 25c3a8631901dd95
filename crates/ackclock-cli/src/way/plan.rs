//! From settings to a planned way out, and to the address of a peer that it reaches.

use super::contract::{Purpose, Way};
use super::packet::PacketWay;
use super::raw::RawWay;
use super::settings::{Via, WaySettings};
use super::tun::TunWay;
use crate::failure::Failure;
use crate::values::Peer;
use std::net::SocketAddr;

/// Plans the way out that the settings describe.
///
/// # Errors
/// Which setting is missing, or does not fit the purpose or this machine.
pub(crate) fn plan<'s>(
    settings: &'s WaySettings,
    purpose: Purpose<'_>,
) -> Result<Box<dyn Way + 's>, Failure> {
    Ok(match settings.via {
        Via::Tun => Box::new(TunWay::plan(settings, purpose)?),
        Via::Raw => Box::new(RawWay::plan(settings, purpose)?),
        Via::Packet => Box::new(PacketWay::plan(settings, purpose)?),
    })
}

/// Looks up the addresses of a peer.
pub(crate) fn resolve(peer: &Peer) -> Result<Vec<SocketAddr>, Failure> {
    let host = peer.host();
    let addresses = peer.resolve().map_err(|error| {
        Failure::Transfer(format!(
            "cannot find the address of {host}: {error}; check the name with 'getent hosts'"
        ))
    })?;
    Ok(addresses.collect())
}

/// Chooses the address of a peer to connect to: the first that is another machine's and of a family in
/// which the stack has an address.
pub(crate) fn choose(
    way: &dyn Way,
    peer: &Peer,
    addresses: &[SocketAddr],
) -> Result<SocketAddr, Failure> {
    let ours = way.addresses();
    let is_elsewhere = |remote: &&SocketAddr| {
        let is_ours = ours.iter().any(|cidr| cidr.address == remote.ip());
        !is_ours && !remote.ip().is_loopback()
    };
    let mut elsewhere = addresses.iter().filter(is_elsewhere).peekable();
    if elsewhere.peek().is_none() {
        return Err(Failure::Usage(format!("{peer} {}", way.not_elsewhere())));
    }
    let same_family =
        |remote: &&SocketAddr| ours.iter().any(|cidr| cidr.address.is_ipv4() == remote.is_ipv4());
    elsewhere.find(same_family).copied().ok_or_else(|| {
        let is_ipv6 = addresses.iter().any(SocketAddr::is_ipv6);
        let family = if is_ipv6 { "IPv6" } else { "IPv4" };
        let needed = way.of_the_other_family(is_ipv6);
        Failure::Usage(format!("{peer} has an {family} address only: {needed}"))
    })
}
