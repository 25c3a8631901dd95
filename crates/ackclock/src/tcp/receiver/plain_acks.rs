//! What stands in for the ack policies where none can be chosen: every second segment with data is
//! acknowledged, however long it is, or what waits for 40 ms (RFC 9293 section 3.8.6.3, RFC 5681
//! section 4.2).

use crate::tcp::{AckPolicy, AckTimer};
use crate::time::Instant;

/// How a segment with data or FIN arrived, as far as acks are concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arriving {
    /// The next data in order, and no hole anywhere.
    InOrder,
    /// It fills a hole, is a duplicate, lies beyond the window or carries the FIN.
    Special,
    /// It lies behind a hole.
    OutOfOrder,
}

/// The acks owed to the peer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckState {
    /// Without SACK the peer can only count duplicate acks, so each out-of-order segment gets its
    /// own (RFC 5681 section 4.2).
    one_each: bool,
    /// Acks to send now.
    owed: u32,
    /// When a delayed ack is due.
    deadline: Instant,
}

impl AckState {
    /// Nothing owed.
    pub(crate) fn new(_policy: AckPolicy, _timer: AckTimer, _phase: u32) -> Self {
        AckState { one_each: true, owed: 0, deadline: Instant::FAR_FUTURE }
    }

    /// It is known whether SACK is in use.
    pub(super) fn agree(&mut self, sack: bool) {
        self.one_each = !sack;
    }

    pub(super) fn set_quick_acks(&mut self, _count: u16) {}

    pub(super) const fn quick_acks(&self) -> u16 {
        0
    }

    /// Bytes are not counted.
    pub(super) fn enough(&self, _full_size: u32, _limit: u32) -> u32 {
        0
    }

    /// By how many bytes the window must be able to grow to be worth a segment of its own.
    pub(super) fn worthwhile_update(&self, mss: u32, limit: u32) -> u32 {
        (limit / 2).min(mss.saturating_mul(2)).max(1)
    }

    /// Data or FIN arrived, by which the data in order grew by `accepted` bytes.
    pub(super) fn on_arrival(
        &mut self,
        now: Instant,
        _segments: u16,
        accepted: u32,
        arriving: Arriving,
        _enough: u32,
    ) {
        if accepted > 0 {
            // Duplicate acks not yet sent would repeat the new ack number and count as a new loss.
            self.owed = self.owed.min(1);
        }
        match arriving {
            Arriving::OutOfOrder if !cfg!(feature = "sack") || self.one_each => {
                // Nobody receives 2^32 segments without sending one.
                self.owed = self.owed.wrapping_add(1);
            }
            // The delay counts from the first segment that is not acknowledged (MUST-40).
            Arriving::InOrder if self.deadline.is_never() => {
                self.deadline = now + AckPolicy::TIMEOUT;
            }
            _ => self.owe(),
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
        self.deadline = Instant::FAR_FUTURE;
    }

    /// Whether an ack must go out now.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.owed > 0 || self.deadline <= now
    }

    /// When the delayed ack is due; [`Instant::FAR_FUTURE`] if there is none.
    pub(super) const fn deadline(&self) -> Instant {
        self.deadline
    }
}
