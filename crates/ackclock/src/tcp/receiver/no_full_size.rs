//! Where bytes are not counted nobody asks how long the peer's full-sized segments are.

#[derive(Debug)]
pub(super) struct FullSize;

impl FullSize {
    pub(super) fn new(_announced: u32) -> Self {
        FullSize
    }

    pub(super) fn on_segment(&mut self, _len: u32, _announced: u32, _last: bool) {}

    /// Not known.
    pub(super) fn bytes(&self) -> u32 {
        0
    }
}
