//! Intervals of a transfer, and the samples of a connection that they lie between.

use ackclock::tcp::{Info, LimitTimes};
use ackclock::time::Duration;

/// Counters of a connection at a point in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sample {
    /// Time since the connection was established.
    pub(crate) at: Duration,
    /// Payload bytes acknowledged.
    pub(crate) bytes_acked: u64,
    /// Segments retransmitted.
    pub(crate) retransmitted: u64,
    /// Congestion window in bytes.
    pub(crate) cwnd: u32,
    /// Smoothed round-trip time.
    pub(crate) rtt: Duration,
    /// How long each limit held the sender.
    pub(crate) limits: LimitTimes,
}

impl Sample {
    /// Counters at the time `at`.
    pub(crate) fn new(at: Duration, info: &Info) -> Self {
        Sample {
            at,
            bytes_acked: info.bytes_acked,
            retransmitted: info.retransmitted,
            cwnd: info.cwnd,
            rtt: info.rtt,
            limits: info.limits,
        }
    }
}

/// Changes of a connection between two samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interval {
    /// Begin of the interval, in time since the connection was established.
    pub(crate) start: Duration,
    /// End of the interval, likewise.
    pub(crate) end: Duration,
    /// Payload bytes acknowledged in the interval.
    pub(crate) bytes: u64,
    /// Segments retransmitted in the interval.
    pub(crate) retransmitted: u64,
    /// Congestion window at the end, in bytes.
    pub(crate) cwnd: u32,
    /// Smoothed round-trip time at the end.
    pub(crate) rtt: Duration,
    /// How long each limit held the sender in the interval.
    pub(crate) limits: LimitTimes,
}

impl Interval {
    /// Interval from one sample to the next.
    pub(crate) fn between(from: &Sample, to: &Sample) -> Self {
        Interval {
            start: from.at,
            end: to.at,
            bytes: to.bytes_acked.saturating_sub(from.bytes_acked),
            retransmitted: to.retransmitted.saturating_sub(from.retransmitted),
            cwnd: to.cwnd,
            rtt: to.rtt,
            limits: to.limits.since(&from.limits),
        }
    }

    /// Length of the interval.
    pub(crate) fn length(&self) -> Duration {
        self.end.saturating_sub(self.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_differences_and_states_are_those_at_the_end() {
        let from = Sample {
            at: Duration::from_secs(1),
            bytes_acked: 1_000,
            retransmitted: 2,
            cwnd: 14_600,
            rtt: Duration::from_millis(40),
            limits: LimitTimes::default(),
        };
        let to = Sample {
            at: Duration::from_secs(3),
            bytes_acked: 5_000,
            retransmitted: 7,
            cwnd: 29_200,
            rtt: Duration::from_millis(50),
            limits: LimitTimes::default(),
        };
        let expected = Interval {
            start: Duration::from_secs(1),
            end: Duration::from_secs(3),
            bytes: 4_000,
            retransmitted: 5,
            cwnd: 29_200,
            rtt: Duration::from_millis(50),
            limits: LimitTimes::default(),
        };
        assert_eq!(Interval::between(&from, &to), expected);
        assert_eq!(expected.length(), Duration::from_secs(2));
    }
}
