//! The flows of a scenario: sender, receiver, data and times.

use super::error::{ScenarioError, Source};
use super::file::{FIRST_PORT, File, FlowTable, MAX_FLOWS, ServiceWord};
use super::network::find_host;
use super::words::{Drawn, Text};
use crate::ids::HostId;
use crate::random::draws::{Distribution, Draws};
use crate::topology::Topology;
use ackclock::apps::{Amount, Burst, Completed, Schedule, Service};
use ackclock::tcp::{Config, CongestionControl};
use ackclock::time::{Duration, Instant};
use std::net::SocketAddr;

/// A flow: one connection from a host to another, and the data sent on it.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) name: String,
    pub(super) from: HostId,
    pub(super) to: HostId,
    /// The receiver's service; `None` for the default of the scenario.
    pub(super) service: Option<Service>,
    /// Where the service listens.
    pub(super) remote: SocketAddr,
    /// Settings of the sender's end and of the receiver's end.
    pub(super) connections: [Config; 2],
    start: Distribution,
    pause: Distribution,
    amount: FlowAmount,
    bursts: u64,
}

/// How much a flow sends, in each of its bursts if it has several.
#[derive(Clone, Copy, Debug)]
enum FlowAmount {
    Bytes(Distribution),
    Time(Duration),
    Endless,
}

/// Random streams per flow: starts, amounts and pauses.
const STREAMS: u64 = 3;

impl Flow {
    /// When the flow starts. `index` is that of the flow in the scenario.
    pub(super) fn start(&self, seed: u64, index: usize) -> Instant {
        let mut draws = Draws::new(self.start, seed, index as u64 * STREAMS);
        Instant::from_nanos(draws.next().unwrap_or_default())
    }

    /// The bursts that the flow sends. `index` is that of the flow in the scenario.
    pub(super) fn bursts(&self, seed: u64, index: usize) -> Bursts {
        let draws =
            |distribution, stream| Draws::new(distribution, seed, index as u64 * STREAMS + stream);
        let amounts = match self.amount {
            FlowAmount::Bytes(bytes) => Amounts::Bytes(draws(bytes, 1)),
            FlowAmount::Time(time) => Amounts::Time(time),
            // No run is as long.
            FlowAmount::Endless => Amounts::Time(Duration::MAX),
        };
        Bursts { pauses: draws(self.pause, 2), amounts, left: self.bursts, completed: 0 }
    }
}

/// The bursts of a flow, one after another, as a schedule for a source.
#[derive(Debug)]
pub(super) struct Bursts {
    pauses: Draws,
    amounts: Amounts,
    left: u64,
    completed: u64,
}

#[derive(Debug)]
enum Amounts {
    Bytes(Draws),
    Time(Duration),
}

impl Bursts {
    /// The number of bursts that were acknowledged to the last byte.
    pub(super) fn completed(&self) -> u64 {
        self.completed
    }
}

impl Schedule for Bursts {
    type Item = Burst;

    fn take_next(&mut self) -> Option<Burst> {
        self.left = self.left.checked_sub(1)?;
        let amount = match &mut self.amounts {
            Amounts::Bytes(draws) => Amount::Bytes(draws.next()?),
            Amounts::Time(time) => Amount::Time(*time),
        };
        Some(Burst { pause: Duration::from_nanos(self.pauses.next()?), amount })
    }

    fn on_completed(&mut self, _completed: &Completed) {
        self.completed += 1;
    }
}

/// All flows of a file. A table with a `count` makes as many flows.
pub(super) fn flows(
    file: &File,
    topology: &Topology,
    laws: &[CongestionControl],
    source: &Source<'_>,
) -> Result<Vec<Flow>, ScenarioError> {
    let family = match &file.ip {
        None => 0,
        Some(ip) => match ip.get_ref() {
            4 => 0,
            6 => 1,
            _ => return Err(source.problem(ip, "ip", "use 4 or 6")),
        },
    };
    let reader = FlowReader { file, topology, laws, source, family };
    let mut flows = Vec::new();
    for table in &file.flows {
        let count = table.count.unwrap_or(1);
        if flows.len() + count as usize > MAX_FLOWS {
            let problem = format!("at most {MAX_FLOWS} flows have a port: make it fewer");
            return Err(source.problem(&table.from, "count", problem));
        }
        for _ in 0..count {
            flows.push(reader.flow(table, flows.len())?);
        }
    }
    Ok(flows)
}

/// The common settings of a file's flows, with which each is made from its table.
struct FlowReader<'a> {
    file: &'a File,
    topology: &'a Topology,
    /// The congestion control algorithm of each host.
    laws: &'a [CongestionControl],
    source: &'a Source<'a>,
    /// Index of the address of a host that is used: 0 for IPv4, 1 for IPv6.
    family: usize,
}

impl FlowReader<'_> {
    /// The flow of this number, counted from 0.
    fn flow(&self, table: &FlowTable, number: usize) -> Result<Flow, ScenarioError> {
        let from = find_host(self.topology, &table.from, "from", self.source)?;
        let to = find_host(self.topology, &table.to, "to", self.source)?;
        if from == to {
            let problem = "a flow goes from one host to another";
            return Err(self.source.problem(&table.to, "to", problem));
        }
        let connections = self.connections(table, [from, to])?;
        let amount = self.amount(table)?;
        let bursts = self.bursts(table, amount)?;
        let drawn = |given: &Option<Text<Drawn<Duration>>>| match given {
            Some(Text(drawn)) => drawn.distribution,
            None => Distribution::Constant(0),
        };
        let address = self.topology.addresses(to)[self.family];
        Ok(Flow {
            name: format!("{}>{}#{}", table.from.get_ref(), table.to.get_ref(), number + 1),
            from,
            to,
            service: table.service.map(|service| match service {
                ServiceWord::Discard => Service::Discard,
                ServiceWord::Echo => Service::Echo,
            }),
            // There are at most `MAX_FLOWS` flows, so that the port fits.
            remote: SocketAddr::new(address, FIRST_PORT + number as u16),
            connections,
            start: drawn(&table.start),
            pause: drawn(&table.pause),
            amount,
            bursts,
        })
    }

    /// Settings of the connection's end on each of these hosts.
    fn connections(
        &self,
        table: &FlowTable,
        hosts: [HostId; 2],
    ) -> Result<[Config; 2], ScenarioError> {
        let mut connections = hosts.map(|host| {
            let mut connection = Config::default();
            connection.recovery = self.laws[host.0].recovery.unwrap_or(connection.recovery);
            connection
        });
        for settings in self.file.connection.iter().chain(&table.connection) {
            for connection in &mut connections {
                settings.get_ref().apply(connection);
                connection.validate().map_err(|error| {
                    self.source.problem(settings, "connection", error.to_string())
                })?;
            }
        }
        Ok(connections)
    }

    fn amount(&self, table: &FlowTable) -> Result<FlowAmount, ScenarioError> {
        match (&table.bytes, &table.time) {
            (None, None) => Ok(FlowAmount::Endless),
            (Some(Text(bytes)), None) => Ok(FlowAmount::Bytes(bytes.distribution)),
            (None, Some(time)) => Ok(FlowAmount::Time(time.get_ref().0)),
            (Some(_), Some(time)) => {
                let problem = "there are bytes already: remove one";
                Err(self.source.problem(time, "time", problem))
            }
        }
    }

    /// How many bursts the flow sends.
    fn bursts(&self, table: &FlowTable, amount: FlowAmount) -> Result<u64, ScenarioError> {
        match (&table.pause, &table.bursts) {
            (None, None) => Ok(1),
            (_, Some(bursts)) if matches!(amount, FlowAmount::Endless) => {
                let problem = "say how much each of them is: give bytes or time";
                Err(self.source.problem(bursts, "bursts", problem))
            }
            (_, Some(bursts)) => Ok(u64::from(*bursts.get_ref())),
            // Without a number the bursts go on as long as the run lasts.
            (Some(_), None) => Ok(u64::MAX),
        }
    }
}
