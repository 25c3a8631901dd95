//! Why the program ended without having done its job, and with which exit status.

use std::fmt;
use std::path::Path;

/// What went wrong, in one line that says what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// The transfer failed: reset, timeout, mismatch.
    Transfer(String),
    /// An experiment did not come out as it should, or not at all.
    Verdict(String),
    /// The command line cannot be used.
    Usage(String),
    /// The environment lacks something: a privilege, a device, a free address.
    Environment(String),
}

impl Failure {
    /// The exit status of the process.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Failure::Transfer(_) | Failure::Verdict(_) => 1,
            Failure::Usage(_) => 2,
            Failure::Environment(_) => 3,
        }
    }

    /// This system cannot do that.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn elsewhere(what: &str) -> Self {
        Failure::Environment(format!(
            "{what} needs Linux; 'ackclock discard' without a host runs everywhere"
        ))
    }

    /// Standard output does not take what is written.
    pub(crate) fn output(error: &std::io::Error) -> Self {
        Failure::Environment(format!("cannot write the report: {error}"))
    }

    /// A capture's file cannot be made, or does not take what is written.
    pub(crate) fn capture(file: &Path, error: &std::io::Error) -> Self {
        Failure::Environment(format!("cannot write the capture {}: {error}", file.display()))
    }

    /// The same with a trace's file.
    pub(crate) fn trace(file: &Path, error: &std::io::Error) -> Self {
        Failure::Environment(format!("cannot write the trace {}: {error}", file.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Failure::Transfer(text)
        | Failure::Verdict(text)
        | Failure::Usage(text)
        | Failure::Environment(text)) = self;
        f.write_str(text)
    }
}

impl std::error::Error for Failure {}
