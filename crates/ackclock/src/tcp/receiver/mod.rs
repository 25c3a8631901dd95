//! The receiving half.

/// The receiving half of a connection.
#[derive(Debug)]
pub struct Receiver<'a> {
    marker: core::marker::PhantomData<&'a ()>,
}
