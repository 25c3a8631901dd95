//! `ackclock packetdrill`: plays a packetdrill script against the stack, with packetdrill itself.

mod command;
mod script;

use crate::failure::Failure;
use command::Invocation;
use script::ScriptOptions;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

/// The stack as packetdrill loads it, and what is loaded before packetdrill.
const LIBRARY: &str = "libackclock_packetdrill.so";
const FORWARDER: &str = "libackclock_packetdrill_preload.so";

/// What is played, and by what.
pub(crate) struct Settings {
    pub(crate) script: PathBuf,
    /// packetdrill's program; `None`: the one on the path.
    pub(crate) packetdrill: Option<PathBuf>,
    /// The folder of both libraries; `None`: this program's.
    pub(crate) libraries: Option<PathBuf>,
    /// The library's flags, besides those that follow from the script.
    pub(crate) flags: String,
    /// More arguments of packetdrill.
    pub(crate) arguments: Vec<String>,
}

/// Becomes packetdrill. It returns only if that fails.
pub(crate) fn run(settings: &Settings) -> Result<(), Failure> {
    let text = std::fs::read_to_string(&settings.script).map_err(|error| {
        Failure::Usage(format!("cannot read the script {}: {error}", settings.script.display()))
    })?;
    let script = settings.script.canonicalize().unwrap_or_else(|_| settings.script.clone());
    let folder = match &settings.libraries {
        Some(folder) => folder.clone(),
        None => own_folder()?,
    };
    let invocation = Invocation {
        script: script.file_name().unwrap_or_default().to_owned(),
        library: library(&folder, LIBRARY)?,
        forwarder: library(&folder, FORWARDER)?,
        options: ScriptOptions::of(&text, &settings.arguments),
        flags: &settings.flags,
        arguments: &settings.arguments,
    };
    let program = settings.packetdrill.clone().unwrap_or_else(|| "packetdrill".into());
    let mut command = invocation.command(&absolute(&program));
    // A script names other files from where it is.
    command.current_dir(script.parent().unwrap_or(Path::new(".")));
    let error = command.exec();
    Err(Failure::Environment(format!(
        "cannot run {}: {error}; build packetdrill from its sources, and put it on the path or name it with \
         --packetdrill",
        program.display()
    )))
}

/// A program that is named by more than its file name stays the same in another folder.
fn absolute(program: &Path) -> PathBuf {
    match program.components().count() {
        1 => program.to_path_buf(),
        _ => std::path::absolute(program).unwrap_or_else(|_| program.to_path_buf()),
    }
}

fn own_folder() -> Result<PathBuf, Failure> {
    let program = std::env::current_exe().map_err(|error| {
        Failure::Environment(format!("cannot tell where this program is: {error}"))
    })?;
    Ok(program.parent().unwrap_or(Path::new(".")).to_path_buf())
}

fn library(folder: &Path, name: &str) -> Result<OsString, Failure> {
    let path = std::path::absolute(folder.join(name)).unwrap_or_else(|_| folder.join(name));
    match path.exists() {
        true => Ok(path.into_os_string()),
        false => Err(Failure::Environment(format!(
            "there is no {}: run 'cargo build --release -p ackclock-packetdrill -p ackclock-packetdrill-preload', or \
             name the folder with --libraries",
            path.display()
        ))),
    }
}
