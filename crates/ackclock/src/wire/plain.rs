//! What most segments tell.

use super::{Flags, Header, Segment, Timestamps};
use crate::seq::SeqNumber;

/// What a connection is asked about a segment that tells nothing unusual.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainSegment<'a> {
    pub(crate) seq: SeqNumber,
    pub(crate) ack: SeqNumber,
    pub(crate) flags: Flags,
    pub(crate) window: u16,
    pub(crate) timestamps: Option<Timestamps>,
    pub(crate) payload: &'a [u8],
}

impl<'a> PlainSegment<'a> {
    /// The same of a segment that was read as a whole; `None` if it has SACK blocks.
    #[inline]
    pub(crate) fn of(segment: &Segment<'a>) -> Option<Self> {
        let Header { seq, ack, flags, window, options, .. } = &segment.header;
        options.sack.is_empty().then_some(PlainSegment {
            seq: *seq,
            ack: *ack,
            flags: *flags,
            window: *window,
            timestamps: options.timestamps,
            payload: segment.payload,
        })
    }
}
