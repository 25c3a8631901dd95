//! An urgent pointer: SND.UP or RCV.UP (RFC 9293 section 3.8.5).

use crate::profile::{Kept, Part, Profile};
use crate::seq::SeqNumber;

/// The number after the last urgent byte (MUST-62), until that was passed. Where an image knows
/// no urgent data there is never any.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Urgent<P: Profile>(<P::Urgent as Part>::Keeps<Option<SeqNumber>>);

impl<P: Profile> Default for Urgent<P> {
    #[inline(always)]
    fn default() -> Self {
        Urgent(Kept::new(None))
    }
}

impl<P: Profile> Urgent<P> {
    #[inline(always)]
    pub(crate) fn get(&self) -> Option<SeqNumber> {
        self.0.get().copied().flatten()
    }

    pub(crate) fn set(&mut self, end: SeqNumber) {
        if let Some(pointer) = self.0.get_mut() {
            *pointer = Some(end);
        }
    }

    /// Everything before `seq` was acknowledged, or read.
    #[inline(always)]
    pub(crate) fn pass(&mut self, seq: SeqNumber) {
        if let Some(pointer) = self.0.get_mut() {
            *pointer = pointer.filter(|end| end.after(seq));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Full, Least};

    #[test]
    fn a_pointer_stays_until_it_was_passed() {
        let mut urgent = Urgent::<Full>::default();
        assert_eq!(urgent.get(), None);
        urgent.set(SeqNumber(100));
        urgent.pass(SeqNumber(99));
        assert_eq!(urgent.get(), Some(SeqNumber(100)));
        urgent.pass(SeqNumber(100));
        assert_eq!(urgent.get(), None);
    }

    #[test]
    fn an_image_without_urgent_data_has_no_pointer() {
        let mut urgent = Urgent::<Least>::default();
        urgent.set(SeqNumber(100));
        assert_eq!(urgent.get(), None);
    }
}
