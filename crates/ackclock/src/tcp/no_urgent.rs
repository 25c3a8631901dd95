//! What stands in for urgent pointers where they were left out: nothing is urgent.

use crate::seq::SeqNumber;

/// Nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Urgent;

impl Urgent {
    pub(crate) fn get(self) -> Option<SeqNumber> {
        None
    }

    pub(crate) fn set(&mut self, _end: SeqNumber) {}

    pub(crate) fn pass(&mut self, _seq: SeqNumber) {}
}
