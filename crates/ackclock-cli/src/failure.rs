//! Failure of the program: its reason, and the exit status.

use std::fmt;
use std::path::Path;

/// Reason why the program failed, in one line that says what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// The transfer failed: reset, timeout, mismatch.
    Transfer(String),
    /// An experiment's results differ from the expected ones, or are missing.
    Verdict(String),
    /// The command line cannot be used.
    Usage(String),
    /// The environment lacks something: a privilege, a device, a free address.
    Environment(String),
    /// Whoever read standard output has gone, as `head` does when it has enough.
    ReaderGone,
}

/// Exit status that a shell reports for a program that SIGPIPE ended.
const READER_GONE: u8 = 141;

impl Failure {
    /// Exit status of the process.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Failure::Transfer(_) | Failure::Verdict(_) => 1,
            Failure::Usage(_) => 2,
            Failure::Environment(_) => 3,
            Failure::ReaderGone => READER_GONE,
        }
    }

    /// Failure of a subcommand that needs Linux, on another system.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn elsewhere(what: &str) -> Self {
        Failure::Environment(format!(
            "{what} needs Linux; 'ackclock discard' without a host runs everywhere"
        ))
    }

    /// Whether to end without a message: the reader ended the output on purpose.
    pub(crate) fn is_silent(&self) -> bool {
        *self == Failure::ReaderGone
    }

    /// Failure to write to standard output.
    pub(crate) fn output(error: &std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Failure::ReaderGone;
        }
        Failure::Environment(format!("cannot write the report: {error}"))
    }

    /// Failure to create a capture's file or to write to it.
    pub(crate) fn capture(file: &Path, error: &std::io::Error) -> Self {
        Failure::Environment(format!("cannot write the capture {}: {error}", file.display()))
    }

    /// Failure to create a trace's file or to write to it.
    pub(crate) fn trace(file: &Path, error: &std::io::Error) -> Self {
        Failure::Environment(format!("cannot write the trace {}: {error}", file.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Failure::Transfer(text)
            | Failure::Verdict(text)
            | Failure::Usage(text)
            | Failure::Environment(text) => text,
            Failure::ReaderGone => "the reader of the output has exited",
        })
    }
}

impl std::error::Error for Failure {}
