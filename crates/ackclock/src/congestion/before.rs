//! What a law remembers of the time before a congestion event, until that can no longer be taken back.

/// A value, if there is one and it may be needed.
#[cfg(feature = "undo")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Before<T>(Option<T>);

#[cfg(feature = "undo")]
impl<T> Before<T> {
    pub(super) const NOTHING: Self = Before(None);

    pub(super) fn is_something(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn remember(&mut self, value: T) {
        self.0 = Some(value);
    }

    pub(super) fn take(&mut self) -> Option<T> {
        self.0.take()
    }
}

/// Nothing is ever taken back.
#[cfg(not(feature = "undo"))]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Before<T>(core::marker::PhantomData<T>);

#[cfg(not(feature = "undo"))]
impl<T> Before<T> {
    pub(super) const NOTHING: Self = Before(core::marker::PhantomData);

    pub(super) fn is_something(&self) -> bool {
        false
    }

    pub(super) fn remember(&mut self, _value: T) {}

    pub(super) fn take(&mut self) -> Option<T> {
        None
    }
}
