//! A transfer to a real service through a TUN interface.

use super::Driven;
use super::watch::Watch;
use crate::failure::Failure;
use crate::interface;
use crate::interrupt;
use crate::options::{InterfaceOptions, TransferOptions};
use crate::values::Peer;
use ackclock::congestion::BuiltIn;
use ackclock_host::setup::kernel_end;
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
    let broken = match driver.run(&mut watch) {
        Err(failure @ Failure::Environment(_)) => Some(failure),
        ran => {
            ran?;
            None
        }
    };
    let watched = watch.conclude(driver.now(), driver.stack());
    driver.leave(|now, stack| watch.abort(now, stack));
    let offloading = Some(driver.is_offloading());
    driver.finish()?;
    Ok(Driven { watched, far_info: None, broken, offloading })
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
    let is_out_of_reach = |remote: &SocketAddr| {
        let is_ours = interface.address.iter().any(|cidr| cidr.address == remote.ip());
        is_ours || remote.ip().is_loopback()
    };
    if addresses.iter().all(is_out_of_reach) {
        let kernel = interface.address.iter().find_map(|&cidr| kernel_end(cidr).ok());
        let kernel =
            kernel.map_or_else(String::new, |kernel| format!(" such as {}", kernel.address));
        return Err(Failure::Usage(format!(
            "{peer} is not at the far end of the interface: the kernel has another address \
             there,{kernel}"
        )));
    }
    let same_family = |remote: &&SocketAddr| {
        let mut ours = interface.address.iter();
        ours.any(|cidr| cidr.address.is_ipv4() == remote.is_ipv4())
    };
    let in_reach = addresses.iter().filter(|remote| !is_out_of_reach(remote));
    in_reach.into_iter().find(same_family).copied().ok_or_else(|| {
        let family = if addresses.iter().any(SocketAddr::is_ipv6) {
            "an IPv6 address only: give an IPv6 --address too, such as fd07::2/64"
        } else {
            "an IPv4 address only: give an IPv4 --address too, such as 10.7.0.2/24"
        };
        Failure::Usage(format!("{peer} has {family}"))
    })
}
