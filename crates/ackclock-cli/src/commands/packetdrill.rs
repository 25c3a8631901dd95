//! `ackclock packetdrill`

use crate::failure::Failure;
use crate::packetdrill::{self, Settings};
use clap::Args;
use std::path::PathBuf;

/// Play a packetdrill script against the stack in virtual time, as it is: shell commands in it that set the kernel
/// (sysctl, tc) set the stack instead, and code blocks look at the stack.
///
/// It runs packetdrill, which it needs to be built; both libraries have to lie beside this program. Exit status:
/// that of packetdrill; 2 the command line is wrong, 3 something is missing.
#[derive(Args, Debug)]
pub(crate) struct Packetdrill {
    /// The script
    script: PathBuf,

    /// The program [default: the one on the path]
    #[arg(long, value_name = "FILE")]
    packetdrill: Option<PathBuf>,

    /// Folder of the libraries [default: this program's]
    #[arg(long, value_name = "DIR")]
    libraries: Option<PathBuf>,

    /// More flags of the library, as in trace=on,recovery=rfc6675
    #[arg(long, value_name = "FLAGS", default_value = "", hide_default_value = true)]
    flags: String,

    /// More arguments of packetdrill, behind --
    #[arg(last = true, value_name = "ARGUMENT")]
    arguments: Vec<String>,
}

impl Packetdrill {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let Packetdrill { script, packetdrill, libraries, flags, arguments } = self;
        packetdrill::run(&Settings {
            script: script.clone(),
            packetdrill: packetdrill.clone(),
            libraries: libraries.clone(),
            flags: flags.clone(),
            arguments: arguments.clone(),
        })
    }
}
