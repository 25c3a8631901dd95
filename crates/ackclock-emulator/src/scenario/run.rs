//! A scenario while it runs.

use super::Scenario;
use super::error::ScenarioError;
use super::flows::{Bursts, Flow};
use super::results::{FlowResult, LinkResult, ScenarioResults, per_second};
use crate::emulator::{ApplicationId, Emulator};
use crate::link::statistics::LinkStatistics;
use crate::observer::Observer;
use ackclock::apps::{Server, Service, Source, SourceConfig};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::time::Instant;
use std::fmt;

/// A scenario while it runs.
pub struct ScenarioRun<O> {
    scenario: Scenario,
    emulator: Emulator<BuiltIn, O>,
    flows: Vec<Started>,
    /// Steps that have yet to be done, the next one last.
    plan: Vec<(Instant, Plan)>,
    /// When the results began to count; the counters of links and flows at that time.
    from: Instant,
    links_before: Vec<LinkStatistics>,
}

/// The applications of a flow that has started.
struct Started {
    server: ApplicationId<Server<'static>>,
    source: Option<ApplicationId<Source<Bursts>>>,
    delivered_before: u64,
}

/// A step that is due at a given time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Plan {
    WarmedUp,
    Start(usize),
    ChangeKey(usize),
}

impl<O: Observer> ScenarioRun<O> {
    pub(super) fn new(scenario: &Scenario, observer: O) -> Result<Self, ScenarioError> {
        let law = |host| scenario.law(host);
        let file = || scenario.name.clone();
        let mut emulator = Emulator::new(&scenario.topology, scenario.seed, law, observer)
            .map_err(|error| ScenarioError::Build { file: file(), error })?;
        scenario.keys.set_all(&scenario.topology, &mut emulator);
        let mut plan = vec![(Instant::ZERO + scenario.warm_up, Plan::WarmedUp)];
        let rollovers = scenario.keys.rollovers().iter().enumerate();
        plan.extend(rollovers.map(|(at, it)| (Instant::ZERO + it.at, Plan::ChangeKey(at))));
        let mut flows = Vec::new();
        for (index, flow) in scenario.flows.iter().enumerate() {
            let mut listen = ListenConfig::new(flow.remote);
            listen.connection = flow.connections[1];
            listen.set_fast_open(listen.connection.fast_open);
            let service = flow.service.unwrap_or(scenario.service);
            let server = Server::new(service, listen, Buffer::growing()).once();
            let server = emulator.add_application(flow.to, server).map_err(|error| {
                ScenarioError::Start { file: file(), flow: flow.name.clone(), error }
            })?;
            flows.push(Started { server, source: None, delivered_before: 0 });
            plan.push((flow.start(scenario.seed, index), Plan::Start(index)));
        }
        // The sort is stable: at the same time the warm-up ends first, and flows start in the order
        // of the file.
        plan.sort_by_key(|(at, _)| *at);
        plan.reverse();
        let links_before = vec![LinkStatistics::default(); scenario.topology.links().count()];
        let (scenario, from) = (scenario.clone(), Instant::ZERO);
        Ok(ScenarioRun { scenario, emulator, flows, plan, from, links_before })
    }

    /// Runs up to `limit` or the end of the scenario. Returns whether the scenario is over: its
    /// time is up, or all its flows are done.
    ///
    /// # Errors
    /// Says which flow cannot start.
    pub fn run_until(&mut self, limit: Instant) -> Result<bool, ScenarioError> {
        let limit = limit.min(self.scenario.end());
        while let Some((at, what)) = self.plan.pop_if(|(at, _)| *at <= limit) {
            self.emulator.run_until(at);
            match what {
                Plan::WarmedUp => self.begin_to_count(),
                Plan::Start(index) => self.start(index)?,
                Plan::ChangeKey(index) => self.change_key(index),
            }
        }
        if self.plan.is_empty() {
            self.emulator.run_until_done(limit);
        } else {
            self.emulator.run_until(limit);
        }
        Ok(limit == self.scenario.end() || (self.plan.is_empty() && self.emulator.is_done()))
    }

    fn start(&mut self, index: usize) -> Result<(), ScenarioError> {
        let flow = &self.scenario.flows[index];
        let Flow { name, from, service, remote, connections, .. } = flow;
        let mut config = SourceConfig::new(*remote);
        config.connection = connections[0];
        config.echo = service.unwrap_or(self.scenario.service) == Service::Echo;
        let bursts = flow.bursts(self.scenario.seed, index);
        let source = self.emulator.add_application(*from, Source::with_schedule(config, bursts));
        let source = source.map_err(|error| {
            let (file, flow) = (self.scenario.name.clone(), name.clone());
            ScenarioError::Start { file, flow, error }
        })?;
        self.flows[index].source = Some(source);
        Ok(())
    }

    /// Both ends of all connections ask for another key.
    fn change_key(&mut self, index: usize) {
        let rollover = self.scenario.keys.rollovers()[index];
        let mut ends = Vec::new();
        for (started, flow) in self.flows.iter().zip(&self.scenario.flows) {
            let source = started.source.and_then(|source| self.emulator.application(source));
            let server = self.emulator.application(started.server);
            let clients = source.and_then(Source::handle).into_iter();
            let servers = server.into_iter().flat_map(|server| server.handles());
            ends.extend(clients.map(|handle| (flow.from, flow.to, handle)));
            ends.extend(servers.map(|handle| (flow.to, flow.from, handle)));
        }
        for (host, peer, handle) in ends {
            let recv_id = rollover.recv_id(host, peer);
            // A connection that is over has no key to change.
            let _ = self
                .emulator
                .with_stack(host, |now, stack| stack.set_ao_rnext_key(now, handle, recv_id));
        }
    }

    fn begin_to_count(&mut self) {
        self.from = self.emulator.now();
        self.emulator.forget_longest_queues();
        for (link, before) in self.scenario.topology.links().zip(&mut self.links_before) {
            *before = *self.emulator.statistics(link);
        }
        for index in 0..self.flows.len() {
            self.flows[index].delivered_before = self.delivered(index);
        }
    }

    /// The emulator of the network.
    pub fn emulator(&self) -> &Emulator<BuiltIn, O> {
        &self.emulator
    }

    /// The results so far.
    pub fn results(&self) -> ScenarioResults {
        let until = self.emulator.now();
        let time = until.saturating_since(self.from);
        let flows = self.flows.iter().enumerate().map(|(index, started)| {
            let Flow { name, from, to, service, .. } = &self.scenario.flows[index];
            let source = started.source.and_then(|source| self.emulator.application(source));
            let delivered = self.delivered(index) - started.delivered_before;
            FlowResult {
                name: name.clone(),
                from: *from,
                to: *to,
                service: service.unwrap_or(self.scenario.service),
                started: source.and_then(Source::started),
                ended: source.and_then(Source::ended),
                delivered,
                bursts: source.map_or(0, |source| source.schedule().completed()),
                throughput: per_second(delivered as f64 * 8.0, time),
                info: source.and_then(|source| source.info(until, self.emulator.stack(*from))),
                error: source.and_then(Source::error),
            }
        });
        let topology = &self.scenario.topology;
        let links = topology.links().zip(&self.links_before).map(|(link, before)| {
            let statistics = self.emulator.statistics(link).since(before);
            LinkResult {
                link,
                ends: topology.ends(link).map(|node| topology.name(node).to_owned()),
                statistics,
                utilisation: per_second(statistics.busy.as_nanos() as f64 / 1e9, time),
            }
        });
        ScenarioResults { from: self.from, until, flows: flows.collect(), links: links.collect() }
    }

    /// Ends the run and returns the observer.
    pub fn into_observer(self) -> O {
        self.emulator.into_observer()
    }

    /// Payload bytes that the receiver of a flow has got.
    fn delivered(&self, index: usize) -> u64 {
        let server = self.emulator.application(self.flows[index].server);
        server.map_or(0, |server| server.statistics().bytes_received)
    }
}

impl<O> fmt::Debug for ScenarioRun<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScenarioRun").field("scenario", &self.scenario.name).finish_non_exhaustive()
    }
}
