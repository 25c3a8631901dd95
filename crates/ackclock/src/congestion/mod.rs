//! Congestion control: how much data may be in flight.
//!
//! An algorithm (in this project's words, a law) implements [`CongestionController`]. It deals with bytes and
//! events, and never sees a segment, a buffer or a clock. It does not decide *which* segment is sent next;
//! that is loss recovery (`tcp::sender::recovery`). An algorithm's [`window`](CongestionController::window)
//! is the congestion window and nothing else: what recovery adds for its own purposes (credit for duplicate
//! acks, pipe accounting) is kept apart from it.
//!
//! To add a built-in algorithm, write one file here and add one line to the list in `built_in.rs`. An
//! algorithm from outside is used as a type parameter of the stack, or in a box; [`CongestionController`]
//! shows how to write one.

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

/// Segment size in bytes before that of the path is known: the default send MSS of RFC 9293 section 3.7.1.
const DEFAULT_MSS: u32 = 536;
/// The largest window that TCP can express, in bytes (RFC 7323 section 2.3). No congestion window is larger,
/// unless a single segment is.
pub const LARGEST_WINDOW: u32 = 1 << 30;

/// A size times a fraction not above one, rounded down.
fn scaled(size: u32, (numerator, denominator): (u64, u64)) -> u32 {
    (u64::from(size) * numerator).checked_div(denominator).map_or(size, |scaled| scaled as u32)
}

/// A round-trip time in microseconds, at most 71 minutes.
fn micros(rtt: Duration) -> u32 {
    u32::try_from(rtt.as_micros()).unwrap_or(u32::MAX)
}

/// A congestion control algorithm. All sizes are in bytes.
///
/// An implementation is created in the state before a connection exists; [`on_start`] gives it the path's
/// first parameters. The stack clones a prototype for each connection (see `Stack::new`), so parameters are
/// chosen when the prototype is created.
///
/// An algorithm must obey three rules: the window is never below one segment; it grows only for an ack that
/// is [`window_limited`](Ack::window_limited); and a spurious congestion event has no lasting effect once
/// [`on_undo`] was called.
///
/// # Writing an algorithm
///
/// The example has additive increase and multiplicative decrease, without slow start. Seven methods have no
/// default. To try an algorithm without a connection, call it with events made from their defaults.
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
/// In a stack it is used as `Stack<'_, Aimd>`, or as a [`BoxedController`] to choose at run time;
/// `examples/toy_law.rs` of the repository runs an algorithm in the emulator.
///
/// [`on_start`]: CongestionController::on_start
/// [`on_undo`]: CongestionController::on_undo
/// [`BoxedController`]: crate::congestion
pub trait CongestionController: Debug {
    /// Name of the algorithm on command lines and in reports.
    fn name(&self) -> &'static str;

    /// Starts the algorithm: the connection is established.
    fn on_start(&mut self, start: &Start);

    /// Tells the slow-start threshold of an earlier connection to the same host, in bytes, not below the
    /// initial window (RFC 9040 section 6.1). Called just after [`on_start`](Self::on_start).
    fn on_known_threshold(&mut self, _threshold: u32) {}

    /// A segment was handed to the link, with new data or as a retransmission.
    fn on_sent(&mut self, _sent: &Sent) {}

    /// An ack arrived that acknowledges or SACKs something new.
    fn on_ack(&mut self, ack: &Ack);

    /// An ack reports congestion marks that the peer has newly counted (RFC 9768). Called before
    /// [`on_ack`](Self::on_ack) for the same ack.
    fn on_marks(&mut self, _marks: &Marks) {}

    /// Data was found lost. Called after [`on_congestion`](Self::on_congestion), if the loss is a congestion
    /// event, and before [`on_ack`](Self::on_ack) for the ack that showed the loss.
    fn on_loss(&mut self, _loss: &Loss) {}

    /// Congestion was detected: called once for each recovery episode, once for each timeout, and at most
    /// once per round trip for ECN.
    fn on_congestion(&mut self, event: &Congestion);

    /// Recovery has ended: everything up to the recovery point was acknowledged.
    fn on_recovery_exit(&mut self, _now: Instant, _in_flight: u32) {}

    /// The last [`Congestion`] event was spurious (Eifel, F-RTO, D-SACK): undo the response to it. A repeated
    /// timeout belongs to the first one; both are undone together.
    fn on_undo(&mut self, _now: Instant) {}

    /// The connection was idle for longer than its restart policy allows, and data is about to be sent
    /// (jacobson88 appendix C, RFC 5681 section 4.1). `restart_window` is the window to restart with.
    fn on_restart_after_idle(&mut self, _now: Instant, _restart_window: u32) {}

    /// No flight has reached half the window for five minutes, so the window tells nothing about the path:
    /// halve it, down to `least` bytes at the lowest, and raise the threshold to at least three quarters of
    /// the old window (RFC 7661 section 4.4.3).
    fn on_unvalidated_window(&mut self, _now: Instant, _least: u32) {}

    /// A recovery has ended from a loss that occurred while not even half the window was used: the path bears
    /// less than the flight by what had to be retransmitted. Set window and threshold to `window`, which is
    /// at most the present window (RFC 7661 section 4.4.1).
    fn on_unvalidated_loss(&mut self, _now: Instant, _window: u32) {}

    /// The segment size has changed, in bytes (path MTU discovery).
    fn on_mss_change(&mut self, mss: u32);

    /// The congestion window in bytes, at least one segment. Meaningless before [`on_start`](Self::on_start).
    fn window(&self) -> u32;

    /// The slow-start threshold in bytes; `u32::MAX` while there is none.
    fn slow_start_threshold(&self) -> u32;

    /// Pacing rate in bytes per second; `None` if the algorithm does not pace.
    fn pacing_rate(&self) -> Option<u64> {
        None
    }

    /// Most bytes that a paced connection sends in one burst; `None`: the core's default.
    fn send_quantum(&self) -> Option<u32> {
        None
    }

    /// Whether recovery should reduce the flight by proportional rate reduction (RFC 9937).
    fn wants_prr(&self) -> bool {
        true
    }

    /// Whether the algorithm responds to the [number](Self::on_marks) of congestion marks in each ack, as L4S
    /// requires (RFC 9331 section 4.3). If the peer counts marks, there are then no events of
    /// [`CongestionKind::Ecn`].
    fn counts_marks(&self) -> bool {
        false
    }

    /// Whether the algorithm is scalable, so that new data should be sent as ECT(1), for the low latency
    /// treatment of L4S (RFC 9331 section 4.1). It is if the peer counts marks ([`Start::counts_marks`]).
    /// Such an algorithm must meet the requirements of section 4.3 there, and [respond to counted
    /// marks](Self::counts_marks).
    fn wants_l4s(&self) -> bool {
        false
    }

    /// Whether acks should carry [`delivery`](Ack::delivery) samples, which cost memory for each segment in
    /// flight.
    fn wants_delivery_rate(&self) -> bool {
        false
    }

    /// Whether the window never changes: then only the start and the segment size have to be reported. An
    /// algorithm chosen at run time ([`BuiltIn`], a box) never says so, and gets all events.
    fn is_constant(&self) -> bool {
        false
    }

    /// Whether the algorithm itself now keeps the flight so small that delivery rates tell nothing about the
    /// path: samples then count as [`app_limited`](DeliveryRate::app_limited).
    fn limits_itself(&self) -> bool {
        false
    }
}

/// First parameters of a connection's path. Sizes in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Start {
    /// When the connection was established.
    pub now: Instant,
    /// Effective send MSS: payload bytes of a full-sized segment, TCP options deducted.
    pub mss: u32,
    /// Initial window by the configured rule.
    pub initial_window: u32,
    /// Round-trip time of the handshake, if it could be measured.
    pub rtt: Option<Duration>,
    /// Whether the peer supports SACK, so that more than one loss can be found per round trip.
    pub selective_acks: bool,
    /// Whether new data is sent as ECN-capable and the peer counts marks (RFC 9768), so that
    /// [`CongestionController::on_marks`] is called.
    pub counts_marks: bool,
    /// Bytes delivered before, as counted by [`DeliveryRate::total_delivered`]: 0 unless the algorithm
    /// replaces another one on a running connection.
    pub delivered: u32,
}

/// A transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Sent {
    /// When it was sent.
    pub now: Instant,
    /// Payload bytes.
    pub bytes: u32,
    /// Bytes in flight, including these.
    pub in_flight: u32,
    /// Whether the application limits the flight, rather than the window.
    pub app_limited: bool,
}

/// Congestion marks that an ack reports for the first time, if the peer counts them (RFC 9768).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Marks {
    /// Packets that arrived with a congestion mark. They may be more than the ack acknowledges.
    pub packets: u32,
    /// Payload bytes of these packets; an estimate if the ack has no AccECN option.
    pub bytes: u32,
}

/// An ack that acknowledges or SACKs something new.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Ack {
    /// When it arrived.
    pub now: Instant,
    /// Bytes newly acknowledged cumulatively.
    pub bytes_acked: u32,
    /// Bytes newly SACKed (or, by duplicate acks, known to have left the network).
    pub bytes_sacked: u32,
    /// Bytes that this ack newly reports as delivered, cumulatively or by SACK.
    pub bytes_delivered: u32,
    /// Bytes found lost by this ack.
    pub bytes_lost: u32,
    /// Bytes in flight when the last of the bytes found lost was sent; 0 if nothing was found lost, or
    /// without any of the features `delivery-rate`, `recovery-rack` and `undo`.
    pub flight_when_lost_sent: u32,
    /// Bytes in flight before the ack.
    pub flight_before: u32,
    /// Bytes in flight after the ack.
    pub flight_after: u32,
    /// Round-trip time measured by this ack, if it gave a sample (Karn's algorithm).
    pub rtt: Option<Duration>,
    /// Smoothed round-trip time, including this sample; zero before the first sample.
    pub smoothed_rtt: Duration,
    /// Least round-trip time seen on the connection; zero before the first sample.
    pub min_rtt: Duration,
    /// Delivery rate sample, if the algorithm [wants](CongestionController::wants_delivery_rate) them.
    pub delivery: Option<DeliveryRate>,
    /// Whether the ack carried ECN-Echo (RFC 3168), or reports marks for the first time (RFC 9768).
    pub ecn_echo: bool,
    /// Whether the connection is in fast recovery (where the window usually stays constant).
    pub in_recovery: bool,
    /// Whether losses found by a retransmission timeout are still being repaired.
    pub after_timeout: bool,
    /// Whether this ack begins a new round trip: it acknowledges data sent after the ack that began the last
    /// one.
    pub new_round: bool,
    /// Whether the flight before the ack filled the window (in slow start: half of it), so that the window
    /// may grow (RFC 2861, RFC 7661 section 4.1). False for an ack with ECN-Echo (RFC 3168 section 6.1.2),
    /// unless the algorithm [responds to counted marks](CongestionController::counts_marks).
    pub window_limited: bool,
    /// A uniformly distributed random number, for algorithms that randomise.
    pub random: u32,
}

/// A delivery rate sample: what was delivered since the most recently sent segment was sent that the ack is
/// for (draft-ietf-ccwg-bbr-06 section 4.1). Totals are modulo 2^32.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct DeliveryRate {
    /// Bytes delivered in the interval.
    pub delivered: u32,
    /// The longer one of the sending and the delivering time. Zero: too short to be valid, there is no rate.
    pub interval: Duration,
    /// Whether the application limited what was sent in the interval.
    pub app_limited: bool,
    /// Bytes that had been delivered on the connection when the segment was sent.
    pub prior_delivered: u32,
    /// Bytes delivered on the connection until now.
    pub total_delivered: u32,
    /// Bytes in flight when the segment was sent, including itself.
    pub flight_when_sent: u32,
    /// Bytes found lost since the segment was sent.
    pub lost: u32,
    /// Round-trip time of the segment, unless it was a retransmission.
    pub rtt: Option<Duration>,
}

impl DeliveryRate {
    /// Delivery rate in bytes per second; `None` if the interval is too short to be valid.
    pub fn bytes_per_second(&self) -> Option<u64> {
        let bytes = u64::from(self.delivered).saturating_mul(1_000_000);
        bytes.checked_div(self.interval.as_micros())
    }
}

/// Data found lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Loss {
    /// When it was found.
    pub now: Instant,
    /// Bytes found lost.
    pub bytes: u32,
    /// Number of contiguous ranges, at least 1; if it is unknown, 1.
    pub ranges: u32,
    /// Bytes in flight when the most recently sent of them was sent, including itself; 0 if unknown, see
    /// [`Ack::flight_when_lost_sent`].
    pub flight_when_sent: u32,
    /// Bytes found lost since then, including these.
    pub lost_since_sent: u32,
    /// Whether the application limited what was sent then.
    pub app_limited: bool,
    /// Bytes delivered on the connection until now, modulo 2^32.
    pub total_delivered: u32,
    /// A uniformly distributed random number, for algorithms that randomise.
    pub random: u32,
}

/// A congestion event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Congestion {
    /// When congestion was detected.
    pub now: Instant,
    /// How it was detected.
    pub kind: CongestionKind,
    /// FlightSize (RFC 5681): bytes sent and not cumulatively acknowledged, before anything is
    /// retransmitted.
    pub flight_size: u32,
    /// Whether the event may turn out to be spurious, so that the response is undone
    /// ([`CongestionController::on_undo`]).
    pub may_be_undone: bool,
}

impl Congestion {
    /// An event, for use of an algorithm outside a connection.
    pub fn new(now: Instant, kind: CongestionKind, flight_size: u32) -> Self {
        Congestion { now, kind, flight_size, may_be_undone: true }
    }
}

/// How congestion was detected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CongestionKind {
    /// A loss was found by duplicate acks or SACK.
    FastRetransmit,
    /// The peer echoed a congestion mark (ECN-Echo, RFC 3168).
    Ecn,
    /// The retransmission timer expired, for data that it had not caused to be retransmitted before.
    Timeout,
    /// The retransmission timer expired again for the same data. The threshold stays, since RFC 5681 equation
    /// 4 applies to the first timeout only.
    RepeatedTimeout,
}
