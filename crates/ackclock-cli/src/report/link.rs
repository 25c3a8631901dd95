//! Statistics of an emulated link as JSON, with units in the names.

use super::units::bits_per_second;
use ackclock::time::Duration;
use ackclock_emulator::LinkStatistics;
use serde::Serialize;

/// Statistics of one direction of a link: how many packets met each fate.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub(crate) struct LinkReport {
    offered_packets: u64,
    carried_packets: u64,
    carried_bytes: u64,
    bits_per_second: f64,
    queue_dropped_packets: u64,
    lost_packets: u64,
    marked_packets: u64,
    duplicated_packets: u64,
    reordered_packets: u64,
    corrupted_packets: u64,
    longest_queue_packets: u64,
}

impl LinkReport {
    /// Statistics of a link that has run for `time`.
    pub(crate) fn new(link: &LinkStatistics, time: Duration) -> Self {
        LinkReport {
            offered_packets: link.packets_offered,
            carried_packets: link.packets_carried,
            carried_bytes: link.bytes_carried,
            bits_per_second: bits_per_second(link.bytes_carried, time),
            queue_dropped_packets: link.packets_dropped,
            lost_packets: link.packets_lost,
            marked_packets: link.packets_marked,
            duplicated_packets: link.packets_duplicated,
            reordered_packets: link.packets_reordered,
            corrupted_packets: link.packets_corrupted,
            longest_queue_packets: link.longest_queue,
        }
    }
}
