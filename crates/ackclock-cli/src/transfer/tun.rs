//! A transfer to a real service through a TUN interface.

use super::Driven;
use super::watch::Watch;
use crate::failure::Failure;
use crate::interface;
use crate::interrupt;
use crate::options::{InterfaceOptions, TransferOptions};
use crate::values::Peer;
use ackclock::congestion::BuiltIn;
use std::net::SocketAddr;

/// Runs the transfer to its end.
pub(crate) fn drive(
    peer: &Peer,
    options: &TransferOptions,
    controller: BuiltIn,
    source: impl FnOnce(SocketAddr) -> Watch,
) -> Result<Driven, Failure> {
    let remote = resolve(peer, &options.interface)?;
    let mut driver = interface::Driver::open(
        &options.interface,
        controller,
        options.seed(),
        options.pcap.as_deref(),
    )?;
    interrupt::on_request(driver.stopper())?;
    let mut watch = source(remote);
    driver.run(&mut watch)?;
    let watched = watch.conclude(driver.now(), driver.stack());
    if let Some(handle) = watch.handle() {
        driver.abort(handle)?;
    }
    driver.finish()?;
    Ok(Driven { watched, far_info: None })
}

/// The first address of the peer that one of ours can talk to.
fn resolve(peer: &Peer, interface: &InterfaceOptions) -> Result<SocketAddr, Failure> {
    let addresses: Vec<_> = peer
        .resolve()
        .map_err(|error| {
            Failure::Transfer(format!(
                "cannot find the address of {peer}: {error}; check the name with 'getent hosts'"
            ))
        })?
        .collect();
    let same_family = |remote: &&SocketAddr| {
        let mut ours = interface.address.iter();
        ours.any(|cidr| cidr.address.is_ipv4() == remote.is_ipv4())
    };
    addresses.iter().find(same_family).copied().ok_or_else(|| {
        let family = if addresses.iter().any(SocketAddr::is_ipv6) {
            "IPv6: give an IPv6 --address too, such as fd07::2/64"
        } else {
            "IPv4: give an IPv4 --address too, such as 10.7.0.2/24"
        };
        Failure::Usage(format!("{peer} has an address of {family}"))
    })
}
