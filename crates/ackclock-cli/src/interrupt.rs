//! Ctrl-C: the first one asks for the summary so far, the second one ends the program.

use crate::failure::Failure;
use ackclock::time::Duration;
use std::sync::atomic::{AtomicBool, Ordering};

/// Virtual time between two looks at whether the user wants an emulated run to end.
pub(crate) const PATIENCE: Duration = Duration::from_millis(100);

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Whether the user wants the run to end.
pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// What says whether the user wants the run to end, for code that looks at a flag.
pub(crate) fn flag() -> &'static AtomicBool {
    &REQUESTED
}

/// Calls `stop`, in a thread of its own, when the user interrupts the program. Called once.
pub(crate) fn on_request(stop: impl Fn() + Send + 'static) -> Result<(), Failure> {
    /// What a shell reports of a program that SIGINT ended.
    const INTERRUPTED: i32 = 130;
    let handler = move || {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        stop();
    };
    ctrlc::set_handler(handler)
        .map_err(|error| Failure::Environment(format!("cannot watch for Ctrl-C: {error}")))
}
