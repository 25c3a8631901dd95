//! Why a plan is refused.

use crate::lists::{HostError, StopListError};
use ackclock::tcp::ConfigError;
use std::fmt;
use std::path::PathBuf;

/// Why a plan is refused.
#[derive(Debug)]
#[non_exhaustive]
pub enum PlanError {
    /// A file cannot be read.
    File(PathBuf, std::io::Error),
    /// A line, counted from 1, does not belong in a plan.
    Line(usize, String),
    /// The plan has no hosts.
    NoHosts,
    /// An entry is not a valid host.
    Host(String, HostError),
    /// A list has an entry twice.
    Twice(&'static str, Option<String>),
    /// A list that needs an entry has none.
    Empty(&'static str),
    /// A number or a time is not in its range.
    Range {
        /// Its name in the plan.
        name: &'static str,
        /// The value in the plan.
        given: String,
        /// The allowed values.
        range: String,
    },
    /// No connection can have the settings of the transfers.
    Connection(ConfigError),
    /// The stop list is invalid.
    StopFile(PathBuf, StopListError),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::File(file, error) => write!(f, "cannot read {}: {error}", file.display()),
            PlanError::Line(line, problem) => {
                write!(f, "the plan is not understood: line {line}: {problem}")
            }
            PlanError::NoHosts => {
                f.write_str("the plan has no hosts: give 'hosts' or 'hosts_file'")
            }
            PlanError::Host(host, error) => write!(f, "in the plan, host '{host}' is {error}"),
            PlanError::Twice(name, entry) => {
                let entry = entry.as_deref().unwrap_or("an entry");
                write!(f, "in the plan, '{name}' has {entry} twice: leave one out")
            }
            PlanError::Empty(name) => {
                write!(f, "in the plan, '{name}' is empty: give an entry, or leave it out")
            }
            PlanError::Range { name, given, range } => {
                write!(f, "in the plan, '{name}' is {given}: give {range}")
            }
            PlanError::Connection(error) => write!(f, "in the plan, of 'transfer': {error}"),
            PlanError::StopFile(file, error) => {
                write!(f, "the stop list {}: {error}; nothing is sent without it", file.display())
            }
        }
    }
}

impl std::error::Error for PlanError {}

/// In one line, where the TOML's own error shows a part of the file.
pub(super) fn toml_error(text: &str, error: &toml::de::Error) -> PlanError {
    let start = error.span().map_or(0, |span| span.start);
    let before = text.get(..start).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    PlanError::Line(line, error.message().replace('\n', " "))
}
