//! Standard output as the program was started with it: Rust's runtime opens `/dev/null` in its place
//! before `main` if it was closed, and a report that is written there is lost without an error.
#![allow(unsafe_code)]

use rustix::io::{Errno, fcntl_getfd};
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, Ordering};

/// The descriptor of standard output.
const OUTPUT: i32 = 1;

static CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether the program was started with standard output closed.
pub fn was_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Looks at the descriptor before Rust's runtime does.
extern "C" fn look() {
    // SAFETY: the descriptor is asked about and nothing else; the kernel answers for any number.
    let output = unsafe { BorrowedFd::borrow_raw(OUTPUT) };
    CLOSED.store(fcntl_getfd(output) == Err(Errno::BADF), Ordering::Relaxed);
}

// SAFETY: the C library calls each entry of this section once, before `main`, as a function of the C
// ABI. This one needs nothing that is initialised later.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;
