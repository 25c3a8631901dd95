//! Karn's algorithm: the round-trip time is not measured by what was sent more than once, since nobody
//! knows which copy was acknowledged (RFC 6298 section 3). Timestamps tell which.

use super::AckInput;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::sender::Sender;
use crate::tcp::sender::flight::{Acked, micros};
use crate::tcp::timestamps::rtt_since;
use crate::time::{Duration, Instant};

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// The round-trip time, if an ack that has advanced SND.UNA by `advanced` tells one, which the
    /// retransmission timeout follows; `acked` tells when that was sent.
    #[inline(always)]
    pub(super) fn measure_round_trip(
        &mut self,
        now: Instant,
        input: &AckInput<'_>,
        advanced: u32,
        acked: Acked,
    ) -> Option<Duration> {
        let rtt = acked.sent_at.map(|sent_at| now.saturating_since(sent_at));
        // Timestamps are good also for what was retransmitted (RFC 7323 section 4).
        let rtt = match input.echoed_ms {
            Some(echoed)
                if rtt.is_none() && advanced > 0 && self.is_echo_of_acked(now, echoed, acked) =>
            {
                rtt_since(now, echoed)
            }
            _ => rtt,
        };
        // After a spurious timeout what was unsent then is measured first: the delay that the rest met
        // may be over (RFC 4015 section 3.2). A timeout after it is one as any other.
        let is_for_new = self.snd_una.after(self.recovery.point());
        let counts = is_for_new || !self.rto.was_spurious() || self.rto.backoff() > 0;
        let measured = rtt.filter(|_| counts);
        self.rto.on_ack(now, self.snd_una, measured);
        rtt
    }

    /// Whether an echo is of what the ack is for. One that is older than the last retransmission may be
    /// what the receiver had told before, in an ack that was lost; unless no round trip has ever been
    /// as short as the time since, so that it is the first transmission that is late. After several timeouts
    /// nobody knows how old that is, and the path may have become shorter.
    fn is_echo_of_acked(&self, now: Instant, echoed: u32, acked: Acked) -> bool {
        let resent_at = acked.resent_at;
        let is_older = (echoed.wrapping_sub((resent_at / 1_000) as u32) as i32) < 0;
        let since = micros(now).saturating_sub(resent_at);
        let is_late = self.rto.backoff() < 2 && since < self.rto.min_rtt().as_micros();
        resent_at == 0 || !is_older || is_late
    }
}
