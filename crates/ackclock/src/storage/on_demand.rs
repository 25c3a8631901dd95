//! State on the heap that is allocated when first needed.

use crate::profile::InitialValue;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// Rarely needed state: a pointer until it is needed, then a `T` on the heap. (Without a heap [it exists from
/// the start](super).)
// A box of an array, since that can be allocated fallibly; allocating a plain box aborts the program if
// memory is refused.
#[derive(Debug)]
pub(crate) struct OnDemand<T>(Option<Box<[T; 1]>>);

impl<T> InitialValue for OnDemand<T> {
    const INITIAL: Self = OnDemand(None);
}

impl<T> Default for OnDemand<T> {
    #[inline(always)]
    fn default() -> Self {
        OnDemand(None)
    }
}

impl<T: Default> OnDemand<T> {
    /// The state, if it has been allocated.
    #[inline(always)]
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_deref().map(|[state]| state)
    }

    /// The state, mutable, if it has been allocated.
    #[inline(always)]
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut().map(|[state]| state)
    }

    /// The state, mutable, allocated if need be; `None` if memory is refused.
    pub(crate) fn make(&mut self) -> Option<&mut T> {
        if self.0.is_none() {
            let mut memory = Vec::new();
            memory.try_reserve_exact(1).ok()?;
            memory.push(T::default());
            self.0 = Box::try_from(memory).ok();
        }
        self.get_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::OnDemand;

    #[test]
    fn state_takes_a_pointer_until_it_is_made() {
        let mut state = OnDemand::<[u64; 20]>::default();
        assert_eq!(size_of_val(&state), size_of::<usize>());
        assert_eq!(state.get(), None);
        assert_eq!(state.get_mut(), None);
        state.make().expect("there is memory")[3] = 7;
        assert_eq!(state.make().map(|state| state[3]), Some(7), "made once");
        assert_eq!(state.get().map(|state| state[3]), Some(7));
    }
}
