//! Which of many hosts accept a connection, and with which window.

mod kernel;
mod list;
#[cfg(target_os = "linux")]
mod ours;
mod pace;
mod report;

use crate::commands::hosts::Hosts;
use crate::failure::Failure;
use crate::values::Peer;
use ackclock::time::Duration;
use ackclock_measure::lists::StopList;
use std::collections::HashMap;
use std::net::SocketAddr;

/// Names looked up at a time.
const LOOK_UPS: usize = 16;

/// A host of the list, and what is known of it.
struct Host {
    peer: Peer,
    /// Its addresses, none of them on the stop list.
    addresses: Vec<SocketAddr>,
    /// The one that is tried.
    address: Option<SocketAddr>,
    /// `None`: not tried, because the user ended it all.
    outcome: Option<Outcome>,
}

/// What came of trying a host: what it is like, or why it is of no use.
type Outcome = Result<Accepted, String>;

/// A host that has accepted.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Accepted {
    /// Time from the SYN to the end of the handshake.
    connect: Duration,
    /// What our TCP was told, if it was ours.
    told: Option<Told>,
}

/// What a peer tells when it accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Told {
    /// Its receive window, in bytes.
    window: u32,
    /// Its MSS, in bytes.
    mss: u32,
}

/// How hosts are to be tried.
struct Manner {
    parallel: usize,
    /// Time between the beginnings of two attempts.
    interval: Duration,
    timeout: Duration,
}

/// Tries the hosts and reports them.
///
/// # Errors
/// Why that could not be done, or that it was interrupted, after the report has been written.
pub(crate) fn run(options: &Hosts) -> Result<(), Failure> {
    let way = options.via.way();
    if way.is_none() && options.window.is_some() {
        return Err(Failure::Usage(
            "--window: the kernel does not tell a peer's window; use --via raw or --via tun".into(),
        ));
    }
    let peers = list::read(&options.file, options.service().port())?;
    let stop_list = options.stop_list.as_deref().map(list::read_stop_list).transpose()?;
    let mut hosts = look_up(peers, &stop_list.unwrap_or_default());
    let interval = Duration::from_nanos(1_000_000_000 / u64::from(options.rate.get()));
    let manner = Manner { parallel: options.parallel.get(), interval, timeout: options.timeout };
    match way {
        None => kernel::attempt(&mut hosts, &manner)?,
        #[cfg(target_os = "linux")]
        Some(via) => ours::attempt(&mut hosts, via, options, &manner)?,
        #[cfg(not(target_os = "linux"))]
        Some(_) => return Err(Failure::elsewhere("hosts over this program's TCP")),
    }
    if let Some(least) = options.window {
        hosts.iter_mut().for_each(|host| host.require_window(least));
    }
    report::write(options, &hosts)
}

/// Finds the addresses of the hosts, and those that are not to be tried.
fn look_up(peers: Vec<Peer>, stop_list: &StopList) -> Vec<Host> {
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
        Host { peer, addresses, address: None, outcome }
    });
    hosts.collect()
}

const STOPPED: &str = "is on the stop list";
const REFUSED: &str = "refuses the connection";
const SILENT: &str = "does not answer";

/// Chooses for each host which address is tried, one attempt for each.
fn choose_addresses(
    hosts: &mut [Host],
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

impl Host {
    /// Refuses a host whose window is smaller.
    fn require_window(&mut self, least: u64) {
        if let Some(Ok(Accepted { told: Some(told), .. })) = self.outcome
            && u64::from(told.window) < least
        {
            self.outcome = Some(Err(format!("advertises a window of {} bytes only", told.window)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str, addresses: &[&str]) -> Host {
        let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
        Host { peer: text.parse().unwrap(), addresses, address: None, outcome: None }
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
    fn a_window_that_is_too_small_is_told() {
        let mut host = host("a:9", &[]);
        let told = Some(Told { window: 4096, mss: 1460 });
        let accepted = Accepted { connect: Duration::ZERO, told };
        host.outcome = Some(Ok(accepted));
        host.require_window(4096);
        assert_eq!(host.outcome, Some(Ok(accepted)));
        host.require_window(4097);
        assert_eq!(host.outcome, Some(Err("advertises a window of 4096 bytes only".into())));
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
