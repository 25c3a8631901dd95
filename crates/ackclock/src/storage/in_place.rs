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

#[cfg(test)]
mod tests {
    use super::OnDemand;

    #[test]
    fn state_is_there_from_the_start_and_takes_its_own_room() {
        let mut state = OnDemand::<[u64; 20]>::default();
        assert_eq!(size_of_val(&state), size_of::<[u64; 20]>());
        assert_eq!(state.get(), Some(&[0; 20]));
        state.get_mut().expect("it is there")[2] = 5;
        state.make().expect("it is there")[3] = 7;
        assert_eq!(state.get().map(|state| (state[2], state[3])), Some((5, 7)), "made once");
    }
}
