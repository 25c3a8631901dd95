//! State of a connection as JSON, with units in the names.

use super::units::seconds;
use ackclock::tcp::{AccurateEcnCounts, AoInfo, Info, LimitTimes, PathSearch};
use ackclock::time::Duration;
use serde::Serialize;

/// The core's [`Info`] as JSON.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub(crate) struct InfoReport {
    state: &'static str,
    error: Option<String>,
    soft_error: Option<String>,
    congestion_control: &'static str,
    recovery: &'static str,
    sack: bool,
    timestamps: bool,
    ecn: bool,
    signed: bool,
    ao: Option<AoReport>,
    accurate_ecn: Option<AccurateEcnReport>,
    send_window_shift_bits: Option<u8>,
    receive_window_shift_bits: Option<u8>,
    rtt_seconds: f64,
    rttvar_seconds: f64,
    min_rtt_seconds: f64,
    rtt_samples: u64,
    rto_seconds: f64,
    rto_backoff: u32,
    mss_bytes: u32,
    peer_mss_bytes: u32,
    pmtu_bytes: u32,
    /// Null: the path is not probed.
    path_search: Option<PathSearchReport>,
    cwnd_bytes: u32,
    ssthresh_bytes: Option<u32>,
    in_flight_bytes: u32,
    unacked_bytes: u32,
    sacked_bytes: u32,
    lost_bytes: u32,
    in_recovery: bool,
    send_window_bytes: u32,
    receive_window_bytes: u32,
    send_queue_bytes: u32,
    receive_queue_bytes: u32,
    out_of_order_bytes: u32,
    sent_bytes: u64,
    acked_bytes: u64,
    received_bytes: u64,
    retransmitted_bytes: u64,
    sent_segments: u64,
    received_segments: u64,
    sent_data_segments: u64,
    received_data_segments: u64,
    retransmitted_segments: u64,
    timeouts: u64,
    fast_recoveries: u64,
    duplicate_acks: u64,
    dsacks_received: u64,
    ce_received_segments: u64,
    ece_received_acks: u64,
    paws_dropped_segments: u64,
    challenge_acks: u64,
    reassembly_dropped_bytes: u64,
    probes_sent: u64,
    pacing_rate_bits_per_second: Option<u64>,
    delivery_rate_bits_per_second: u64,
    delivery_rate_app_limited: bool,
    reordering_seen: bool,
    limits: LimitsReport,
    /// Bytes that went or came with a SYN and were taken (Fast Open).
    syn_data: u32,
    timers: TimersReport,
}

/// How long each limit held the sender (RFC 4898).
#[derive(Serialize, Clone, PartialEq, Debug)]
pub(crate) struct LimitsReport {
    busy_seconds: f64,
    cwnd_limited_seconds: f64,
    rwnd_limited_seconds: f64,
    sndbuf_limited_seconds: f64,
}

impl From<&LimitTimes> for LimitsReport {
    fn from(times: &LimitTimes) -> Self {
        LimitsReport {
            busy_seconds: seconds(times.busy),
            cwnd_limited_seconds: seconds(times.congestion),
            rwnd_limited_seconds: seconds(times.receiver),
            sndbuf_limited_seconds: seconds(times.buffer),
        }
    }
}

/// The search for the path's MTU by probes.
#[derive(Serialize, Clone, PartialEq, Debug)]
struct PathSearchReport {
    stage: &'static str,
    low_bytes: u32,
    high_bytes: u32,
    probes_sent: u32,
    probes_lost: u32,
}

impl From<&PathSearch> for PathSearchReport {
    fn from(search: &PathSearch) -> Self {
        PathSearchReport {
            stage: search.stage.name(),
            low_bytes: search.low,
            high_bytes: search.high,
            probes_sent: search.probes_sent,
            probes_lost: search.probes_lost,
        }
    }
}

/// Time until each timer fires; null for timers that are not running.
#[derive(Serialize, Clone, PartialEq, Debug)]
struct TimersReport {
    retransmit_seconds: Option<f64>,
    persist_seconds: Option<f64>,
    delayed_ack_seconds: Option<f64>,
    keepalive_seconds: Option<f64>,
    close_seconds: Option<f64>,
}

/// What TCP-AO keeps of a connection (RFC 5925 section 4).
#[derive(Serialize, Clone, PartialEq, Debug)]
struct AoReport {
    current_key: u8,
    rnext_key: u8,
    received_key: Option<u8>,
    received_rnext_key: Option<u8>,
    sent_extension: u32,
    received_extension: u32,
    accepted_segments: u64,
    dropped_segments: u64,
}

impl From<AoInfo> for AoReport {
    fn from(info: AoInfo) -> Self {
        let [sent_extension, received_extension] = info.sne;
        AoReport {
            current_key: info.current_key,
            rnext_key: info.rnext_key,
            received_key: info.received.map(|ids| ids.key_id),
            received_rnext_key: info.received.map(|ids| ids.rnext_key_id),
            sent_extension,
            received_extension,
            accepted_segments: info.accepted,
            dropped_segments: info.dropped,
        }
    }
}

/// The counters of AccECN (RFC 9768): received, and reported by the peer.
#[derive(Serialize, Clone, PartialEq, Debug)]
struct AccurateEcnReport {
    ce_packets: u32,
    ce_bytes: u32,
    ect0_bytes: u32,
    ect1_bytes: u32,
    told_ce_packets: u32,
    told_ce_bytes: u32,
    told_ect0_bytes: u32,
    told_ect1_bytes: u32,
    ignored: bool,
    contradictory: bool,
}

impl From<AccurateEcnCounts> for AccurateEcnReport {
    fn from(counts: AccurateEcnCounts) -> Self {
        AccurateEcnReport {
            ce_packets: counts.ce_packets,
            ce_bytes: counts.ce_bytes,
            ect0_bytes: counts.ect0_bytes,
            ect1_bytes: counts.ect1_bytes,
            told_ce_packets: counts.told_ce_packets,
            told_ce_bytes: counts.told_ce_bytes,
            told_ect0_bytes: counts.told_ect0_bytes,
            told_ect1_bytes: counts.told_ect1_bytes,
            ignored: counts.ignored,
            contradictory: counts.contradictory,
        }
    }
}

impl From<&Info> for InfoReport {
    fn from(info: &Info) -> Self {
        let until = |timer: Option<Duration>| timer.map(seconds);
        InfoReport {
            state: info.state.name(),
            error: info.error.map(|error| error.to_string()),
            soft_error: info.soft_error.map(|error| format!("{error:?}")),
            congestion_control: info.congestion,
            recovery: info.recovery,
            sack: info.sack,
            timestamps: info.timestamps,
            ecn: info.ecn,
            signed: info.signed,
            ao: info.ao.map(AoReport::from),
            accurate_ecn: info.accurate_ecn.map(AccurateEcnReport::from),
            send_window_shift_bits: info.window_scale.map(|(_, theirs)| theirs),
            receive_window_shift_bits: info.window_scale.map(|(ours, _)| ours),
            rtt_seconds: seconds(info.rtt),
            rttvar_seconds: seconds(info.rttvar),
            min_rtt_seconds: seconds(info.min_rtt),
            rtt_samples: info.rtt_samples,
            rto_seconds: seconds(info.rto),
            rto_backoff: info.backoff,
            mss_bytes: info.mss,
            peer_mss_bytes: info.peer_mss,
            pmtu_bytes: info.pmtu,
            path_search: info.path_search.as_ref().map(PathSearchReport::from),
            cwnd_bytes: info.cwnd,
            ssthresh_bytes: (info.ssthresh != u32::MAX).then_some(info.ssthresh),
            in_flight_bytes: info.in_flight,
            unacked_bytes: info.unacked,
            sacked_bytes: info.sacked,
            lost_bytes: info.lost,
            in_recovery: info.in_recovery,
            send_window_bytes: info.send_window,
            receive_window_bytes: info.receive_window,
            send_queue_bytes: info.send_queue,
            receive_queue_bytes: info.receive_queue,
            out_of_order_bytes: info.out_of_order,
            sent_bytes: info.bytes_sent,
            acked_bytes: info.bytes_acked,
            received_bytes: info.bytes_received,
            retransmitted_bytes: info.bytes_retransmitted,
            sent_segments: info.segments_sent,
            received_segments: info.segments_received,
            sent_data_segments: info.data_segments_sent,
            received_data_segments: info.data_segments_received,
            retransmitted_segments: info.retransmitted,
            timeouts: info.timeouts,
            fast_recoveries: info.fast_recoveries,
            duplicate_acks: info.duplicate_acks,
            dsacks_received: info.dsacks_received,
            ce_received_segments: info.ce_received,
            ece_received_acks: info.ece_received,
            paws_dropped_segments: info.paws_dropped,
            challenge_acks: info.challenge_acks,
            reassembly_dropped_bytes: info.reassembly_dropped,
            probes_sent: info.probes_sent,
            pacing_rate_bits_per_second: info.pacing_rate.map(|rate| rate.saturating_mul(8)),
            delivery_rate_bits_per_second: info.delivery_rate.saturating_mul(8),
            delivery_rate_app_limited: info.delivery_rate_app_limited,
            reordering_seen: info.reordering_seen,
            limits: LimitsReport::from(&info.limits),
            syn_data: info.syn_data,
            timers: TimersReport {
                retransmit_seconds: until(info.timers.retransmit),
                persist_seconds: until(info.timers.persist),
                delayed_ack_seconds: until(info.timers.delayed_ack),
                keepalive_seconds: until(info.timers.keepalive),
                close_seconds: until(info.timers.close),
            },
        }
    }
}
