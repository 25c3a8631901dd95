//! Functions that the programs share.
#![forbid(unsafe_code)]

pub mod http;
pub mod tls;
pub mod wireguard;

use ackclock::stack::Cidr;
use ackclock_host::tun::{Offload, Tun};
use ackclock_net::sim::HostError;
use ackclock_net::{Net, NetConfig, TokioLink, TokioTimer};
use std::time::Duration;
use tokio::time::timeout;

/// How long to wait until the resets of ended connections are sent.
const FAREWELL: Duration = Duration::from_secs(1);

/// Works with a network over this TUN device, which has this address and is carried by a task of the runtime. Peers
/// of connections that are still open when the work is done are sent resets: a program that just ends takes its
/// network along, and they would never know.
///
/// # Errors
/// The device cannot be opened, the address cannot be used, or the error of the work.
pub async fn over_tun<T>(
    name: &str,
    address: Cidr,
    work: impl AsyncFnOnce(&Net) -> Result<T, HostError>,
) -> Result<T, HostError> {
    let tun = TokioLink::new(Tun::open_with(&name.parse()?, Offload::Auto)?)?;
    let config = NetConfig::new([address]);
    let (net, driver) = Net::with_driver(tun, TokioTimer::start(), &config)?;
    let driver = tokio::spawn(driver);
    let done = work(&net).await;
    net.shut_down();
    // A device that takes nothing any more is not waited for.
    let _ = timeout(FAREWELL, driver).await;
    done
}
