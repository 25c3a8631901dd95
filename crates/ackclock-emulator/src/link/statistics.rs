//! Counters of a link.

use ackclock::time::Duration;

/// How long packets have waited in a queue until they were put on the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Waits {
    /// Packets that have waited, be it no time.
    pub packets: u64,
    /// The waits of all of them together.
    pub total: Duration,
    /// The longest of them.
    pub longest: Duration,
}

impl Waits {
    /// The mean wait; zero if there was no packet.
    pub fn mean(&self) -> Duration {
        Duration::from_nanos(self.total.as_nanos().checked_div(self.packets).unwrap_or(0))
    }

    pub(crate) fn note(&mut self, wait: Duration) {
        self.packets += 1;
        self.total += wait;
        self.longest = self.longest.max(wait);
    }

    /// The difference from `earlier`. The longest wait is that of `self`.
    fn since(&self, earlier: &Waits) -> Waits {
        Waits {
            packets: self.packets - earlier.packets,
            total: self.total.saturating_sub(earlier.total),
            longest: self.longest,
        }
    }
}

/// Counters of a link since the beginning of the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct LinkStatistics {
    /// Packets offered to the link.
    pub packets_offered: u64,
    /// Packets dropped before they got to the line, for any reason: those of the next three
    /// counters, those for which the queue had no room, and those longer than the MTU.
    pub packets_dropped: u64,
    /// Dropped packets that RED chose by chance, its average being between the thresholds, or DualPI2 by the
    /// probability of its controller.
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
    /// Waits in the L4S queue of DualPI2; of no packet with any other discipline.
    pub l4s_waits: Waits,
    /// Waits in the classic queue of DualPI2; of no packet with any other discipline.
    pub classic_waits: Waits,
}

impl LinkStatistics {
    /// The difference from `earlier`, statistics of the same link. The longest queue and the
    /// longest waits are no differences: they are those of `self`.
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
            l4s_waits: self.l4s_waits.since(&earlier.l4s_waits),
            classic_waits: self.classic_waits.since(&earlier.classic_waits),
        }
    }
}
