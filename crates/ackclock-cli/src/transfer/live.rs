//! A transfer to a real service, by a way out of this machine.

use super::Driven;
use super::watch::Watch;
use crate::driver::{Driver, Limits};
use crate::failure::Failure;
use crate::interrupt;
use crate::options::TransferOptions;
use crate::values::Peer;
use crate::way::{self, Purpose};
use ackclock::congestion::BuiltIn;
use ackclock::tcp::Config;
use std::net::SocketAddr;

/// Runs the transfer to its end.
pub(crate) fn drive(
    peer: &Peer,
    options: &TransferOptions,
    connection: Config,
    controller: BuiltIn,
    source: impl Fn(SocketAddr, (usize, usize)) -> Watch,
) -> Result<Driven, Failure> {
    let addresses = way::resolve(peer)?;
    let way =
        way::plan(options.via, &options.way, options.queues.queues, Purpose::Reach(&addresses))?;
    let remote = way::choose(&*way, peer, &addresses)?;
    let pcap = options.pcap.as_deref();
    let limits = Limits::of_a_connection(&connection);
    let mut driver = Driver::open(&*way, controller, limits, options.seed(), pcap)?;
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
