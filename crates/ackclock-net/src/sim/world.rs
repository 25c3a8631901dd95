//! The hosts, the network between them, and the run.

use super::endpoint::{Called, SocketEndpoint, Switches};
use super::runtime::HostRuntime;
use crate::net::{Net, NetConfig};
use crate::network::Shared;
use ackclock::congestion::BuiltIn;
use ackclock::stack::{Capabilities, Stack, StackConfig};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::scenario::{Scenario, ScenarioError};
use ackclock_emulator::{
    BuildError, Emulator, HostId, LinkId, Observer, Path, PathError, Topology,
};
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::task::JoinHandle;

/// Error of a host's code.
pub type HostError = Box<dyn Error + Send + Sync>;

/// Outcome of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The code of every host except services has ended.
    Done,
    /// The given time has passed.
    OutOfTime,
}

/// What happens to the network or a host at a time of the run.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "there are few, and a box would be in everybody's way"
)]
pub enum Fault {
    /// A link has these parameters from now on ([`Emulator::change_path`]), such as `loss=100%`.
    Path(LinkId, Path),
    /// A host's program ends: its tasks are dropped, and their sockets closed.
    Stop(HostId),
    /// A host is switched off: its program is gone, and peers get no FIN or RST.
    SwitchOff(HostId),
}

/// A host, as its code sees it.
#[derive(Clone, Debug)]
pub struct Host {
    net: Net,
    addresses: [IpAddr; 2],
    name: Arc<str>,
}

impl Host {
    /// The host's network.
    pub fn net(&self) -> &Net {
        &self.net
    }

    /// The host's IPv4 and IPv6 address.
    pub fn addresses(&self) -> [IpAddr; 2] {
        self.addresses
    }

    /// The host's name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// A host while it runs.
struct Running {
    id: HostId,
    host: Host,
    called: Arc<Called>,
    switches: Arc<Switches>,
    /// `None` before the host's code has begun, and after it was stopped.
    program: Option<Program>,
}

struct Program {
    runtime: HostRuntime,
    /// `None` after it has ended.
    main: Option<JoinHandle<Result<(), HostError>>>,
    /// Whether a run ends without its end.
    is_service: bool,
}

/// Hosts with programs, and the network between them, in virtual time.
pub struct SimNet<O = ()> {
    topology: Topology,
    emulator: Emulator<BuiltIn, O>,
    clock: Arc<AtomicU64>,
    hosts: Vec<Running>,
    /// The faults that are still to come, the next one last.
    faults: Vec<(Instant, Fault)>,
}

impl<O: Observer> SimNet<O> {
    /// The network of a scenario that has no flows: its programs are the flows.
    ///
    /// # Errors
    /// The network cannot be built, or the scenario has flows.
    pub fn of_scenario(scenario: &Scenario, observer: O) -> Result<Self, SimError> {
        if !scenario.is_idle() {
            return Err(SimError::HasFlows);
        }
        let law = |host| scenario.law(host);
        SimNet::new(scenario.topology(), scenario.seed(), law, observer)
    }

    /// Two hosts, `left` (10.0.0.1, fd00::1) and `right` (10.0.0.2, fd00::2), joined by this path each way.
    ///
    /// # Errors
    /// The path is not one.
    pub fn pair(path: &str, seed: u64, observer: O) -> Result<Self, SimError> {
        let path: Path = path.parse()?;
        let topology = Topology::pair([path.clone(), path]);
        SimNet::new(&topology, seed, |_| BuiltIn::default(), observer)
    }

    /// The hosts of this topology. Everything random follows from the seed; `law` is the congestion
    /// control of each host, and `observer` sees what happens in the network.
    ///
    /// # Errors
    /// The network cannot be built.
    pub fn new(
        topology: &Topology,
        seed: u64,
        law: impl FnMut(HostId) -> BuiltIn,
        observer: O,
    ) -> Result<Self, SimError> {
        let mut emulator = Emulator::new(topology, seed, law, observer)?;
        let clock = Arc::<AtomicU64>::default();
        let topology = topology.clone();
        let hosts = topology.hosts().map(|id| running(&mut emulator, &topology, id, &clock));
        let hosts = hosts.collect();
        Ok(SimNet { topology, emulator, clock, hosts, faults: Vec::new() })
    }

    /// The topology, to find a host or link.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The time.
    pub fn now(&self) -> Instant {
        self.emulator.now()
    }

    /// The network of a host.
    ///
    /// # Errors
    /// There is no host of this name.
    pub fn net(&self, name: &str) -> Result<Net, SimError> {
        let host = self.hosts.iter().find(|it| it.host.name() == name);
        Ok(host.ok_or_else(|| SimError::NoHost(name.to_owned()))?.host.net.clone())
    }

    /// Starts the code of a host now. Code that it was running before is dropped.
    ///
    /// # Errors
    /// There is no host of this name.
    pub fn host<F>(&mut self, name: &str, code: impl FnOnce(Host) -> F) -> Result<(), SimError>
    where
        F: Future<Output = Result<(), HostError>> + Send + 'static,
    {
        self.begin(name, false, code)
    }

    /// Starts the code of a host as [`host`](Self::host) does; a run does not wait for its end.
    ///
    /// # Errors
    /// There is no host of this name.
    pub fn service<F>(&mut self, name: &str, code: impl FnOnce(Host) -> F) -> Result<(), SimError>
    where
        F: Future<Output = Result<(), HostError>> + Send + 'static,
    {
        self.begin(name, true, code)
    }

    fn begin<F>(
        &mut self,
        name: &str,
        is_service: bool,
        code: impl FnOnce(Host) -> F,
    ) -> Result<(), SimError>
    where
        F: Future<Output = Result<(), HostError>> + Send + 'static,
    {
        let now = self.now();
        let running = self.hosts.iter_mut().find(|it| it.host.name() == name);
        let running = running.ok_or_else(|| SimError::NoHost(name.to_owned()))?;
        let runtime = HostRuntime::new(now).map_err(SimError::Runtime)?;
        let main = Some(runtime.spawn(code(running.host.clone())));
        running.program = Some(Program { runtime, main, is_service });
        running.switches.has_news.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Schedules a fault at this time.
    pub fn at(&mut self, time: Instant, fault: Fault) {
        // Faults of one time happen in the order in which they were named.
        let place = self.faults.partition_point(|(at, _)| *at > time);
        self.faults.insert(place, (time, fault));
    }

    /// Runs until the code of every host except [services](Self::service) has ended, or this time has
    /// passed. Spawned tasks of hosts then still exist, and dropped connections continue to be closed when time
    /// advances.
    ///
    /// # Errors
    /// A host's code has failed: the first in the order of the topology.
    ///
    /// # Panics
    /// If a host's code does.
    pub fn run(&mut self, time: Duration) -> Result<Outcome, SimError> {
        let end = self.now() + time;
        loop {
            self.run_hosts()?;
            let programs = || self.hosts.iter().flat_map(|host| &host.program);
            if programs().all(|program| program.is_service || program.main.is_none()) {
                return Ok(Outcome::Done);
            }
            let ticks = programs().filter(|program| program.runtime.has_tasks());
            let ticks = ticks.map(|program| program.runtime.next_tick()).min();
            let fault = self.faults.last().map(|(at, _)| *at);
            let next = [self.emulator.next_event_at(), ticks, fault];
            let next = next.into_iter().flatten().min().unwrap_or(end).min(end);
            if self.now() >= end {
                return Ok(Outcome::OutOfTime);
            }
            self.move_to(next);
        }
    }

    /// Runs only the network and the stacks for this time, so that dropped connections are closed.
    pub fn settle(&mut self, time: Duration) {
        let end = self.now() + time;
        while let Some(at) = self.emulator.next_event_at().filter(|at| *at <= end) {
            self.move_to(at);
        }
        self.move_to(end);
    }

    /// The observer.
    pub fn observer(&self) -> &O {
        self.emulator.observer()
    }

    /// Ends the run: drops the hosts and returns the observer.
    pub fn into_observer(mut self) -> O {
        self.hosts.clear();
        self.emulator.into_observer()
    }

    /// Advances the time of the network, and handles the events that are due.
    fn move_to(&mut self, time: Instant) {
        self.set_clock(time);
        self.emulator.run_until(time);
        while let Some((_, fault)) = self.faults.pop_if(|(at, _)| *at <= time) {
            self.let_happen(fault);
        }
    }

    fn set_clock(&self, time: Instant) {
        self.clock.store(time.as_nanos(), Ordering::Relaxed);
    }

    /// Runs the code of all hosts until none can go on at this time.
    fn run_hosts(&mut self) -> Result<(), SimError> {
        let now = self.now();
        for running in &mut self.hosts {
            while let Some(program) = &mut running.program {
                let has_news = running.switches.has_news.swap(false, Ordering::Relaxed);
                if !has_news && program.runtime.next_tick() > now {
                    break;
                }
                program.runtime.run_at(now);
                if !running.called.take() {
                    break;
                }
                // The endpoint sends, and may wake tasks again.
                self.emulator.with_stack(running.id, |_, _| ());
            }
            if let Some(program) = &mut running.program {
                program.take_result(running.host.name())?;
            }
        }
        Ok(())
    }

    fn let_happen(&mut self, fault: Fault) {
        match fault {
            Fault::Path(link, path) => self.emulator.change_path(link, &path),
            Fault::Stop(id) => self.stop(id),
            Fault::SwitchOff(id) => {
                if let Some(running) = self.hosts.iter_mut().find(|running| running.id == id) {
                    running.switches.is_off.store(true, Ordering::Relaxed);
                }
                self.stop(id);
            }
        }
    }

    fn stop(&mut self, id: HostId) {
        if let Some(running) = self.hosts.iter_mut().find(|running| running.id == id) {
            running.program = None;
            running.called.take();
            self.emulator.with_stack(id, |_, _| ());
        }
    }
}

/// A host of the emulator with its stack behind sockets.
fn running<O: Observer>(
    emulator: &mut Emulator<BuiltIn, O>,
    topology: &Topology,
    id: HostId,
    clock: &Arc<AtomicU64>,
) -> Running {
    let none = StackConfig::new(Capabilities::with_mtu(1500), [0; 2]);
    let stack = emulator.with_stack(id, |_, stack| {
        std::mem::replace(stack, Stack::empty(none, BuiltIn::default()))
    });
    let time = Arc::clone(clock);
    let clock = Box::new(move || Instant::from_nanos(time.load(Ordering::Relaxed)));
    let net = Net::of(Shared::new(stack, clock, NetConfig::new([]).connection, true));
    let (called, switches) = (Arc::<Called>::default(), Arc::<Switches>::default());
    let shared = Arc::clone(net.shared());
    emulator.occupy(id, SocketEndpoint::new(shared, Arc::clone(&called), Arc::clone(&switches)));
    let host = Host { net, addresses: topology.addresses(id), name: topology.name(id).into() };
    Running { id, host, called, switches, program: None }
}

impl Program {
    /// Fails if the host's code has.
    fn take_result(&mut self, name: &str) -> Result<(), SimError> {
        let Some(main) = self.main.take_if(|main| main.is_finished()) else {
            return Ok(());
        };
        let waker = std::task::Waker::noop();
        let mut main = std::pin::pin!(main);
        match main.as_mut().poll(&mut std::task::Context::from_waker(waker)) {
            std::task::Poll::Ready(Ok(Ok(()))) | std::task::Poll::Pending => Ok(()),
            std::task::Poll::Ready(Ok(Err(error))) => Err(SimError::Host(name.to_owned(), error)),
            std::task::Poll::Ready(Err(error)) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(error) => Err(SimError::Host(name.to_owned(), error.into())),
            },
        }
    }
}

impl<O> fmt::Debug for SimNet<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimNet").field("hosts", &self.hosts.len()).finish_non_exhaustive()
    }
}

/// Why a network cannot be made, or a run has ended early.
#[derive(Debug)]
#[non_exhaustive]
pub enum SimError {
    /// The network cannot be built.
    Build(BuildError),
    /// The text of a path is not one.
    Path(PathError),
    /// The scenario cannot be read.
    Scenario(ScenarioError),
    /// The scenario has flows.
    HasFlows,
    /// There is no host of this name.
    NoHost(String),
    /// There is no runtime for a host.
    Runtime(io::Error),
    /// The code of the host of this name has failed.
    Host(String, HostError),
}

impl From<BuildError> for SimError {
    fn from(error: BuildError) -> Self {
        SimError::Build(error)
    }
}

impl From<PathError> for SimError {
    fn from(error: PathError) -> Self {
        SimError::Path(error)
    }
}

impl From<ScenarioError> for SimError {
    fn from(error: ScenarioError) -> Self {
        SimError::Scenario(error)
    }
}

impl fmt::Display for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SimError::Build(error) => error.fmt(f),
            SimError::Path(error) => error.fmt(f),
            SimError::Scenario(error) => error.fmt(f),
            SimError::HasFlows => {
                f.write_str("the scenario has flows: remove them, programs take their place")
            }
            SimError::NoHost(name) => write!(f, "the network has no host '{name}'"),
            SimError::Runtime(error) => write!(f, "no runtime for a host: {error}"),
            SimError::Host(name, error) => write!(f, "host '{name}': {error}"),
        }
    }
}

impl Error for SimError {}
