//! TCP_INFO in the layout of Linux's `struct tcp_info` (`include/uapi/linux/tcp.h`). Fields that we
//! cannot fill truthfully are 0: what the kernel counts and we do not, and what only its
//! automatic buffers or its own queues give a meaning to.

use super::socket::Stream;
use crate::flags::ack_timeout;
use ackclock::tcp::{Config, Info, State};
use ackclock::time::{Duration, Instant};

/// Length in bytes, up to `tcpi_options2` (Linux 6.18).
const LEN: usize = 280;
/// What Linux shows while there is no slow-start threshold (TCP_INFINITE_SSTHRESH).
const NO_THRESHOLD: u32 = 0x7fff_ffff;

/// Of `tcpi_options`: data of a SYN were taken (TCPI_OPT_SYN_DATA).
const SYN_DATA: u8 = 32;

/// Number of the state in Linux.
pub(super) fn state_number(state: State) -> u8 {
    match state {
        State::Established => 1,
        State::SynSent => 2,
        State::SynReceived => 3,
        State::FinWait1 => 4,
        State::FinWait2 => 5,
        State::TimeWait => 6,
        State::Closed => 7,
        State::CloseWait => 8,
        State::LastAck => 9,
        State::Listen => 10,
        State::Closing => 11,
    }
}

/// What a socket without a connection shows.
pub(super) fn idle(state: State) -> Vec<u8> {
    let mut bytes = vec![0; LEN];
    bytes[0] = state_number(state);
    bytes
}

/// The bytes of the structure.
pub(super) fn write(info: &Info, config: &Config, stream: &Stream, now: Instant) -> Vec<u8> {
    let mut bytes = idle(info.state);
    let mss = info.mss.max(1);
    let segments = |length: u32| length.div_ceil(mss);
    let micros = |time: Duration| u32::try_from(time.as_micros()).unwrap_or(u32::MAX);
    let millis = |time: Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
    let narrow = |count: u64| count as u32;
    let threshold = match info.ssthresh {
        u32::MAX => NO_THRESHOLD,
        bytes => bytes / mss,
    };
    // TCP_CA_Open, TCP_CA_Disorder, TCP_CA_CWR, TCP_CA_Recovery and TCP_CA_Loss.
    bytes[1] = match info {
        Info { backoff: 1.., unacked: 1.., .. } => 4,
        Info { in_recovery: true, .. } => 3,
        Info { reduced_by_mark: true, .. } => 2,
        Info { sacked: 1.., .. } => 1,
        _ => 0,
    };
    bytes[2] = info.backoff.min(255) as u8;
    bytes[4] = info.backoff.min(255) as u8;
    let options = [info.timestamps, info.sack, info.window_scale.is_some(), info.ecn];
    bytes[5] = options.iter().rev().fold(0, |bits, on| bits << 1 | u8::from(*on));
    // All of the data has to have been taken, by a peer that has answered.
    let (sent, taken) = (stream.syn_text as u32, info.syn_data);
    let is_refused = sent > 0 && info.state == State::Closed && info.rtt.is_zero();
    bytes[5] |= if taken > 0 && taken >= sent && !is_refused { SYN_DATA } else { 0 };
    let (our_shift, peer_shift) = info.window_scale.unwrap_or((0, 0));
    bytes[6] = peer_shift | our_shift << 4;
    bytes[7] = info.delivery_rate_app_limited.into();
    // Of a connection that is over nothing is sent again.
    let in_flight = |bytes| if info.state == State::Closed { 0 } else { segments(bytes) };
    for (offset, value) in [
        (8, micros(info.rto)),
        (12, if stream.data_count > 0 { micros(ack_timeout(config.ack_policy)) } else { 0 }),
        (16, info.mss),
        (20, info.receive_mss),
        (24, in_flight(info.unacked)),
        (28, in_flight(info.sacked)),
        (32, in_flight(info.lost)),
        (44, millis(info.since_sent)),
        (52, millis(now.saturating_since(stream.data_heard))),
        (56, millis(info.since_heard)),
        (60, info.pmtu),
        (68, micros(info.rtt)),
        (72, micros(info.rttvar)),
        (76, threshold),
        (80, info.cwnd / mss),
        (84, info.our_mss),
        (88, stream.segments.reordering),
        (100, narrow(info.retransmitted)),
        (136, narrow(info.segments_sent)),
        (140, narrow(info.segments_received)),
        (144, info.send_queue.saturating_sub(info.unacked)),
        (148, micros(info.min_rtt)),
        (152, narrow(info.data_segments_received)),
        (156, narrow(info.data_segments_sent)),
        (216, narrow(info.dsacks_received)),
        (220, stream.segments.reorderings),
        (192, delivered(info, stream)),
        (228, info.send_window),
        (232, info.receive_window),
    ] {
        bytes[offset..offset + 4].copy_from_slice(&value.to_ne_bytes());
    }
    bytes[240..242].copy_from_slice(&(info.timeouts as u16).to_ne_bytes());
    for (offset, value) in [
        (104, info.pacing_rate.unwrap_or(u64::MAX)),
        (112, u64::MAX),
        (120, info.bytes_acked),
        (128, info.bytes_received),
        (160, info.delivery_rate),
        (168, info.limits.busy.as_micros()),
        (176, info.limits.receiver.as_micros()),
        (184, info.limits.buffer.as_micros()),
        (200, info.bytes_sent),
        (208, info.bytes_retransmitted),
    ] {
        bytes[offset..offset + 8].copy_from_slice(&value.to_ne_bytes());
    }
    bytes
}

/// Segments that the peer has, the SYN among them.
fn delivered(info: &Info, stream: &Stream) -> u32 {
    let has_opened = !stream.was_opening || info.state.is_synchronized();
    u32::from(has_opened) + stream.segments.delivered + info.sacked.div_ceil(info.mss.max(1))
}
