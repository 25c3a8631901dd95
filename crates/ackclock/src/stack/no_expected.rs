//! Where every packet is read in the same way none is expected.

use super::Stack;
use crate::congestion::CongestionController;
use crate::link::Received;
use crate::profile::Profile;
use crate::time::Instant;
use crate::wire::Segment;

#[derive(Clone, Copy, Debug)]
pub(super) struct ExpectedPacket;

impl ExpectedPacket {
    pub(super) const NONE: Self = ExpectedPacket;
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    pub(super) fn take_expected(&mut self, _now: Instant, _received: &Received<'_>) -> bool {
        false
    }

    pub(super) fn expect_another(&mut self, _id: u32, _segment: &Segment<'_>) {}
}
