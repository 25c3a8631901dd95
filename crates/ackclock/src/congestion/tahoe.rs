//! Tahoe.

/// Tahoe.
#[derive(Clone, Copy, Debug)]
pub struct Tahoe {}
