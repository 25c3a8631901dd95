//! A link's account: its counters, notes of what happened to packets, and the packets that it
//! dropped.

use super::statistics::LinkStatistics;
use crate::observer::{DropReason, Event, PacketOnLink};
use crate::packet::Packet;
use ackclock::wire::mark_congestion;
use std::collections::VecDeque;

/// Something that happened to a packet that stays in the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Note {
    Queued,
    TransmissionBegan,
    TransmissionEnded,
    Marked,
    Corrupted,
    Duplicated,
}

impl Note {
    /// The event of this note about this packet.
    pub(crate) const fn event(self, packet: PacketOnLink<'_>) -> Event<'_> {
        match self {
            Note::Queued => Event::Queued(packet),
            Note::TransmissionBegan => Event::TransmissionBegan(packet),
            Note::TransmissionEnded => Event::TransmissionEnded(packet),
            Note::Marked => Event::Marked(packet),
            Note::Corrupted => Event::Corrupted(packet),
            Note::Duplicated => Event::Duplicated(packet),
        }
    }
}

/// A link's counters, the dropped packets, and notes of what happened to other packets. The driver
/// of the link takes drops and notes after each call.
#[derive(Debug, Default)]
pub(crate) struct Account {
    pub(crate) statistics: LinkStatistics,
    dropped: VecDeque<(Packet, DropReason)>,
    /// `None` if the observer wants no notes.
    notes: Option<VecDeque<(Packet, Note)>>,
}

impl Account {
    /// Keeps notes from now on.
    pub(crate) fn keep_notes(&mut self) {
        self.notes.get_or_insert_default();
    }

    /// Notes what happened to a packet, if notes are kept.
    pub(crate) fn note(&mut self, packet: &Packet, note: Note) {
        if let Some(notes) = &mut self.notes {
            notes.push_back((packet.clone(), note));
        }
    }

    /// The next note and a copy of the packet as it was then.
    pub(crate) fn take_note(&mut self) -> Option<(Packet, Note)> {
        self.notes.as_mut()?.pop_front()
    }

    /// Counts a dropped packet and keeps it for the driver.
    pub(crate) fn drop(&mut self, packet: Packet, reason: DropReason) {
        let LinkStatistics {
            packets_dropped,
            packets_dropped_early,
            packets_dropped_forced,
            packets_dropped_late,
            packets_lost,
            ..
        } = &mut self.statistics;
        match reason {
            DropReason::Loss | DropReason::Outage => *packets_lost += 1,
            DropReason::QueueFull
            | DropReason::TooBig
            | DropReason::Expired
            | DropReason::NoRoute
            | DropReason::Malformed => *packets_dropped += 1,
            DropReason::Early => {
                *packets_dropped += 1;
                *packets_dropped_early += 1;
            }
            DropReason::Forced => {
                *packets_dropped += 1;
                *packets_dropped_forced += 1;
            }
            DropReason::Late => {
                *packets_dropped += 1;
                *packets_dropped_late += 1;
            }
        }
        self.dropped.push_back((packet, reason));
    }

    /// Tells the packet's receiver of congestion: by a mark if the queue marks (`marks`) and the
    /// packet can carry one, and returns the packet then; otherwise by dropping it.
    pub(crate) fn signal(
        &mut self,
        mut packet: Packet,
        reason: DropReason,
        marks: bool,
    ) -> Option<Packet> {
        if marks && mark_congestion(&mut packet.bytes) {
            self.statistics.packets_marked += 1;
            self.note(&packet, Note::Marked);
            return Some(packet);
        }
        self.drop(packet, reason);
        None
    }

    /// The next dropped packet, in the order in which they were dropped.
    pub(crate) fn take_drop(&mut self) -> Option<(Packet, DropReason)> {
        self.dropped.pop_front()
    }
}

#[cfg(test)]
impl Account {
    /// Takes all dropped packets; their numbers.
    pub(crate) fn dropped(&mut self) -> Vec<u64> {
        std::iter::from_fn(|| self.take_drop()).map(|(packet, _)| packet.number).collect()
    }
}
