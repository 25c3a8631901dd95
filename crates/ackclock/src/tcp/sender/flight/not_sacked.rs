//! What stands in for SACK's side of the scoreboard where it was left out: the peer says nothing of
//! what it holds.

use super::{Delivered, Flight};
use crate::profile::Profile;
use crate::seq::SeqRange;

impl<P: Profile> Flight<'_, P> {
    pub(crate) fn sack(&mut self, _block: SeqRange, _delivered: &mut Delivered) {}

    pub(crate) fn discard_sacks(&mut self) {}
}
