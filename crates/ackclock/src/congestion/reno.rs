//! Reno.

/// Reno.
#[derive(Clone, Copy, Debug)]
pub struct Reno {}
