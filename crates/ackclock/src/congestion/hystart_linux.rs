//! HyStart of Linux's CUBIC: the initial slow start ends when a train of acks is longer than half the least
//! round-trip time, or when round trips have become an eighth longer.
//!
//! The differences from HyStart++ (RFC 9406, [`HyStart`](super::HyStart)): round trips are compared with the
//! least round-trip time of the connection and not of the last round, slow start ends at once, and a window of
//! 16 segments must be reached first. Linux's other limit for paced connections (a train of a whole round trip)
//! is left out.

use super::{Ack, micros};

/// Least window in segments (`hystart_low_window`).
const LEAST_WINDOW: u32 = 16;
/// Longest time between two acks of a train, in microseconds (`hystart_ack_delta_us`).
const TRAIN_SPACING: u32 = 2_000;
/// Bytes that a receiver merges at most (GRO), four times of which may delay an ack, and the longest such delay
/// in microseconds (`hystart_ack_delay`).
const LARGEST_MERGE: u64 = 65_536;
const LONGEST_ACK_DELAY: u32 = 1_000;
/// Number of samples in a round before its round-trip time is compared (HYSTART_MIN_SAMPLES).
const LEAST_SAMPLES: u8 = 8;
/// Increase over the least round-trip time that is allowed: an eighth of it, but within these bounds in
/// microseconds (HYSTART_DELAY_MIN, HYSTART_DELAY_MAX).
const LEAST_DELAY: u32 = 4_000;
const MOST_DELAY: u32 = 16_000;
const DELAY_DIVISOR: u32 = 8;

/// Measurements in the current round trip, in microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LinuxHyStart {
    round_start: u32,
    last_ack: u32,
    least_rtt: u32,
    samples: u8,
}

impl LinuxHyStart {
    pub(super) const INITIAL: LinuxHyStart =
        LinuxHyStart { round_start: 0, last_ack: 0, least_rtt: u32::MAX, samples: 0 };

    /// Processes an ack in slow start with a window of `cwnd` bytes. Returns whether slow start is over.
    pub(super) fn ends_slow_start(&mut self, ack: &Ack, cwnd: u32, mss: u32) -> bool {
        // Only differences are used, modulo 2^32.
        let now = ack.now.as_micros() as u32;
        if ack.new_round {
            *self = LinuxHyStart { round_start: now, last_ack: now, ..Self::INITIAL };
        }
        let Some(rtt) = ack.rtt.map(micros) else { return false };
        if cwnd / mss.max(1) < LEAST_WINDOW {
            return false;
        }
        let least = micros(ack.min_rtt);
        let in_train = now.wrapping_sub(self.last_ack) <= TRAIN_SPACING;
        if in_train {
            self.last_ack = now;
        }
        let longest = least.saturating_add(ack_delay(cwnd, micros(ack.smoothed_rtt))) / 2;
        let is_long = in_train && now.wrapping_sub(self.round_start) > longest;
        is_long | self.is_late(rtt, least)
    }

    /// Whether this round trip takes more than an eighth longer than the least of the connection.
    fn is_late(&mut self, rtt: u32, least: u32) -> bool {
        self.least_rtt = self.least_rtt.min(rtt);
        if self.samples < LEAST_SAMPLES {
            self.samples += 1;
            return false;
        }
        let more = (least / DELAY_DIVISOR).clamp(LEAST_DELAY, MOST_DELAY);
        self.least_rtt > least.saturating_add(more)
    }
}

/// How long the receiver may merge segments before it acknowledges them, in microseconds, if they arrive at the
/// rate of two windows in a round trip.
fn ack_delay(cwnd: u32, smoothed_rtt: u32) -> u32 {
    let delay = 4 * LARGEST_MERGE * u64::from(smoothed_rtt) / (2 * u64::from(cwnd.max(1)));
    u32::try_from(delay).unwrap_or(u32::MAX).min(LONGEST_ACK_DELAY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::tests::acked;
    use crate::time::{Duration, Instant};

    const MSS: u32 = 1_000;

    fn ack(at: u64, rtt: u64, new_round: bool) -> Ack {
        let rtt = Duration::from_micros(rtt);
        let min_rtt = Duration::from_micros(200_000);
        Ack {
            now: Instant::from_micros(at),
            rtt: Some(rtt),
            smoothed_rtt: min_rtt,
            min_rtt,
            new_round,
            ..acked(MSS)
        }
    }

    /// The number of the ack that ends slow start, if any of these `acks` does, which are `apart` microseconds
    /// apart.
    fn ends(segments: u32, rtt: u64, apart: u64, acks: u64) -> Option<u64> {
        let mut hystart = LinuxHyStart::INITIAL;
        (1..=acks).find(|n| {
            let ack = ack((n - 1) * apart, rtt, *n == 1);
            hystart.ends_slow_start(&ack, segments * MSS, MSS)
        })
    }

    #[test]
    fn the_ninth_sample_of_a_late_round_ends_slow_start() {
        assert_eq!(ends(20, 216_001, 3_000, 20), Some(9));
        assert_eq!(ends(20, 216_000, 3_000, 20), None, "16 ms are allowed");
    }

    #[test]
    fn slow_start_goes_on_below_16_segments() {
        assert_eq!(ends(15, 300_000, 3_000, 20), None);
        assert_eq!(ends(16, 300_000, 3_000, 20), Some(9));
    }

    #[test]
    fn a_train_of_half_a_round_trip_ends_slow_start() {
        // (200 + 1) / 2 ms in steps of 2 ms; acks further apart are no train.
        assert_eq!(ends(20, 200_000, 2_000, 100), Some(52));
        assert_eq!(ends(20, 200_000, 2_001, 100), None);
    }

    #[test]
    fn a_round_may_begin_with_an_ack_without_a_measurement() {
        let mut hystart = LinuxHyStart::INITIAL;
        let ends = (0..104).find(|n| {
            let ack = ack(n * 2_000, 200_000, *n == 0 || *n == 51);
            let rtt = ack.rtt.filter(|_| *n != 51);
            hystart.ends_slow_start(&Ack { rtt, ..ack }, 20 * MSS, MSS)
        });
        // The second round's train is as long as the first one's, which was just too short.
        assert_eq!(ends, Some(51 + 51));
    }

    #[test]
    fn on_a_fast_path_the_receiver_delays_acks_less() {
        assert_eq!(ack_delay(20_000, 200_000), 1_000);
        assert_eq!(ack_delay(2_000_000, 1_000), 65);
        assert_eq!(ack_delay(0, u32::MAX), 1_000);
    }
}
