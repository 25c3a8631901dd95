//! What came out of a scenario.

use crate::ids::{HostId, LinkId};
use crate::link::statistics::LinkStatistics;
use ackclock::apps::{Service, SourceError};
use ackclock::tcp::Info;
use ackclock::time::{Duration, Instant};

/// What came out of a scenario, from its warm-up on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ScenarioResults {
    /// When the results began to count.
    pub from: Instant,
    /// When the run ended.
    pub until: Instant,
    /// In the order of the file.
    pub flows: Vec<FlowResult>,
    /// Each direction of each link, in the order in which they were added.
    pub links: Vec<LinkResult>,
}

/// What came out of a flow.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FlowResult {
    /// Both hosts' names, and the flow's number from 1, as in `left>right#1`.
    pub name: String,
    /// Who sends.
    pub from: HostId,
    /// Who receives.
    pub to: HostId,
    /// What the receiver does.
    pub service: Service,
    /// When the connection was opened; `None`: the run ended before.
    pub started: Option<Instant>,
    /// When the flow was over; `None`: the run ended before.
    pub ended: Option<Instant>,
    /// Payload bytes that the receiving application has got from the warm-up on.
    pub delivered: u64,
    /// Bursts that were acknowledged to the last byte; one if it sends once.
    pub bursts: u64,
    /// As bits per second of the time from the warm-up to the end of the run.
    pub throughput: f64,
    /// The sender's connection in the end.
    pub info: Option<Info>,
    /// Why the flow failed, if it did.
    pub error: Option<SourceError>,
}

/// What came out of one direction of a link.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LinkResult {
    /// The link.
    pub link: LinkId,
    /// Names of the nodes from which and to which it leads.
    pub ends: [String; 2],
    /// What it has done from the warm-up on.
    pub statistics: LinkStatistics,
    /// Share of that time in which it transmitted anything.
    pub utilisation: f64,
}

/// `amount` for each second of `time`; 0 if there was no time.
pub(super) fn per_second(amount: f64, time: Duration) -> f64 {
    if time.is_zero() { 0.0 } else { amount * 1e9 / time.as_nanos() as f64 }
}
