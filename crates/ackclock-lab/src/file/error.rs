//! Why an experiment's file cannot be used, with the place in it.

use ackclock_emulator::scenario::ScenarioError;
use std::fmt;

/// Why an experiment's file cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FileError {
    /// It could not be read.
    Read {
        /// Its name.
        file: String,
        /// The system's reason.
        error: String,
    },
    /// Something in it cannot be used.
    Invalid {
        /// Its name.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong, and what may stand there.
        problem: String,
    },
    /// Its scenario cannot be used.
    Scenario(ScenarioError),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Read { file, error } => write!(f, "{file}: {error}"),
            FileError::Invalid { file, line, problem } => write!(f, "{file}:{line}: {problem}"),
            FileError::Scenario(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for FileError {}

/// A file's text and name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) name: &'a str,
}

impl Source<'_> {
    pub(super) fn toml(&self, error: &toml::de::Error) -> FileError {
        let at = error.span().map_or(0, |span| span.start);
        self.invalid(at, error.message().lines().next().unwrap_or_default().replace('`', "'"))
    }

    pub(super) fn invalid(&self, at: usize, problem: String) -> FileError {
        let line = self.text.get(..at).unwrap_or_default().matches('\n').count() + 1;
        FileError::Invalid { file: self.name.to_owned(), line, problem }
    }

    /// Something that is not there, and what is.
    pub(super) fn unknown(&self, at: usize, problem: &str, known: &[&str]) -> FileError {
        self.invalid(at, format!("there is {problem}: there are {}", known.join(", ")))
    }

    /// The same on a line that is known.
    pub(super) fn unknown_on(&self, line: usize, problem: &str, known: &[&str]) -> FileError {
        let problem = format!("there is {problem}: there are {}", known.join(", "));
        FileError::Invalid { file: self.name.to_owned(), line, problem }
    }
}
