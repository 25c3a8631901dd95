//! Statistics of an emulated link as JSON, with units in the names.

use super::units::{bits_per_second, milliseconds, seconds};
use ackclock::time::Duration;
use ackclock_emulator::{LinkStatistics, Waits};
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
    #[serde(skip_serializing_if = "Option::is_none")]
    l4s_queue: Option<WaitsReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    classic_queue: Option<WaitsReport>,
}

/// How long packets have waited in one of two queues.
#[derive(Serialize, Clone, PartialEq, Debug)]
struct WaitsReport {
    packets: u64,
    mean_wait_seconds: f64,
    longest_wait_seconds: f64,
}

impl WaitsReport {
    /// `None` if nothing was in the queue.
    fn new(waits: &Waits) -> Option<Self> {
        (waits.packets > 0).then(|| WaitsReport {
            packets: waits.packets,
            mean_wait_seconds: seconds(waits.mean()),
            longest_wait_seconds: seconds(waits.longest),
        })
    }
}

/// The waits in both of two queues in words; `None` if the link has one.
pub(crate) fn waits(link: &LinkStatistics) -> Option<String> {
    let queues = [("L4S", &link.l4s_waits), ("classic", &link.classic_waits)];
    let cells: Vec<String> = queues
        .into_iter()
        .filter(|(_, waits)| waits.packets > 0)
        .map(|(name, waits)| {
            let (mean, longest) = (milliseconds(waits.mean()), milliseconds(waits.longest));
            format!("{name} queue: {} packets, {mean} on average, {longest} at most", waits.packets)
        })
        .collect();
    (!cells.is_empty()).then(|| cells.join("; "))
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
            l4s_queue: WaitsReport::new(&link.l4s_waits),
            classic_queue: WaitsReport::new(&link.classic_waits),
        }
    }
}
