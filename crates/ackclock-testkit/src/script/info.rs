//! Numbers of [`Info`] by their names.

use ackclock::tcp::{Info, PathSearch};
use ackclock::time::Duration;

/// The number of that name; times in milliseconds, yes and no as 1 and 0.
pub(super) fn field(info: &Info, name: &str) -> Result<u64, String> {
    let counts = info.accurate_ecn.unwrap_or_default();
    macro_rules! numbers {
        ($($field:ident)+) => {
            match name {
                $(stringify!($field) => info.$field.into(),)+
                "ce_packets" => counts.ce_packets.into(),
                "told_ce_packets" => counts.told_ce_packets.into(),
                "told_ce_bytes" => counts.told_ce_bytes.into(),
                "ecn_ignored" => counts.ignored.into(),
                "ecn_contradictory" => counts.contradictory.into(),
                "rto" => info.rto.as_millis(),
                "rtt" => info.rtt.as_millis(),
                "busy_time" => info.limits.busy.as_millis(),
                "cwnd_limited" => info.limits.congestion.as_millis(),
                "rwnd_limited" => info.limits.receiver.as_millis(),
                "sndbuf_limited" => info.limits.buffer.as_millis(),
                "user_timeout" => millis(info.user_timeout),
                "peer_user_timeout" => millis(info.peer_user_timeout),
                "search_low" => search(info, |search| search.low),
                "search_high" => search(info, |search| search.high),
                "path_probes_sent" => search(info, |search| search.probes_sent),
                "path_probes_lost" => search(info, |search| search.probes_lost),
                "retransmit_timer" => millis(info.timers.retransmit),
                "persist_timer" => millis(info.timers.persist),
                "delayed_ack_timer" => millis(info.timers.delayed_ack),
                "keepalive_timer" => millis(info.timers.keepalive),
                "close_timer" => millis(info.timers.close),
                _ => return Err(format!("Info has no number `{name}` that scripts know")),
            }
        };
    }
    Ok(numbers! {
        sack timestamps ecn rtt_samples backoff mss peer_mss pmtu cwnd ssthresh in_flight unacked sacked lost
        in_recovery send_window receive_window send_queue receive_queue out_of_order bytes_acked
        bytes_received bytes_retransmitted retransmitted timeouts fast_recoveries duplicate_acks
        delivery_rate_app_limited reordering_seen dsacks_received paws_dropped challenge_acks reassembly_dropped probes_sent syn_data
    })
}

/// 0 where the path is not probed.
fn search(info: &Info, number: fn(&PathSearch) -> u32) -> u64 {
    info.path_search.as_ref().map_or(0, number).into()
}

/// 0 for a timer that is off.
fn millis(timer: Option<Duration>) -> u64 {
    timer.map_or(0, Duration::as_millis)
}
