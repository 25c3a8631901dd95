//! The network of a case: its topology, and its hosts with their stacks and applications.

use super::watch::FIRST_PORT;
use crate::case::{Case, CaseError, Change, Flow, HostSettings, Shape, path};
use crate::host::ledger::SharedLedger;
use crate::host::talker::{Talker, pattern_seed};
use crate::host::{General, Host};
use ackclock::congestion::BuiltIn;
use ackclock::profile::{Full, Profile};
use ackclock::stack::{Capabilities, Cidr, Segmentation, Stack, StackConfig, Storage};
use ackclock::time::Instant;
use ackclock::wire::WriteChecksum;
use ackclock_emulator::{Emulator, HostId, LinkId, NodeId, Observer, Path, Topology};
use ackclock_smoltcp_peer::{CongestionControl, Job, Smoltcp};
use std::net::{IpAddr, SocketAddr};

/// Initial sequence numbers are looked for in so many before the wrap, among so many secrets.
const BEFORE_WRAP: u32 = 1 << 22;
const SECRETS: u64 = 3_000;

/// A case that was read: what to build of it.
pub(crate) struct Plan {
    pub(crate) topology: Topology,
    pub(crate) hosts: Vec<HostSettings>,
    pub(crate) flows: Vec<Flow>,
    /// Changes of links in mid-run, the next one last.
    pub(crate) changes: Vec<(Instant, LinkId, Path)>,
    seed: u64,
    /// Index of the family among a host's addresses.
    family: usize,
}

impl Plan {
    /// Reads a case.
    ///
    /// # Errors
    /// Names what cannot be used.
    pub(crate) fn read(case: &Case) -> Result<Self, CaseError> {
        case.check()?;
        let hops: Vec<[Path; 2]> = case
            .hops
            .iter()
            .map(|[there, back]| Ok([path(there)?, path(back)?]))
            .collect::<Result<_, CaseError>>()?;
        let hosts = (0..case.host_count()).map(|host| HostSettings::read(&case.host(host)));
        let flows = case.flows.iter().map(Flow::read);
        let topology = topology(case.shape, &hops)?;
        Ok(Plan {
            changes: changes(case, &topology)?,
            topology,
            hosts: hosts.collect::<Result<_, _>>()?,
            flows: flows.collect::<Result<_, _>>()?,
            seed: case.seed,
            family: if case.ip == 6 { 1 } else { 0 },
        })
    }

    fn id(&self, host: usize) -> HostId {
        self.topology.hosts().nth(host).expect("a host of the case")
    }

    /// The port of a flow's server.
    pub(crate) fn port(&self, flow: usize) -> u16 {
        self.flows[flow].port.unwrap_or(FIRST_PORT + flow as u16)
    }

    fn address(&self, host: usize) -> IpAddr {
        self.topology.addresses(self.id(host))[self.family]
    }

    /// The MTU of the link that leaves a host.
    fn mtu(&self, host: usize) -> u32 {
        let id = NodeId::Host(self.id(host));
        let leaves = |link: &LinkId| self.topology.ends(*link)[0] == id;
        self.topology.links().find(leaves).map_or(1500, |link| self.topology.path(link).mtu)
    }

    /// Puts all hosts into an emulator of the topology.
    pub(crate) fn occupy<O: Observer>(
        &self,
        emulator: &mut Emulator<BuiltIn, O>,
        ledger: &SharedLedger,
    ) {
        for (number, settings) in self.hosts.iter().enumerate() {
            if let Some(law) = &settings.smoltcp {
                if let Some(peer) = self.smoltcp(number, law) {
                    emulator.occupy(self.id(number), peer);
                }
            } else if settings.prediction {
                let host: Host<Full> = self.host(number, settings, ledger);
                emulator.occupy(self.id(number), host);
            } else {
                let host: Host<General> = self.host(number, settings, ledger);
                emulator.occupy(self.id(number), host);
            }
        }
    }

    /// The ends of flows on a host: number, side, and where the client and the server are.
    fn ends(&self, host: usize) -> impl Iterator<Item = (usize, usize, [Option<SocketAddr>; 2])> {
        self.flows.iter().enumerate().flat_map(move |(number, flow)| {
            let [from, to] = flow.hosts;
            let local = flow.local.map(|port| SocketAddr::new(self.address(from), port));
            let remote = SocketAddr::new(self.address(to), self.port(number));
            let sides = [0, 1].into_iter().filter(move |side| flow.hosts[*side] == host);
            sides.map(move |side| (number, side, [local, Some(remote)]))
        })
    }

    fn host<P: Profile>(
        &self,
        number: usize,
        settings: &HostSettings,
        ledger: &SharedLedger,
    ) -> Host<P> {
        let talkers = self.ends(number).map(|(flow, side, ends)| {
            Talker::new(flow, side, &self.flows[flow], ends, settings.config, ledger.clone())
        });
        let talkers = talkers.collect();
        let own = settings.secret.unwrap_or(self.seed);
        let mut secret = [own, number as u64];
        if settings.wraps {
            secret = self.secret_that_wraps::<P>(number, settings, secret);
        }
        let stack: Stack<'static, BuiltIn, P> = self.stack(number, settings, secret);
        Host::new(number, stack, talkers, settings, ledger.clone())
    }

    fn stack<P: Profile>(
        &self,
        number: usize,
        settings: &HostSettings,
        secret: [u64; 2],
    ) -> Stack<'static, BuiltIn, P> {
        let mut device = Capabilities::with_mtu(self.mtu(number));
        if settings.segmentation {
            device.segmentation = Segmentation::both(Capabilities::LARGEST_PAYLOAD);
            device.checksum = WriteChecksum::PseudoHeader;
        }
        let mut config = StackConfig::new(device, secret);
        config.memory = settings.memory;
        let storage = Storage::growing_for(P::default());
        let mut stack =
            Stack::new(config, settings.law.law, storage).expect("an MTU that stacks take");
        let [v4, v6] = self.topology.addresses(self.id(number));
        for (address, prefix) in [(v4, 8), (v6, 64)] {
            stack.add_address(Cidr { address, prefix }).expect("room for an address");
        }
        stack
    }

    /// A secret with which the first connection that the host opens begins just before the wrap.
    fn secret_that_wraps<P: Profile>(
        &self,
        number: usize,
        settings: &HostSettings,
        first: [u64; 2],
    ) -> [u64; 2] {
        let mut nearest = (u32::MAX, first);
        let own = self.ends(number).find(|(_, side, _)| *side == 0);
        let Some((flow, _, [local, Some(remote)])) = own else { return first };
        let start = Instant::ZERO + settings.clock + self.flows[flow].start;
        for more in 0..SECRETS {
            let secret = [first[0], first[1] + (more << 8)];
            let mut stack: Stack<'static, BuiltIn, P> = self.stack(number, settings, secret);
            let mut isn = 0;
            if stack.connect(start, remote, local, &settings.config).is_ok() {
                stack.transmit(start, &mut |transmit| {
                    let at = transmit.transport_offset + 4;
                    let field =
                        transmit.header.get(at..at + 4).and_then(|field| field.try_into().ok());
                    isn = field.map_or(0, u32::from_be_bytes);
                    Ok(())
                });
            }
            let before = isn.wrapping_neg();
            if isn != 0 && before < nearest.0 {
                nearest = (before, secret);
            }
            if nearest.0 < BEFORE_WRAP {
                break;
            }
        }
        nearest.1
    }

    fn smoltcp(&self, number: usize, law: &str) -> Option<Smoltcp> {
        let (flow, side, _) = self.ends(number).next()?;
        let plan = &self.flows[flow];
        let totals = plan.totals();
        let port = if side == 1 { self.port(flow) } else { plan.local.unwrap_or(50_000) };
        let remote = SocketAddr::new(self.address(plan.hosts[1]), self.port(flow));
        let job = Job {
            local: SocketAddr::new(self.address(number), port),
            remote: (side == 0).then_some(remote),
            start: Instant::ZERO + plan.start,
            send: totals[side],
            send_seed: pattern_seed(flow, side),
            receive_seed: pattern_seed(flow, 1 - side),
            buffer: 65_535,
            congestion: match law {
                "reno" => CongestionControl::Reno,
                "cubic" => CongestionControl::Cubic,
                _ => CongestionControl::None,
            },
        };
        Some(Smoltcp::new(job, self.mtu(number) as usize, self.seed))
    }

    /// What smoltcp has received on its one flow, and what was wrong with it.
    pub(crate) fn heard_by_smoltcp<O: Observer>(
        &self,
        emulator: &Emulator<BuiltIn, O>,
    ) -> Vec<(usize, usize, u64, Option<u64>, bool)> {
        let peers = self.hosts.iter().enumerate().filter(|(_, host)| host.smoltcp.is_some());
        let heard = peers.filter_map(|(number, _)| {
            let peer = emulator.endpoint::<Smoltcp>(self.id(number))?;
            let (flow, side, _) = self.ends(number).next()?;
            let is_done = ackclock_emulator::Endpoint::is_done(peer);
            Some((flow, side, peer.received(), peer.wrong(), is_done))
        });
        heard.collect()
    }
}

/// The changes of a case's links, the next one last.
fn changes(case: &Case, topology: &Topology) -> Result<Vec<(Instant, LinkId, Path)>, CaseError> {
    let links: Vec<_> = topology.links().collect();
    let mut all = Vec::new();
    for line in &case.changes {
        let Change { at, hop, paths } = Change::read(line, case)?;
        // The links of a dumbbell's hosts come first.
        let first = if let Shape::Dumbbell(_) = case.shape { links.len() - 2 } else { 2 * hop };
        let links = links[first..].iter().copied();
        all.extend(links.zip(paths).map(|(link, path)| (Instant::ZERO + at, link, path)));
    }
    all.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
    Ok(all)
}

fn topology(shape: Shape, hops: &[[Path; 2]]) -> Result<Topology, CaseError> {
    let access = || -> Result<Path, CaseError> {
        let text = "rate=1gbit,delay=100us,loss=0%,queue=infinite";
        let access: Path = text.parse().map_err(|error| CaseError(format!("path: {error}")))?;
        let mtu = hops.as_flattened().iter().map(|path| path.mtu).max().unwrap_or(1500).max(1500);
        access.with(&format!("mtu={mtu}")).map_err(|error| CaseError(format!("path: {error}")))
    };
    Ok(match shape {
        Shape::Pair => Topology::pair(hops[0].clone()),
        Shape::Chain => Topology::chain(hops).topology,
        Shape::Dumbbell(pairs) => {
            let access = vec![[access()?, access()?]; pairs];
            Topology::dumbbell(hops[0].clone(), &access).topology
        }
        Shape::ParkingLot => Topology::parking_lot(hops, &access()?).topology,
    })
}
