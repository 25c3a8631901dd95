//! What stands in for the counters of a connection where they were left out: they stay at zero.

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Count;

impl Count {
    pub(crate) fn add(&mut self, _more: u32) {}

    pub(crate) fn get(self) -> u64 {
        0
    }
}

/// Bytes are not counted either.
pub(crate) type ByteCount = Count;
