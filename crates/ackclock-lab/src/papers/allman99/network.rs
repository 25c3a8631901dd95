//! The network of figure 1 and the senders of section 3, which all experiments of the paper share.

use crate::experiment::{Choice, Job, Stop};
use crate::packets::segment;
use crate::papers::flows::{Flow, Flows, dumbbell};
use crate::published;
use ackclock::apps::Amount;
use ackclock::congestion::{BuiltIn, InitialWindow};
use ackclock::tcp::{AckPolicy, Config, Nagle, RecoveryAlgorithm};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Event, HostId, LinkId, Observer};
use std::collections::BTreeMap;

/// A number of section 2.
fn printed(key: &str) -> f64 {
    published::number(&format!("allman99.network.{key}"))
}

/// Payload of a segment, and its length on the wire: ns counts no headers.
pub(super) fn segment_bytes() -> u64 {
    published::whole("allman99.network.segment_bytes")
}

/// Advertised window in bytes (section 2).
pub(super) fn advertised() -> u32 {
    segment_bytes() as u32 * published::whole::<u32>("allman99.network.advertised_window_segments")
}

/// The queues of section 2, by the words of the setting `queue`.
fn queue(word: &str) -> Result<String, Stop> {
    let limit = printed("queue_segments");
    match word {
        "drop-tail" => Ok(limit.to_string()),
        "red" => {
            let [least, most, weight, share] =
                ["min_th", "max_th", "w_q", "max_p"].map(|key| printed(&format!("red.{key}")));
            Ok(format!("red:{least}:{most}:{weight}:{share}:{limit}"))
        }
        _ => Err(Stop::Failed(format!("no such queue: {word}"))),
    }
}

/// How long acks are delayed.
pub(super) const ACKS: Choice = Choice {
    parameter: "acks",
    value: "delayed=100ms/0",
    reason: "of receivers that delay acks: not stated; what ns has unless it is told otherwise",
};
/// Propagation.
pub(super) const DELAY: Choice = Choice {
    parameter: "delay",
    value: "50ms",
    reason: "of the bottleneck, one way: the advertised window of 20 segments is said to be roughly \
             the delay-bandwidth product, which makes a round trip of 107 ms",
};
/// The retransmission timer.
pub(super) const TIMER: Choice = Choice {
    parameter: "timer",
    value: "rfc6298",
    reason: "each segment is timed by a fine clock, so that timeouts tell of the path; that of \
             ns then ticked by 100 ms and timed one segment at a time: a row",
};

/// How a sender repairs losses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Repair {
    Reno,
    /// By the scoreboard, also in the slow start after a timeout.
    Sack,
    /// By the scoreboard, but not after a timeout: as ns had it in 1997.
    SackOfNs,
}

/// A sender with its receiver: `SACK ABC`, `Reno DA`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Kind<'a> {
    pub(super) repair: Repair,
    /// `AE`, `DA`, `ABC`, `LBC` or `SABC` with its scale as in `1/2`.
    pub(super) algorithm: &'a str,
}

/// One connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) start: Instant,
    /// How long the connection is there before it sends.
    pub(super) pause: Duration,
    pub(super) bytes: u64,
}

impl Kind<'_> {
    fn law(self) -> Result<BuiltIn, Stop> {
        let growth = match self.algorithm {
            "AE" | "DA" => "per-ack".to_owned(),
            "ABC" => "abc".to_owned(),
            "LBC" => "lbc".to_owned(),
            scale => format!("sabc:{scale}"),
        };
        Ok(format!("reno:growth={growth}").parse()?)
    }

    fn connection(self, job: &Job<'_>, window: u32) -> Result<Config, Stop> {
        let mut config = Config::default();
        config.mss = Some(segment_bytes() as u16);
        (config.timestamps, config.nagle) = (false, Nagle::Off);
        config.sack = self.repair != Repair::Reno;
        (config.send_buffer, config.receive_buffer) = (1 << 20, window);
        config.recovery = match self.repair {
            Repair::Reno => RecoveryAlgorithm::Reno,
            Repair::Sack => RecoveryAlgorithm::SackPipe,
            Repair::SackOfNs => RecoveryAlgorithm::SackPipeGoBackN,
        };
        config.ack_policy = match self.algorithm {
            "AE" => AckPolicy::EverySegment,
            _ => job.get("acks")?,
        };
        config.initial_window =
            InitialWindow::segments(published::whole("allman99.network.initial_window_segments"));
        config.rto = job.get("timer")?;
        Ok(config)
    }
}

/// Connections from S over the gateway G to R, with the job's queue; each kind has hosts of its own.
pub(super) fn start<O: Observer>(
    job: &Job<'_>,
    window: u32,
    transfers: &[Transfer<'_>],
    observer: impl FnOnce(LinkId) -> O,
) -> Result<Flows<O>, Stop> {
    let queue = queue(job.word("queue")?)?;
    let wire = "loss=0,overhead=-40,ack=40";
    let (rate, delay) = (printed("bottleneck_bps"), job.word("delay")?);
    let line = format!("rate={rate}bit,delay={delay},{wire}");
    let [there, back] = [queue.as_str(), "infinite"].map(|queue| format!("{line},queue={queue}"));
    let access = format!("rate=10mbit,delay=0.5ms,queue=infinite,{wire}");
    let mut pairs = BTreeMap::new();
    for transfer in transfers {
        let next = pairs.len();
        pairs.entry(transfer.kind).or_insert(next);
    }
    let dumbbell = dumbbell([&there, &back, &access], pairs.len())?;
    let mut laws: BTreeMap<HostId, BuiltIn> = BTreeMap::new();
    let mut flows = Vec::new();
    for &Transfer { kind, start, pause, bytes } in transfers {
        let (from, to) = (dumbbell.senders[pairs[&kind]], dumbbell.receivers[pairs[&kind]]);
        laws.insert(from, kind.law()?);
        let ends = [kind.connection(job, window)?; 2];
        flows.push(Flow { from, to, ends, start, pause, amount: Amount::Bytes(bytes) });
    }
    let law = |host| laws.get(&host).copied().unwrap_or_default();
    let observer = observer(dumbbell.bottleneck[0]);
    Flows::new(job, &dumbbell.topology, law, &flows, observer)
}

/// Unique bytes per second of a flow that is over.
pub(super) fn throughput<O: Observer>(flows: &Flows<O>, flow: usize) -> f64 {
    throughput_after(flows, flow, 0.0)
}

/// The same of one that was idle for so many seconds first.
pub(super) fn throughput_after<O: Observer>(flows: &Flows<O>, flow: usize, idle: f64) -> f64 {
    flows.seconds(flow).map_or(0.0, |seconds| flows.delivered(flow) as f64 / (seconds - idle))
}

/// Unique bytes of some flows over all that they sent.
pub(super) fn goodput<O: Observer>(
    flows: &Flows<O>,
    which: impl Iterator<Item = usize> + Clone,
) -> f64 {
    let unique: u64 = which.clone().map(|flow| flows.delivered(flow)).sum();
    let sent: u64 = which.filter_map(|flow| flows.info(flow)).map(|info| info.bytes_sent).sum();
    unique as f64 / sent as f64
}

/// Counts the segments that a queue dropped, by the receiver's port.
#[derive(Clone, Debug)]
pub(super) struct Drops {
    link: LinkId,
    by_port: BTreeMap<u16, u64>,
}

impl Drops {
    pub(super) fn new(link: LinkId) -> Self {
        Drops { link, by_port: BTreeMap::new() }
    }

    pub(super) fn of(&self, port: u16) -> u64 {
        self.by_port.get(&port).copied().unwrap_or(0)
    }
}

impl Observer for Drops {
    fn on_event(&mut self, _now: Instant, event: &Event<'_>) {
        let Event::Dropped(packet, _) = event else { return };
        if let Some(segment) = segment(packet).filter(|_| packet.link == self.link) {
            *self.by_port.entry(segment.header.destination_port).or_default() += 1;
        }
    }
}
