//! Counters of one connection, for `Info`.

/// Segments and events. It comes to 2^32 after some terabytes, and stays there.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Count(u32);

impl Count {
    pub(crate) fn add(&mut self, more: u32) {
        self.0 = self.0.saturating_add(more);
    }

    pub(crate) fn get(self) -> u64 {
        self.0.into()
    }
}

/// Bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ByteCount(u64);

impl ByteCount {
    pub(crate) fn add(&mut self, more: u32) {
        self.0 = self.0.wrapping_add(more.into());
    }

    pub(crate) fn get(self) -> u64 {
        self.0
    }
}
