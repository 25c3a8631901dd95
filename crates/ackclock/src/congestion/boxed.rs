//! Laws behind a pointer.

use super::CongestionController;
use alloc::boxed::Box;

/// A controller that can be cloned behind a pointer.
pub trait CloneController: CongestionController {
    /// A copy in a box.
    fn clone_boxed(&self) -> Box<dyn CloneController>;
}

/// Any law.
pub type BoxedController = Box<dyn CloneController>;
