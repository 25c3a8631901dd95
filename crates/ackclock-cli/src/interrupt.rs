//! Ctrl-C: the first one asks for the summary so far, the second one ends the program.

use crate::failure::Failure;
use ackclock::time::Duration;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Virtual time between two looks at whether the user wants an emulated run to end.
pub(crate) const PATIENCE: Duration = Duration::from_millis(100);

static REQUESTED: AtomicBool = AtomicBool::new(false);

type Deed = Box<dyn Fn() + Send>;
/// What ends the run that goes on.
static STOP: Mutex<Option<Deed>> = Mutex::new(None);
/// What must be done before the program may end.
static AT_EXIT: Mutex<Option<Deed>> = Mutex::new(None);

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
    set(&AT_EXIT, deed);
}

/// Calls `stop`, in a thread of its own, when the user interrupts the program. The last call counts.
pub(crate) fn on_request(stop: impl Fn() + Send + 'static) -> Result<(), Failure> {
    set(&STOP, stop);
    watch()?;
    if requested() {
        run(&STOP);
    }
    Ok(())
}

/// From now on the program ends in order, whoever interrupts it when.
pub(crate) fn watch() -> Result<(), Failure> {
    /// What a shell reports of a program that SIGINT ended.
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
