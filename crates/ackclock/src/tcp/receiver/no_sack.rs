//! What stands in for SACK reports where they were left out: acks tell RCV.NXT.

use super::reassembly::Reassembly;
use crate::seq::SeqRange;
use crate::wire::SackBlocks;

/// Nothing is reported.
#[derive(Debug)]
pub(super) struct SackReport;

impl SackReport {
    pub(super) const fn new(_enabled: bool) -> Self {
        SackReport
    }

    pub(super) fn on_duplicate(&mut self, _duplicate: SeqRange) {}

    pub(super) fn on_sent(&mut self) {}

    pub(super) fn has_block(&self) -> bool {
        false
    }

    pub(super) fn fill(&self, _option: &mut SackBlocks, _data: &Reassembly<'_>) {}
}
