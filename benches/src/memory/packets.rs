//! The wire between the ends.

/// Room for one packet, so that packets begin at cache lines.
const SLOT: usize = 1536;

/// Most packets under way: more than fit into a window of 1 MiB.
const SLOTS: usize = 1024;

/// Packets under way in one direction. When all have arrived the memory is used from the front again,
/// so that a small window stays in a small cache.
pub struct Packets {
    memory: Vec<u8>,
    lengths: Vec<usize>,
    first: usize,
    end: usize,
}

impl Default for Packets {
    fn default() -> Self {
        Packets { memory: vec![0; SLOT * SLOTS], lengths: vec![0; SLOTS], first: 0, end: 0 }
    }
}

impl Packets {
    /// Whether no packet is under way.
    pub fn is_empty(&self) -> bool {
        self.first == self.end
    }

    /// Whether another packet has room.
    pub fn has_room(&self) -> bool {
        self.end < SLOTS
    }

    /// Sends a packet that `write` puts into memory; `None` if it wrote none.
    ///
    /// # Panics
    /// If there is no room.
    pub fn push(&mut self, write: impl FnOnce(&mut [u8]) -> Option<usize>) -> Option<()> {
        let start = self.end * SLOT;
        self.lengths[self.end] = write(&mut self.memory[start..start + SLOT])?;
        self.end += 1;
        Some(())
    }

    /// The next packet to arrive.
    pub fn pop(&mut self) -> Option<&[u8]> {
        if self.is_empty() {
            return None;
        }
        let (start, len) = (self.first * SLOT, self.lengths[self.first]);
        self.first += 1;
        if self.is_empty() {
            (self.first, self.end) = (0, 0);
        }
        Some(&self.memory[start..start + len])
    }
}
