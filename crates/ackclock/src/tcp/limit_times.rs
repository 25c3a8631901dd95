//! What has limited a connection's sender, and for how long (RFC 4898).

use crate::time::Duration;

/// How long the sender was busy, and what limited it in that time. The other times are disjoint parts of
/// [`busy`](Self::busy); what they leave is [`application`](Self::application).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct LimitTimes {
    /// Time in which data was in flight, or waited to be sent (Linux's `tcpi_busy_time`).
    pub busy: Duration,
    /// Time in which queued or lost data waited for the congestion window or for pacing (RFC 4898:
    /// `SndLimTimeCwnd`).
    pub congestion: Duration,
    /// Time in which queued data waited for the peer's receive window (RFC 4898: `SndLimTimeRwin`; Linux's
    /// `tcpi_rwnd_limited`).
    pub receiver: Duration,
    /// Time in which all queued data was in flight, and the full send buffer kept the application from
    /// queuing more (Linux's `tcpi_sndbuf_limited`; RFC 4898 counts it in `SndLimTimeSnd`).
    pub buffer: Duration,
}

impl LimitTimes {
    /// Time in which all queued data was in flight and the application had no more, or Nagle's algorithm held
    /// back the rest.
    pub fn application(&self) -> Duration {
        let others = self.congestion + self.receiver + self.buffer;
        self.busy.saturating_sub(others)
    }

    /// The times that have been added since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &LimitTimes) -> LimitTimes {
        LimitTimes {
            busy: self.busy.saturating_sub(earlier.busy),
            congestion: self.congestion.saturating_sub(earlier.congestion),
            receiver: self.receiver.saturating_sub(earlier.receiver),
            buffer: self.buffer.saturating_sub(earlier.buffer),
        }
    }

    /// The share of [`busy`](Self::busy) that `part` is, in whole per cent, rounded; 0 if nothing was busy.
    pub fn percent(&self, part: Duration) -> u32 {
        let (part, busy) = (u128::from(part.as_nanos()), u128::from(self.busy.as_nanos()));
        let percent = (part * 100 + busy / 2).checked_div(busy).unwrap_or(0);
        u32::try_from(percent).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_in_whole_per_cent_of_the_busy_time() {
        let [busy, congestion, receiver] = [3_000, 1_000, 1_985].map(Duration::from_millis);
        let times = LimitTimes { busy, congestion, receiver, buffer: Duration::ZERO };
        assert_eq!(times.application(), Duration::from_millis(15));
        assert_eq!([congestion, receiver].map(|part| times.percent(part)), [33, 66]);
        assert_eq!(times.percent(times.application()), 1, "half a per cent");
        let since = times.since(&LimitTimes { busy: receiver, receiver, ..LimitTimes::default() });
        assert_eq!((since.busy.as_millis(), since.receiver.as_millis()), (1_015, 0));
        assert_eq!(LimitTimes::default().percent(Duration::ZERO), 0);
    }
}
