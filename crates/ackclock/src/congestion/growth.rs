//! How a loss-based window grows.

/// Growth.
#[derive(Clone, Copy, Debug)]
pub struct Growth {}
