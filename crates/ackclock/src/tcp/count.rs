//! Counters of one connection, for `Info`; always zero in an image without counters.

use crate::profile::{Kept, Part, Profile};

/// A count of segments or events. It saturates at 2^32 - 1, which takes some terabytes of data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count<P: Profile>(<P::Counters as Part>::Keeps<u32>);

impl<P: Profile> Default for Count<P> {
    #[inline(always)]
    fn default() -> Self {
        Count(Kept::new(0))
    }
}

impl<P: Profile> Count<P> {
    #[inline(always)]
    pub(crate) fn add(&mut self, more: u32) {
        if let Some(count) = self.0.get_mut() {
            *count = count.saturating_add(more);
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self) -> u64 {
        self.0.get().map_or(0, |&count| count.into())
    }
}

/// A count of bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteCount<P: Profile>(<P::Counters as Part>::Keeps<u64>);

impl<P: Profile> Default for ByteCount<P> {
    #[inline(always)]
    fn default() -> Self {
        ByteCount(Kept::new(0))
    }
}

impl<P: Profile> ByteCount<P> {
    #[inline(always)]
    pub(crate) fn add(&mut self, more: u32) {
        if let Some(count) = self.0.get_mut() {
            *count = count.wrapping_add(more.into());
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self) -> u64 {
        self.0.get().copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Full, Least};

    /// What counters of segments and of bytes show after two additions.
    fn shown<P: Profile>(first: u32, second: u32) -> (u64, u64) {
        let (mut segments, mut bytes) = (Count::<P>::default(), ByteCount::<P>::default());
        for more in [first, second] {
            segments.add(more);
            bytes.add(more);
        }
        (segments.get(), bytes.get())
    }

    #[test]
    fn segments_are_counted_up_to_32_bits_and_bytes_beyond() {
        assert_eq!(shown::<Full>(1, 2), (3, 3));
        assert_eq!(shown::<Full>(u32::MAX, 2), (0xffff_ffff, 0x1_0000_0001));
    }

    #[test]
    fn an_image_without_counters_counts_nothing_and_keeps_nothing() {
        assert_eq!(shown::<Least>(1, 2), (0, 0));
        assert_eq!(size_of::<(Count<Least>, ByteCount<Least>)>(), 0);
    }
}
