//! Ctrl-C: the first one asks for the summary so far, the second one ends the program.

use crate::failure::Failure;
use ackclock::time::Duration;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Virtual time between two looks at whether the user wants an emulated run to end.
pub(crate) const PATIENCE: Duration = Duration::from_millis(100);

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// What must be done before the program may end.
type LastDeed = Box<dyn Fn() + Send>;
static AT_EXIT: Mutex<Option<LastDeed>> = Mutex::new(None);

/// Whether the user wants the run to end.
pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// What says whether the user wants the run to end, for code that looks at a flag.
pub(crate) fn flag() -> &'static AtomicBool {
    &REQUESTED
}

/// Does something even when the user ends the program at once. The last call counts.
#[cfg(target_os = "linux")]
pub(crate) fn at_exit(deed: impl Fn() + Send + 'static) {
    if let Ok(mut place) = AT_EXIT.lock() {
        *place = Some(Box::new(deed));
    }
}

/// Calls `stop`, in a thread of its own, when the user interrupts the program. Called once.
pub(crate) fn on_request(stop: impl Fn() + Send + 'static) -> Result<(), Failure> {
    /// What a shell reports of a program that SIGINT ended.
    const INTERRUPTED: i32 = 130;
    let handler = move || {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            if let Ok(deed) = AT_EXIT.lock()
                && let Some(deed) = &*deed
            {
                deed();
            }
            std::process::exit(INTERRUPTED);
        }
        stop();
    };
    ctrlc::set_handler(handler)
        .map_err(|error| Failure::Environment(format!("cannot watch for Ctrl-C: {error}")))
}
