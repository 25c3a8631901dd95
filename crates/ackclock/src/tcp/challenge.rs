//! Challenge ACKs (RFC 5961): answers to segments that may be forged, and the limit on how many a connection
//! sends.

use super::connection::Connection;
use crate::congestion::CongestionController;
use crate::profile::{InitialValue, Profile};
use crate::time::Instant;

/// Most challenge ACKs that one connection sends within [`INTERVAL`]. Each connection counts its own: a count
/// shared between connections could be measured from outside (CVE-2016-5696).
const LIMIT: u32 = 10;
/// Length of an interval in milliseconds: RFC 5961 section 7 suggests 10 acks in any 5 seconds.
const INTERVAL: u32 = 5_000;
/// Most ICMP errors sent within a second, as RFC 4443 section 2.4 (f) suggests.
const ERRORS_PER_SECOND: u32 = 10;

/// Rate limit of answers that an outsider can provoke: at most a given number within each interval.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnswerLimit {
    /// When the interval began, in milliseconds since the origin, modulo 2^32.
    interval_began_at: u32,
    sent: u32,
}

impl AnswerLimit {
    /// Whether another challenge ack may be sent now; if so it is counted.
    pub(crate) fn allow_challenge(&mut self, now: Instant) -> bool {
        self.allow(now, INTERVAL, |_| LIMIT)
    }

    /// Whether another ICMP error may be sent now; if so it is counted.
    pub(crate) fn allow_error(&mut self, now: Instant) -> bool {
        self.allow(now, 1_000, |_| ERRORS_PER_SECOND)
    }

    /// Whether another answer may be sent now; if so it is counted. `interval` is in milliseconds; `most`
    /// gives the number of answers allowed in an interval from when that interval began.
    pub(crate) fn allow(
        &mut self,
        now: Instant,
        interval: u32,
        most: impl FnOnce(u32) -> u32,
    ) -> bool {
        let now = now.as_millis() as u32;
        if now.wrapping_sub(self.interval_began_at) >= interval {
            *self = AnswerLimit { interval_began_at: now, sent: 0 };
        }
        let allowed = self.sent < most(self.interval_began_at);
        self.sent += u32::from(allowed);
        allowed
    }
}

impl InitialValue for AnswerLimit {
    const INITIAL: Self = AnswerLimit { interval_began_at: 0, sent: 0 };
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Has a challenge ACK sent (RFC 5961), unless this connection has sent too many lately.
    pub(super) fn challenge(&mut self, now: Instant) {
        if self.challenge.allow_challenge(now) {
            self.count_rarely(|rare| &mut rare.challenge_acks, 1);
            self.challenge_due = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Duration;

    #[test]
    fn ten_in_five_seconds() {
        let mut limit = AnswerLimit::default();
        let now = Instant::from_secs(100);
        assert_eq!((0..20).filter(|_| limit.allow_challenge(now)).count(), 10);
        assert!(!limit.allow_challenge(now + Duration::from_millis(4_999)));
        assert!(limit.allow_challenge(now + Duration::from_millis(5_000)));
    }
}
