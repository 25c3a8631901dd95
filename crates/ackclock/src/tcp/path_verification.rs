//! MTU verification (RFC 4821 section 7.8): whether all packets of a size arrive, now that a probe of it has. If
//! packets of a flow take paths with different MTUs, a probe may arrive by chance, and many later segments of its
//! size are lost.

use crate::time::{Duration, Instant};

/// Least number of segments sent in an interval, which lasts for at least a retransmission timeout.
const SEGMENTS: u64 = 10;
/// Number of intervals in a row, with more than a tenth retransmitted in each, after which the size is rejected.
const BAD_INTERVALS: u8 = 3;
/// Number of intervals in a row, with less retransmitted in each, after which the size is accepted.
const GOOD_INTERVALS: u8 = 4;

/// Data that a connection has sent so far, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    /// New data and retransmissions.
    pub(super) all: u64,
    /// Retransmissions only.
    pub(super) again: u64,
}

/// Verification of the packet size in use, unless it has ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Verification {
    /// The last size known to pass, in bytes; 0 while no verification is in progress.
    before: u16,
    /// A size was rejected before: no larger one is probed until the size in use is accepted.
    is_careful: bool,
    bad: u8,
    good: u8,
    /// The current interval: the data sent before it, and its earliest end.
    start: Sent,
    until: Instant,
}

impl Verification {
    /// Begins to verify packets that are larger than those of `before` bytes.
    pub(super) fn begin(&mut self, now: Instant, before: u16, sent: Sent, rto: Duration) {
        if self.before == 0 {
            self.before = before;
        }
        (self.bad, self.good) = (0, 0);
        self.pass_over(now, sent, rto);
    }

    /// Whether a verification is in progress, and its interval may have ended.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.before > 0 && now >= self.until
    }

    /// Whether no larger size is to be probed before the one in use is accepted.
    pub(super) fn holds_probes(&self) -> bool {
        self.is_careful && self.before > 0
    }

    /// Restarts the interval after the loss of a probe, since data sent after the probe may have been
    /// retransmitted for that loss.
    pub(super) fn pass_over(&mut self, now: Instant, sent: Sent, rto: Duration) {
        (self.start, self.until) = (sent, now + rto);
    }

    /// Ends the verification of a size that another finding has ruled out.
    pub(super) fn end(&mut self) {
        self.is_careful |= self.before > 0;
        self.before = 0;
    }

    /// The last size known to pass, in bytes, if the one in use is found not to. Segments have `mss` bytes.
    pub(super) fn judge(
        &mut self,
        now: Instant,
        sent: Sent,
        mss: u32,
        rto: Duration,
    ) -> Option<u16> {
        let all = sent.all.saturating_sub(self.start.all);
        let again = sent.again.saturating_sub(self.start.again);
        if !self.is_due(now) || all < u64::from(mss).saturating_mul(SEGMENTS) {
            return None;
        }
        self.pass_over(now, sent, rto);
        if again.saturating_mul(10) > all {
            (self.bad, self.good) = (self.bad + 1, 0);
        } else {
            (self.bad, self.good) = (0, self.good + 1);
        }
        if self.bad >= BAD_INTERVALS {
            self.is_careful = true;
            return Some(core::mem::take(&mut self.before));
        }
        if self.good >= GOOD_INTERVALS {
            self.before = 0;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTO: Duration = Duration::from_millis(200);

    /// After how many intervals, in which these percentages were retransmitted, a verification ends, and the size
    /// to go back to.
    fn end(percentages: &[u64]) -> Option<(usize, Option<u16>)> {
        let mut verification = Verification::default();
        let mut sent = Sent { all: 5_000, again: 100 };
        let mut now = Instant::from_secs(1);
        verification.begin(now, 1_280, sent, RTO);
        verification.begin(now, 1_400, sent, RTO);
        for (at, percent) in percentages.iter().enumerate() {
            now += RTO;
            sent = Sent { all: sent.all + 100_000, again: sent.again + percent * 1_000 };
            let back = verification.judge(now, sent, 1_000, RTO);
            if verification.before == 0 {
                return Some((at + 1, back));
            }
        }
        None
    }

    #[test]
    fn a_tenth_lost_over_three_timeouts_is_too_much() {
        let back = Some(1_280);
        assert_eq!(end(&[11, 50, 11]), Some((3, back)), "not to a size that was not verified");
        assert_eq!(end(&[11, 11, 10, 11, 11, 11]), Some((6, back)));
        assert_eq!(end(&[90, 90, 0, 0, 0, 0]), Some((6, None)), "a queue that overflowed once");
        assert_eq!(end(&[0, 0, 0, 50]), None);
    }

    #[test]
    fn an_interval_has_a_timeout_and_ten_segments() {
        let mut verification = Verification::default();
        let start = Instant::from_secs(1);
        let judge = |verification: &mut Verification, millis, all| {
            let sent = Sent { all, again: all };
            let back = verification.judge(start + Duration::from_millis(millis), sent, 1_000, RTO);
            assert_eq!(back, None);
            verification.bad
        };
        assert_eq!(judge(&mut verification, 200, 10_000), 0, "nothing is verified");
        verification.begin(start, 1_280, Sent::default(), RTO);
        assert_eq!(judge(&mut verification, 199, 50_000), 0);
        assert_eq!(judge(&mut verification, 300, 9_999), 0);
        assert_eq!(judge(&mut verification, 300, 10_000), 1);
        assert_eq!(judge(&mut verification, 499, 30_000), 1);
        assert_eq!(judge(&mut verification, 500, 30_000), 2);
    }

    /// A flow that sends little takes long to verify a size, however many timeouts pass.
    #[test]
    fn after_a_size_was_rejected_the_next_is_verified_before_a_larger_one_is_probed() {
        let (mut verification, mut now) = (Verification::default(), Instant::from_secs(1));
        let mut sent = Sent::default();
        verification.begin(now, 1_280, sent, RTO);
        assert!(!verification.holds_probes(), "the first size");
        for _ in 0..BAD_INTERVALS {
            now += RTO;
            sent = Sent { all: sent.all + 10_000, again: sent.again + 5_000 };
            verification.judge(now, sent, 1_000, RTO);
        }
        assert!(!verification.holds_probes(), "none is in use");
        verification.begin(now, 1_280, sent, RTO);
        for _ in 0..GOOD_INTERVALS {
            for segments in [9, 1] {
                assert!(verification.holds_probes());
                now += RTO.saturating_mul(10);
                sent.all += segments * 1_000;
                verification.judge(now, sent, 1_000, RTO);
            }
        }
        assert!(!verification.holds_probes(), "accepted");
    }
}
