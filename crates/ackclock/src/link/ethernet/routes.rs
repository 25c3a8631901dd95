//! Static routes: the router for destinations that are not on-link.

use super::RouteError;
use crate::stack::{Cidr, Network, bits};
use crate::wire::{Address, is_unicast};
use core::net::IpAddr;

/// A network, and the router for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Route {
    network: Network,
    gateway: Address,
}

/// A table of at most `N` routes; the longest prefix applies.
#[derive(Debug)]
pub(super) struct Routes<const N: usize> {
    places: [Option<Route>; N],
}

impl<const N: usize> Routes<N> {
    /// An empty table.
    pub(super) const fn new() -> Self {
        Routes { places: [None; N] }
    }

    /// Adds a route, or changes a network's gateway.
    pub(super) fn set(&mut self, network: Cidr, gateway: IpAddr) -> Result<(), RouteError> {
        if gateway.is_ipv4() != network.address.is_ipv4() || !is_unicast(gateway.into()) {
            return Err(RouteError::Gateway);
        }
        let Some(network) = whole(network) else {
            return Err(RouteError::Gateway);
        };
        self.forget(network);
        let place = self.places.iter_mut().find(|place| place.is_none());
        *place.ok_or(RouteError::NoResources)? = Some(Route { network, gateway: gateway.into() });
        Ok(())
    }

    /// Removes the route to a network.
    pub(super) fn remove(&mut self, network: Cidr) {
        if let Some(network) = whole(network) {
            self.forget(network);
        }
    }

    fn forget(&mut self, network: Network) {
        let is_same = |route: &Route| {
            route.network.prefix == network.prefix && route.network.contains(network.address)
        };
        let of_network = |place: &&mut Option<Route>| place.as_ref().is_some_and(is_same);
        self.places.iter_mut().filter(of_network).for_each(|place| *place = None);
    }

    /// The gateway for a destination, and the length of the prefix that matches it.
    pub(super) fn find(&self, destination: Address) -> Option<(u8, Address)> {
        let routes = self.places.iter().flatten();
        let fitting = routes.filter(|route| route.network.contains(destination));
        let best = fitting.max_by_key(|route| route.network.prefix)?;
        Some((best.network.prefix, best.gateway))
    }
}

/// A network whose prefix is no longer than the address; `None` if the build lacks the family.
fn whole(network: Cidr) -> Option<Network> {
    let network = Network::of(network)?;
    Some(Network { prefix: network.prefix.min(bits(network.address)), ..network })
}
