//! What the standard library documents of its sockets: each row of the table runs against the kernel's
//! sockets over loopback, and against ours.

#![cfg(unix)]

mod kernel;
mod ours;

use std::time::Duration;

/// Longer than anything takes here, and short enough that a row that hangs fails.
const PATIENCE: Duration = Duration::from_secs(20);
