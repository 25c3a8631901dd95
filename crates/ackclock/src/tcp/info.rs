//! Statistics of a connection, named as in `ss -ti`.

use super::connection::Connection;
use super::icmp_errors::SoftError;
use super::sender::Flight as _;
use super::sender::{EarlyTimer, Timer};
use super::{AccurateEcnCounts, Error, LimitTimes, PathSearch, State};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::time::{Duration, Instant};
use crate::wire::{IcmpErrorKind, KeyIds};

/// A snapshot of one connection. Sizes in bytes unless a name says segments.
///
/// Where there is a heap but the memory of connections is lent, rare events are not counted: `paws_dropped`,
/// `challenge_acks`, `reassembly_dropped`, `ce_received` and `ece_received` may then be too low,
/// `probes_sent` lacks keepalive probes, and of `limits` only `busy` is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Info {
    /// State of the connection.
    pub state: State,
    /// Why the connection ended, if it ended with an error.
    pub error: Option<Error>,
    /// The last soft error that ICMP reported (RFC 5927).
    pub soft_error: Option<IcmpErrorKind>,
    /// Name of the congestion control algorithm.
    pub congestion: &'static str,
    /// Name of the loss recovery algorithm in use.
    pub recovery: &'static str,
    /// Whether SACK is in use.
    pub sack: bool,
    /// Whether timestamps are in use.
    pub timestamps: bool,
    /// Whether ECN is in use: both sides echo congestion marks, and our data can be marked.
    pub ecn: bool,
    /// AccECN's counters of both sides, if AccECN is in use (RFC 9768); [`ecn`](Self::ecn) is then true too.
    pub accurate_ecn: Option<AccurateEcnCounts>,
    /// Whether segments are signed (RFC 2385, RFC 5925).
    pub signed: bool,
    /// State of TCP-AO, if it signs the segments; a [`Connection`](super::Connection) without a stack never
    /// has it.
    pub ao: Option<AoInfo>,
    /// User timeout: for how long the peer may acknowledge nothing; `None`:
    /// [`Config::give_up`](super::Config::give_up) applies.
    pub user_timeout: Option<Duration>,
    /// User timeout that the peer advertised last (RFC 5482), if the option is in use.
    pub peer_user_timeout: Option<Duration>,
    /// Window scale shift counts (of the windows that we advertise, of the peer's), if scaling is in use.
    pub window_scale: Option<(u8, u8)>,
    /// Smoothed round-trip time; zero before the first sample.
    pub rtt: Duration,
    /// Mean deviation of the round-trip time (RTTVAR).
    pub rttvar: Duration,
    /// Least round-trip time seen; zero before the first sample.
    pub min_rtt: Duration,
    /// Round-trip samples taken.
    pub rtt_samples: u64,
    /// Retransmission timeout, backoff included.
    pub rto: Duration,
    /// How many times the retransmission timeout is doubled now.
    pub backoff: u32,
    /// Payload bytes of a full-sized segment that we send, options deducted.
    pub mss: u32,
    /// MSS that the peer announced.
    pub peer_mss: u32,
    /// MSS that we announced.
    pub our_mss: u32,
    /// Payload bytes of a full-sized segment from the peer, estimated from those that arrived; at most 536
    /// before the first.
    pub receive_mss: u32,
    /// Segments that will still be acknowledged one by one (quick acks).
    pub quick_acks: u16,
    /// Path MTU in use.
    pub pmtu: u32,
    /// State of path MTU discovery by probes, if it is in use (RFC 4821).
    pub path_search: Option<PathSearch>,
    /// Congestion window.
    pub cwnd: u32,
    /// Slow-start threshold; `u32::MAX` while there is none.
    pub ssthresh: u32,
    /// Bytes in flight (RFC 6675's pipe).
    pub in_flight: u32,
    /// Bytes sent and not cumulatively acknowledged. A segment that is partly acknowledged counts in full, as
    /// in `in_flight`, `sacked` and `lost`.
    pub unacked: u32,
    /// Bytes in flight that the peer has SACKed.
    pub sacked: u32,
    /// Bytes in flight considered lost.
    pub lost: u32,
    /// Whether the sender is in recovery.
    pub in_recovery: bool,
    /// Whether a congestion mark has reduced the window, and nothing sent since then is acknowledged yet: until then no
    /// other reduces it (RFC 3168 section 6.1.2).
    pub reduced_by_mark: bool,
    /// The peer's receive window as last advertised.
    pub send_window: u32,
    /// Our receive window as last advertised.
    pub receive_window: u32,
    /// Bytes queued for sending, unacknowledged ones included.
    pub send_queue: u32,
    /// Bytes received in order and not read yet.
    pub receive_queue: u32,
    /// Bytes of out-of-order data held.
    pub out_of_order: u32,
    /// Payload bytes sent, retransmissions included.
    pub bytes_sent: u64,
    /// Payload bytes acknowledged by the peer.
    pub bytes_acked: u64,
    /// Payload bytes received in order.
    pub bytes_received: u64,
    /// Payload bytes retransmitted.
    pub bytes_retransmitted: u64,
    /// Segments sent, retransmissions and acks included.
    pub segments_sent: u64,
    /// Segments received; several that the device has merged into one (GRO) count as one.
    pub segments_received: u64,
    /// Segments sent with payload, SYN or FIN.
    pub data_segments_sent: u64,
    /// Segments received with payload.
    pub data_segments_received: u64,
    /// Segments retransmitted, SYN and FIN included.
    pub retransmitted: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Fast recoveries entered.
    pub fast_recoveries: u64,
    /// Duplicate acks received.
    pub duplicate_acks: u64,
    /// D-SACK blocks received (RFC 2883): segments that arrived twice at the peer.
    pub dsacks_received: u64,
    /// Segments received with a CE mark (RFC 3168).
    pub ce_received: u64,
    /// Acks received with ECE, which echo such a mark.
    pub ece_received: u64,
    /// Segments dropped by the PAWS check (RFC 7323 section 5).
    pub paws_dropped: u64,
    /// Challenge acks sent (RFC 5961).
    pub challenge_acks: u64,
    /// Out-of-order bytes dropped because no range was free to hold them.
    pub reassembly_dropped: u64,
    /// Zero-window and keepalive probes sent.
    pub probes_sent: u64,
    /// Tail loss probes sent (RFC 8985 section 7).
    pub tail_probes: u64,
    /// Congestion window reductions undone because the retransmission was spurious (RFC 4015).
    pub undos: u64,
    /// How often the peer was found to have reneged: to have discarded data that it had SACKed (RFC 2018
    /// section 8).
    pub sack_renegings: u64,
    /// Pacing rate in bytes per second, if the connection is paced.
    pub pacing_rate: Option<u64>,
    /// Time since data was last sent, or since the connection was established; zero before that.
    pub since_sent: Duration,
    /// Time since the last acceptable segment of the peer, or since the connection was opened.
    pub since_heard: Duration,
    /// Delivery rate in bytes per second over the last measured round trip; 0 before the first.
    pub delivery_rate: u64,
    /// Whether that rate was limited by the application, so that the path may be faster.
    pub delivery_rate_app_limited: bool,
    /// Whether reordering of segments was seen (RFC 8985 section 6.2 step 3); always false with a recovery
    /// other than RACK-TLP.
    pub reordering_seen: bool,
    /// For how long each of the possible limits has limited the sender (RFC 4898).
    pub limits: LimitTimes,
    /// Bytes of data that our SYN or the peer's carried and that were accepted (RFC 7413).
    pub syn_data: u32,
    /// Pending timers, and the time until each expires.
    pub timers: PendingTimers,
}

/// State of TCP-AO on a connection (RFC 5925 section 4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct AoInfo {
    /// SendID of the key that signs what is sent (current_key).
    pub current_key: u8,
    /// RecvID of the key that the peer is to sign with (rnext_key).
    pub rnext_key: u8,
    /// Key IDs of the segment received last.
    pub received: Option<KeyIds>,
    /// Sequence number extensions (SNE, section 6.2) of the latest segments sent and received, in this order.
    pub sne: [u32; 2],
    /// Whether hard ICMP errors are obeyed (section 7.8).
    pub heeds_icmp: bool,
    /// Segments received with a valid MAC.
    pub accepted: u64,
    /// Segments of this connection dropped because of their signature.
    pub dropped: u64,
}

/// Time until each pending timer expires.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct PendingTimers {
    /// Retransmission timer (RFC 6298).
    pub retransmit: Option<Duration>,
    /// RACK's reordering timer: what was overtaken is considered lost when it expires (RFC 8985 section 6.2).
    pub reordering: Option<Duration>,
    /// Tail loss probe timer (RFC 8985 section 7.2).
    pub tail_probe: Option<Duration>,
    /// Persist timer: the next zero-window probe (RFC 9293 section 3.8.6.1).
    pub persist: Option<Duration>,
    /// Delayed ack timer.
    pub delayed_ack: Option<Duration>,
    /// Keepalive timer.
    pub keepalive: Option<Duration>,
    /// FIN-WAIT-2 or linger timer.
    pub close: Option<Duration>,
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// A snapshot of the connection's statistics (STATUS, RFC 9293 section 3.10.6).
    pub fn info(&self, now: Instant) -> Info {
        let sender = &self.sender;
        let receiver = &self.receiver;
        let (rto, flight, sent) = (sender.rto(), sender.flight(), sender.counters());
        let (counters, rare) = (&self.counters, self.rare_counters());
        let agreement = self.agreement.in_use();
        Info {
            state: self.state,
            error: self.error,
            soft_error: self.soft_error.map(SoftError::kind),
            congestion: sender.controller().name(),
            recovery: sender.recovery_algorithm().name(),
            sack: agreement.sack,
            timestamps: agreement.timestamps,
            ecn: agreement.ecn || self.is_accurate(),
            accurate_ecn: self.accurate_counts(),
            signed: self.is_signed(),
            ao: None,
            user_timeout: self.user_timeout(),
            peer_user_timeout: self.peers_user_timeout(),
            window_scale: agreement.scaled.then_some((agreement.our_shift, agreement.peer_shift)),
            rtt: rto.smoothed_rtt(),
            rttvar: rto.deviation(),
            min_rtt: rto.min_rtt(),
            rtt_samples: u64::from(rto.samples()),
            rto: rto.timeout(),
            backoff: rto.backoff(),
            mss: sender.mss(),
            peer_mss: u32::from(agreement.peer_mss),
            our_mss: u32::from(self.agreement.our_mss),
            receive_mss: receiver.full_size(),
            quick_acks: receiver.quick_acks(),
            pmtu: self.sender.path_mtu(),
            path_search: self.path_search(),
            cwnd: sender.controller().window(),
            ssthresh: sender.controller().slow_start_threshold(),
            in_flight: sender.pipe(),
            unacked: flight.outstanding(),
            sacked: flight.sacked(),
            lost: flight.lost(),
            in_recovery: sender.in_recovery(),
            reduced_by_mark: sender.is_reduced_by_mark(),
            send_window: sender.window().size,
            receive_window: receiver.rcv_wnd(),
            send_queue: sender.queue().len() as u32,
            receive_queue: receiver.queued() as u32,
            out_of_order: receiver.out_of_order(),
            bytes_sent: sender.bytes_sent(),
            bytes_acked: sent.bytes_acked.get(),
            bytes_received: counters.bytes_received.get(),
            bytes_retransmitted: sent.bytes_retransmitted.get(),
            segments_sent: counters.segments_sent.get(),
            segments_received: counters.segments_received.get(),
            data_segments_sent: counters.data_segments_sent.get(),
            data_segments_received: counters.data_segments_received.get(),
            retransmitted: sent.retransmitted.get(),
            timeouts: sent.timeouts.get(),
            fast_recoveries: sent.fast_recoveries.get(),
            duplicate_acks: sent.duplicate_acks.get(),
            dsacks_received: sent.dsacks.get(),
            ce_received: rare.ce_received.into(),
            ece_received: rare.ece_received.into(),
            paws_dropped: rare.paws_dropped.into(),
            challenge_acks: rare.challenge_acks.into(),
            reassembly_dropped: rare.reassembly_dropped.into(),
            probes_sent: sent.probes.get().saturating_add(rare.keepalive_probes.into()),
            tail_probes: sent.tail_probes.get(),
            undos: sent.undos.get(),
            sack_renegings: flight.renegings(),
            pacing_rate: sender.pacing_rate(&self.settings),
            since_sent: self.since_sent(now),
            since_heard: now.saturating_since(self.heard_at),
            delivery_rate: sender.delivery_rate(),
            delivery_rate_app_limited: sender.is_delivery_rate_app_limited(),
            reordering_seen: sender.reordering().is_some(),
            limits: sender.limit_times(now),
            syn_data: if self.tries_fast_open() { 0 } else { self.syn_text_taken() },
            timers: self.pending_timers(now),
        }
    }

    fn since_sent(&self, now: Instant) -> Duration {
        match self.state.is_synchronized() {
            true => now.saturating_since(self.sender.last_sent_at()),
            false => Duration::ZERO,
        }
    }

    fn pending_timers(&self, now: Instant) -> PendingTimers {
        if matches!(self.state, State::Closed | State::Listen | State::TimeWait) {
            return PendingTimers::default();
        }
        let until = |at: Instant| (!at.is_never()).then(|| at.saturating_since(now));
        let (retransmit, persist) = match self.sender.timer() {
            Timer::Off => (None, None),
            Timer::Retransmit(at) => (until(at), None),
            Timer::Persist(at) => (None, until(at)),
        };
        let opening = self.is_opening();
        let syn = opening.then(|| self.syn_deadline()).and_then(until);
        let (early, at) = self.sender.early_timer();
        PendingTimers {
            reordering: until(at).filter(|_| early == EarlyTimer::Reordering),
            tail_probe: until(at).filter(|_| early == EarlyTimer::Probe),
            retransmit: retransmit.or(syn),
            persist,
            delayed_ack: until(self.receiver.ack_deadline()),
            keepalive: until(self.keepalive_deadline()),
            close: until(self.close_deadline),
        }
    }
}
