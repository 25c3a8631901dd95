//! Karn's algorithm: no round-trip time is measured from a segment that was sent more than once, because it
//! is unknown which copy was acknowledged (RFC 6298 section 3). A timestamp resolves this.

use super::AckInput;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::sender::Sender;
use crate::tcp::sender::flight::{Acked, micros};
use crate::tcp::timestamps::rtt_since;
use crate::time::{Duration, Instant};

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Measures the round-trip time by an ack that advanced SND.UNA by `advanced`, and updates the
    /// retransmission timeout; `acked` says when the acknowledged segment was sent. `None` if the ack gives
    /// no sample.
    #[inline(always)]
    pub(super) fn measure_round_trip(
        &mut self,
        now: Instant,
        input: &AckInput<'_>,
        advanced: u32,
        acked: Acked,
    ) -> Option<Duration> {
        let rtt = acked.sent_at.map(|sent_at| now.saturating_since(sent_at));
        // A timestamp gives a sample even for a retransmitted segment (RFC 7323 section 4).
        let rtt = match input.echoed_ms {
            Some(echoed)
                if rtt.is_none() && advanced > 0 && self.is_echo_of_acked(now, echoed, acked) =>
            {
                rtt_since(now, echoed)
            }
            _ => rtt,
        };
        let counts = self.rto.counts(self.snd_una, self.recovery.point());
        let measured = rtt.filter(|_| counts);
        self.rto.on_ack(now, self.snd_una, measured);
        rtt
    }

    /// Whether an echoed timestamp belongs to the segment that is acknowledged. An echo older than the last
    /// retransmission may repeat that of an earlier, lost ack. But if less time has passed since the
    /// retransmission than the least round-trip time, it does belong to the first transmission, which is
    /// late. After several timeouts the echo may be of any age and the path may have become shorter, so it
    /// does not count.
    fn is_echo_of_acked(&self, now: Instant, echoed: u32, acked: Acked) -> bool {
        let resent_at = acked.resent_at;
        let is_older = (echoed.wrapping_sub((resent_at / 1_000) as u32) as i32) < 0;
        let since = micros(now).saturating_sub(resent_at);
        let is_late = self.rto.backoff() < 2 && since < self.rto.min_rtt().as_micros();
        resent_at == 0 || !is_older || is_late
    }
}
