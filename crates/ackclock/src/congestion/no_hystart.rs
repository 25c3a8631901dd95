//! What stands in for HyStart++ where it was left out: slow start ends with a loss.

use super::Ack;

/// Nothing is watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct HyStart;

impl HyStart {
    pub(super) const INITIAL: HyStart = HyStart;

    /// Every increase counts in full.
    pub(super) fn on_ack(&mut self, _ack: &Ack) -> Option<u32> {
        Some(1)
    }
}
