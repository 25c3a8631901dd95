//! Small segments: Nagle's algorithm, the sender's silly-window avoidance and the cork (RFC 9293
//! sections 3.7.4 and 3.8.6.2.1). Whole segments go by the windows alone, rule 1.

use super::Sender;
use crate::congestion::CongestionController;
use crate::profile::Profile;

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Switches Nagle's algorithm.
    pub(crate) fn set_nagle(&mut self, on: bool) {
        self.nagle = on;
    }

    /// Corked, less than a segment waits for more, or for a FIN.
    pub(crate) fn set_cork(&mut self, on: bool) {
        self.cork = on;
    }

    /// Whether a segment that is not full, and no FIN follows, waits for more data or for an ack; `idle`
    /// if nothing is in flight.
    #[inline(always)]
    pub(super) fn holds_small_segments(&self, idle: bool) -> bool {
        (P::RARE_SETTINGS && self.cork) || (self.nagle && !idle)
    }

    /// Length and FIN of a segment that is not full, if one may go now: of the `unsent` bytes the
    /// peer's window takes `window`, the congestion window `allowance`.
    pub(super) fn small_segment(
        &self,
        unsent: u32,
        window: u32,
        allowance: u32,
    ) -> Option<(u32, bool)> {
        let idle = self.snd_nxt == self.snd_una;
        if unsent > window.min(allowance) {
            // Rule 3: a good part of the largest window the peer ever offered.
            let worth = (1..=allowance).contains(&window) && window >= self.window.good_part();
            return (worth && (idle || !self.nagle)).then_some((window, false));
        }
        // Rule 2: less than a segment, and all there is.
        let fin = self.fin_pending() && window > unsent;
        let goes = self.fin_pending() || !self.holds_small_segments(idle);
        goes.then_some((unsent, fin))
    }
}
