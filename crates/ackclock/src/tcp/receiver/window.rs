//! The receive window: what to promise the peer, with the receiver's silly-window avoidance, and what
//! has been promised (RFC 9293 section 3.8.6, RFC 7323 section 2).

use crate::profile::{Kept, Part, Profile};
use crate::seq::SeqNumber;

/// Largest shift count (RFC 7323 section 2.3).
const MAX_SHIFT: u8 = 14;

/// The right edge of the window, RCV.NXT + RCV.WND.
#[derive(Debug)]
pub(super) struct Window<P: Profile> {
    /// The rightmost edge ever advertised. It is honoured whatever a later segment says
    /// (RFC 7323 section 2.4).
    edge: SeqNumber,
    /// The shift count; none where the profile has no scaling.
    shift: <P::WindowScaling as Part>::Keeps<u8>,
    /// The largest payload that the peer may send.
    mss: u16,
}

impl<P: Profile> Window<P> {
    /// The window that a SYN advertised, up to `edge`. `mss` is the largest payload that the
    /// peer may send.
    pub(super) fn new(edge: SeqNumber, shift: u8, mss: u16) -> Self {
        Window { edge, shift: Kept::new(shift.min(MAX_SHIFT)), mss }
    }

    /// The largest payload that the peer may send.
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

    /// The window for the next segment, in bytes: a multiple of the unit that the shift count
    /// gives, never more than the `free` bytes of the buffer, which holds `limit`.
    ///
    /// The edge stays where it is until it can move by a worthwhile step, for the receiver's
    /// silly-window avoidance (RFC 9293 section 3.8.6.2.2). To hold it between two
    /// units the window is rounded up while there is memory for that, and down otherwise: by less
    /// than one unit the announced edge may then lie left of [`edge`](Self::edge), as RFC 7323
    /// section 2.4 describes; what was promised is still honoured.
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
        // More than `open` has no room. Less than promised is rounding alone, unless the promise
        // never fitted the buffer.
        rounded_up.min(open)
    }

    /// Whether a window of `offered` bytes is worth a segment of its own: it grows by a
    /// `worthwhile` part, or a full segment fits again.
    pub(super) fn update_due(&self, next: SeqNumber, offered: u32, worthwhile: u32) -> bool {
        let promised = self.edge.since(next);
        offered >= promised.saturating_add(worthwhile)
            || (promised < self.mss() && offered >= self.mss())
    }

    /// A segment went out that acknowledged `next` and advertised `window` bytes.
    pub(super) fn on_advertised(&mut self, next: SeqNumber, window: u32) {
        self.edge = self.edge.max(next + window);
    }

    /// The window field of the header for a window of `window` bytes (RFC 7323 section 2.3).
    pub(super) fn field(&self, window: u32) -> u16 {
        u16::try_from(window >> self.shift()).unwrap_or(u16::MAX)
    }
}
