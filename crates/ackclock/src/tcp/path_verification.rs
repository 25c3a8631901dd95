//! Whether a size of which a probe has passed passes always (RFC 4821 section 7.8): where packets of one flow take
//! paths with different MTUs a probe can be lucky, and then many segments of its size are lost.

use crate::time::{Duration, Instant};

/// An interval lasts for a retransmission timeout, and until so many segments were sent.
const SEGMENTS: u64 = 10;
/// In so many intervals in a row more than a tenth was sent again: the size is not what passes.
const BAD_INTERVALS: u8 = 3;
/// In so many in a row it was not: it passes.
const GOOD_INTERVALS: u8 = 4;

/// What a connection has sent so far, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    /// Of new data and of old.
    pub(super) all: u64,
    /// Of what was sent before.
    pub(super) again: u64,
}

/// What is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Finding {
    /// Nothing yet, or there is nothing to verify.
    None,
    /// The size passes.
    Passes,
    /// It does not; this one did, in bytes.
    Fails { before: u16 },
}

/// The verification of the size that is in use, if it is not over.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Verification {
    /// The last size that was in use for long enough, in bytes; 0 while nothing is verified.
    before: u16,
    /// A size was found not to pass: from now on no larger one is probed before the last one is verified.
    pub(super) is_careful: bool,
    bad: u8,
    good: u8,
    /// The current interval: what was sent before it, and when it ends at the earliest.
    start: Sent,
    until: Instant,
}

impl Verification {
    /// Segments are larger from now on than those of `before` bytes. Gives when that is verified at the earliest.
    pub(super) fn begin(
        &mut self,
        now: Instant,
        before: u16,
        sent: Sent,
        rto: Duration,
    ) -> Instant {
        if self.before == 0 {
            self.before = before;
        }
        (self.bad, self.good) = (0, 0);
        self.pass_over(now, sent, rto);
        now + rto.saturating_mul(GOOD_INTERVALS.into())
    }

    /// A probe was lost, and what was sent behind it may have gone again: the interval says nothing.
    pub(super) fn pass_over(&mut self, now: Instant, sent: Sent, rto: Duration) {
        (self.start, self.until) = (sent, now + rto);
    }

    /// The size is given up for another reason.
    pub(super) fn end(&mut self) {
        self.is_careful |= self.before > 0;
        self.before = 0;
    }

    /// What is found by now, where segments have `mss` bytes.
    pub(super) fn judge(&mut self, now: Instant, sent: Sent, mss: u32, rto: Duration) -> Finding {
        let all = sent.all.saturating_sub(self.start.all);
        let again = sent.again.saturating_sub(self.start.again);
        let is_long = now >= self.until && all >= u64::from(mss).saturating_mul(SEGMENTS);
        if self.before == 0 || !is_long {
            return Finding::None;
        }
        self.pass_over(now, sent, rto);
        if again.saturating_mul(10) > all {
            (self.bad, self.good) = (self.bad + 1, 0);
        } else {
            (self.bad, self.good) = (0, self.good + 1);
        }
        if self.bad >= BAD_INTERVALS {
            let before = core::mem::take(&mut self.before);
            self.is_careful = true;
            return Finding::Fails { before };
        }
        if self.good < GOOD_INTERVALS {
            return Finding::None;
        }
        self.before = 0;
        Finding::Passes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTO: Duration = Duration::from_millis(200);

    /// What is found by intervals of which so many per cent were sent again, and after how many.
    fn found(percentages: &[u64]) -> (Finding, usize) {
        let mut verification = Verification::default();
        let mut sent = Sent { all: 5_000, again: 100 };
        let mut now = Instant::from_secs(1);
        verification.begin(now, 1_280, sent, RTO);
        verification.begin(now, 1_400, sent, RTO);
        for (at, percent) in percentages.iter().enumerate() {
            now += RTO;
            sent = Sent { all: sent.all + 100_000, again: sent.again + percent * 1_000 };
            let finding = verification.judge(now, sent, 1_000, RTO);
            if finding != Finding::None {
                return (finding, at + 1);
            }
        }
        (Finding::None, percentages.len())
    }

    #[test]
    fn a_tenth_lost_over_three_timeouts_is_too_much() {
        let fails = Finding::Fails { before: 1_280 };
        assert_eq!(found(&[11, 50, 11]), (fails, 3), "the size before all that are not verified");
        assert_eq!(found(&[11, 11, 10, 11, 11, 11]), (fails, 6));
        assert_eq!(
            found(&[90, 90, 0, 0, 0, 0]),
            (Finding::Passes, 6),
            "a queue that overflowed once"
        );
        assert_eq!(found(&[0, 0, 0, 50]), (Finding::None, 4));
    }

    #[test]
    fn an_interval_has_a_timeout_and_ten_segments() {
        let mut verification = Verification::default();
        let start = Instant::from_secs(1);
        let mut judge = |millis, all| {
            let sent = Sent { all, again: all };
            let finding =
                verification.judge(start + Duration::from_millis(millis), sent, 1_000, RTO);
            (finding, verification.bad)
        };
        assert_eq!(judge(200, 10_000), (Finding::None, 0), "nothing is verified");
        verification.begin(start, 1_280, Sent::default(), RTO);
        let mut judge = |millis, all| {
            let sent = Sent { all, again: all };
            let finding =
                verification.judge(start + Duration::from_millis(millis), sent, 1_000, RTO);
            (finding, verification.bad)
        };
        assert_eq!(judge(199, 50_000), (Finding::None, 0));
        assert_eq!(judge(300, 9_999), (Finding::None, 0));
        assert_eq!(judge(300, 10_000), (Finding::None, 1));
        assert_eq!(judge(499, 30_000), (Finding::None, 1));
        assert_eq!(judge(500, 30_000), (Finding::None, 2));
    }
}
