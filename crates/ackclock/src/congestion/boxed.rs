//! Congestion control algorithms behind a pointer: chosen at run time, and not only among the built-in ones.

use super::delegation::delegate_all;
use super::{BuiltIn, CongestionController};
use alloc::boxed::Box;

/// A congestion control algorithm that can be cloned behind a pointer and moved to another thread. Every one
/// that is `Clone + Send` qualifies.
pub trait CloneController: CongestionController + Send {
    /// A boxed copy.
    fn clone_boxed(&self) -> Box<dyn CloneController>;
}

impl<C: CongestionController + Clone + Send + 'static> CloneController for C {
    fn clone_boxed(&self) -> Box<dyn CloneController> {
        Box::new(self.clone())
    }
}

/// Any congestion control algorithm, in a box.
///
/// ```
/// use ackclock::congestion::{BoxedController, CongestionController, Fixed};
///
/// let law: BoxedController = Box::new(Fixed::segments(8));
/// assert_eq!(law.clone().name(), "fixed");
/// ```
pub type BoxedController = Box<dyn CloneController>;

impl Clone for BoxedController {
    fn clone(&self) -> Self {
        // Clone what is in the box: a box is itself a controller, and would box copies of itself forever.
        (**self).clone_boxed()
    }
}

impl Default for BoxedController {
    /// The default of [`BuiltIn`].
    fn default() -> Self {
        Box::new(BuiltIn::default())
    }
}

/// Calls a method of the algorithm in the box.
macro_rules! call_boxed {
    ([] $self:ident.$method:ident $arguments:tt) => {
        (**$self).$method $arguments
    };
}

impl CongestionController for BoxedController {
    delegate_all!(call_boxed []);
}
