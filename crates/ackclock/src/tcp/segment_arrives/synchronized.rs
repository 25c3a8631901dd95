//! A segment arrives in a synchronized state (RFC 9293 section 3.10.7.4).

use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::connection::Connection;
use crate::time::Instant;
use crate::wire::{Header, Segment};

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// The checks of section 3.10.7.4, in its order; the third is security: none.
    #[inline(never)]
    pub(super) fn on_segment_synchronized(&mut self, now: Instant, segment: &Segment<'_>) {
        let Header { seq, flags, .. } = segment.header;
        let goes_on = self.check_sequence(now, segment, seq, segment.len())
            && self.check_reset(now, flags, seq)
            && self.check_syn(now, flags)
            && self.check_ack(now, segment, seq);
        if goes_on {
            self.take_urgent_text_and_fin(now, segment, seq);
        }
    }
}
