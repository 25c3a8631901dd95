//! Laws behind a pointer: chosen at run time, and not only among the built-in ones.

use super::delegation::delegate_all;
use super::{BuiltIn, CongestionController};
use alloc::boxed::Box;

/// A controller that can be cloned behind a pointer and moved to another thread. Every law that is
/// `Clone + Send` is one.
pub trait CloneController: CongestionController + Send {
    /// A copy in a box.
    fn clone_boxed(&self) -> Box<dyn CloneController>;
}

impl<C: CongestionController + Clone + Send + 'static> CloneController for C {
    fn clone_boxed(&self) -> Box<dyn CloneController> {
        Box::new(self.clone())
    }
}

/// Any law.
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
        // The law's copy: a box is itself a controller, and would box its own copy for ever.
        (**self).clone_boxed()
    }
}

impl Default for BoxedController {
    /// That of [`BuiltIn`].
    fn default() -> Self {
        Box::new(BuiltIn::default())
    }
}

/// Calls a method of the law in the box.
macro_rules! call_boxed {
    ([] $self:ident.$method:ident $arguments:tt) => {
        (**$self).$method $arguments
    };
}

impl CongestionController for BoxedController {
    delegate_all!(call_boxed []);
}
