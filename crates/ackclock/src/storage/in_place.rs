//! Replacement of `on_demand` without a heap: the state exists from the start.

use crate::profile::InitialValue;

/// State that is rarely needed; here it always exists.
#[derive(Debug, Default)]
pub(crate) struct OnDemand<T>(T);

impl<T: InitialValue> InitialValue for OnDemand<T> {
    const INITIAL: Self = OnDemand(T::INITIAL);
}

impl<T: Default> OnDemand<T> {
    /// The state.
    #[inline(always)]
    pub(crate) fn get(&self) -> Option<&T> {
        Some(&self.0)
    }

    /// The state, mutable.
    #[inline(always)]
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        Some(&mut self.0)
    }

    /// The state, mutable; it always exists.
    #[inline(always)]
    pub(crate) fn make(&mut self) -> Option<&mut T> {
        Some(&mut self.0)
    }
}
