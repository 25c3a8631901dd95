//! What stands in for the memory budget without a heap: every queue is lent, and has its size from the
//! beginning.

use super::tuning::ReceiveTuning;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::tcp::{Config, Connection};

/// Nothing to divide.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryBudget;

impl MemoryBudget {
    pub(super) const fn new(_limit: u64) -> Self {
        MemoryBudget
    }

    pub(super) const fn reserved(&self) -> u64 {
        0
    }

    pub(super) fn promise(&mut self, _window: u32) {}

    pub(super) fn keep_promise(&mut self, _window: u32) {}
}

/// Sizes that could change: there are none.
#[derive(Clone, Copy, Debug)]
pub(super) enum QueueSizes {}

impl QueueSizes {
    pub(super) fn reserve(_: &mut MemoryBudget, _: &Config, _: Option<u32>) -> Option<Self> {
        None
    }

    pub(super) fn first_window(_: &MemoryBudget, _: &Config) -> Option<u32> {
        None
    }

    pub(super) fn set_send_most(&mut self, _bytes: u32) {
        match *self {}
    }

    pub(super) fn set_receive_most(&mut self, _bytes: u32) {
        match *self {}
    }

    pub(super) fn apply<C: CongestionController, P: Profile>(
        &self,
        _connection: &mut Connection<'_, C, P>,
    ) {
        match *self {}
    }

    pub(super) fn release(&mut self, _budget: &mut MemoryBudget) {
        match *self {}
    }

    pub(super) fn tuning(&mut self) -> Option<&mut ReceiveTuning> {
        match *self {}
    }

    pub(super) fn is_fitting(&self, _budget: &MemoryBudget) -> bool {
        match *self {}
    }

    pub(super) fn fit<C: CongestionController, P: Profile>(
        &mut self,
        _budget: &mut MemoryBudget,
        _connection: &mut Connection<'_, C, P>,
    ) {
        match *self {}
    }

    pub(super) fn account_send<C: CongestionController, P: Profile>(
        &mut self,
        _budget: &mut MemoryBudget,
        _connection: &Connection<'_, C, P>,
    ) {
        match *self {}
    }
}
