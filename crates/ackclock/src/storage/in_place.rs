//! Stand-in for state on the heap where there is none: it is there from the start.

use crate::profile::InitialValue;

/// A `T`, which few need.
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

    /// The state, to be changed.
    #[inline(always)]
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        Some(&mut self.0)
    }

    /// The state.
    #[inline(always)]
    pub(crate) fn make(&mut self) -> Option<&mut T> {
        Some(&mut self.0)
    }
}
