//! What flows through the network.

use super::error::{ScenarioError, Source};
use super::file::{File, FlowTable, ServiceWord};
use super::network::find_host;
use super::words::{Bytes, Span, Text};
use crate::ids::HostId;
use crate::random::Random;
use crate::topology::Topology;
use ackclock::apps::{Amount, Service};
use ackclock::tcp::{Config, CongestionControl};
use ackclock::time::{Duration, Instant};
use std::net::SocketAddr;

/// The port of the first flow's service; each flow has the next.
const FIRST_PORT: u16 = 1024;
/// Most flows, so that each has a port below the ephemeral ones (RFC 6335).
pub(super) const MAX_FLOWS: usize = (49_152 - FIRST_PORT) as usize;

/// One connection from a host to another.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) name: String,
    pub(super) from: HostId,
    pub(super) to: HostId,
    /// `None`: the scenario's.
    pub(super) service: Option<Service>,
    /// Where the service listens.
    pub(super) remote: SocketAddr,
    /// Settings of the sender's end, and of the receiver's.
    pub(super) connections: [Config; 2],
    start: Span<Duration>,
    amount: FlowAmount,
}

/// How much a flow sends.
#[derive(Clone, Copy, Debug)]
enum FlowAmount {
    Bytes(Span<Bytes>),
    Time(Duration),
    Endless,
}

impl Flow {
    /// When this flow starts, and how much it sends; draws two numbers.
    pub(super) fn draw(&self, random: &mut Random) -> (Instant, Amount) {
        let mut within = |first: u64, last: u64| {
            let values = u128::from(last - first) + 1;
            first + ((u128::from(random.next_u64()) * values) >> 64) as u64
        };
        let start = within(self.start.first.as_nanos(), self.start.last.as_nanos());
        let bytes = match self.amount {
            FlowAmount::Bytes(span) => span,
            _ => Span { first: Bytes(0), last: Bytes(0) },
        };
        let bytes = within(bytes.first.0, bytes.last.0);
        let amount = match self.amount {
            FlowAmount::Bytes(_) => Amount::Bytes(bytes),
            FlowAmount::Time(time) => Amount::Time(time),
            // Longer than any run.
            FlowAmount::Endless => Amount::Time(Duration::from_nanos(u64::MAX)),
        };
        (Instant::from_nanos(start), amount)
    }
}

/// All flows of a file, those that stand for several one by one.
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
    let mut flows = Vec::new();
    for table in &file.flows {
        let count = table.count.unwrap_or(1);
        if flows.len() + count as usize > MAX_FLOWS {
            let problem = format!("at most {MAX_FLOWS} flows have a port: make it fewer");
            return Err(source.problem(&table.from, "count", problem));
        }
        for _ in 0..count {
            let number = flows.len();
            flows.push(flow(file, table, number, family, topology, laws, source)?);
        }
    }
    Ok(flows)
}

fn flow(
    file: &File,
    table: &FlowTable,
    number: usize,
    family: usize,
    topology: &Topology,
    laws: &[CongestionControl],
    source: &Source<'_>,
) -> Result<Flow, ScenarioError> {
    let from = find_host(topology, &table.from, "from", source)?;
    let to = find_host(topology, &table.to, "to", source)?;
    if from == to {
        return Err(source.problem(&table.to, "to", "a flow goes from one host to another"));
    }
    let mut connections = [from, to].map(|host| {
        let mut connection = Config::default();
        connection.recovery = laws[host.0].recovery.unwrap_or(connection.recovery);
        connection
    });
    for settings in file.connection.iter().chain(&table.connection) {
        for connection in &mut connections {
            settings.get_ref().apply(connection);
            let usable = connection.validate();
            usable.map_err(|error| source.problem(settings, "connection", error.to_string()))?;
        }
    }
    let amount = match (&table.bytes, &table.time) {
        (None, None) => FlowAmount::Endless,
        (Some(Text(bytes)), None) => FlowAmount::Bytes(*bytes),
        (None, Some(time)) => FlowAmount::Time(time.get_ref().0),
        (Some(_), Some(time)) => {
            return Err(source.problem(time, "time", "there are bytes already: remove one"));
        }
    };
    let none = Span { first: Duration::ZERO, last: Duration::ZERO };
    Ok(Flow {
        name: format!("{}>{}#{}", table.from.get_ref(), table.to.get_ref(), number + 1),
        from,
        to,
        service: table.service.map(|service| match service {
            ServiceWord::Discard => Service::Discard,
            ServiceWord::Echo => Service::Echo,
        }),
        // There are fewer flows than ports.
        remote: SocketAddr::new(topology.addresses(to)[family], FIRST_PORT + number as u16),
        connections,
        start: table.start.as_ref().map_or(none, |Text(start)| *start),
        amount,
    })
}
