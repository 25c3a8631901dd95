//! Changes to the system that are remembered, so that they can be undone: what was not there before
//! goes again, what was there stays.
//!
//! How to undo them is in a file of commands, one a line, that anybody can read. It is in `/run`, which
//! a restart empties as it empties what the commands are about, and its name has the number of the
//! network namespace.

use super::command::{CommandError, CommandLine, PROGRAMS, command};
use super::interface::InterfaceName;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Where the files are.
const FOLDER: &str = "/run/ackclock";
/// The network namespace of the calling thread.
const NAMESPACE: &str = "/proc/thread-self/ns/net";

/// A change to be made unless it has been made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// Makes it.
    pub(crate) make: CommandLine,
    /// Undoes it; `None` if what was changed goes with something else.
    pub(crate) undo: Option<CommandLine>,
}

/// What has been changed about an interface, and how to undo it.
#[derive(Debug)]
pub struct Changes {
    file: PathBuf,
    /// In the order in which the changes were made.
    undo: Vec<CommandLine>,
}

impl Changes {
    /// What is remembered about this interface; nothing if nothing was changed.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn of(name: &InterfaceName) -> Result<Self, ChangesError> {
        let namespace = fs::metadata(NAMESPACE).map_err(|error| failed(NAMESPACE, error))?.ino();
        Changes::in_file(Path::new(FOLDER).join(format!("{namespace}-{name}.undo")))
    }

    fn in_file(file: PathBuf) -> Result<Self, ChangesError> {
        let text = match fs::read_to_string(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => read.map_err(|error| failed(&file, error))?,
        };
        let line = |line| parse(line).ok_or_else(|| ChangesError::Unreadable(file.clone()));
        let undo = text.lines().map(line).collect::<Result<_, _>>()?;
        Ok(Changes { file, undo })
    }

    /// Whether nothing is to be undone.
    pub fn is_empty(&self) -> bool {
        self.undo.is_empty()
    }

    /// Makes a change, and remembers before how to undo it.
    ///
    /// # Errors
    /// It could not be made or remembered.
    pub fn make(&mut self, change: Change) -> Result<(), ChangesError> {
        if let Some(undo) = change.undo {
            self.undo.push(undo);
            self.save()?;
        }
        change.make.run().map(|_| ()).map_err(ChangesError::Command)
    }

    /// Undoes everything, the last change first; returns the commands that failed, most likely
    /// because somebody else has undone it.
    ///
    /// # Errors
    /// The file cannot be changed.
    pub fn undo(mut self) -> Result<Vec<CommandError>, ChangesError> {
        let undone = self.undo.drain(..).rev().filter_map(|command| command.run().err());
        let failed = undone.collect();
        self.save()?;
        Ok(failed)
    }

    fn save(&self) -> Result<(), ChangesError> {
        let write = || {
            if self.undo.is_empty() {
                return match fs::remove_file(&self.file) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                    _ => Ok(()),
                };
            }
            self.file.parent().map_or(Ok(()), fs::create_dir_all)?;
            let lines = self.undo.iter().map(|command| format!("{command}\n"));
            fs::write(&self.file, lines.collect::<String>())
        };
        write().map_err(|error| failed(&self.file, error))
    }
}

/// A command as it was written. None of those here needs quotes.
fn parse(line: &str) -> Option<CommandLine> {
    let mut words = line.split(' ');
    let program = words.next()?;
    let program = PROGRAMS.into_iter().find(|known| *known == program)?;
    Some(command(program, words))
}

fn failed(file: impl AsRef<Path>, error: io::Error) -> ChangesError {
    ChangesError::File(file.as_ref().to_owned(), error)
}

/// Why a change could not be made or undone.
#[derive(Debug)]
#[non_exhaustive]
pub enum ChangesError {
    /// A command failed.
    Command(CommandError),
    /// The file of commands cannot be used.
    File(PathBuf, io::Error),
    /// The file has something else in it.
    Unreadable(PathBuf),
}

impl fmt::Display for ChangesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChangesError::Command(error) => error.fmt(f),
            ChangesError::File(file, error) => {
                write!(f, "cannot use {}: {error}; run this as root, with 'sudo'", file.display())
            }
            ChangesError::Unreadable(file) => write!(
                f,
                "{0} has been changed: run what is in it by hand, then 'sudo rm {0}'",
                file.display()
            ),
        }
    }
}

impl std::error::Error for ChangesError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(make: CommandLine, undo: CommandLine) -> Change {
        Change { make, undo: Some(undo) }
    }

    #[test]
    fn what_was_made_is_undone_in_reverse_order_also_after_a_failure() {
        let folder = std::env::temp_dir().join(format!("ackclock-changes-{}", std::process::id()));
        let file = folder.join("test.undo");
        let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
        let touch = |name: &str| command("touch", [at(name).as_str()]);
        let remove = |name: &str| command("ip", ["no-such-object", name]);

        let mut changes = Changes::in_file(file.clone()).unwrap();
        assert!(changes.is_empty());
        changes.make(change(touch("a"), remove("a"))).unwrap();
        changes.make(Change { make: touch("b"), undo: None }).unwrap();
        changes.make(change(command("false", []), remove("c"))).unwrap_err();
        assert!(folder.join("a").exists() && folder.join("b").exists());

        let changes = Changes::in_file(file.clone()).unwrap();
        assert_eq!(changes.undo, [remove("a"), remove("c")]);
        let failed: Vec<_> = changes.undo().unwrap().iter().map(ToString::to_string).collect();
        assert!(failed[0].starts_with("\"ip no-such-object c\""), "{failed:?}");
        assert!(failed[1].starts_with("\"ip no-such-object a\""), "{failed:?}");
        assert!(Changes::in_file(file).unwrap().is_empty());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_with_something_else_in_it_is_not_obeyed() {
        let file = std::env::temp_dir().join(format!("ackclock-unreadable-{}", std::process::id()));
        fs::write(&file, "rm -r /\n").unwrap();
        let error = Changes::in_file(file.clone()).unwrap_err();
        assert!(matches!(error, ChangesError::Unreadable(_)), "{error}");
        fs::remove_file(file).unwrap();
    }
}
