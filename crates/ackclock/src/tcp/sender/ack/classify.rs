//! Classification of acks (duplicate or not), and the facts that recovery needs of an ack.

use super::measure::Measured;
use super::{AckInput, Before};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::sender::Sender;
use crate::tcp::sender::flight::micros;
use crate::tcp::sender::recovery::AckFacts;
use crate::time::Instant;

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Classifies an ack: a duplicate ack is one by RFC 5681 section 2, or with SACK one that SACKs something
    /// new (RFC 6675 section 2). While the window is closed acks answer window probes and are no duplicates.
    #[inline(always)]
    pub(super) fn classify<'m>(
        &self,
        now: Instant,
        input: &AckInput<'_>,
        before: &Before,
        window_changed: bool,
        measured: &'m Measured,
    ) -> AckFacts<'m> {
        let Measured { acked, sacked, dsack, ref delivered, .. } = *measured;
        let uses_sack = self.recovery.uses_sack();
        let repeats = input.empty && !window_changed && !before.was_closed;
        let tells_again = if uses_sack { sacked > 0 } else { repeats };
        AckFacts {
            now: micros(now),
            una: self.snd_una,
            nxt: self.snd_nxt,
            acked,
            sacked,
            duplicate: acked == 0 && before.had_flight && tells_again,
            ecn_echo: input.ecn_echo,
            window: self.controller.window(),
            bare_duplicate: repeats && acked == 0 && input.sack.is_empty(),
            uses_sack,
            dsack,
            reports_duplicates: self.counters.dsacks.get() > 0,
            echoed_ms: input.echoed_ms,
            delivered,
            can_send_new: self.unsent() > 0 && self.usable_window() > 0,
            rtt: self.measured_rtt(),
            mss: self.mss(),
        }
    }
}
