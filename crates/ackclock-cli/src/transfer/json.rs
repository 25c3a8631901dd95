//! What `--json` writes of a transfer.

use super::outcome::Outcome;
use super::watch::Watched;
use crate::options::TransferOptions;
use crate::report::{
    InfoReport, IntervalReport, ProcessorReport, SCHEMA, bits_per_second, seconds,
};
use ackclock::apps::Amount;
use ackclock_emulator::Path;
use serde::Serialize;

/// What `--json` writes of a transfer; null where something does not apply.
#[derive(Serialize)]
pub(super) struct TransferReport<'r> {
    schema: u32,
    version: &'static str,
    command: &'static str,
    parameters: Parameters<'r>,
    /// Whether the seconds are those of an emulated path.
    virtual_time: bool,
    /// Empty if there are several connections.
    intervals: Vec<IntervalReport>,
    /// Of all connections: bytes are added up, times are the longest.
    totals: Totals,
    /// Each of several connections; null if there is one.
    connections: Option<Vec<ConnectionReport>>,
    /// Our connection at the end; null if there are several.
    local: Option<InfoReport>,
    /// The far end's connection, where it is ours and over.
    remote: Option<InfoReport>,
    error: Option<String>,
    interrupted: bool,
    wall_seconds: f64,
    /// Null where the system does not tell.
    processor: Option<ProcessorReport>,
    /// Whether the kernel segmented in our place; null on an emulated path.
    offloading: Option<bool>,
}

/// What was asked for.
#[derive(Serialize)]
struct Parameters<'r> {
    peer: Option<String>,
    path: Option<String>,
    path_back: Option<String>,
    /// The way out; null on an emulated path.
    via: Option<&'static str>,
    tun: Option<&'r str>,
    addresses: Vec<String>,
    /// Null where there is no TUN interface.
    offload: Option<&'static str>,
    /// Null where there is no TUN interface.
    queues: Option<u16>,
    bytes: Option<u64>,
    time_seconds: Option<f64>,
    congestion_control: String,
    /// Null: the law's own.
    growth: Option<String>,
    recovery: &'static str,
    initial_window: String,
    restart_after_idle: String,
    /// Null: what the MTU allows.
    mss_bytes: Option<u16>,
    ack_policy: String,
    ack_timer: String,
    rto: String,
    backoff: String,
    ecn: String,
    buffer_bytes: u64,
    /// Null: random.
    seed: Option<u64>,
    interval_seconds: Option<f64>,
}

/// What came of one of several connections.
#[derive(Serialize)]
struct ConnectionReport {
    intervals: Vec<IntervalReport>,
    totals: Totals,
    local: Option<InfoReport>,
    error: Option<String>,
}

/// What came of it.
#[derive(Serialize)]
struct Totals {
    connect_seconds: Option<f64>,
    duration_seconds: f64,
    sent_bytes: u64,
    acked_bytes: u64,
    received_bytes: u64,
    /// Of acknowledged bytes.
    bits_per_second: f64,
    retransmitted_segments: u64,
    retransmitted_bytes: u64,
}

impl<'r> TransferReport<'r> {
    pub(super) fn new(outcome: &Outcome<'r>) -> Self {
        let all = &outcome.watched[..];
        let single = if let [single] = all { Some(single) } else { None };
        TransferReport {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            command: outcome.service.name(),
            parameters: Parameters::new(outcome.options, &outcome.paths),
            virtual_time: outcome.options.peer.is_none(),
            intervals: single.map_or_else(Vec::new, intervals),
            totals: Totals::of(all),
            connections: single.is_none().then(|| all.iter().map(ConnectionReport::of).collect()),
            local: single.and_then(|single| single.info.as_ref()).map(InfoReport::from),
            remote: outcome.far_info.as_ref().map(InfoReport::from),
            error: outcome.failure().map(|failure| failure.to_string()),
            interrupted: outcome.is_interrupted(),
            wall_seconds: outcome.wall.as_secs_f64(),
            processor: outcome.processor(),
            offloading: outcome.offloading,
        }
    }
}

fn intervals(watched: &Watched) -> Vec<IntervalReport> {
    watched.intervals.iter().map(IntervalReport::from).collect()
}

impl Totals {
    fn of(all: &[Watched]) -> Self {
        let sum = |count: fn(&Watched) -> u64| all.iter().map(count).sum();
        let duration = all.iter().map(|watched| watched.duration).max().unwrap_or_default();
        let acked = sum(Watched::acked);
        Totals {
            connect_seconds: all.iter().filter_map(|watched| watched.connect).max().map(seconds),
            duration_seconds: seconds(duration),
            sent_bytes: sum(|watched| watched.sent),
            acked_bytes: acked,
            received_bytes: sum(|watched| watched.received),
            bits_per_second: bits_per_second(acked, duration),
            retransmitted_segments: sum(Watched::retransmitted),
            retransmitted_bytes: sum(|watched| {
                watched.info.map_or(0, |info| info.bytes_retransmitted)
            }),
        }
    }
}

impl ConnectionReport {
    fn of(watched: &Watched) -> Self {
        ConnectionReport {
            intervals: intervals(watched),
            totals: Totals::of(std::slice::from_ref(watched)),
            local: watched.info.as_ref().map(InfoReport::from),
            error: watched.error.map(|error| error.to_string()),
        }
    }
}

impl<'r> Parameters<'r> {
    fn new(options: &'r TransferOptions, paths: &[Path; 2]) -> Self {
        let (bytes, time) = match options.amount.amount() {
            Amount::Bytes(bytes) => (Some(bytes), None),
            Amount::Time(time) => (None, Some(time)),
        };
        let rto = options.connection.rto();
        let emulated = |path: &Path| options.peer.is_none().then(|| path.to_string());
        let [path, path_back] = paths.each_ref().map(emulated);
        Parameters {
            peer: options.peer.as_ref().map(ToString::to_string),
            path,
            path_back,
            via: options.peer.as_ref().map(|_| options.via.word()),
            tun: options.way.tun.as_deref(),
            addresses: options.way.address.iter().map(ToString::to_string).collect(),
            offload: options.way.tun.as_ref().map(|_| options.way.offload.word()),
            queues: options.way.tun.as_ref().map(|_| options.queues.queues),
            bytes,
            time_seconds: time.map(seconds),
            congestion_control: options.connection.cc.to_string(),
            growth: options.connection.growth.map(|growth| growth.to_string()),
            recovery: options.connection.recovery().name(),
            initial_window: options.connection.iw.to_string(),
            restart_after_idle: options.connection.restart.to_string(),
            mss_bytes: options.connection.mss,
            ack_policy: options.connection.ack_policy.to_string(),
            ack_timer: options.connection.ack_timer.to_string(),
            rto: rto.to_string(),
            backoff: rto.backoff.to_string(),
            ecn: options.connection.ecn.to_string(),
            buffer_bytes: options.connection.buffer,
            seed: options.seed(),
            interval_seconds: options.report.interval.map(seconds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use serde_json::{Value, json};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: TransferOptions,
    }

    fn parameters(arguments: &[&str]) -> Value {
        let line = Line::try_parse_from(["discard"].iter().chain(arguments)).unwrap();
        let paths = line.options.paths().unwrap();
        serde_json::to_value(Parameters::new(&line.options, &paths)).unwrap()
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
            "ack_policy": "delayed=40ms",
            "ack_timer": "per-segment",
            "rto": "rfc6298",
            "backoff": "exponential",
            "ecn": "accept",
            "buffer_bytes": 262_144,
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
            "--ack-policy=bsd43",
            "--recovery=sack-pipe",
            "--ack-timer=heartbeat",
            "--rto=jacobson88:ticks:one",
            "--backoff=linear",
            "--ecn=request",
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
            "ack_policy": "bsd43",
            "ack_timer": "heartbeat=200ms",
            "rto": "jacobson88:ticks=500ms/2:one",
            "backoff": "linear",
            "ecn": "request",
            "buffer_bytes": 1_048_576,
            "seed": null,
            "interval_seconds": 0.5,
        });
        assert_eq!(told, expected);
    }
}
