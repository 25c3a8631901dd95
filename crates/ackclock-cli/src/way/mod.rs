//! Ways out of this machine, a file each: all that is particular to one of them. What drives a stack
//! over one of them knows none.

mod packet;
mod raw;
mod tun;

pub(crate) use tun::{exists, open_or_make};

use crate::failure::Failure;
use crate::options::{Via, WayOptions};
use crate::values::Peer;
use ackclock::stack::Cidr;
use ackclock_host::any_link::AnyLink;
use ackclock_host::raw::Ports;
use ackclock_host::run_loop::HostEthernet;
use std::net::SocketAddr;

/// What a way out is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose<'p> {
    /// To connect to one of these addresses.
    Reach(&'p [SocketAddr]),
    /// To be connected to at this port.
    Serve(u16),
}

/// A way out that is planned: the options make sense, and nothing has been touched.
pub(crate) trait Way {
    /// The addresses that a stack has there.
    fn addresses(&self) -> &[Cidr];

    /// Why a peer with none but our own addresses is not to be reached this way.
    fn not_elsewhere(&self) -> String;

    /// What there must be to reach an address of a family that we have none of.
    fn of_the_other_family(&self, is_ipv6: bool) -> String;

    /// Opens it.
    fn open(&self) -> Result<Opened, Failure>;
}

/// A way out that is open.
pub(crate) struct Opened {
    /// What carries the packets: a link for each queue, at least one.
    pub(crate) links: Vec<AnyLink>,
    /// What is between it and a stack, if it carries frames.
    pub(crate) ethernet: Option<HostEthernet>,
    /// The interface's name.
    pub(crate) interface: String,
    /// Whether the kernel segments in our place.
    pub(crate) offloading: bool,
    /// The ports to connect from, if not all can be had.
    pub(crate) ports: Option<Ports>,
    /// What to say if the device goes away.
    pub(crate) gone: String,
    /// Says at the end what was remarkable.
    pub(crate) note: Box<dyn Fn() -> Option<String>>,
}

/// The way out that the options name; only TUN has more than one of the `queues`.
pub(crate) fn plan<'o>(
    via: Via,
    options: &'o WayOptions,
    queues: u16,
    purpose: Purpose<'_>,
) -> Result<Box<dyn Way + 'o>, Failure> {
    Ok(match via {
        Via::Tun => Box::new(tun::TunWay::plan(options, queues)?),
        Via::Raw => Box::new(raw::RawWay::plan(options, purpose)?),
        Via::Packet => Box::new(packet::PacketWay::plan(options, purpose)?),
    })
}

/// The addresses of a peer.
pub(crate) fn resolve(peer: &Peer) -> Result<Vec<SocketAddr>, Failure> {
    let host = peer.host();
    let addresses = peer.resolve().map_err(|error| {
        Failure::Transfer(format!(
            "cannot find the address of {host}: {error}; check the name with 'getent hosts'"
        ))
    })?;
    Ok(addresses.collect())
}

/// The first address of the peer that one of ours can talk to.
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
