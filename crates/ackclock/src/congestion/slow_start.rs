//! How the initial slow start of a law ends: at a loss, or by HyStart++ before one.

use super::{Ack, HyStart};
use core::fmt::Debug;

/// What watches over the initial slow start of a law such as [`Reno`](super::Reno), the one before the
/// connection has met congestion: [`StandardSlowStart`], [`HyStart`], or an `Option<HyStart>`, which is
/// either of them, chosen at run time.
pub trait SlowStart: Copy + Eq + Debug + sealed::Sealed {
    /// A connection begins.
    fn start(&mut self);

    /// An ack in the initial slow start. By what its increase of the window is to be divided; `None`:
    /// slow start is over.
    fn on_ack(&mut self, ack: &Ack) -> Option<u32>;
}

/// RFC 5681's slow start, which ends at a loss. It has no state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StandardSlowStart;

impl SlowStart for StandardSlowStart {
    fn start(&mut self) {}

    fn on_ack(&mut self, _ack: &Ack) -> Option<u32> {
        Some(1)
    }
}

impl SlowStart for Option<HyStart> {
    fn start(&mut self) {
        if let Some(hystart) = self {
            hystart.start();
        }
    }

    fn on_ack(&mut self, ack: &Ack) -> Option<u32> {
        self.as_mut().map_or(Some(1), |hystart| hystart.on_ack(ack))
    }
}

mod sealed {
    /// Only the core's.
    pub trait Sealed {}
    impl Sealed for super::StandardSlowStart {}
    impl Sealed for super::HyStart {}
    impl Sealed for Option<super::HyStart> {}
}
