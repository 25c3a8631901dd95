//! Full segments of one connection that follow one another.
//!
//! What is asked before a segment is sent has the same answer for the next one, as long as nothing
//! happens in between: the windows let go so many segments, and their headers differ in nothing but
//! the sequence number. So the first of them is thought about, and the others follow it.

use super::pool::NO_ID;
use crate::time::Instant;
use crate::wire::{Ecn, RepeatedHeader};

/// The segments that may follow the last one sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Train {
    /// Whose they are; [`NO_ID`]: nobody's.
    pub(super) id: u32,
    /// How many are left.
    pub(super) segments: u32,
    /// When the first was sent. Later the answers may be others.
    pub(super) at: Instant,
    /// ECN codepoint of all of them.
    pub(super) ecn: Ecn,
    /// What stands before each payload.
    pub(super) header: RepeatedHeader,
}

impl Train {
    /// No segment.
    pub(super) fn none() -> Self {
        Train {
            id: NO_ID,
            segments: 0,
            at: Instant::ZERO,
            ecn: Ecn::NotEct,
            header: RepeatedHeader::empty(),
        }
    }

    /// Something happens: what follows must be thought about again.
    pub(super) fn end(&mut self) {
        self.segments = 0;
    }
}
