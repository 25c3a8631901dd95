//! Everything that can be said of a transfer.

use super::{AmountOptions, ConnectionOptions, QueueOptions, ReportOptions, Via, WayOptions};
use crate::failure::Failure;
use crate::values::{Peer, TraceFile, there_and_back};
use ackclock_emulator::Path;
use clap::Args;
use std::path::PathBuf;

/// Everything that can be said of a transfer.
#[derive(Args, Clone, Debug)]
pub(crate) struct TransferOptions {
    /// The service; without it a second stack serves at the far end of an emulated path
    #[arg(value_name = "HOST:PORT")]
    pub(crate) peer: Option<Peer>,
    #[command(flatten)]
    pub(crate) amount: AmountOptions,
    /// The emulated path, in virtual time; what is not given stays as it is by default
    ///
    /// queue= takes packets as 64, bytes as 64kB, infinite, red:MIN:MAX:WEIGHT:MAX_P:LIMIT,
    /// codel[:TARGET:INTERVAL:LIMIT] or fq_codel[:TARGET:INTERVAL:LIMIT:FLOWS:QUANTUM]; the last
    /// three take :ecn at their end to mark what can be marked. loss= takes a share, every:N,
    /// packets:N:N:... or gilbert:P:R[:BAD[:GOOD]]. Further: duplicate=1%, reorder=5%:10ms (held
    /// for a time) or reorder=5%:3 (until so many packets have overtaken), corrupt=0.1% (one bit),
    /// jitter=5ms (in order) or jitter=5ms:reorder, rate=10mbit/1mbit@5s (a later rate),
    /// outage=5s..6s (the line stands still) or outage=5s..6s:lose, mtu=1500; on the wire a packet has
    /// overhead=+10 bytes more, min=64 at least, ack=40 without payload; in_service=counted: it counts
    /// in the queue; impair=ingress: loss and the like strike before the queue.
    #[arg(
        long,
        value_name = "PATH",
        conflicts_with = "peer",
        default_value = "rate=10mbit,delay=20ms,loss=1%,queue=64"
    )]
    path: Path,
    /// What is different on the way back
    #[arg(long, value_name = "PATH", conflicts_with = "peer")]
    path_back: Option<String>,
    /// Run what this file describes instead, a network and its flows in TOML (README), and report
    /// each flow and each link; --seed, --pcap, --trace and --json work as ever
    #[arg(long, value_name = "FILE", conflicts_with = "peer")]
    pub(crate) scenario: Option<PathBuf>,
    /// How packets get to the service and back
    #[arg(long, value_name = "WAY", default_value = "tun")]
    pub(crate) via: Via,
    #[command(flatten)]
    pub(crate) way: WayOptions,
    #[command(flatten)]
    pub(crate) queues: QueueOptions,
    #[command(flatten)]
    pub(crate) connection: ConnectionOptions,
    /// Seed of everything random: the same seed gives the same packets [default: 1 on an emulated
    /// path, random otherwise]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Capture every packet in this file, with nanosecond timestamps; in pcapng if it is called
    /// .pcapng, then with both ends of an emulated path and a comment at what was lost
    #[arg(long, value_name = "FILE")]
    pub(crate) pcap: Option<PathBuf>,
    /// Write what happens on an emulated path, event by event, to this file: .csv or .jsonl
    #[arg(long, value_name = "FILE", conflicts_with = "peer")]
    pub(crate) trace: Option<TraceFile>,
    #[command(flatten)]
    pub(crate) report: ReportOptions,
}

/// What `--scenario` has a use for: the file says the rest.
pub(crate) const OF_A_SCENARIO: [&str; 5] = ["scenario", "seed", "pcap", "trace", "json"];

/// A run on an emulated path repeats unless another seed is given.
const EMULATED_SEED: u64 = 1;

impl TransferOptions {
    /// The emulated path there and back.
    pub(crate) fn paths(&self) -> Result<[Path; 2], Failure> {
        there_and_back(&self.path, self.path_back.as_deref())
    }

    /// The seed, unless it is to be random.
    pub(crate) fn seed(&self) -> Option<u64> {
        self.seed.or(self.peer.is_none().then_some(EMULATED_SEED))
    }
}
