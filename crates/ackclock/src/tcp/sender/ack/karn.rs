//! Karn's algorithm: the round-trip time is not measured by what was sent more than once, since nobody
//! knows which copy was acknowledged (RFC 6298 section 3). Timestamps tell which.

use super::AckInput;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::sender::Sender;
use crate::tcp::timestamps::rtt_since;
use crate::time::{Duration, Instant};

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// The round-trip time, if an ack that has advanced SND.UNA by `advanced` tells one, which the
    /// retransmission timeout follows. `sent_at` is when what is acknowledged was sent, if that was
    /// once.
    #[inline(always)]
    pub(super) fn measure_round_trip(
        &mut self,
        now: Instant,
        input: &AckInput<'_>,
        advanced: u32,
        sent_at: Option<Instant>,
    ) -> Option<Duration> {
        let rtt = sent_at.map(|sent_at| now.saturating_since(sent_at));
        // Timestamps are good also for what was retransmitted (RFC 7323 section 4).
        let rtt = match input.echoed_ms {
            Some(echoed) if rtt.is_none() && advanced > 0 => rtt_since(now, echoed),
            _ => rtt,
        };
        // After a spurious timeout what was unsent then is measured first: the delay that the rest met
        // may be over (RFC 4015 section 3.2).
        let is_for_new = self.snd_una.after(self.recovery.point());
        let measured = rtt.filter(|_| is_for_new || !self.rto.was_spurious());
        self.rto.on_ack(now, self.snd_una, measured);
        rtt
    }
}
