//! Bbr.

/// Bbr.
#[derive(Clone, Copy, Debug)]
pub struct Bbr {}
