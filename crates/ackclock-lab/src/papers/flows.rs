//! Flows through a network: what most experiments consist of.

use crate::experiment::{Beside, Job, Stop};
use crate::mutants::law::Law;
use ackclock::apps::{Amount, Burst, Later, Server, Service, Source, SourceConfig};
use ackclock::congestion::BuiltIn;
use ackclock::stack::ListenConfig;
use ackclock::storage::Buffer;
use ackclock::tcp::{Config, Info};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{
    ApplicationId, Distribution, Draws, Dumbbell, Emulator, Ended, HostId, Observer, Path, Topology,
};
use std::net::SocketAddr;

/// The port of the first flow's receiver; each flow has the next.
pub(super) const FIRST_PORT: u16 = 1024;
/// Stream of the times at which flows start.
const STARTS: u64 = 88;
/// The line of a host, where a paper says nothing of it or that it is an Ethernet.
pub(super) const ETHERNET: &str = "rate=10mbit,delay=0.1ms,loss=0,queue=infinite";
/// Sends until the end of the run.
pub(super) const ENDLESS: Amount = Amount::Time(Duration::from_secs(1 << 30));

/// One connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    pub(super) from: HostId,
    pub(super) to: HostId,
    /// Settings of the sender's end, and of the receiver's.
    pub(super) ends: [Config; 2],
    pub(super) start: Instant,
    /// How long the connection is idle before it sends.
    pub(super) pause: Duration,
    pub(super) amount: Amount,
}

/// Flows while they run.
pub(super) struct Flows<O> {
    pub(super) emulator: Emulator<Law, (O, Beside)>,
    running: Vec<Running>,
}

struct Running {
    from: HostId,
    source: ApplicationId<Later<Source>>,
    server: ApplicationId<Server<'static>>,
}

impl<O: Observer> Flows<O> {
    /// With the job's seed.
    ///
    /// # Errors
    /// As [`seeded`](Self::seeded).
    pub(super) fn new(
        job: &Job<'_>,
        topology: &Topology,
        law: impl FnMut(HostId) -> BuiltIn,
        flows: &[Flow],
        observer: O,
    ) -> Result<Self, Stop> {
        Flows::seeded(job, job.seed, topology, law, flows, observer)
    }

    /// The `n`-th flow's receiver listens at [`FIRST_PORT`] + n.
    ///
    /// # Errors
    /// What the emulator or a stack refuses.
    pub(super) fn seeded(
        job: &Job<'_>,
        seed: u64,
        topology: &Topology,
        law: impl FnMut(HostId) -> BuiltIn,
        flows: &[Flow],
        observer: O,
    ) -> Result<Self, Stop> {
        let mut emulator = job.emulator(topology, seed, law, observer)?;
        let mut running = Vec::new();
        for (port, flow) in (FIRST_PORT..).zip(flows) {
            let &Flow { from, to, ends, start, pause, amount } = flow;
            let remote = SocketAddr::new(topology.addresses(to)[0], port);
            let mut listen = ListenConfig::new(remote);
            listen.connection = job.settings(ends[1]);
            let server = Server::new(Service::Discard, listen, Buffer::growing()).once();
            let server = emulator.add_application(to, server)?;
            let mut source = SourceConfig::new(remote);
            source.connection = job.settings(ends[0]);
            let burst = std::iter::once(Burst { pause, amount });
            let source = Later::new(start, Source::with_schedule(source, burst));
            let source = emulator.add_application(from, source)?;
            running.push(Running { from, source, server });
        }
        Ok(Flows { emulator, running })
    }

    /// Until all flows are over, which they must be by then.
    pub(super) fn run_until_done(&mut self, job: &Job<'_>, limit: Instant) -> Result<(), Stop> {
        /// Virtual time between two looks at the user.
        const PATIENCE: Duration = Duration::from_secs(10);
        loop {
            job.go_on()?;
            let until = limit.min(self.emulator.now() + PATIENCE);
            match self.emulator.run_until_done(until) {
                Ended::Done => return Ok(()),
                Ended::OutOfTime if until < limit => {}
                ended => return Err(Stop::Failed(format!("flows are not over: {ended:?}"))),
            }
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.running.len()
    }

    /// Payload bytes that a flow's receiver has got, each counted once.
    pub(super) fn delivered(&self, flow: usize) -> u64 {
        let server = self.emulator.application(self.running[flow].server);
        server.map_or(0, |server| server.statistics().bytes_received)
    }

    /// The sender's end, as it is or was in the end; `None` before it started.
    pub(super) fn info(&self, flow: usize) -> Option<Info> {
        let running = &self.running[flow];
        self.source(flow)?.info(self.emulator.now(), self.emulator.stack(running.from))
    }

    /// Seconds from the opening of a flow's connection to the end of its transfer, if that has come.
    pub(super) fn seconds(&self, flow: usize) -> Option<f64> {
        let source = self.source(flow)?;
        Some(seconds(source.ended()?.saturating_since(source.started()?)))
    }

    fn source(&self, flow: usize) -> Option<&Source> {
        let later = self.emulator.application(self.running[flow].source);
        later.map(Later::application)
    }
}

/// A time in seconds.
pub(super) fn seconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e9
}

/// A point in time in seconds.
pub(crate) fn second(at: Instant) -> f64 {
    at.as_nanos() as f64 / 1e9
}

/// [`ETHERNET`], there and back.
pub(super) fn ethernet() -> Result<[Path; 2], Stop> {
    let path: Path = ETHERNET.parse()?;
    Ok([path.clone(), path])
}

/// Pairs of hosts around a bottleneck; the paths there, back, and of each host's link.
pub(super) fn dumbbell([there, back, access]: [&str; 3], pairs: usize) -> Result<Dumbbell, Stop> {
    let access: Path = access.parse()?;
    let both = [access.clone(), access];
    Ok(Topology::dumbbell([there.parse()?, back.parse()?], &vec![both; pairs]))
}

/// Random times to start within this span.
pub(super) fn starts(job: &Job<'_>, within: Duration) -> impl Iterator<Item = Instant> {
    Draws::new(Distribution::Uniform(0, within.as_nanos()), job.seed, STARTS)
        .map(Instant::from_nanos)
}

/// R. Jain's fairness index (allman99 equation 2).
pub(crate) fn jain(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().sum();
    let squares: f64 = values.iter().map(|value| value * value).sum();
    sum * sum / (values.len() as f64 * squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fairness_index_is_one_for_equals_and_the_share_of_those_served_otherwise() {
        assert_eq!(jain(&[3.0; 8]), 1.0);
        assert_eq!(jain(&[1.0, 1.0, 0.0, 0.0]), 0.5);
    }
}
