//! Changes to the system that are recorded, so that they can be undone: only what was not there
//! before is removed.
//!
//! The record is a file of the commands that undo the changes, one a line, which people can read
//! and run too. It is in `/run`, because a restart empties that folder and undoes the changes as
//! well. Its name has the number of the network namespace.

use super::command::{CommandError, CommandLine, PROGRAMS, command};
use super::interface::InterfaceName;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The folder of the files.
const FOLDER: &str = "/run/ackclock";
/// The network namespace of the calling thread.
const NAMESPACE: &str = "/proc/thread-self/ns/net";

/// A change to the system, and how to undo it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The command that makes the change.
    pub(crate) make: CommandLine,
    /// The command that undoes the change; `None` if undoing another change undoes this one too.
    pub(crate) undo: Option<CommandLine>,
}

/// The recorded changes of an interface.
#[derive(Debug)]
pub struct Changes {
    file: PathBuf,
    /// The commands that undo the changes, in the order in which these were made.
    undo: Vec<CommandLine>,
}

impl Changes {
    /// The recorded changes of this interface; none if there is no record.
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

    /// Whether there is nothing to undo.
    pub fn is_empty(&self) -> bool {
        self.undo.is_empty()
    }

    /// Makes a change, after recording how to undo it.
    ///
    /// # Errors
    /// The change could not be made or recorded.
    pub fn make(&mut self, change: Change) -> Result<(), ChangesError> {
        if let Some(undo) = change.undo {
            self.undo.push(undo);
            self.save()?;
        }
        change.make.run().map(|_| ()).map_err(ChangesError::Command)
    }

    /// Undoes all changes, the last one first. Returns the commands that failed, most likely
    /// because a change was undone by hand.
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

/// Reads a command from a line of the file. The commands recorded here need no quotes.
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
    /// The file has other lines than such commands.
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
