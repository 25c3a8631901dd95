//! When an ack is owed (RFC 9293 section 3.8.6.3, RFC 5681 section 4.2).

use crate::profile::{Kept, Part, Profile};
use crate::tcp::TickingClock;
use crate::tcp::{AckPolicy, AckTimer};
use crate::time::{Duration, Instant};

/// 4.3BSD acknowledged once this share of the window was filled, in percent (jacobson88
/// section 3, on the receivers of figure 9).
const BSD43_PERCENT: u64 = 35;

/// 4.3BSD acknowledged after this time at the latest (there too).
const BSD43_TIMEOUT: Duration = Duration::from_millis(200);

/// An ack is delayed by less than half a second (MUST-40), whatever the setting.
const LONGEST_DELAY: Duration = Duration::from_millis(499);

/// How a segment with data or FIN arrived, as far as acks are concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arriving {
    /// The next data in order, and no hole anywhere: the policy decides.
    InOrder,
    /// It fills a hole, is a duplicate, lies beyond the window or carries the FIN.
    Special,
    /// It lies behind a hole.
    OutOfOrder,
}

/// How much new data the policy lets gather before it wants an ack.
#[derive(Clone, Copy, Debug)]
enum Gathering {
    Nothing,
    TwoSegments,
    /// One segment, however short.
    OneSegment,
    ShareOfBuffer,
}

/// What a policy that can be chosen counts, and goes by. Without
/// [`RareSettings`](Profile::RareSettings) every second segment with data is acknowledged, however long
/// it is, or what has waited for 40 ms.
#[derive(Clone, Copy, Debug)]
struct Chosen {
    /// When an ack may wait, ...
    gathering: Gathering,
    /// ... and how long, in microseconds: at most 499 ms.
    timeout: u32,
    /// Segments still to be acknowledged one by one, at the start of the connection or as asked.
    quick_acks: u16,
    /// New bytes since the last ack.
    unacknowledged: u32,
}

/// What decides when they have waited long enough.
#[derive(Clone, Copy, Debug)]
struct Heartbeat {
    timer: AckTimer,
    /// The host's random word for the phase of the heartbeat.
    phase: u32,
}

/// The acks owed to the peer.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct AckState<P: Profile> {
    chosen: <P::RareSettings as Part>::Keeps<Chosen>,
    heartbeat: <P::Historic as Part>::Keeps<Heartbeat>,
    /// Acks to send now.
    owed: u16,
    /// When a delayed ack is due.
    deadline: Instant,
}

impl<P: Profile> AckState<P> {
    /// Nothing owed; it is not known whether SACK is in use. `phase` is the host's random word for the
    /// phase of clocks that tick.
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

    /// Those of a connection that begins with these settings.
    // Made anew: what is always the same at the beginning need not be copied.
    pub(super) fn begun(&self) -> Self {
        let AckState { chosen, heartbeat, .. } = *self;
        AckState { chosen, heartbeat, owed: 0, deadline: Instant::FAR_FUTURE }
    }

    /// The next `count` segments are acknowledged one by one; what waits for its ack is the first of
    /// them.
    pub(super) fn set_quick_acks(&mut self, count: u16) {
        if let Some(chosen) = self.chosen.get_mut() {
            chosen.quick_acks = count;
            if count > 0 && !self.deadline.is_never() {
                self.owe();
            }
        }
    }

    /// Segments still to be acknowledged one by one.
    pub(super) fn quick_acks(&self) -> u16 {
        self.chosen.get().map_or(0, |chosen| chosen.quick_acks)
    }

    /// New bytes after which the policy wants an ack at once. `full_size` is the
    /// size of the peer's full-sized segments, `limit` that of the receive buffer.
    pub(super) fn enough(&self, full_size: u32, limit: u32) -> u32 {
        match self.gathering() {
            Gathering::Nothing => 0,
            Gathering::ShareOfBuffer if P::HISTORIC => share_of(limit),
            Gathering::OneSegment if P::HISTORIC && self.deadline.is_never() => u32::MAX,
            Gathering::OneSegment if P::HISTORIC => 1,
            _ => full_size.saturating_mul(2),
        }
    }

    /// By how many bytes the window must be able to grow to be worth a segment of its own.
    pub(super) fn worthwhile_update(&self, mss: u32, limit: u32) -> u32 {
        let update = match self.gathering() {
            Gathering::ShareOfBuffer if P::HISTORIC => share_of(limit),
            _ => (limit / 2).min(mss.saturating_mul(2)),
        };
        update.max(1)
    }

    /// Data or FIN arrived, so much as `segments` full ones hold, by which the data in order grew by
    /// `accepted` bytes; with `enough` new ones the policy wants an ack.
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
            // Duplicate acks not yet sent would repeat the new ack number and count as a new loss.
            self.owed = self.owed.min(1);
        }
        match arriving {
            Arriving::OutOfOrder => self.owed = self.owed.saturating_add(segments),
            Arriving::Special => self.owe(),
            Arriving::InOrder if waits => self.delay(now),
            Arriving::InOrder => self.owe(),
        }
    }

    /// An ack is to go out now.
    pub(super) fn owe(&mut self) {
        self.owed = self.owed.max(1);
        self.deadline = Instant::FAR_FUTURE;
    }

    /// An ack went out: all data in order are acknowledged, and one duplicate ack is paid.
    pub(super) fn on_sent(&mut self) {
        self.owed = self.owed.saturating_sub(1);
        if let Some(chosen) = self.chosen.get_mut() {
            chosen.unacknowledged = 0;
        }
        self.deadline = Instant::FAR_FUTURE;
    }

    /// Whether an ack must go out now.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.owed > 0 || (!self.deadline.is_never() && self.deadline <= now)
    }

    /// When the delayed ack is due; [`Instant::FAR_FUTURE`] if there is none.
    pub(super) const fn deadline(&self) -> Instant {
        self.deadline
    }

    /// The delay counts from the first segment that is not acknowledged (MUST-40).
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

/// The part of a receive buffer of `limit` bytes that 4.3BSD let fill before it acknowledged.
fn share_of(limit: u32) -> u32 {
    let share = (u64::from(limit) * BSD43_PERCENT).div_ceil(100);
    u32::try_from(share).unwrap_or(u32::MAX)
}
