//! The receive window: what to advertise, with silly-window avoidance, and what has been advertised (RFC 9293
//! section 3.8.6, RFC 7323 section 2).

use crate::profile::{Kept, Part, Profile};
use crate::seq::SeqNumber;

/// Largest shift count (RFC 7323 section 2.3).
const MAX_SHIFT: u8 = 14;

/// The receive window, kept as its right edge RCV.NXT + RCV.WND.
#[derive(Debug)]
pub(super) struct Window<P: Profile> {
    /// The rightmost edge ever advertised. Data up to it is accepted even if a later segment advertised less
    /// (RFC 7323 section 2.4).
    edge: SeqNumber,
    /// The shift count; absent if the profile has no window scaling.
    shift: <P::WindowScaling as Part>::Keeps<u8>,
    /// The largest payload that the peer may send, in bytes.
    mss: u16,
}

impl<P: Profile> Window<P> {
    /// The window advertised by our SYN, up to `edge`. `mss` is the largest payload that the peer may send,
    /// in bytes.
    pub(super) fn new(edge: SeqNumber, shift: u8, mss: u16) -> Self {
        Window { edge, shift: Kept::new(shift.min(MAX_SHIFT)), mss }
    }

    /// The largest payload that the peer may send, in bytes.
    pub(super) fn mss(&self) -> u32 {
        self.mss.into()
    }

    fn shift(&self) -> u8 {
        self.shift.get().copied().unwrap_or(0)
    }

    /// The rightmost edge ever advertised.
    pub(super) const fn edge(&self) -> SeqNumber {
        self.edge
    }

    /// The window to advertise in the next segment, in bytes: a multiple of 2^shift, never more than the
    /// `free` bytes of a buffer that holds `limit`.
    ///
    /// The right edge stays where it is until it can move by a worthwhile step (receiver's silly-window
    /// avoidance, RFC 9293 section 3.8.6.2.2). To keep an edge that is not such a multiple the window is
    /// rounded up if there is memory for that, else down. Rounded down, the advertised edge lies less than
    /// 2^shift bytes left of [`edge`](Self::edge), as RFC 7323 section 2.4 describes; data up to `edge` is
    /// still accepted.
    pub(super) fn offer(&self, next: SeqNumber, free: usize, limit: u32) -> u32 {
        let step = self.mss().min(limit / 2).max(1);
        let shift = self.shift();
        let largest = u32::from(u16::MAX) << shift;
        let room = u32::try_from(free).unwrap_or(u32::MAX).min(largest);
        let open = room >> shift << shift;
        let promised = self.edge.since(next);
        if open >= promised.saturating_add(step) {
            return open;
        }
        let unit = 1_u32 << shift;
        let rounded_up = promised.saturating_add(unit - 1) >> shift << shift;
        // There is no room for more than `open`. If this is less than before, it is by rounding only, unless
        // the window advertised before never fitted the buffer.
        rounded_up.min(open)
    }

    /// Whether a window of `offered` bytes is worth a segment of its own: it grows by `worthwhile` bytes, or
    /// takes a full segment again.
    pub(super) fn update_due(&self, next: SeqNumber, offered: u32, worthwhile: u32) -> bool {
        let promised = self.edge.since(next);
        offered >= promised.saturating_add(worthwhile)
            || (promised < self.mss() && offered >= self.mss())
    }

    /// Notes that a segment was sent that acknowledged `next` and advertised `window` bytes.
    pub(super) fn on_advertised(&mut self, next: SeqNumber, window: u32) {
        self.edge = self.edge.max(next + window);
    }

    /// The window field of the header for a window of `window` bytes (RFC 7323 section 2.3).
    pub(super) fn field(&self, window: u32) -> u16 {
        u16::try_from(window >> self.shift()).unwrap_or(u16::MAX)
    }
}
