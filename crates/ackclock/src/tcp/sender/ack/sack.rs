//! The SACK blocks of an ack: data that the peer holds out of order (RFC 2018), and duplicates that it has
//! received (D-SACK, RFC 2883).

use super::AckInput;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::seq::SeqRange;
use crate::tcp::sender::Sender;
use crate::tcp::sender::flight::{Delivered, Flight};

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    /// Marks what the SACK blocks report, ignoring blocks that cannot be true. Returns how much is newly
    /// SACKed, and the duplicate that D-SACK reports.
    pub(super) fn apply_sack(
        &mut self,
        input: &AckInput<'_>,
        delivered: &mut Delivered,
    ) -> (u32, Option<SeqRange>) {
        let mut dsack = None;
        let outstanding = SeqRange::new(self.snd_una, self.snd_nxt);
        let uses_sack = self.recovery.uses_sack();
        let before = delivered.bytes;
        let data_end = self.snd_una + self.queue.len() as u32;
        for (index, block) in input.sack.as_slice().iter().enumerate() {
            let next = input.sack.as_slice().get(index + 1);
            let duplicate = index == 0
                && (block.end.at_or_before(input.ack) || next.is_some_and(|n| n.covers(*block)));
            if duplicate {
                // RFC 2883 section 4: a duplicate.
                self.counters.dsacks.add(1);
                self.recovery.count_duplicate();
                dsack = Some(*block);
            } else if uses_sack && !block.is_empty() && outstanding.covers(*block) {
                // A FIN sent with data arrives with it, though receivers may report only the data.
                let with_fin = block.end == data_end && self.flight.last_contains(data_end);
                let block = SeqRange::new(block.start, block.end + u32::from(with_fin));
                self.flight.sack(block, delivered);
            }
        }
        (delivered.bytes - before, dsack)
    }
}
