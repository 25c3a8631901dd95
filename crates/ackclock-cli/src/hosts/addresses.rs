//! Addresses of the hosts: looking them up, and choosing the one that is tried.

use super::candidate::{Candidate, STOPPED};
use super::pace;
use crate::values::Peer;
use ackclock_measure::lists::StopList;
use std::collections::HashMap;
use std::net::SocketAddr;

/// Names looked up at a time.
const LOOK_UPS: usize = 16;

/// Looks up the addresses of the hosts. Hosts on the stop list are turned down, before or after that.
pub(super) fn look_up(peers: Vec<Peer>, stop_list: &StopList) -> Vec<Candidate> {
    let addresses =
        pace::in_parallel(&peers, LOOK_UPS, |peer| match stop_list.has_name(peer.host()) {
            true => Err(STOPPED.to_owned()),
            false => match peer.resolve().map(Iterator::collect::<Vec<_>>) {
                Ok(addresses) if addresses.iter().any(|address| stop_list.has(address.ip())) => {
                    Err(STOPPED.to_owned())
                }
                Ok(addresses) if addresses.is_empty() => Err("has no address".to_owned()),
                Ok(addresses) => {
                    let canonical =
                        |address: SocketAddr| (address.ip().to_canonical(), address.port());
                    Ok(addresses.into_iter().map(canonical).map(SocketAddr::from).collect())
                }
                Err(error) => Err(format!("no address is known: {error}")),
            },
        });
    let hosts = peers.into_iter().zip(addresses).map(|(peer, found)| {
        let (addresses, outcome) = match found {
            Some(Ok(addresses)) => (addresses, None),
            Some(Err(reason)) => (Vec::new(), Some(Err(reason))),
            None => (Vec::new(), None),
        };
        Candidate { peer, addresses, address: None, outcome }
    });
    hosts.collect()
}

/// Chooses for each host the address that is tried. A host whose address another host has too is left
/// out, so that each address is tried once.
pub(super) fn choose_addresses(
    hosts: &mut [Candidate],
    choose: impl Fn(&Peer, &[SocketAddr]) -> Result<SocketAddr, String>,
) {
    let mut names: HashMap<SocketAddr, String> = HashMap::new();
    for host in hosts.iter_mut().filter(|host| !host.addresses.is_empty()) {
        match choose(&host.peer, &host.addresses) {
            Err(reason) => host.outcome = Some(Err(reason)),
            Ok(address) => match names.get(&address) {
                Some(name) => host.outcome = Some(Err(format!("is the same host as {name}"))),
                None => {
                    names.insert(address, host.peer.to_string());
                    host.address = Some(address);
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str, addresses: &[&str]) -> Candidate {
        let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
        Candidate { peer: text.parse().unwrap(), addresses, address: None, outcome: None }
    }

    #[test]
    fn an_address_with_two_names_is_tried_once() {
        let one = "192.0.2.1:9";
        let mut hosts = [host("a:9", &[one]), host("b:9", &[one]), host("c:7", &["192.0.2.1:7"])];
        choose_addresses(&mut hosts, |_, addresses| Ok(addresses[0]));
        assert_eq!(hosts[0].address, Some(one.parse().unwrap()));
        assert_eq!(hosts[1].outcome, Some(Err("is the same host as a:9".into())));
        assert_eq!(hosts[2].address, Some("192.0.2.1:7".parse().unwrap()));
    }

    #[test]
    fn hosts_on_the_stop_list_are_not_even_looked_up() {
        let stop_list: StopList = "example.org\n192.0.2.0/24\n".parse().unwrap();
        let peers = ["www.Example.org:9", "192.0.2.77:9", "127.0.0.1:9"];
        let peers = peers.map(|peer| peer.parse().unwrap()).to_vec();
        let hosts = look_up(peers, &stop_list);
        assert_eq!(hosts[0].outcome, Some(Err(STOPPED.into())));
        assert_eq!(hosts[1].outcome, Some(Err(STOPPED.into())));
        assert_eq!((&hosts[2].outcome, hosts[2].addresses.len()), (&None, 1));
    }
}
