//! Where the hosts stand whose packets pass an interface, and a judge for each place.

use super::cut;
use super::socket::Tapped;
use ackclock::time::{Duration, Instant};
use ackclock::wire::{Checksums, Flags, Protocol, parse_packet};
use ackclock_judge::{Findings, Judge, Settings};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::net::{IpAddr, SocketAddr};

/// How long a host of this machine may seem not to have what passed its interface: the machine may be busy.
const BUSY: Duration = Duration::from_secs(10);
/// The same of a host behind the interface, of which nobody knows whether it has the packet at all.
const FAR: Duration = Duration::from_secs(3600);

/// A place of hosts, as an interface shows it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Place {
    /// On this machine, with an address of the namespace: the kernel, or a stack over raw sockets.
    Here,
    /// Behind a TUN device: a stack in a program.
    BehindTun,
    /// Behind another interface.
    Afar,
    /// Behind this machine, which forwards.
    Through,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Place::Here => "here",
            Place::BehindTun => "behind-tun",
            Place::Afar => "afar",
            Place::Through => "through",
        })
    }
}

/// What is watched of one interface and place.
struct Watched {
    judge: Judge,
    /// Ends of connections whose SYN passed, the host's first.
    connections: HashSet<(SocketAddr, SocketAddr)>,
}

impl Watched {
    fn new(place: Place) -> Self {
        let reaction = if place == Place::Here { BUSY } else { FAR };
        let judge = Judge::new(Settings { reaction, ..Settings::default() });
        Watched { judge, connections: HashSet::new() }
    }
}

/// All places.
#[derive(Default)]
pub(super) struct Places {
    watched: BTreeMap<(u32, Place), Watched>,
    /// Whether an address is one of the namespace, as far as that was asked.
    local: HashMap<IpAddr, bool>,
    last: Instant,
}

impl Places {
    pub(super) fn on_packet(&mut self, tapped: &Tapped<'_>) {
        self.last = self.last.max(tapped.time);
        let places = &mut *self;
        cut::each_segment(tapped, &mut |packet| places.on_segment(tapped, packet));
    }

    fn on_segment(&mut self, tapped: &Tapped<'_>, packet: &[u8]) {
        let now = self.last;
        let Some((source, destination, is_syn)) = ends(packet) else {
            // An ICMP error tells all hosts of the interface; each knows its own connections.
            for ((interface, place), watched) in &mut self.watched {
                if *interface == tapped.interface && (*place == Place::Here) != tapped.is_outgoing {
                    watched.judge.on_received(now, packet);
                }
            }
            return;
        };
        let near = if tapped.is_outgoing { source.ip() } else { destination.ip() };
        let near = if self.is_local(near, is_syn) { Place::Here } else { Place::Through };
        let far = if tapped.is_tun { Place::BehindTun } else { Place::Afar };
        let (sender, receiver) = match tapped {
            // Both ends are here, and each packet passes twice.
            Tapped { is_loopback: true, is_outgoing: true, .. } => (Some(near), None),
            Tapped { is_loopback: true, .. } => (None, Some(near)),
            Tapped { is_outgoing: true, .. } => (Some(near), Some(far)),
            _ => (Some(far), Some(near)),
        };
        if let Some(place) = sender {
            let watched = self.watched(tapped.interface, place);
            watched.judge.on_sent(now, packet);
            if is_syn {
                watched.connections.insert((source, destination));
            }
        }
        if let Some(place) = receiver {
            self.watched(tapped.interface, place).judge.on_received(now, packet);
        }
    }

    fn watched(&mut self, interface: u32, place: Place) -> &mut Watched {
        self.watched.entry((interface, place)).or_insert_with(|| Watched::new(place))
    }

    /// Whether an address is one of the namespace; asked of the kernel when it is seen in a SYN for the first time.
    fn is_local(&mut self, address: IpAddr, asks: bool) -> bool {
        if let Some(known) = self.local.get(&address)
            && (*known || !asks)
        {
            return *known;
        }
        let is_local = addresses().contains(&address);
        self.local.insert(address, is_local);
        is_local
    }

    /// Ends the watch: the places with their connections and findings.
    pub(super) fn finish(self) -> Vec<(Place, usize, Findings)> {
        let last = self.last;
        let mut all: BTreeMap<Place, (usize, Findings)> = BTreeMap::new();
        for ((_, place), watched) in self.watched {
            let (connections, findings) = all.entry(place).or_default();
            *connections += watched.connections.len();
            findings.join(watched.judge.finish(last));
        }
        all.into_iter().map(|(place, (count, findings))| (place, count, findings)).collect()
    }
}

/// The ends of a TCP packet, its sender's first, and whether it is a SYN; `None` of what is no TCP.
fn ends(packet: &[u8]) -> Option<(SocketAddr, SocketAddr, bool)> {
    let unverified = Checksums { ip: false, transport: false };
    let Protocol::Tcp(segment) = parse_packet(packet, unverified).ok()?.protocol else {
        return None;
    };
    let header = &segment.header;
    let source = SocketAddr::new(IpAddr::from(segment.ip.source), header.source_port);
    let destination =
        SocketAddr::new(IpAddr::from(segment.ip.destination), header.destination_port);
    Some((source, destination, header.flags.contains(Flags::SYN)))
}

/// The addresses of the namespace.
fn addresses() -> HashSet<IpAddr> {
    let interfaces = std::fs::read_to_string("/proc/thread-self/net/if_inet6").unwrap_or_default();
    let v6 = interfaces.lines().filter_map(|line| {
        let digits = u128::from_str_radix(line.split_whitespace().next()?, 16).ok()?;
        Some(IpAddr::from(digits.to_be_bytes()))
    });
    let table = std::fs::read_to_string("/proc/thread-self/net/fib_trie").unwrap_or_default();
    let mut last: Option<IpAddr> = None;
    let mut all: HashSet<IpAddr> = v6.collect();
    for line in table.lines() {
        if let Some(address) = line.trim().strip_prefix("|-- ") {
            last = address.parse().ok();
        } else if line.contains("/32 host LOCAL") {
            all.extend(last);
        }
    }
    all
}
