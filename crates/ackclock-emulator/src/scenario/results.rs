//! Results of a scenario.

use crate::ids::{HostId, LinkId};
use crate::link::statistics::LinkStatistics;
use ackclock::apps::{Service, SourceError};
use ackclock::tcp::Info;
use ackclock::time::{Duration, Instant};

/// The results of a scenario, counted from the end of its warm-up.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ScenarioResults {
    /// When the results began to count.
    pub from: Instant,
    /// When the run ended.
    pub until: Instant,
    /// Results of the flows, in the order of the file.
    pub flows: Vec<FlowResult>,
    /// Results of each direction of each link, in the order in which they were added.
    pub links: Vec<LinkResult>,
}

/// The results of a flow.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FlowResult {
    /// Both hosts' names, and the flow's number from 1, as in `left>right#1`.
    pub name: String,
    /// The sending host.
    pub from: HostId,
    /// The receiving host.
    pub to: HostId,
    /// The service of the receiver.
    pub service: Service,
    /// When the connection was opened; `None` if the run ended before.
    pub started: Option<Instant>,
    /// When the flow was over; `None` if the run ended before.
    pub ended: Option<Instant>,
    /// Payload bytes that the receiving application has got from the warm-up on.
    pub delivered: u64,
    /// Bursts that were acknowledged to the last byte; one if it sends once.
    pub bursts: u64,
    /// Delivered bits per second, over the time from the warm-up to the end of the run.
    pub throughput: f64,
    /// The sender's connection at the end.
    pub info: Option<Info>,
    /// Why the flow failed, if it did.
    pub error: Option<SourceError>,
}

/// The results of one direction of a link.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LinkResult {
    /// The link.
    pub link: LinkId,
    /// Names of the nodes from which and to which it leads.
    pub ends: [String; 2],
    /// Counters of the link, counted from the warm-up on.
    pub statistics: LinkStatistics,
    /// Share of that time in which it transmitted anything.
    pub utilisation: f64,
}

/// `amount` for each second of `time`; 0 if there was no time.
pub(super) fn per_second(amount: f64, time: Duration) -> f64 {
    if time.is_zero() { 0.0 } else { amount * 1e9 / time.as_nanos() as f64 }
}
