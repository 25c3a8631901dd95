//! Errors of a scenario, with the place in the file.

use crate::emulator::build::BuildError;
use ackclock::apps::StartError;
use std::fmt;
use toml::Spanned;

/// Least similarity (Jaro-Winkler, 0 to 1) of a known name that is suggested in place of an unknown
/// one.
const ALIKE: f64 = 0.8;

/// Why a scenario cannot be read or run.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ScenarioError {
    /// The file could not be read.
    Read {
        /// The file's name.
        file: String,
        /// The system's reason.
        error: String,
    },
    /// Something in the file cannot be used.
    Invalid {
        /// The file's name.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// The key whose value cannot be used.
        key: String,
        /// The error, and its remedy.
        problem: String,
    },
    /// The network cannot be built.
    Build {
        /// The file's name.
        file: String,
        /// The error in the network.
        error: BuildError,
    },
    /// A flow cannot start.
    Start {
        /// The file's name.
        file: String,
        /// The flow's name.
        flow: String,
        /// Why the flow cannot start.
        error: StartError,
    },
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScenarioError::Read { file, error } => write!(f, "{file}: {error}"),
            ScenarioError::Invalid { file, line, key, problem } if key.is_empty() => {
                write!(f, "{file}:{line}: {problem}")
            }
            ScenarioError::Invalid { file, line, key, problem } => {
                write!(f, "{file}:{line}: {key}: {problem}")
            }
            ScenarioError::Build { file, error } => write!(f, "{file}: {error}"),
            ScenarioError::Start { file, flow, error } => write!(f, "{file}: {flow}: {error}"),
        }
    }
}

impl std::error::Error for ScenarioError {}

/// A scenario's text and name, from which errors get their line and key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) name: &'a str,
}

impl Source<'_> {
    /// The error of the TOML reader, in our words.
    pub(super) fn toml(&self, error: &toml::de::Error) -> ScenarioError {
        let at = error.span().map_or(0, |span| span.start);
        let message = error.message();
        if let Some((name, known)) = unknown(message, "unknown field") {
            let problem = format!("there is no such key here: {}", hint(name, &known));
            return self.invalid(at, name.to_owned(), problem);
        }
        if let Some((name, known)) = unknown(message, "unknown variant") {
            let problem = format!("there is no word '{name}' here: {}", hint(name, &known));
            return self.invalid(at, self.key_before(at), problem);
        }
        if let Some(name) = message.strip_prefix("missing field ") {
            let key = name.trim_matches('`').to_owned();
            return self.invalid(at, key, "this key is missing: give it".to_owned());
        }
        // The first line of the message is the error; the others show the place.
        let problem = message.lines().next().unwrap_or_default();
        self.invalid(at, self.key_before(at), without_types(problem))
    }

    /// An error about this value of a key.
    pub(super) fn problem<T>(
        &self,
        value: &Spanned<T>,
        key: &str,
        problem: impl Into<String>,
    ) -> ScenarioError {
        self.invalid(value.span().start, key.to_owned(), problem.into())
    }

    /// An error about a name that is not one of `known`.
    pub(super) fn unknown_name(
        &self,
        name: &Spanned<String>,
        key: &str,
        what: &str,
        known: &[&str],
    ) -> ScenarioError {
        let problem =
            format!("there is no {what} '{}': {}", name.get_ref(), hint(name.get_ref(), known));
        self.problem(name, key, problem)
    }

    fn invalid(&self, at: usize, key: String, problem: String) -> ScenarioError {
        let line = self.text.get(..at).unwrap_or_default().matches('\n').count() + 1;
        ScenarioError::Invalid { file: self.name.to_owned(), line, key, problem }
    }

    /// The key whose value begins at `at`: the word before the last `=` in front of it, or the
    /// first word of the line.
    fn key_before(&self, at: usize) -> String {
        let before = self.text.get(..at).unwrap_or_default();
        let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
        let is_key = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let key = match line.trim_end().strip_suffix('=') {
            Some(left) => left.trim_end().rsplit(|c| !is_key(c)).next(),
            None => line.trim_start().split(|c| !is_key(c)).next(),
        };
        key.unwrap_or_default().to_owned()
    }
}

/// Reads a message of serde that begins with `kind`: the unknown name, and the known ones.
fn unknown<'a>(message: &'a str, kind: &str) -> Option<(&'a str, Vec<&'a str>)> {
    // Names stand between backticks, the unknown one first.
    let mut names = message.strip_prefix(kind)?.split('`').skip(1).step_by(2);
    Some((names.next()?, names.collect()))
}

/// A message of serde in which the name of an integer type is replaced by its range.
fn without_types(message: &str) -> String {
    let largest = [
        ("u8", u8::MAX.into()),
        ("u16", u16::MAX.into()),
        ("u32", u32::MAX.into()),
        // TOML integers are at most `i64::MAX`.
        ("u64", i64::MAX),
        ("usize", i64::MAX),
    ];
    for (name, largest) in largest {
        if let Some(start) = message.strip_suffix(&format!("expected {name}")) {
            return format!("{start}expected a whole number from 0 to {largest}");
        }
    }
    message.to_owned()
}

/// A hint which of `known` may have been meant by `name`.
fn hint(name: &str, known: &[&str]) -> String {
    let alike = |other: &&&str| strsim::jaro_winkler(name, other) >= ALIKE;
    let near: Vec<_> = known.iter().filter(alike).copied().collect();
    match near[..] {
        [] if known.is_empty() => "remove it".to_owned(),
        [] => format!("use one of {}", known.join(", ")),
        _ => format!("did you mean {}?", near.join(" or ")),
    }
}
