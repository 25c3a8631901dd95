//! Options of a transfer.

use super::{
    AmountOptions, ConnectionOptions, QueueOptions, ReportOptions, SignatureOptions, WayOptions,
};
use crate::compare::{Candidate, CompareSettings, What};
use crate::failure::Failure;
use crate::recording::RecordingSettings;
use crate::scenario::{self, ScenarioSettings};
use crate::transfer::{FarEnd, TransferSettings};
use crate::values::{Peer, TraceFile, path_text, there_and_back};
use crate::way::Via;
use ackclock::apps::Service;
use ackclock::tcp::CongestionControl;
use ackclock_emulator::Path;
use clap::Args;
use std::num::NonZeroU64;
use std::path::PathBuf;

/// Options of a transfer.
#[derive(Args, Clone, Debug)]
pub(crate) struct TransferOptions {
    /// Address of the service; without it a second stack is the service, across an emulated path
    #[arg(value_name = "HOST:PORT")]
    peer: Option<Peer>,
    #[command(flatten)]
    amount: AmountOptions,
    /// The emulated path, in virtual time; parameters that are left out have their defaults
    ///
    /// queue= takes packets as 64, bytes as 64kB, infinite, red:MIN:MAX:WEIGHT:MAX_P:LIMIT,
    /// codel[:TARGET:INTERVAL:LIMIT] or fq_codel[:TARGET:INTERVAL:LIMIT:FLOWS:QUANTUM]; with :ecn at
    /// the end these three mark ECN-capable packets instead of dropping them, as
    /// dualpi2[:TARGET:STEP:K:LIMIT][:tsfifo] always does. loss= takes a share, every:N,
    /// packets:N:N:... or gilbert:P:R[:BAD[:GOOD]]. Further: duplicate=1%, reorder=5%:10ms (delayed
    /// by a time) or reorder=5%:3 (until 3 packets have overtaken), corrupt=0.1% (one bit),
    /// jitter=5ms (in order) or jitter=5ms:reorder, rate=10mbit/1mbit@5s (a later rate),
    /// outage=5s..6s (packets wait) or outage=5s..6s:lose, mtu=1500; the size on the wire is
    /// overhead=+10 bytes more than the packet, at least min=64, and ack=40 without payload;
    /// in_service=counted: the packet in service counts in the queue; impair=ingress: loss and other
    /// impairments act before the queue.
    #[arg(
        long,
        value_name = "PATH",
        conflicts_with = "peer",
        default_value = "rate=10mbit,delay=20ms,loss=1%,queue=64"
    )]
    path: Path,
    /// Parameters that differ in the return direction
    #[arg(long, value_name = "PATH", conflicts_with = "peer")]
    path_back: Option<String>,
    /// Run the scenario in this file instead, a network and its flows in TOML (docs/command_line.md), and report
    /// each flow and each link; --seed, --pcap, --trace and --json work as on a path
    #[arg(long, value_name = "FILE", conflicts_with = "peer")]
    scenario: Option<PathBuf>,
    /// How packets get to the service and back
    #[arg(long, value_name = "WAY", default_value = "tun")]
    via: Via,
    #[command(flatten)]
    way: WayOptions,
    #[command(flatten)]
    queues: QueueOptions,
    #[command(flatten)]
    connection: ConnectionOptions,
    #[command(flatten)]
    signatures: SignatureOptions,
    /// Seed of everything random: the same seed gives the same packets [default: 1 on an emulated
    /// path, random otherwise]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Capture every packet in this file, with nanosecond timestamps; if its name ends in .pcapng, in
    /// that format, with both ends of an emulated path and a comment at each lost packet
    #[arg(long, value_name = "FILE")]
    pcap: Option<PathBuf>,
    /// Write every event on an emulated path to this file: .csv or .jsonl
    #[arg(long, value_name = "FILE", conflicts_with = "peer")]
    trace: Option<TraceFile>,
    /// Run this number of seeds, from --seed on, and compare them in a table [default: 1]
    #[arg(long, value_name = "NUMBER", conflicts_with = "peer")]
    seeds: Option<NonZeroU64>,
    /// Write a page that compares congestion control algorithms (--cc cubic,reno,bbr) and seeds, in a
    /// table and graphs of rates, windows, round-trip times and the queue
    #[arg(long, value_name = "FILE", conflicts_with = "peer")]
    html: Option<PathBuf>,
    #[command(flatten)]
    report: ReportOptions,
}

/// Options that have an effect beside `--scenario`: the file says the rest.
pub(crate) const OF_A_SCENARIO: [&str; 8] =
    ["scenario", "cc", "seed", "seeds", "html", "pcap", "trace", "json"];

/// Seed of a run on an emulated path by default, so that the same command gives the same packets.
const EMULATED_SEED: u64 = 1;

impl TransferOptions {
    /// Settings of a transfer to the service, if the options do not name a scenario.
    ///
    /// # Errors
    /// Which option cannot be used.
    pub(crate) fn settings(&self, service: Service) -> Result<TransferSettings, Failure> {
        let connection = match &self.peer {
            None => self.connection.on_emulated_path().settings()?,
            Some(_) => self.connection.settings()?,
        };
        let paths = there_and_back(&self.path, self.path_back.as_deref())?;
        let far_end = match &self.peer {
            None => FarEnd::Emulated(Box::new(paths)),
            Some(peer) => {
                let way = self.way.settings(self.via, self.queues.queues);
                FarEnd::Host { peer: peer.clone(), way }
            }
        };
        Ok(TransferSettings {
            service,
            far_end,
            amount: self.amount.amount(),
            connection,
            keys: self.signatures.keys(),
            seed: self.seed.or(self.peer.is_none().then_some(EMULATED_SEED)),
            recording: self.recording(),
            interval: self.report.interval,
            json: self.report.json,
        })
    }

    /// Settings of a scenario whose flows go to the service unless they name one; `None` if the
    /// options do not name a scenario.
    pub(crate) fn scenario(&self, service: Service) -> Option<ScenarioSettings> {
        self.scenario.as_ref().map(|file| ScenarioSettings {
            service,
            file: file.clone(),
            law: self.connection.laws().first().copied(),
            seed: self.seed,
            recording: self.recording(),
            json: self.report.json,
        })
    }

    /// Settings of a comparison; `None` if nothing is compared.
    ///
    /// # Errors
    /// Which option cannot be used.
    pub(crate) fn comparison(&self, service: Service) -> Result<Option<CompareSettings>, Failure> {
        let laws = self.connection.laws();
        let is_wanted = laws.len() > 1 || self.seeds.is_some() || self.html.is_some();
        if !is_wanted || self.peer.is_some() {
            return Ok(None);
        }
        let ReportOptions { interval, json } = self.report;
        if json || interval.is_some() || self.pcap.is_some() || self.trace.is_some() {
            return Err(Failure::Usage(
                "--json, --interval, --pcap and --trace are for a single run: leave them out, or give one \
                 algorithm without --seeds and --html"
                    .into(),
            ));
        }
        let candidates = match laws {
            [] => vec![self.candidate(service)?],
            laws => {
                let with = |law: &CongestionControl| TransferOptions {
                    connection: self.connection.with_law(*law),
                    ..self.clone()
                };
                let each = laws.iter().map(|law| with(law).candidate(service));
                each.collect::<Result<_, Failure>>()?
            }
        };
        let (network, seed) = match candidates.first().map(|candidate| &candidate.what) {
            Some(What::Scenario(it)) => (it.file.display().to_string(), scenario::seed(it)?),
            _ => {
                let paths = there_and_back(&self.path, self.path_back.as_deref())?;
                (path_text(&paths), self.seed.unwrap_or(EMULATED_SEED))
            }
        };
        let seeds = self.seeds.map_or(1, NonZeroU64::get);
        Ok(Some(CompareSettings { candidates, seed, seeds, network, html: self.html.clone() }))
    }

    /// The candidate of a comparison with these options, which name at most one algorithm.
    fn candidate(&self, service: Service) -> Result<Candidate, Failure> {
        let given = self.connection.laws().first();
        Ok(match self.scenario(service) {
            Some(scenario) => {
                let name = given.map_or("as in the file".to_owned(), ToString::to_string);
                Candidate { name, what: What::Scenario(Box::new(scenario)) }
            }
            None => {
                let settings = self.settings(service)?;
                let name = settings.connection.congestion_control.to_string();
                Candidate { name, what: What::Transfer(Box::new(settings)) }
            }
        })
    }

    fn recording(&self) -> RecordingSettings {
        RecordingSettings { pcap: self.pcap.clone(), trace: self.trace.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transfer::Parameters;
    use clap::Parser;
    use serde_json::{Value, json};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: TransferOptions,
    }

    fn parameters(arguments: &[&str]) -> Value {
        let line = Line::try_parse_from(["discard"].iter().chain(arguments)).unwrap();
        let settings = line.options.settings(Service::Discard).unwrap();
        serde_json::to_value(Parameters::new(&settings)).unwrap()
    }

    #[test]
    fn the_defaults_are_told() {
        let expected = json!({
            "peer": null,
            "path": "rate=10mbit,delay=20ms,loss=1%,queue=64",
            "path_back": "rate=10mbit,delay=20ms,loss=1%,queue=64",
            "via": null,
            "tun": null,
            "addresses": [],
            "offload": null,
            "queues": null,
            "bytes": 16_777_216,
            "time_seconds": null,
            "congestion_control": "cubic",
            "growth": null,
            "recovery": "rack",
            "initial_window": "rfc6928",
            "restart_after_idle": "rfc5681",
            "mss_bytes": null,
            "mtu_probing": "off",
            "base_mss_bytes": 1_024,
            "ack_policy": "delayed=40ms",
            "ack_timer": "per-segment",
            "rto": "rfc6298",
            "backoff": "exponential",
            "ecn": "accept",
            "fast_open": "off",
            "reuse_metrics": false,
            "user_timeout_seconds": null,
            "buffer_bytes": 6_291_456,
            "seed": 1,
            "interval_seconds": null,
        });
        assert_eq!(parameters(&[]), expected);
    }

    #[test]
    fn what_was_asked_for_is_told() {
        let told = parameters(&[
            "server.example:9",
            "--tun=ack0",
            "--offload=on",
            "--queues=2",
            "--address=10.7.0.2/24",
            "--address=fd07::2/64",
            "--time=2.5s",
            "--cc=tahoe",
            "--growth=abc",
            "--restart=never",
            "--iw=14k",
            "--mss=1000",
            "--mtu-probing=black-hole",
            "--base-mss=900",
            "--ack-policy=bsd43",
            "--recovery=sack-pipe",
            "--ack-timer=heartbeat",
            "--rto=jacobson88:ticks:one",
            "--backoff=linear",
            "--ecn=request",
            "--fast-open=on",
            "--reuse-metrics",
            "--user-timeout=90s",
            "--buffer=1M",
            "-i0.5",
        ]);
        let expected = json!({
            "peer": "server.example:9",
            "path": null,
            "path_back": null,
            "via": "tun",
            "tun": "ack0",
            "addresses": ["10.7.0.2/24", "fd07::2/64"],
            "offload": "on",
            "queues": 2,
            "bytes": null,
            "time_seconds": 2.5,
            "congestion_control": "tahoe",
            "growth": "abc",
            "recovery": "sack-pipe",
            "initial_window": "14336B",
            "restart_after_idle": "never",
            "mss_bytes": 1_000,
            "mtu_probing": "black-hole",
            "base_mss_bytes": 900,
            "ack_policy": "bsd43",
            "ack_timer": "heartbeat=200ms",
            "rto": "jacobson88:ticks=500ms/2:one",
            "backoff": "linear",
            "ecn": "request",
            "fast_open": "on",
            "reuse_metrics": true,
            "user_timeout_seconds": 90.0,
            "buffer_bytes": 1_048_576,
            "seed": null,
            "interval_seconds": 0.5,
        });
        assert_eq!(told, expected);
    }
}
