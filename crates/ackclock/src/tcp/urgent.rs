//! An urgent pointer: SND.UP or RCV.UP (RFC 9293 section 3.8.5).

use crate::seq::SeqNumber;

/// The number after the last urgent byte (MUST-62), until that was passed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Urgent(Option<SeqNumber>);

impl Urgent {
    pub(crate) fn get(self) -> Option<SeqNumber> {
        self.0
    }

    pub(crate) fn set(&mut self, end: SeqNumber) {
        self.0 = Some(end);
    }

    /// Everything before `seq` was acknowledged, or read.
    pub(crate) fn pass(&mut self, seq: SeqNumber) {
        self.0 = self.0.filter(|end| end.after(seq));
    }
}
