//! Where every segment is thought about nothing is remembered of what is usual.

use crate::profile::Profile;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usual;

impl Usual {
    pub(super) fn is_known(self) -> bool {
        false
    }

    pub(super) fn forget(&mut self) {}
}

#[cfg(any(all(test, feature = "alloc"), feature = "invariants"))]
impl<C: crate::congestion::CongestionController, P: Profile> super::Sender<'_, C, P> {
    pub(crate) fn mistaken(&self, _settings: &crate::tcp::Settings<P>) -> Option<&'static str> {
        None
    }
}
