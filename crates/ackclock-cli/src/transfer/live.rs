//! A transfer to a real service, by a way out of this machine.

use super::Driven;
use super::watch::Watch;
use crate::driver::Driver;
use crate::failure::Failure;
use crate::interrupt;
use crate::options::TransferOptions;
use crate::values::Peer;
use crate::way::{self, Purpose};
use ackclock::congestion::BuiltIn;
use std::net::SocketAddr;

/// Runs the transfer to its end.
pub(crate) fn drive(
    peer: &Peer,
    options: &TransferOptions,
    controller: BuiltIn,
    source: impl FnOnce(SocketAddr) -> Watch,
) -> Result<Driven, Failure> {
    let addresses = way::resolve(peer)?;
    let way = way::plan(options.via, &options.way, Purpose::Reach(&addresses))?;
    let remote = way::choose(&*way, peer, &addresses)?;
    let mut driver = Driver::open(&*way, controller, options.seed(), options.pcap.as_deref())?;
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
