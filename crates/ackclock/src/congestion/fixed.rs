//! Fixed.

/// Fixed.
#[derive(Clone, Copy, Debug)]
pub struct Fixed {}
