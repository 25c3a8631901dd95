//! How much may be in flight: the window laws.
//!
//! A law implements [`CongestionController`]. It speaks in bytes and events, and never sees a
//! segment, a buffer or a clock. *Which* segment goes next is not its business: that is loss
//! recovery (`tcp::sender::recovery`). Whoever owns a number owns it alone: a law's
//! [`window`](CongestionController::window) is its window and nothing else; what recovery adds for
//! its own purposes (dup-ack credit, pipe accounting) never leaks into it.
//!
//! A new built-in law is one file here and one line in the list of `built_in.rs`. A law from
//! outside is used as a type parameter of the stack or in a box; [`CongestionController`] shows how
//! one is written.

use crate::time::{Duration, Instant};
use core::fmt::Debug;

mod bbr;
#[cfg(feature = "alloc")]
mod boxed;
mod built_in;
mod cubic;
mod delegation;
mod fixed;
mod growth;
mod hystart;
mod hystart_linux;
mod initial_window;
mod none;
mod parameters;
mod prague;
mod queue_estimate;
mod reno;
mod tahoe;
#[cfg(test)]
mod tests;
mod vegas;
mod veno;
mod window;

pub use bbr::Bbr;
#[cfg(feature = "alloc")]
pub use boxed::{BoxedController, CloneController};
pub use built_in::BuiltIn;
pub use cubic::Cubic;
pub use fixed::Fixed;
pub use growth::{Growth, Scale};
pub use hystart::{HyStart, SlowStart, StandardSlowStart};
pub use initial_window::InitialWindow;
pub use none::NoControl;
pub use prague::Prague;
pub use reno::Reno;
pub use tahoe::Tahoe;
pub use vegas::Vegas;
pub use veno::Veno;

/// Segment size before the path's is known, in bytes: the default send MSS of RFC 9293 section
/// 3.7.1.
const DEFAULT_MSS: u32 = 536;
/// The largest window that TCP can express, in bytes (RFC 7323 section 2.3): no law's is larger,
/// unless a single segment is.
pub const LARGEST_WINDOW: u32 = 1 << 30;

/// A size times a fraction not above one, rounded down.
fn scaled(size: u32, (numerator, denominator): (u64, u64)) -> u32 {
    (u64::from(size) * numerator).checked_div(denominator).map_or(size, |scaled| scaled as u32)
}

/// A round-trip time in microseconds, 71 minutes at most.
fn micros(rtt: Duration) -> u32 {
    u32::try_from(rtt.as_micros()).unwrap_or(u32::MAX)
}

/// A window law. All sizes are in bytes.
///
/// A controller is made in the state before a connection exists; [`on_start`] gives it the path's
/// first parameters. The stack clones a prototype for each connection (see
/// `Stack::new`), so a law's parameters are chosen when the prototype is made.
///
/// A law owes the network three things: the window is never below one segment; it grows only for an
/// ack that is [`window_limited`](Ack::window_limited); and a false alarm leaves nothing behind once
/// [`on_undo`] was called.
///
/// # A law of one's own
///
/// Additive increase and multiplicative decrease, without slow start. Seven methods have no default.
/// To try a law without a connection, make events from their defaults and tell it.
///
/// ```
/// use ackclock::congestion::{
///     Ack, Congestion, CongestionController, CongestionKind, LARGEST_WINDOW, Start,
/// };
/// use ackclock::time::Instant;
///
/// #[derive(Clone, Debug, Default)]
/// struct Aimd {
///     mss: u32,
///     window: u32,
///     before: u32,
/// }
///
/// impl CongestionController for Aimd {
///     fn name(&self) -> &'static str {
///         "aimd"
///     }
///     fn on_start(&mut self, start: &Start) {
///         *self = Aimd { mss: start.mss, window: start.initial_window, before: 0 };
///     }
///     // A segment more in each round trip that the window limits.
///     fn on_ack(&mut self, ack: &Ack) {
///         if ack.new_round && ack.window_limited && !ack.in_recovery {
///             self.window = self.window.saturating_add(self.mss).min(LARGEST_WINDOW);
///         }
///     }
///     fn on_congestion(&mut self, event: &Congestion) {
///         self.before = self.window;
///         self.window = match event.kind {
///             CongestionKind::FastRetransmit | CongestionKind::Ecn => self.window / 2,
///             _ => 0,
///         }
///         .max(self.mss);
///     }
///     fn on_undo(&mut self, _now: Instant) {
///         self.window = self.window.max(self.before);
///     }
///     fn on_mss_change(&mut self, mss: u32) {
///         self.mss = mss;
///         self.window = self.window.max(mss);
///     }
///     fn window(&self) -> u32 {
///         self.window
///     }
///     fn slow_start_threshold(&self) -> u32 {
///         0 // It never is in slow start.
///     }
/// }
///
/// let mut start = Start::default();
/// (start.mss, start.initial_window) = (1_000, 10_000);
/// let mut ack = Ack::default();
/// (ack.bytes_acked, ack.new_round, ack.window_limited) = (1_000, true, true);
///
/// let mut law = Aimd::default();
/// law.on_start(&start);
/// law.on_ack(&ack);
/// assert_eq!(law.window(), 11_000);
/// law.on_congestion(&Congestion::new(Instant::ZERO, CongestionKind::FastRetransmit, 11_000));
/// assert_eq!(law.window(), 5_500);
/// law.on_undo(Instant::ZERO);
/// assert_eq!(law.window(), 11_000);
/// ```
///
/// In a stack it is `Stack<'_, Aimd>`, or a [`BoxedController`] where the law is chosen at run time;
/// `examples/toy_law.rs` of the repository runs a law in the emulator.
///
/// [`on_start`]: CongestionController::on_start
/// [`on_undo`]: CongestionController::on_undo
/// [`BoxedController`]: crate::congestion
pub trait CongestionController: Debug {
    /// The law's name as it stands on command lines and in reports.
    fn name(&self) -> &'static str;

    /// The connection is established.
    fn on_start(&mut self, start: &Start);

    /// An earlier connection to the same host had this slow-start threshold, in bytes, not below the initial
    /// window (RFC 9040 section 6.1). Just after [`on_start`](Self::on_start).
    fn on_known_threshold(&mut self, _threshold: u32) {}

    /// A transmission was handed to the link (new data and retransmissions alike).
    fn on_sent(&mut self, _sent: &Sent) {}

    /// An ack arrived that acknowledges or SACKs something new.
    fn on_ack(&mut self, ack: &Ack);

    /// The peer counts congestion marks (RFC 9768), and an ack tells of some for the first time: before the
    /// [`Ack`], if it brings one.
    fn on_marks(&mut self, _marks: &Marks) {}

    /// Something was found lost: after the [`Congestion`] that it may be, and before the [`Ack`]
    /// that it came with.
    fn on_loss(&mut self, _loss: &Loss) {}

    /// Congestion was detected: once for each recovery episode, for each timeout, and at most once
    /// a round trip for ECN.
    fn on_congestion(&mut self, event: &Congestion);

    /// Recovery is over: everything up to the recovery point was acknowledged.
    fn on_recovery_exit(&mut self, _now: Instant, _in_flight: u32) {}

    /// The last [`Congestion`] event was a false alarm (Eifel, F-RTO, D-SACK): take it back. A
    /// repeated timeout belongs to the timeout that it repeats; both are taken back together.
    fn on_undo(&mut self, _now: Instant) {}

    /// The connection was idle longer than its restart policy allows; data is about to be sent
    /// (jacobson88 appendix C, RFC 5681 section 4.1). `restart_window` is the window to restart
    /// with.
    fn on_restart_after_idle(&mut self, _now: Instant, _restart_window: u32) {}

    /// For five minutes no flight has reached half the window, so it says nothing of the path any
    /// more: half of it is given up, down to `least` bytes, and three quarters of it become the least
    /// threshold (RFC 7661 section 4.4.3).
    fn on_unvalidated_window(&mut self, _now: Instant, _least: u32) {}

    /// Recovery is over from a loss in a window of which not even half was used: the path bears less
    /// than was in flight by what had to be sent again. `window`, at most the present one, becomes
    /// window and threshold (RFC 7661 section 4.4.1).
    fn on_unvalidated_loss(&mut self, _now: Instant, _window: u32) {}

    /// The segment size changed (path MTU discovery).
    fn on_mss_change(&mut self, mss: u32);

    /// The congestion window, at least one segment. Before [`on_start`](Self::on_start) it means
    /// nothing.
    fn window(&self) -> u32;

    /// The slow-start threshold; `u32::MAX` while there is none.
    fn slow_start_threshold(&self) -> u32;

    /// Bytes per second at which to send, if the law paces.
    fn pacing_rate(&self) -> Option<u64> {
        None
    }

    /// How many bytes a paced connection may send in one go; `None`: the core's choice.
    fn send_quantum(&self) -> Option<u32> {
        None
    }

    /// Whether recovery should reduce the flight by proportional rate reduction (RFC 9937).
    fn wants_prr(&self) -> bool {
        true
    }

    /// Whether the law answers congestion marks by their [count](Self::on_marks) in each ack, as L4S wants (RFC
    /// 9331 section 4.3): where the peer counts them the law is not told of [`CongestionKind::Ecn`] then.
    fn counts_marks(&self) -> bool {
        false
    }

    /// Whether the law is scalable, so that new data are to go as ECT(1) for the low latency treatment of L4S (RFC
    /// 9331 section 4.1). They do where the peer counts marks ([`Start::counts_marks`]); a law that says so owes the
    /// network what section 4.3 there asks, and [counts marks](Self::counts_marks).
    fn wants_l4s(&self) -> bool {
        false
    }

    /// Whether acks should carry [`delivery`](Ack::delivery) samples. They cost memory for each
    /// transmission in flight.
    fn wants_delivery_rate(&self) -> bool {
        false
    }

    /// Whether the window stays as it is whatever happens: such a law need hear of nothing but the start
    /// and the segment size. A law that is chosen at run time
    /// ([`BuiltIn`], a box) does not say so, and hears of everything.
    fn is_constant(&self) -> bool {
        false
    }

    /// Whether the law itself keeps the flight so small that delivery rates say nothing of the
    /// path: samples count as [`app_limited`](DeliveryRate::app_limited).
    fn limits_itself(&self) -> bool {
        false
    }
}

/// First parameters of a connection's path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Start {
    /// When the connection was established.
    pub now: Instant,
    /// Effective send MSS: payload bytes of a full segment, TCP options deducted.
    pub mss: u32,
    /// Initial window by the configured rule.
    pub initial_window: u32,
    /// Round-trip time of the handshake, if it could be measured.
    pub rtt: Option<Duration>,
    /// Whether the peer sends SACK: more than one loss can be found in a round trip.
    pub selective_acks: bool,
    /// Whether new data may be marked, and the peer counts the marks (RFC 9768): [`CongestionController::on_marks`] hears of them.
    pub counts_marks: bool,
    /// Bytes delivered before, as [`DeliveryRate::total_delivered`] counts them: 0 unless the law is
    /// put on a connection that is running.
    pub delivered: u32,
}

/// Something was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Sent {
    /// When.
    pub now: Instant,
    /// Payload bytes.
    pub bytes: u32,
    /// Bytes in flight, these included.
    pub in_flight: u32,
    /// Whether the application, not the window, limits what is in flight.
    pub app_limited: bool,
}

/// What an ack tells of congestion for the first time, where the peer counts it (RFC 9768).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Marks {
    /// Packets that arrived with a congestion mark. They may be more than the ack acknowledges.
    pub packets: u32,
    /// Their payload bytes; an estimate where the ack has no AccECN option.
    pub bytes: u32,
}

/// An ack that acknowledged or SACKed something new.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Ack {
    /// When it arrived.
    pub now: Instant,
    /// Bytes newly acknowledged cumulatively.
    pub bytes_acked: u32,
    /// Bytes newly SACKed (or known by duplicate acks to have left the network).
    pub bytes_sacked: u32,
    /// Bytes that this ack tells of for the first time, cumulatively or by SACK: what has left the
    /// network at the other end.
    pub bytes_delivered: u32,
    /// Bytes found lost by this ack.
    pub bytes_lost: u32,
    /// Bytes that were in flight when the last of the bytes found lost was sent; 0 if none, or without
    /// any of the features `delivery-rate`, `recovery-rack` and `undo`.
    pub flight_when_lost_sent: u32,
    /// Bytes in flight before the ack.
    pub flight_before: u32,
    /// Bytes in flight after the ack.
    pub flight_after: u32,
    /// Round-trip time measured by this ack, if it gave a sample (Karn's rule).
    pub rtt: Option<Duration>,
    /// Smoothed round-trip time, this sample included; zero before the first sample.
    pub smoothed_rtt: Duration,
    /// Least round-trip time seen on the connection; zero before the first sample.
    pub min_rtt: Duration,
    /// Delivery rate sample, if the law [wants](CongestionController::wants_delivery_rate) them.
    pub delivery: Option<DeliveryRate>,
    /// Whether the ack carried ECN echo (RFC 3168), or tells of marks for the first time (RFC 9768).
    pub ecn_echo: bool,
    /// Whether the connection is in fast recovery (a law's window usually stands still there).
    pub in_recovery: bool,
    /// Whether what a retransmission timeout found lost is still being repaired.
    pub after_timeout: bool,
    /// Whether this ack begins a new round trip: it acknowledges data sent after the ack that
    /// began the last one.
    pub new_round: bool,
    /// Whether the flight before the ack filled the window, so that the window may grow
    /// (in slow start: half of it). RFC 2861, RFC 7661 section 4.1. Not for an ack that echoes a
    /// congestion mark (RFC 3168 section 6.1.2), unless the law is one that
    /// [counts](CongestionController::counts_marks) them.
    pub window_limited: bool,
    /// A uniformly distributed word, for laws that randomise.
    pub random: u32,
}

/// A delivery rate sample: what was delivered since the last sent transmission that an ack is for
/// was sent (draft-ietf-ccwg-bbr-06 section 4.1). Totals are modulo 2^32.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct DeliveryRate {
    /// Bytes delivered over the interval.
    pub delivered: u32,
    /// The interval: of sending or of delivering, whichever took longer. Zero: too short to be
    /// believed, there is no rate.
    pub interval: Duration,
    /// Whether the application limited what was sent in it.
    pub app_limited: bool,
    /// Bytes that had been delivered on the connection when the transmission was sent.
    pub prior_delivered: u32,
    /// Bytes that have been delivered on the connection now.
    pub total_delivered: u32,
    /// Bytes in flight when the transmission was sent, itself included.
    pub flight_when_sent: u32,
    /// Bytes found lost since then.
    pub lost: u32,
    /// Round-trip time of the transmission, unless it was a retransmission.
    pub rtt: Option<Duration>,
}

impl DeliveryRate {
    /// Bytes per second, if the interval can be believed.
    pub fn bytes_per_second(&self) -> Option<u64> {
        let bytes = u64::from(self.delivered).saturating_mul(1_000_000);
        bytes.checked_div(self.interval.as_micros())
    }
}

/// Something was found lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Loss {
    /// When.
    pub now: Instant,
    /// Bytes.
    pub bytes: u32,
    /// Ranges of sequence numbers that they make up, at least 1: what is not known counts as one.
    pub ranges: u32,
    /// Bytes in flight when the last sent of them was sent, itself included; 0 as
    /// [`Ack::flight_when_lost_sent`] may be.
    pub flight_when_sent: u32,
    /// Bytes found lost since then, these included.
    pub lost_since_sent: u32,
    /// Whether the application limited what was sent then.
    pub app_limited: bool,
    /// Bytes that have been delivered on the connection, modulo 2^32.
    pub total_delivered: u32,
    /// A uniformly distributed word, for laws that randomise.
    pub random: u32,
}

/// Congestion was detected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Congestion {
    /// When.
    pub now: Instant,
    /// How it was detected.
    pub kind: CongestionKind,
    /// FlightSize (RFC 5681): bytes sent and not cumulatively acknowledged, before anything is
    /// retransmitted.
    pub flight_size: u32,
    /// Whether it may prove a false alarm, so that the answer is taken back
    /// ([`CongestionController::on_undo`]).
    pub may_be_undone: bool,
}

impl Congestion {
    /// An event, for who drives a law outside a connection.
    pub fn new(now: Instant, kind: CongestionKind, flight_size: u32) -> Self {
        Congestion { now, kind, flight_size, may_be_undone: true }
    }
}

/// How congestion was detected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CongestionKind {
    /// Duplicate acks or SACK found a loss.
    FastRetransmit,
    /// The peer echoed a congestion mark (RFC 3168).
    Ecn,
    /// The retransmission timer fired for data that had not been retransmitted by it before.
    Timeout,
    /// The retransmission timer fired again for the same data: the threshold stays, RFC 5681
    /// equation 4 applies to the first timeout only.
    RepeatedTimeout,
}
