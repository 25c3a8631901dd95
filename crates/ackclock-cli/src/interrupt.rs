//! Ctrl-C: the first ends the run and has its summary written, the second ends the program at once.

use crate::failure::Failure;
use ackclock::time::Duration;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Interval, in virtual time, at which an emulated run checks whether the user wants it to end.
pub(crate) const PATIENCE: Duration = Duration::from_millis(100);

static REQUESTED: AtomicBool = AtomicBool::new(false);

type Deed = Box<dyn Fn() + Send>;
/// Function that ends the current run.
static STOP: Mutex<Option<Deed>> = Mutex::new(None);
/// Function that must be called before the program may end.
static AT_EXIT: Mutex<Option<Deed>> = Mutex::new(None);

/// Whether the user wants the run to end.
pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// Flag that is set when the user wants the run to end, for code that takes a flag.
pub(crate) fn flag() -> &'static AtomicBool {
    &REQUESTED
}

/// Sets the function that is called when the user ends the program at once. It replaces the one before.
#[cfg(target_os = "linux")]
pub(crate) fn at_exit(deed: impl Fn() + Send + 'static) {
    set(&AT_EXIT, deed);
}

/// Sets the function that is called, in a thread of its own, when the user interrupts the program. It
/// replaces the one before.
pub(crate) fn on_request(stop: impl Fn() + Send + 'static) -> Result<(), Failure> {
    set(&STOP, stop);
    watch()?;
    if requested() {
        run(&STOP);
    }
    Ok(())
}

/// Begins to handle interrupts, so that from now on the program ends in order.
pub(crate) fn watch() -> Result<(), Failure> {
    /// Exit status that a shell reports for a program that SIGINT ended.
    const INTERRUPTED: i32 = 130;
    static WATCHING: Mutex<bool> = Mutex::new(false);
    let Ok(mut watching) = WATCHING.lock() else {
        return Ok(());
    };
    if *watching {
        return Ok(());
    }
    let handler = || {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            run(&AT_EXIT);
            std::process::exit(INTERRUPTED);
        }
        run(&STOP);
    };
    ctrlc::set_handler(handler)
        .map_err(|error| Failure::Environment(format!("cannot watch for Ctrl-C: {error}")))?;
    *watching = true;
    Ok(())
}

fn set(place: &Mutex<Option<Deed>>, deed: impl Fn() + Send + 'static) {
    if let Ok(mut place) = place.lock() {
        *place = Some(Box::new(deed));
    }
}

fn run(place: &Mutex<Option<Deed>>) {
    if let Ok(place) = place.lock()
        && let Some(deed) = &*place
    {
        deed();
    }
}
