//! Delayed acks: when the receiver owes an ack (RFC 9293 section 3.8.6.3, RFC 5681 section 4.2).

use crate::profile::{Kept, Part, Profile};
use crate::tcp::TickingClock;
use crate::tcp::{AckPolicy, AckTimer};
use crate::time::{Duration, Instant};

/// Share of the receive buffer, in percent, that 4.3BSD let fill before it sent an ack (jacobson88 section 3,
/// on the receivers of figure 9).
const BSD43_PERCENT: u64 = 35;

/// Longest time for which 4.3BSD delayed an ack (there too).
const BSD43_TIMEOUT: Duration = Duration::from_millis(200);

/// Upper limit of the ack delay, whatever the setting: less than half a second (MUST-40).
const LONGEST_DELAY: Duration = Duration::from_millis(499);

/// How a segment with data or FIN arrived, as far as it decides on the ack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arriving {
    /// It is the next in order and no data is missing: the policy decides when to ack.
    InOrder,
    /// It fills a hole, is a duplicate, lies beyond the window or carries the FIN: ack at once.
    Special,
    /// It lies behind a hole, without SACK: each such segment gets a duplicate ack.
    OutOfOrder,
}

/// How much new data may arrive before the policy wants an ack.
#[derive(Clone, Copy, Debug)]
enum Gathering {
    Nothing,
    TwoSegments,
    /// One segment, however short.
    OneSegment,
    ShareOfBuffer,
}

/// State of a configurable ack policy. Without [`RareSettings`](Profile::RareSettings) there is none, and
/// every second segment with data, of any length, is acknowledged, or a single one after 40 ms.
#[derive(Clone, Copy, Debug)]
struct Chosen {
    /// How much data may gather before an ack.
    gathering: Gathering,
    /// How long an ack may be delayed, in microseconds: at most 499 ms.
    timeout: u32,
    /// Quick acks left: segments still to be acknowledged one by one, at the start of the connection or on
    /// request.
    quick_acks: u16,
    /// New bytes received since the last ack.
    unacknowledged: u32,
}

/// The kind of the ack timer: one shot per delayed ack, or a heartbeat.
#[derive(Clone, Copy, Debug)]
struct Heartbeat {
    timer: AckTimer,
    /// The host's random number that sets the phase of the heartbeat.
    phase: u32,
}

/// State of acks: those owed to the peer, and the delayed ack timer.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct AckState<P: Profile> {
    chosen: <P::RareSettings as Part>::Keeps<Chosen>,
    heartbeat: <P::Historic as Part>::Keeps<Heartbeat>,
    /// Acks to be sent now.
    owed: u16,
    /// When the delayed ack is to be sent.
    deadline: Instant,
}

impl<P: Profile> AckState<P> {
    /// The initial state: no ack is owed. `phase` is the host's random number that sets the phase of clocks
    /// that tick.
    pub(in crate::tcp) fn new(policy: AckPolicy, timer: AckTimer, phase: u32) -> Self {
        let (gathering, timeout, quick_acks) = match policy {
            AckPolicy::EverySegment => (Gathering::Nothing, Duration::ZERO, 0),
            AckPolicy::Delayed { timeout, quick_acks } => {
                (Gathering::TwoSegments, timeout.min(LONGEST_DELAY), quick_acks)
            }
            AckPolicy::EverySecond { timeout } => {
                (Gathering::OneSegment, timeout.min(LONGEST_DELAY), 0)
            }
            AckPolicy::Bsd43 => (Gathering::ShareOfBuffer, BSD43_TIMEOUT, 0),
        };
        AckState {
            chosen: Kept::new(Chosen {
                gathering,
                timeout: timeout.as_micros() as u32,
                quick_acks,
                unacknowledged: 0,
            }),
            heartbeat: Kept::new(Heartbeat { timer, phase }),
            owed: 0,
            deadline: Instant::FAR_FUTURE,
        }
    }

    fn gathering(&self) -> Gathering {
        self.chosen.get().map_or(Gathering::TwoSegments, |chosen| chosen.gathering)
    }

    /// A copy for a connection that begins with these settings.
    // Built anew, since constant initial values need not be copied.
    pub(super) fn begun(&self) -> Self {
        let AckState { chosen, heartbeat, .. } = *self;
        AckState { chosen, heartbeat, owed: 0, deadline: Instant::FAR_FUTURE }
    }

    /// Has the next `count` segments acknowledged one by one, beginning with those that wait for a delayed
    /// ack.
    pub(super) fn set_quick_acks(&mut self, count: u16) {
        if let Some(chosen) = self.chosen.get_mut() {
            chosen.quick_acks = count;
            if count > 0 && !self.deadline.is_never() {
                self.owe();
            }
        }
    }

    /// Quick acks left: segments still to be acknowledged one by one.
    pub(super) fn quick_acks(&self) -> u16 {
        self.chosen.get().map_or(0, |chosen| chosen.quick_acks)
    }

    /// Number of new bytes after which the policy wants an ack at once. `full_size` is the payload of the
    /// peer's full-sized segments, `limit` that of the receive buffer, both in bytes.
    pub(super) fn enough(&self, full_size: u32, limit: u32) -> u32 {
        match self.gathering() {
            Gathering::Nothing => 0,
            Gathering::ShareOfBuffer if P::HISTORIC => share_of(limit),
            Gathering::OneSegment if P::HISTORIC && self.deadline.is_never() => u32::MAX,
            Gathering::OneSegment if P::HISTORIC => 1,
            _ => full_size.saturating_mul(2),
        }
    }

    /// Least growth of the window, in bytes, that is worth a segment of its own.
    pub(super) fn worthwhile_update(&self, mss: u32, limit: u32) -> u32 {
        let update = match self.gathering() {
            Gathering::ShareOfBuffer if P::HISTORIC => share_of(limit),
            _ => (limit / 2).min(mss.saturating_mul(2)),
        };
        update.max(1)
    }

    /// Notes data or a FIN that arrived, as long as `segments` full-sized segments, and made the in-order
    /// data grow by `accepted` bytes. The policy wants an ack after `enough` new bytes.
    pub(super) fn on_arrival(
        &mut self,
        now: Instant,
        segments: u16,
        accepted: u32,
        arriving: Arriving,
        enough: u32,
    ) {
        let waits = match self.chosen.get_mut() {
            Some(chosen) => {
                let quick = chosen.quick_acks > 0;
                chosen.quick_acks = chosen.quick_acks.saturating_sub(segments);
                chosen.unacknowledged = chosen.unacknowledged.saturating_add(accepted);
                !quick && chosen.unacknowledged < enough
            }
            None => segments == 1 && self.deadline.is_never(),
        };
        if accepted > 0 {
            // Drop duplicate acks not sent yet: they would now repeat the new ack number and look like a new
            // loss.
            self.owed = self.owed.min(1);
        }
        match arriving {
            Arriving::OutOfOrder => self.owed = self.owed.saturating_add(segments),
            Arriving::Special => self.owe(),
            Arriving::InOrder if waits => self.delay(now),
            Arriving::InOrder => self.owe(),
        }
    }

    /// Has an ack sent now.
    pub(super) fn owe(&mut self) {
        self.owed = self.owed.max(1);
        self.deadline = Instant::FAR_FUTURE;
    }

    /// Notes that an ack was sent: it covers all in-order data, and counts as one of the duplicate acks owed.
    pub(super) fn on_sent(&mut self) {
        self.owed = self.owed.saturating_sub(1);
        if let Some(chosen) = self.chosen.get_mut() {
            chosen.unacknowledged = 0;
        }
        self.deadline = Instant::FAR_FUTURE;
    }

    /// Whether an ack is to be sent now.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.owed > 0 || (!self.deadline.is_never() && self.deadline <= now)
    }

    /// When the delayed ack is due; [`Instant::FAR_FUTURE`] if there is none.
    pub(super) const fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Starts the delayed ack timer, unless it runs: the delay counts from the first unacknowledged segment
    /// (MUST-40).
    fn delay(&mut self, now: Instant) {
        if self.deadline.is_never() {
            let heartbeat = self.heartbeat.get();
            self.deadline = match heartbeat {
                Some(&Heartbeat { timer: AckTimer::Heartbeat(millis), phase }) => {
                    TickingClock::new(millis, phase).tick_after(now, 1)
                }
                _ => {
                    let chosen = self.chosen.get();
                    now + chosen.map_or(AckPolicy::TIMEOUT, |chosen| {
                        Duration::from_micros(chosen.timeout.into())
                    })
                }
            };
        }
    }
}

/// The bytes of a receive buffer of `limit` bytes that 4.3BSD let fill before it sent an ack.
fn share_of(limit: u32) -> u32 {
    let share = (u64::from(limit) * BSD43_PERCENT).div_ceil(100);
    u32::try_from(share).unwrap_or(u32::MAX)
}
