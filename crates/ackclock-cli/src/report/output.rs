//! Standard output, which reports are written to.

use crate::failure::Failure;
use std::io::{self, StdoutLock, Write};

/// Standard output, locked. One that was closed when the program started takes nothing, so that no
/// report is lost without a word.
pub(crate) struct StandardOutput(StdoutLock<'static>);

/// Locks standard output.
pub(crate) fn stdout() -> StandardOutput {
    StandardOutput(io::stdout().lock())
}

/// Writes a text to standard output.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = stdout();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    written.map_err(|error| Failure::output(&error))
}

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        require_open()?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        require_open()?;
        self.0.flush()
    }
}

#[cfg(target_os = "linux")]
fn require_open() -> io::Result<()> {
    if ackclock_host::standard_output::was_closed() {
        return Err(io::Error::new(io::ErrorKind::NotConnected, "standard output is closed"));
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn require_open() -> io::Result<()> {
    Ok(())
}
