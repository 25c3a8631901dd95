//! Transfer to a service on another host, by a way out of this machine.

use super::outcome::Driven;
use super::settings::TransferSettings;
use super::watch::Watch;
use crate::driver::{Driver, Limits};
use crate::failure::Failure;
use crate::interrupt;
use crate::values::Peer;
use crate::way::{self, Purpose, WaySettings};
use std::net::SocketAddr;

/// Runs the transfer to its end.
pub(super) fn drive(
    settings: &TransferSettings,
    peer: &Peer,
    way: &WaySettings,
    source: impl Fn(SocketAddr, (usize, usize)) -> Watch,
) -> Result<Driven, Failure> {
    let addresses = way::resolve(peer)?;
    let way = way::plan(way, Purpose::Reach(&addresses))?;
    let remote = way::choose(&*way, peer, &addresses)?;
    let pcap = settings.recording.pcap.as_deref();
    let limits = Limits::of_a_connection(&settings.connection.config);
    let mut driver =
        Driver::open(&*way, settings.connection.controller, limits, settings.seed, pcap)?;
    driver.set_keys(&settings.keys)?;
    interrupt::on_request(driver.stopper())?;
    let count = driver.queues();
    let mut watches: Vec<_> = (0..count).map(|index| source(remote, (index, count))).collect();
    let broken = match driver.run(&mut watches) {
        Err(failure @ Failure::Environment(_)) => Some(failure),
        ran => {
            ran?;
            None
        }
    };
    let now = driver.now();
    let pairs = watches.iter().zip(driver.stacks());
    let watched = pairs.map(|(watch, stack)| watch.conclude(now, stack)).collect();
    driver.leave(&mut watches, Watch::abort);
    let offloading = Some(driver.is_offloading());
    driver.finish()?;
    Ok(Driven { watched, far_info: None, broken, offloading })
}
