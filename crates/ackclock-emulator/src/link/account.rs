//! What a link has to tell: its statistics, and the packets that it dropped.

use crate::observer::{DropReason, Event, PacketOnLink};
use crate::packet::Packet;
use ackclock::time::Duration;
use ackclock::wire::mark_congestion;
use std::collections::VecDeque;

/// What a link has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct LinkStatistics {
    /// Packets offered to it.
    pub packets_offered: u64,
    /// Packets dropped before they got to the line, for whatever reason: those that the next three
    /// counters count, those for which the queue had no room, and those longer than the MTU.
    pub packets_dropped: u64,
    /// Packets of those dropped by RED by chance, its average being between the thresholds.
    pub packets_dropped_early: u64,
    /// Packets of those dropped by RED because its average was at or above the larger threshold.
    pub packets_dropped_forced: u64,
    /// Packets of those dropped by CoDel's control law: they had waited too long.
    pub packets_dropped_late: u64,
    /// Packets marked "congestion experienced" instead of dropped (RFC 3168).
    pub packets_marked: u64,
    /// Packets lost on the way or in an outage.
    pub packets_lost: u64,
    /// Packets of which a bit was flipped.
    pub packets_corrupted: u64,
    /// Packets that were copied.
    pub packets_duplicated: u64,
    /// Packets that were held back, so that others could overtake them.
    pub packets_reordered: u64,
    /// Packets that left for the other end, copies included.
    pub packets_carried: u64,
    /// Bytes of those, IP headers included.
    pub bytes_carried: u64,
    /// How long the line has been transmitting anything, in transmissions that have ended.
    pub busy: Duration,
    /// Most packets at a time in the queue and in service.
    pub longest_queue: u64,
}

impl LinkStatistics {
    /// What a link has done since `earlier`, which are statistics of the same link. The longest queue
    /// is that of the later ones.
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

/// Something that happened to a packet, which stays in the network.
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
    /// The event that tells of it.
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

/// A link's statistics, and what whoever drives it has yet to take: dropped packets, and notes of
/// what happened to others.
#[derive(Debug, Default)]
pub(crate) struct Account {
    pub(crate) statistics: LinkStatistics,
    dropped: VecDeque<(Packet, DropReason)>,
    /// `None` while nobody wants to know.
    notes: Option<VecDeque<(Packet, Note)>>,
}

impl Account {
    /// Keeps notes from now on.
    pub(crate) fn keep_notes(&mut self) {
        self.notes.get_or_insert_default();
    }

    /// Something happened to a packet.
    pub(crate) fn note(&mut self, packet: &Packet, note: Note) {
        if let Some(notes) = &mut self.notes {
            notes.push_back((packet.clone(), note));
        }
    }

    /// What happened to a packet next, and a copy of it as it was then.
    pub(crate) fn take_note(&mut self) -> Option<(Packet, Note)> {
        self.notes.as_mut()?.pop_front()
    }

    /// Takes a packet out of the network.
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
