//! What stands in for trains where ways of their own were left out: each segment is thought about.

use super::output::Sink;
use super::{Rejected, Stack};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::Outgoing;
use crate::time::Instant;

/// No segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Train;

impl Train {
    pub(super) const fn none() -> Self {
        Train
    }

    pub(super) fn end(&mut self) {}

    pub(super) fn under_way(&self) -> Option<u32> {
        None
    }
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    pub(super) fn transmit_train(
        &mut self,
        _now: Instant,
        _sink: &mut Sink<'_>,
    ) -> Option<Result<(), Rejected>> {
        None
    }

    pub(super) fn begin_train(&mut self, _now: Instant, _id: u32, _outgoing: &Outgoing) {}
}
