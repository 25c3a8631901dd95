//! Where every segment is thought about in the same way.

use super::Stack;
use super::output::{Sink, Turned};
use crate::congestion::CongestionController;
use crate::time::Instant;

#[derive(Clone, Copy, Debug)]
pub(super) struct LastHeader;

impl LastHeader {
    pub(super) const NONE: Self = LastHeader;

    pub(super) fn forget(&mut self, _id: u32) {}
}

impl<C: CongestionController + Clone> Stack<'_, C> {
    pub(super) fn take_plain_turn(
        &mut self,
        _now: Instant,
        _id: u32,
        _sink: &mut Sink<'_>,
    ) -> Option<Turned> {
        None
    }
}
