//! Text and the exit status, by semihosting.

use core::ffi::CStr;
use core::fmt::{self, Write};
use semihosting::sys::arm_compat::{sys_write0, sys_writec};

/// Writes a line that is known when the image is built.
pub fn say(text: &'static CStr) {
    sys_write0(text);
}

/// Writes formatted text: `write!(Console, …)`.
#[derive(Clone, Copy, Debug)]
pub struct Console;

impl Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(sys_writec);
        Ok(())
    }
}

/// Ends the emulation with this status.
pub fn exit(status: i32) -> ! {
    semihosting::process::exit(status)
}

#[panic_handler]
fn panicked(_: &core::panic::PanicInfo<'_>) -> ! {
    say(c"panicked\n");
    exit(101)
}
