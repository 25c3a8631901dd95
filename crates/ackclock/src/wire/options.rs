//! TCP options (RFC 9293 section 3.1, RFC 7323, RFC 2018, RFC 2883).

use crate::seq::SeqRange;

/// The options of one segment. `None`, `false` or no block: the option is not there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Maximum segment size in bytes (kind 2); SYN segments only.
    pub mss: Option<u16>,
    /// Window scale shift count (kind 3, RFC 7323 section 2.2), 0 to 14 (a larger one on the wire
    /// is read as 14); SYN segments only.
    pub window_scale: Option<u8>,
    /// SACK-permitted (kind 4, RFC 2018 section 2); SYN segments only.
    pub sack_permitted: bool,
    /// Timestamps (kind 8, RFC 7323 section 3.2).
    pub timestamps: Option<Timestamps>,
    /// SACK blocks (kind 5, RFC 2018 section 3).
    pub sack: SackBlocks,
}

/// The timestamps option (RFC 7323 section 3.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Timestamps {
    /// TSval: the sender's clock.
    pub value: u32,
    /// TSecr: the latest TSval of the other side; meaningful with ACK set.
    pub echo: u32,
}

/// Up to four SACK blocks, in the order in which they stand in the option.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SackBlocks {
    blocks: [SeqRange; SackBlocks::MAX],
    len: u8,
}

impl SackBlocks {
    /// How many blocks fit into an option area (RFC 2018 section 3); three beside timestamps.
    pub const MAX: usize = 4;

    /// No block.
    pub const EMPTY: SackBlocks = SackBlocks {
        blocks: [SeqRange::new(crate::seq::SeqNumber(0), crate::seq::SeqNumber(0)); Self::MAX],
        len: 0,
    };

    /// Appends a block; false if there are four already.
    pub fn push(&mut self, block: SeqRange) -> bool {
        match self.blocks.get_mut(usize::from(self.len)) {
            Some(place) => {
                *place = block;
                self.len += 1;
                true
            }
            None => false,
        }
    }

    /// The blocks in order.
    pub fn as_slice(&self) -> &[SeqRange] {
        self.blocks.get(..usize::from(self.len)).unwrap_or_default()
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}
