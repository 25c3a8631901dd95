//! Where every segment is thought about in the same way.

use super::marking::Marking;
use super::output::{Sink, Turned};
use super::tuple::FourTuple;
use super::{Rejected, Stack};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::time::Instant;
use crate::wire::Header;

#[derive(Clone, Copy, Debug)]
pub(super) struct LastHeader;

impl LastHeader {
    pub(super) const NONE: Self = LastHeader;

    pub(super) fn forget(&mut self, _id: u32) {}
}

impl<C: CongestionController + Clone, P: Profile> Stack<'_, C, P> {
    pub(super) fn take_plain_turn(
        &mut self,
        _now: Instant,
        _id: u32,
        _sink: &mut Sink<'_>,
    ) -> Option<Turned> {
        None
    }

    /// Offers a SYN or SYN-ACK.
    #[inline(always)]
    pub(super) fn offer_syn(
        &self,
        tuple: &FourTuple,
        header: &mut Header,
        marking: Marking,
        sink: &mut Sink<'_>,
    ) -> Result<(), Rejected> {
        self.offer_bare(tuple, header, marking, sink)
    }
}
