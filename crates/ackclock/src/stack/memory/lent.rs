//! Replacement of the memory budget without a heap: every queue is lent, and has a fixed size.

use super::{OrphanLinks, Orphans};
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::stack::receive_autotuning::ReceiveAutotuning;
use crate::tcp::{Connection, Initial};
use crate::time::Instant;

/// An empty budget: there is no memory to divide.
#[derive(Clone, Copy, Debug)]
pub(in crate::stack) struct MemoryBudget;

impl MemoryBudget {
    pub(in crate::stack) const fn new(_limit: u64) -> Self {
        MemoryBudget
    }

    pub(in crate::stack) const fn reserved(&self) -> u64 {
        0
    }

    pub(in crate::stack) const fn is_short(&self, _most: usize) -> bool {
        false
    }

    pub(in crate::stack) const fn may_promise(&self) -> bool {
        true
    }

    pub(in crate::stack) fn orphans(&mut self) -> Option<&mut Orphans> {
        None
    }

    pub(in crate::stack) fn promise(&mut self, _window: u32) {}

    pub(in crate::stack) fn keep_promise(&mut self, _window: u32) {}
}

/// Queue sizes that can change: without a heap there are none.
#[derive(Clone, Copy, Debug)]
pub(in crate::stack) enum QueueSizes {}

impl QueueSizes {
    pub(in crate::stack) fn reserve<P: Profile>(
        _: Instant,
        _: &mut MemoryBudget,
        _: &Initial<P>,
        _: Option<u32>,
    ) -> Option<Self> {
        None
    }

    pub(in crate::stack) fn note_use(&mut self, _now: Instant) {
        match *self {}
    }

    pub(in crate::stack) fn orphan(&mut self) -> &mut Option<OrphanLinks> {
        match *self {}
    }

    pub(in crate::stack) fn leave(&mut self, _: &mut MemoryBudget) {
        match *self {}
    }

    pub(in crate::stack) fn used_at(&self) -> Instant {
        match *self {}
    }

    pub(in crate::stack) fn first_window<P: Profile>(
        _: &MemoryBudget,
        _: &Initial<P>,
    ) -> Option<u32> {
        None
    }

    pub(in crate::stack) fn set_send_most(&mut self, _bytes: u32) {
        match *self {}
    }

    pub(in crate::stack) fn set_receive_most(&mut self, _bytes: u32) {
        match *self {}
    }

    pub(in crate::stack) fn apply<C: CongestionController, P: Profile>(
        &self,
        _connection: &mut Connection<'_, C, P>,
    ) {
        match *self {}
    }

    pub(in crate::stack) fn release(&mut self, _budget: &mut MemoryBudget) {
        match *self {}
    }

    pub(in crate::stack) fn tuning(&mut self) -> Option<&mut ReceiveAutotuning> {
        match *self {}
    }

    pub(in crate::stack) fn is_fitting(&self, _budget: &MemoryBudget) -> bool {
        match *self {}
    }

    pub(in crate::stack) fn fit<C: CongestionController, P: Profile>(
        &mut self,
        _budget: &mut MemoryBudget,
        _connection: &mut Connection<'_, C, P>,
    ) {
        match *self {}
    }

    pub(in crate::stack) fn account_send<C: CongestionController, P: Profile>(
        &mut self,
        _budget: &mut MemoryBudget,
        _connection: &Connection<'_, C, P>,
    ) {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Full;
    use crate::tcp::Config;

    #[test]
    fn nothing_is_reserved_and_no_queue_has_a_size_that_could_change() {
        let mut budget = MemoryBudget::new(1 << 20);
        budget.promise(1_000);
        assert_eq!(budget.reserved(), 0);
        let initial = Initial::<Full>::new(&Config::default(), 0);
        assert!(QueueSizes::reserve(Instant::ZERO, &mut budget, &initial, Some(1_000)).is_none());
        assert_eq!(QueueSizes::first_window(&budget, &initial), None);
        budget.keep_promise(1_000);
        assert!(budget.orphans().is_none());
        assert_eq!((budget.reserved(), size_of::<MemoryBudget>()), (0, 0));
        assert_eq!(size_of::<Option<QueueSizes>>(), 0);
    }
}
