//! A recorder in memory of what papers plot: queues, drops and windows in the course of time.

use super::series::Series;
use crate::ids::{HostId, LinkId};
use crate::observer::{ConnectionOnHost, DropReason, Event, Observer, QueueOnLink, Wants};
use ackclock::tcp::State;
use ackclock::time::Instant;
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// An observer that keeps in memory how queues and connections developed.
///
/// ```
/// # use ackclock::apps::{Server, Service, Source, SourceConfig};
/// # use ackclock::congestion::BuiltIn;
/// # use ackclock::stack::ListenConfig;
/// # use ackclock::storage::Buffer;
/// use ackclock::time::Instant;
/// use ackclock_emulator::{Emulator, LEFT, PairConfig, RIGHT, Recorder};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let config = PairConfig::new("rate=1.5mbit,delay=30ms,loss=0,queue=20".parse()?);
/// let controllers = [BuiltIn::default(); 2];
/// let mut emulator = Emulator::pair(&config, controllers, Recorder::default())?;
/// # let remote = "10.0.0.2:9".parse()?;
/// # let server = Server::new(Service::Discard, ListenConfig::new(remote), Buffer::growing());
/// # emulator.add_application(RIGHT, server.once())?;
/// # emulator.add_application(LEFT, Source::new(SourceConfig::new(remote)))?;
/// // Applications are added, then:
/// emulator.run_until(Instant::from_secs(5));
/// let recorder = emulator.into_observer();
/// let there = recorder.links().next().ok_or("packets were sent")?.1;
/// let [from, until] = [1, 5].map(Instant::from_secs);
/// let utilisation = there.busy.over(from, until).ok_or("time has passed")?.mean;
/// let queue = there.packets.over(from, until).ok_or("time has passed")?;
/// assert!(utilisation > 0.9 && queue.most == 21, "{utilisation} {queue:?}");
/// let client = recorder.connections().next().ok_or("a connection was opened")?;
/// assert!(client.cwnd.steps().len() > 20);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recorder {
    links: BTreeMap<LinkId, LinkRecord>,
    /// The connections by number.
    connections: BTreeMap<u64, ConnectionRecord>,
}

/// The record of a link.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LinkRecord {
    /// Packets that wait and the packet in service.
    pub packets: Series,
    /// Packets that wait, without the packet in service.
    pub waiting_packets: Series,
    /// Bytes of the packets that wait, IP headers included.
    pub waiting_bytes: Series,
    /// 1 while the line transmits anything, else 0: its mean is the utilisation.
    pub busy: Series,
    /// Packets that did not arrive: when each was dropped, its number, and why.
    pub drops: Vec<(Instant, u64, DropReason)>,
}

impl Default for LinkRecord {
    fn default() -> Self {
        let [packets, waiting_packets, waiting_bytes, busy] =
            [(); 4].map(|()| Series::starting_with(0));
        LinkRecord { packets, waiting_packets, waiting_bytes, busy, drops: Vec::new() }
    }
}

/// The record of one end of a connection.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ConnectionRecord {
    /// The host.
    pub host: HostId,
    /// The address and port of this end.
    pub local: SocketAddr,
    /// The address and port of the other end.
    pub remote: SocketAddr,
    /// Each state, with the time at which it was entered.
    pub states: Vec<(Instant, State)>,
    /// Congestion window in bytes.
    pub cwnd: Series,
    /// Slow-start threshold in bytes; no value while there is none.
    pub ssthresh: Series,
    /// Smoothed round-trip time in nanoseconds; no value before the first sample.
    pub rtt: Series,
    /// Bytes in flight; 0 once the connection is gone.
    pub in_flight: Series,
    /// When the connection was over, or only a TIME-WAIT record was left of it.
    pub gone: Option<Instant>,
}

impl Recorder {
    /// The links on which anything happened.
    pub fn links(&self) -> impl Iterator<Item = (LinkId, &LinkRecord)> {
        self.links.iter().map(|(link, record)| (*link, record))
    }

    /// A link; `None` if nothing happened on it.
    pub fn link(&self, link: LinkId) -> Option<&LinkRecord> {
        self.links.get(&link)
    }

    /// All ends of connections, in the order in which they came to be.
    pub fn connections(&self) -> impl Iterator<Item = &ConnectionRecord> {
        self.connections.values()
    }

    fn record_queue(&mut self, now: Instant, queue: &QueueOnLink) {
        let record = self.links.entry(queue.link).or_default();
        record.packets.record(now, queue.length.packets_with_service());
        record.waiting_packets.record(now, queue.length.packets);
        record.waiting_bytes.record(now, queue.length.bytes);
        record.busy.record(now, queue.length.in_service.into());
    }

    fn record_connection(&mut self, now: Instant, connection: &ConnectionOnHost<'_>) {
        let &ConnectionOnHost { number, host, local, remote, info } = connection;
        let record = self.connections.entry(number).or_insert_with(|| ConnectionRecord {
            host,
            local,
            remote,
            states: Vec::new(),
            cwnd: Series::new(),
            ssthresh: Series::new(),
            rtt: Series::new(),
            in_flight: Series::new(),
            gone: None,
        });
        if record.states.last().is_none_or(|(_, state)| *state != info.state) {
            record.states.push((now, info.state));
        }
        record.cwnd.record(now, info.cwnd.into());
        if info.ssthresh != u32::MAX {
            record.ssthresh.record(now, info.ssthresh.into());
        }
        if !info.rtt.is_zero() {
            record.rtt.record(now, info.rtt.as_nanos());
        }
        record.in_flight.record(now, info.in_flight.into());
    }
}

impl Observer for Recorder {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        match event {
            Event::Dropped(packet, reason) => {
                let record = self.links.entry(packet.link).or_default();
                record.drops.push((now, packet.number, *reason));
            }
            Event::Queue(queue) => self.record_queue(now, queue),
            Event::Connection(connection) => self.record_connection(now, connection),
            Event::ConnectionGone(connection) => {
                if let Some(record) = self.connections.get_mut(&connection.number) {
                    record.in_flight.record(now, 0);
                    record.gone = Some(now);
                }
            }
            _ => {}
        }
    }

    fn wants(&self) -> Wants {
        Wants { queues: true, connections: true, ..Wants::NOTHING }
    }
}
