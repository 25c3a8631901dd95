//! The Internet of the campaign: a common path of seven hops, and from there a way to each host.

use super::super::internet;
use super::prober::Emulated;
use crate::experiment::{Job, Stop};
use crate::papers::flows::ethernet;
use crate::published;
use ackclock::apps::{Amount, Server, Service, SourceConfig};
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::{AckPolicy, AckTimer, Config};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Draws, HostId, Path, RouterId, Topology};
use ackclock_measure::burst::{BurstPlan, Bursts, Measured};
use ackclock_measure::campaign::{self, Instruments, Plan, TransferOrder, Transferred};
use ackclock_measure::probe::Prober;
use ackclock_measure::route::{Route, find_route};
use ackclock_measure::transfer::TimedTransfer;
use std::net::{IpAddr, SocketAddr};

/// Streams of the hop counts and of the rooms in the queue.
const HOPS: u64 = 6;
const ROOMS: u64 = 7;
/// The key of table 1.
pub(super) const DOMAINS: &str = "allman98.remote_hosts.domains";
/// Any line that is not a bottleneck.
const FAST: &str = "rate=10mbit,delay=1ms,loss=0,queue=infinite";

/// A remote host.
#[derive(Debug)]
pub(super) struct Remote {
    pub(super) name: String,
    /// Gateways on the way, and the host.
    pub(super) hops: usize,
    /// The bottleneck, which is the last hop, there and back.
    path: [Path; 2],
}

/// The hosts: their domains are those of table 1, and one is as far away as a route is followed.
pub(super) fn remotes(job: &Job<'_>) -> Result<Vec<Remote>, Stop> {
    let domains = published::names(DOMAINS).flat_map(|domain| {
        let hosts = published::whole::<usize>(&format!("{DOMAINS}.{domain}"));
        std::iter::repeat_n(domain, hosts)
    });
    let hops = internet::span(job, "hops", HOPS)?.map(|hops| hops as usize);
    let hosts = (0..).zip(domains).zip(internet::paths(job)?).zip(hops);
    let remotes = hosts.map(|(((number, domain), path), hops): (((usize, _), _), _)| {
        let name = match domain {
            "unknown" => format!("host{number}"),
            _ => format!("host{number}.{domain}"),
        };
        let hops =
            if number == 0 { published::whole("allman98.remote_hosts.most_hops") } else { hops };
        Remote { name, hops, path }
    });
    Ok(remotes.collect())
}

/// The network, and instruments that measure it.
pub(super) struct World<'w> {
    job: &'w Job<'w>,
    plan: &'w Plan,
    remotes: &'w [Remote],
    now: Instant,
    /// Packets for which the common path's slowest line has room, time by time.
    rooms: Draws,
    /// What was drawn for each burst.
    pub(super) drawn: Vec<u64>,
    /// Seeds of the emulators that were made.
    seeds: u64,
    /// All routers and hosts, by which of the two gateways shares the hop.
    maps: [Map; 2],
}

/// A network as traceroute sees it.
struct Map {
    topology: Topology,
    sender: HostId,
    hosts: Vec<HostId>,
}

/// The gateways of the common path: all of them are there in any case, so that each has its address.
struct Gateways {
    all: Vec<RouterId>,
    /// In the order in which packets pass.
    passed: Vec<RouterId>,
}

impl Gateways {
    fn new(topology: &mut Topology, which: usize) -> Self {
        let printed = |key: &str| published::whole::<usize>(&format!("allman98.burst_probe.{key}"));
        let (hops, shared) = (printed("common_path_gateways"), printed("shared_hop"));
        let sharing = printed("gateways_of_the_shared_hop");
        let all: Vec<_> =
            (1..hops + sharing).map(|number| topology.router(format!("gateway{number}"))).collect();
        let is_other = |index: usize| {
            (shared - 1..shared - 1 + sharing).contains(&index) && index != shared - 1 + which
        };
        let passed = (0..all.len()).filter(|index| !is_other(*index)).map(|index| all[index]);
        Gateways { passed: passed.collect(), all }
    }
}

impl Map {
    fn new(remotes: &[Remote], which: usize) -> Result<Self, Stop> {
        let fast: Path = FAST.parse()?;
        let both = || [fast.clone(), fast.clone()];
        let mut topology = Topology::new();
        let sender = topology.host("sender");
        let gateways = Gateways::new(&mut topology, which);
        topology.link(sender, gateways.passed[0], ethernet()?);
        for pair in gateways.passed.windows(2) {
            topology.link(pair[0], pair[1], both());
        }
        let last = gateways.passed[gateways.passed.len() - 1];
        let mut hosts = Vec::new();
        for (number, remote) in remotes.iter().enumerate() {
            let mut before = last;
            for hop in gateways.passed.len() + 1..remote.hops {
                let router = topology.router(format!("router{number}-{hop}"));
                topology.link(before, router, both());
                before = router;
            }
            let host = topology.host(remote.name.as_str());
            topology.link(before, host, remote.path.clone());
            hosts.push(host);
        }
        debug_assert!(gateways.all.len() > gateways.passed.len());
        Ok(Map { topology, sender, hosts })
    }
}

/// The host's end of 1997: Reno's receiver, without SACK and timestamps.
fn receiver() -> Config {
    let mut config = Config::default();
    (config.timestamps, config.sack, config.window_scaling) = (false, false, false);
    config.receive_buffer = 2 * published::whole::<u32>("allman98.transfers.receiver_window_above");
    let timeout = Duration::from_millis(200);
    config.ack_policy = AckPolicy::Delayed { timeout, quick_acks: 0 };
    config.ack_timer = AckTimer::BSD;
    config
}

impl<'w> World<'w> {
    pub(super) fn new(
        job: &'w Job<'w>,
        plan: &'w Plan,
        remotes: &'w [Remote],
    ) -> Result<Self, Stop> {
        let room = internet::span(job, "room", ROOMS + job.seed)?;
        Ok(World {
            job,
            plan,
            remotes,
            now: Instant::from_secs(1),
            rooms: room,
            drawn: Vec::new(),
            seeds: job.seed << 32,
            maps: [Map::new(remotes, 0)?, Map::new(remotes, 1)?],
        })
    }

    fn index(&self, address: IpAddr) -> Result<usize, campaign::Stop> {
        let [one, _] = &self.maps;
        let found = one.hosts.iter().position(|host| one.topology.addresses(*host)[0] == address);
        found.ok_or_else(|| campaign::Stop::Failed(format!("no host has {address}")))
    }

    fn seed(&mut self) -> u64 {
        self.seeds += 1;
        self.seeds
    }

    /// Lets time pass.
    pub(super) fn rest(&mut self, time: Duration) {
        self.now += time;
    }

    /// Hosts are behind the one or the other of the gateways that share a hop.
    fn which(index: usize) -> usize {
        index % 2
    }

    fn transferred(&mut self, index: usize, order: &TransferOrder) -> Result<Transferred, Stop> {
        let fast: Path = FAST.parse()?;
        let hops = [ethernet()?, [fast.clone(), fast], self.remotes[index].path.clone()];
        let chain = Topology::chain(&hops);
        let law = order.variant.law.law;
        let seed = self.seed();
        let mut emulator = self.job.emulator(&chain.topology, seed, |_| law, ())?;
        let [from, to] = chain.ends;
        let remote = SocketAddr::new(chain.topology.addresses(to)[0], order.remote.port());
        let mut listen = ListenConfig::new(remote);
        listen.connection = self.job.settings(receiver());
        let server = Server::new(Service::Discard, listen, Buffer::growing()).once();
        emulator.add_application(to, server)?;
        let mut source = SourceConfig::new(remote);
        source.connection = self.job.settings(self.plan.connection(&order.variant));
        source.amount = Amount::Bytes(self.plan.transfer.bytes);
        let timeout = self.plan.transfer.timeout;
        let transfer = emulator.add_application(from, TimedTransfer::new(source, timeout))?;
        emulator.run_until_done(Instant::ZERO + timeout + timeout);
        self.now += emulator.now().saturating_since(Instant::ZERO);
        let outcome = emulator.application(transfer);
        let outcome = outcome.map(|it| it.outcome(emulator.now(), emulator.stack(from)));
        outcome.ok_or_else(|| Stop::Failed("the transfer is gone".to_owned()))
    }

    fn routed(&mut self, index: usize) -> Result<Route, Stop> {
        let seed = self.seed();
        let map = &self.maps[Self::which(index)];
        let ends = [map.sender, map.hosts[index]];
        let mut prober = Emulated::new(self.job, &map.topology, ends, seed)?;
        let route = find_route(&mut prober, &self.plan.routes.plan());
        let route = route.map_err(|error| Stop::Failed(error.to_string()));
        self.now += prober.now().saturating_since(Instant::ZERO);
        route
    }

    /// A burst through the gateways on the way to a host, to the router behind them.
    pub(super) fn burst_through(
        &mut self,
        index: usize,
        burst: BurstPlan,
    ) -> Result<Measured, Stop> {
        let room = self.rooms.next().unwrap_or(0);
        self.drawn.push(room);
        let fast: Path = FAST.parse()?;
        let slow = fast.with(&format!("rate={},queue={room}", self.job.word("line")?))?;
        let mut topology = Topology::new();
        let [from, to] = [topology.host("sender"), topology.host("behind")];
        let gateways = Gateways::new(&mut topology, Self::which(index));
        topology.link(from, gateways.passed[0], ethernet()?);
        // The last line of the common path is the slowest.
        let last = gateways.passed.len() - 1;
        for (hop, pair) in gateways.passed.windows(2).enumerate() {
            let there = if hop + 1 == last { &slow } else { &fast };
            topology.link(pair[0], pair[1], [there.clone(), fast.clone()]);
        }
        let beyond = topology.router("beyond");
        topology.link(gateways.passed[last], beyond, [fast.clone(), fast.clone()]);
        topology.link(beyond, to, [fast.clone(), fast]);
        let seed = self.seed();
        let mut prober = Emulated::new(self.job, &topology, [from, to], seed)?;
        let measured = Bursts::new(&mut prober).measure(burst);
        self.now += prober.now().saturating_since(Instant::ZERO);
        measured.map_err(|error| Stop::Failed(error.to_string()))
    }
}

/// Why the experiment stops, in the campaign's words.
fn stopped(stop: Stop) -> campaign::Stop {
    match stop {
        Stop::Interrupted => campaign::Stop::Interrupted,
        Stop::Failed(why) => campaign::Stop::Failed(why),
    }
}

impl Instruments for World<'_> {
    fn now(&self) -> Instant {
        self.now
    }

    fn unix_seconds(&self) -> f64 {
        self.now.as_nanos() as f64 / 1e9
    }

    fn sleep_until(&mut self, at: Instant) -> Result<(), campaign::Stop> {
        self.now = self.now.max(at);
        self.job.go_on().map_err(stopped)
    }

    fn resolve(&mut self, host: &str) -> Result<IpAddr, String> {
        let index = self.remotes.iter().position(|remote| remote.name == host);
        let index = index.ok_or_else(|| format!("there is no {host}"))?;
        let [map, _] = &self.maps;
        Ok(map.topology.addresses(map.hosts[index])[0])
    }

    fn transfer(&mut self, order: &TransferOrder) -> Result<Transferred, campaign::Stop> {
        let index = self.index(order.remote.ip())?;
        self.transferred(index, order).map_err(stopped)
    }

    fn route(&mut self, target: IpAddr) -> Result<Result<Route, String>, campaign::Stop> {
        let index = self.index(target)?;
        self.routed(index).map(Ok).map_err(stopped)
    }

    fn burst(
        &mut self,
        target: IpAddr,
        plan: BurstPlan,
    ) -> Result<Result<Measured, String>, campaign::Stop> {
        let index = self.index(target)?;
        self.burst_through(index, plan).map(Ok).map_err(stopped)
    }
}
