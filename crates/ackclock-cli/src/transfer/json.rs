//! Report of a transfer as JSON.

use super::outcome::Outcome;
use super::settings::TransferSettings;
use super::watch::Watched;
use crate::failure::Failure;
use crate::report::{
    InfoReport, IntervalReport, ProcessorReport, SCHEMA, bits_per_second, seconds, stdout,
    write_object,
};
use ackclock::apps::Amount;
use serde::Serialize;

/// The report; null where something does not apply.
#[derive(Serialize)]
struct TransferReport<'r> {
    schema: u32,
    version: &'static str,
    command: &'static str,
    parameters: Parameters<'r>,
    /// Whether times are virtual, those of an emulated path.
    virtual_time: bool,
    /// Empty if there are several connections.
    intervals: Vec<IntervalReport>,
    /// Sums over all connections; times are the longest.
    totals: Totals,
    /// Each of several connections; null if there is only one.
    connections: Option<Vec<ConnectionReport>>,
    /// State of our connection at the end; null if there are several connections.
    local: Option<InfoReport>,
    /// State of the connection at the far end, if this program had that end and its connection has ended.
    remote: Option<InfoReport>,
    error: Option<String>,
    interrupted: bool,
    wall_seconds: f64,
    /// Null where the system does not report it.
    processor: Option<ProcessorReport>,
    /// Whether the kernel segmented in the stack's place; null on an emulated path.
    offloading: Option<bool>,
}

/// Settings of the transfer.
#[derive(Serialize)]
pub(crate) struct Parameters<'r> {
    peer: Option<String>,
    path: Option<String>,
    path_back: Option<String>,
    /// Way out; null on an emulated path.
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
    /// Null: that of the congestion control.
    growth: Option<String>,
    recovery: &'static str,
    initial_window: String,
    restart_after_idle: String,
    /// Null: what the MTU allows.
    mss_bytes: Option<u16>,
    mtu_probing: String,
    base_mss_bytes: u16,
    ack_policy: String,
    ack_timer: String,
    rto: String,
    backoff: String,
    ecn: String,
    fast_open: String,
    reuse_metrics: bool,
    /// Null: what the peer advertises.
    user_timeout_seconds: Option<f64>,
    buffer_bytes: u32,
    /// Null: random.
    seed: Option<u64>,
    interval_seconds: Option<f64>,
}

/// Results of one of several connections.
#[derive(Serialize)]
struct ConnectionReport {
    intervals: Vec<IntervalReport>,
    totals: Totals,
    local: Option<InfoReport>,
    error: Option<String>,
}

/// Sums over one or several connections.
#[derive(Serialize)]
struct Totals {
    connect_seconds: Option<f64>,
    first_byte_seconds: Option<f64>,
    duration_seconds: f64,
    sent_bytes: u64,
    acked_bytes: u64,
    received_bytes: u64,
    /// Rate of acknowledged bytes.
    bits_per_second: f64,
    retransmitted_segments: u64,
    retransmitted_bytes: u64,
}

/// Writes the report to standard output.
pub(super) fn write(outcome: &Outcome<'_>) -> Result<(), Failure> {
    write_object(&TransferReport::new(outcome), &mut stdout())
}

impl<'r> TransferReport<'r> {
    fn new(outcome: &Outcome<'r>) -> Self {
        let Outcome { settings, driven, .. } = outcome;
        let all = &driven.watched[..];
        let single = if let [single] = all { Some(single) } else { None };
        TransferReport {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            command: settings.service.name(),
            parameters: Parameters::new(settings),
            virtual_time: settings.host().is_none(),
            intervals: single.map_or_else(Vec::new, intervals),
            totals: Totals::of(all),
            connections: single.is_none().then(|| all.iter().map(ConnectionReport::of).collect()),
            local: single.and_then(|single| single.info.as_ref()).map(InfoReport::from),
            remote: driven.far_info.as_ref().map(InfoReport::from),
            error: outcome.failure().map(|failure| failure.to_string()),
            interrupted: outcome.is_interrupted(),
            wall_seconds: outcome.wall.as_secs_f64(),
            processor: outcome.processor(),
            offloading: driven.offloading,
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
            first_byte_seconds: (all.iter().filter_map(|watched| watched.first_byte).max())
                .map(seconds),
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
    pub(crate) fn new(settings: &'r TransferSettings) -> Self {
        let (bytes, time) = match settings.amount {
            Amount::Bytes(bytes) => (Some(bytes), None),
            Amount::Time(time) => (None, Some(time)),
        };
        let host = settings.host();
        let tun = host.and_then(|(_, way)| way.tun.as_deref().map(|name| (name, way)));
        let connection = &settings.connection;
        let config = &connection.config;
        Parameters {
            peer: host.map(|(peer, _)| peer.to_string()),
            path: settings.paths().map(|[there, _]| there.to_string()),
            path_back: settings.paths().map(|[_, back]| back.to_string()),
            via: host.map(|(_, way)| way.via.word()),
            tun: tun.map(|(name, _)| name),
            addresses: host.map_or_else(Vec::new, |(_, way)| {
                way.addresses.iter().map(ToString::to_string).collect()
            }),
            offload: tun.map(|(_, way)| way.offload.word()),
            queues: tun.map(|(_, way)| way.queues),
            bytes,
            time_seconds: time.map(seconds),
            congestion_control: connection.congestion_control.to_string(),
            growth: connection.growth.map(|growth| growth.to_string()),
            recovery: config.recovery.name(),
            initial_window: config.initial_window.to_string(),
            restart_after_idle: config.restart_after_idle.to_string(),
            mss_bytes: config.mss,
            mtu_probing: config.mtu_probing.to_string(),
            base_mss_bytes: config.base_mss,
            ack_policy: config.ack_policy.to_string(),
            ack_timer: config.ack_timer.to_string(),
            rto: config.rto.to_string(),
            backoff: config.rto.backoff.to_string(),
            ecn: config.ecn.to_string(),
            fast_open: config.fast_open.to_string(),
            reuse_metrics: config.reuse_metrics,
            user_timeout_seconds: config.user_timeout.map(seconds),
            buffer_bytes: config.send_buffer,
            seed: settings.seed,
            interval_seconds: settings.interval.map(seconds),
        }
    }
}
