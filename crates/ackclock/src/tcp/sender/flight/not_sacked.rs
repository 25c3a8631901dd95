//! What stands in for SACK's side of the scoreboard where it was left out: the peer says nothing of
//! what it holds.

use super::{Delivered, Flight};
use crate::wire::SackBlocks;

impl Flight<'_> {
    pub(crate) fn sack(&mut self, _blocks: &SackBlocks, _delivered: &mut Delivered) -> u32 {
        0
    }

    pub(crate) fn discard_sacks(&mut self) {}
}
