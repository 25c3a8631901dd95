//! The time after a spurious timeout, until a round trip is measured (RFC 4015, the Eifel response).

use crate::seq::SeqNumber;

/// Whether the last timeout was spurious, and no round trip was measured since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SpuriousTimeout {
    /// It was not, or has been followed by a measurement.
    None,
    /// It was, and the next acks are for data that was sent before it.
    OldData,
    /// It was, and the next acks are for data that was unsent at that time.
    NewData,
}

impl SpuriousTimeout {
    /// Whether a measurement by an ack of everything before `una` counts. After a spurious timeout the first one
    /// must come from data that was unsent at that time, since the delay of the rest may be over (RFC 4015
    /// section 3.2). `point` is where that data begins, until it is reached; a later recovery has another one.
    #[inline(always)]
    pub(super) fn counts(&mut self, una: SeqNumber, point: SeqNumber) -> bool {
        if *self != SpuriousTimeout::OldData {
            return true;
        }
        if una.at_or_after(point) {
            *self = SpuriousTimeout::NewData;
        }
        una.after(point)
    }
}
