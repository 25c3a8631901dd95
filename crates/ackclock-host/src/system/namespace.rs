//! Named network namespaces, as `ip netns add` makes them, and how to work in them.

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::panic::resume_unwind;
use std::path::Path;
use std::str::FromStr;
use std::thread;

/// The folder in which `ip netns` keeps its namespaces.
const FOLDER: &str = "/run/netns";

/// The name of a network namespace: letters, digits, `-`, `_` or `.`.
///
/// Any file name is possible; these need no quotes on a command line.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Namespace(String);

impl Namespace {
    /// Does some work in the namespace, in a thread of its own. Descriptors that the work opens
    /// stay in the namespace, whichever thread uses them.
    ///
    /// # Errors
    /// Says why the namespace cannot be entered.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, NamespaceError> {
        let in_thread = || {
            self.enter()?;
            Ok(work())
        };
        let joined = thread::scope(|scope| {
            let spawned = thread::Builder::new().spawn_scoped(scope, in_thread);
            Ok(spawned.map_err(|error| NamespaceError::Unusable(self.clone(), error))?.join())
        })?;
        joined.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Moves the calling thread into the namespace.
    fn enter(&self) -> Result<(), NamespaceError> {
        let file =
            File::open(Path::new(FOLDER).join(&self.0)).map_err(|error| self.error(error))?;
        move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))
            .map_err(|errno| self.error(errno.into()))
    }

    fn error(&self, error: io::Error) -> NamespaceError {
        match error.kind() {
            io::ErrorKind::NotFound => NamespaceError::NotFound(self.clone()),
            io::ErrorKind::PermissionDenied => NamespaceError::NotPermitted(self.clone()),
            _ => NamespaceError::Unusable(self.clone(), error),
        }
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Namespace {
    type Err = InvalidNamespace;

    fn from_str(name: &str) -> Result<Self, InvalidNamespace> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        // A leading hyphen would be read as an option by `ip`; `.` and `..` are no files.
        let usable = !name.is_empty() && name.bytes().all(allowed) && !name.starts_with(['-', '.']);
        if usable { Ok(Namespace(name.to_owned())) } else { Err(InvalidNamespace) }
    }
}

/// The error for a text that cannot name a namespace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidNamespace;

impl fmt::Display for InvalidNamespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a namespace's name has letters, digits, '-', '_' or '.'; 'ip netns list' shows those \
             there are",
        )
    }
}

impl std::error::Error for InvalidNamespace {}

/// Why a namespace cannot be worked in.
#[derive(Debug)]
#[non_exhaustive]
pub enum NamespaceError {
    /// There is no namespace of this name.
    NotFound(Namespace),
    /// This process may not enter the namespace.
    NotPermitted(Namespace),
    /// Any other error.
    Unusable(Namespace, io::Error),
}

impl fmt::Display for NamespaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NamespaceError::NotFound(name) => write!(
                f,
                "there is no network namespace '{name}': make it with 'sudo ip netns add {name}'; \
                 'ip netns list' shows those there are"
            ),
            NamespaceError::NotPermitted(name) => write!(
                f,
                "not allowed to enter network namespace '{name}': run this program as root, with \
                 'sudo'"
            ),
            NamespaceError::Unusable(name, error) => write!(
                f,
                "network namespace '{name}' cannot be used: {error}; make it anew with 'sudo ip \
                 netns delete {name}; sudo ip netns add {name}'"
            ),
        }
    }
}

impl std::error::Error for NamespaceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            NamespaceError::Unusable(_, error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_need_no_quoting_are_taken() {
        for name in ["a", "left", "my-ns_1.5"] {
            assert_eq!(name.parse::<Namespace>().unwrap().to_string(), name);
        }
        for name in ["", "-x", ".", "..", "../net", "a/b", "a b", "ü"] {
            assert_eq!(name.parse::<Namespace>(), Err(InvalidNamespace), "{name:?}");
        }
    }

    #[test]
    fn a_namespace_that_is_not_there_is_made_with_the_command_named() {
        let namespace: Namespace = "ackclock-no-such-namespace".parse().unwrap();
        let error = namespace.run(|| ()).unwrap_err().to_string();
        assert!(error.contains("'sudo ip netns add ackclock-no-such-namespace'"), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }
}
