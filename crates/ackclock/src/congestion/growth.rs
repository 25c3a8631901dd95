//! How much one ack lets a loss-based window grow.

/// How acks are counted when a loss-based window grows.
///
/// In congestion avoidance every law here adds one segment each time a window's worth of data was
/// acknowledged, and keeps the remainder in a counter. The older `MSS * MSS / cwnd` per ack loses
/// what the division cuts off, and with it whole increments (zhang91 section 2.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Growth {
    /// An ack counts for the bytes it acknowledges (RFC 3465), in slow start for at most `limit`
    /// segments: the L of RFC 3465 section 2.2. A limit of 0 counts as 1. In a slow start that
    /// repairs a loss the limit is 1, because there an ack for much data does not mean that much
    /// data just left the network (RFC 3465 section 2.3, allman99 section 3).
    ByteCounting {
        /// L, in segments.
        limit: u32,
    },
    /// An ack counts for one segment, whatever it acknowledges (jacobson88 appendix B).
    PerAck,
}

impl Default for Growth {
    /// Byte counting with L = 2 (RFC 3465 section 2.2).
    fn default() -> Self {
        Growth::ByteCounting { limit: 2 }
    }
}

impl Growth {
    /// By how many bytes an ack of `bytes_acked` new bytes opens the window in slow start.
    pub(super) fn slow_start_increase(self, bytes_acked: u32, mss: u32, repairs_loss: bool) -> u32 {
        match self {
            Growth::ByteCounting { limit } => {
                let limit = if repairs_loss { 1 } else { limit.max(1) };
                bytes_acked.min(limit.saturating_mul(mss))
            }
            Growth::PerAck => mss,
        }
    }

    /// How many bytes an ack of `bytes_acked` new bytes counts for in congestion avoidance.
    pub(super) fn avoidance_credit(self, bytes_acked: u32, mss: u32) -> u32 {
        match self {
            Growth::ByteCounting { .. } => bytes_acked,
            Growth::PerAck => mss,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u32 = 1000;

    #[test]
    fn byte_counting_grants_at_most_l_segments_for_an_ack_in_slow_start() {
        let increase = |limit, bytes, repairs_loss| {
            Growth::ByteCounting { limit }.slow_start_increase(bytes, MSS, repairs_loss)
        };
        assert_eq!(increase(2, 400, false), 400);
        assert_eq!(increase(2, 2000, false), 2000);
        assert_eq!(increase(2, 9000, false), 2000);
        assert_eq!(increase(3, 9000, false), 3000);
        assert_eq!(increase(0, 9000, false), 1000);
        assert_eq!(increase(2, 9000, true), 1000);
        assert_eq!(increase(2, 400, true), 400);
        assert_eq!(increase(u32::MAX, u32::MAX, false), u32::MAX);
    }

    #[test]
    fn per_ack_counting_ignores_how_much_an_ack_covers() {
        for bytes in [1, 1000, 50_000] {
            assert_eq!(Growth::PerAck.slow_start_increase(bytes, MSS, false), 1000);
            assert_eq!(Growth::PerAck.avoidance_credit(bytes, MSS), 1000);
        }
    }

    #[test]
    fn byte_counting_credits_every_byte_in_congestion_avoidance() {
        assert_eq!(Growth::default().avoidance_credit(1, MSS), 1);
        assert_eq!(Growth::default().avoidance_credit(50_000, MSS), 50_000);
    }

    #[test]
    fn the_default_is_byte_counting_with_two_segments() {
        assert_eq!(Growth::default(), Growth::ByteCounting { limit: 2 });
    }
}
