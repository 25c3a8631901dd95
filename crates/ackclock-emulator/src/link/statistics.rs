//! Counters of a link.

use ackclock::time::Duration;

/// Counters of a link since the beginning of the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct LinkStatistics {
    /// Packets offered to the link.
    pub packets_offered: u64,
    /// Packets dropped before they got to the line, for any reason: those of the next three
    /// counters, those for which the queue had no room, and those longer than the MTU.
    pub packets_dropped: u64,
    /// Dropped packets that RED chose by chance, its average being between the thresholds.
    pub packets_dropped_early: u64,
    /// Dropped packets of RED whose average was at or above the larger threshold.
    pub packets_dropped_forced: u64,
    /// Dropped packets of CoDel's control law: they had waited too long.
    pub packets_dropped_late: u64,
    /// Packets marked "congestion experienced" instead of dropped (RFC 3168).
    pub packets_marked: u64,
    /// Packets lost by the path's loss process or in an outage.
    pub packets_lost: u64,
    /// Packets of which a bit was flipped.
    pub packets_corrupted: u64,
    /// Packets that were copied.
    pub packets_duplicated: u64,
    /// Packets that were held back, so that others could overtake them.
    pub packets_reordered: u64,
    /// Packets that left for the other end, copies included.
    pub packets_carried: u64,
    /// Bytes of the packets that left for the other end, IP headers included.
    pub bytes_carried: u64,
    /// How long the line has been transmitting anything, in transmissions that have ended.
    pub busy: Duration,
    /// Most packets at a time in the queue and in service.
    pub longest_queue: u64,
}

impl LinkStatistics {
    /// The difference from `earlier`, statistics of the same link. The longest queue is not a
    /// difference: it is that of `self`.
    pub fn since(&self, earlier: &LinkStatistics) -> LinkStatistics {
        LinkStatistics {
            packets_offered: self.packets_offered - earlier.packets_offered,
            packets_dropped: self.packets_dropped - earlier.packets_dropped,
            packets_dropped_early: self.packets_dropped_early - earlier.packets_dropped_early,
            packets_dropped_forced: self.packets_dropped_forced - earlier.packets_dropped_forced,
            packets_dropped_late: self.packets_dropped_late - earlier.packets_dropped_late,
            packets_marked: self.packets_marked - earlier.packets_marked,
            packets_lost: self.packets_lost - earlier.packets_lost,
            packets_corrupted: self.packets_corrupted - earlier.packets_corrupted,
            packets_duplicated: self.packets_duplicated - earlier.packets_duplicated,
            packets_reordered: self.packets_reordered - earlier.packets_reordered,
            packets_carried: self.packets_carried - earlier.packets_carried,
            bytes_carried: self.bytes_carried - earlier.bytes_carried,
            busy: self.busy.saturating_sub(earlier.busy),
            longest_queue: self.longest_queue,
        }
    }
}
