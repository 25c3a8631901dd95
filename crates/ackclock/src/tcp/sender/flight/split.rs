//! Splits of a piece that goes again in shorter segments, because the path MTU or the room beside SACK blocks
//! became less: each of them is a piece then, as the peer tells of each by itself whether it has arrived.

use super::Flight;
use super::record::{FlightRecord, max_pieces};
use super::records::RecordedFlight;
use crate::profile::Profile;
use crate::seq::{SeqNumber, SeqRange};
use crate::tcp::sender::DeliveryRecord;

impl<P: Profile> RecordedFlight<'_, P> {
    /// Whether `range` begins with a piece that is longer.
    pub(super) fn is_shorter(&self, range: SeqRange) -> bool {
        self.records.get(self.locate(range.start)).is_some_and(|record| {
            let piece = record.piece_range(record.index_of(range.start));
            piece.start == range.start && piece.len() > range.len()
        })
    }

    /// Cuts the piece at the start of `range` into pieces of its length, or longer ones if these would be too many.
    /// Where it is not alone in its record, and no other record can be made, it remains as it is. Returns the position
    /// of the record in which `range` begins then.
    #[cold]
    #[inline(never)]
    pub(super) fn cut_piece(&mut self, range: SeqRange) -> usize {
        let mut position = self.locate(range.start);
        if max_pieces::<P>() > 1 {
            position = self.isolate(position, range.start);
        }
        if let Some(record) = self.records.get_mut(position) {
            record.cut(range.len());
        }
        position
    }

    /// Makes the piece at `start` a record of its own, as far as there is memory. Returns the position of the
    /// record that holds it.
    fn isolate(&mut self, mut position: usize, start: SeqNumber) -> usize {
        let index = self.records.get(position).map_or(0, |record| record.index_of(start));
        if index > 0 && self.split(position, index) {
            position += 1;
        }
        if self.records.get(position).is_some_and(|record| record.seq == start) {
            self.split(position, 1);
        }
        position
    }

    /// Splits the record at `position` after `count` pieces, unless it has no others or there is no memory.
    /// Returns whether it did.
    fn split(&mut self, position: usize, count: u32) -> bool {
        let Some(record) = self.records.get(position).copied() else {
            return false;
        };
        if record.pieces() <= count || !self.has_room() || !self.records.push_in_place(record) {
            return false;
        }
        let sent = self.remembered(position).unwrap_or_default();
        for at in (position + 1..self.records.len()).rev() {
            let before = self.records.get(at - 1).copied().unwrap_or_default();
            let sent_before = self.remembered(at - 1).unwrap_or_default();
            self.replace(at, before, sent_before);
        }
        let (front, rest) = record.split(count);
        self.replace(position, front, sent);
        self.replace(position + 1, rest, sent);
        true
    }

    fn replace(&mut self, position: usize, record: FlightRecord<P>, sent: DeliveryRecord) {
        if let Some(place) = self.records.get_mut(position) {
            *place = record;
        }
        self.delivery.set(&self.records, position, sent);
    }
}
