//! Commands that change the system, to be shown to people or to be run.

use std::fmt;
use std::io;
use std::process::{Command, Stdio};

/// The programs that recorded commands may run.
pub(crate) const PROGRAMS: [&str; 4] = ["ip", "sysctl", "iptables", "ip6tables"];

/// A list of commands to be run by root, in order. `Display` writes one a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan(Vec<CommandLine>);

impl Plan {
    /// A plan of these commands.
    pub(crate) fn of(commands: Vec<CommandLine>) -> Self {
        Plan(commands)
    }

    /// The commands in order.
    pub fn commands(&self) -> &[CommandLine] {
        &self.0
    }

    /// Runs the commands, and stops at the first that fails.
    ///
    /// # Errors
    /// Names the command that failed and its error message.
    pub fn run(&self) -> Result<(), CommandError> {
        self.0.iter().try_for_each(|command| command.run().map(|_| ()))
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|command| writeln!(f, "{command}"))
    }
}

/// A program with its arguments. `Display` writes it as a shell reads it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandLine {
    program: &'static str,
    arguments: Vec<String>,
}

/// A command with these arguments.
pub(crate) fn command<'a>(
    program: &'static str,
    arguments: impl IntoIterator<Item = &'a str>,
) -> CommandLine {
    CommandLine { program, arguments: arguments.into_iter().map(str::to_owned).collect() }
}

impl CommandLine {
    /// Adds arguments.
    pub(crate) fn extend(&mut self, arguments: impl IntoIterator<Item = String>) {
        self.arguments.extend(arguments);
    }

    /// The Debian package that has the program.
    fn package(&self) -> &'static str {
        match self.program {
            "ip" => "iproute2",
            "sysctl" => "procps",
            "nft" => "nftables",
            _ => "iptables",
        }
    }

    /// Runs the command; returns what it printed.
    ///
    /// # Errors
    /// The reason why it could not be run, or its error message.
    pub fn run(&self) -> Result<String, CommandError> {
        let mut process = Command::new(self.program);
        process.args(&self.arguments).stdin(Stdio::null());
        match process.output() {
            Ok(output) if output.status.success() => {
                Ok(String::from_utf8_lossy(&output.stdout).into_owned())
            }
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                let said = said.lines().next().unwrap_or("no reason given").to_owned();
                Err(CommandError::Failed(self.clone(), said))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(CommandError::NoProgram(self.clone()))
            }
            Err(error) => Err(CommandError::Failed(self.clone(), error.to_string())),
        }
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.program)?;
        self.arguments.iter().try_for_each(|argument| match needs_quotes(argument) {
            true => write!(f, " '{argument}'"),
            false => write!(f, " {argument}"),
        })
    }
}

/// Whether a shell needs quotes around the argument. Our arguments have no single quotes.
fn needs_quotes(argument: &str) -> bool {
    argument.contains(|character: char| " ;&|<>(){}$*?#~\"\\".contains(character))
}

/// The reasons for a command to fail.
#[derive(Debug)]
#[non_exhaustive]
pub enum CommandError {
    /// The program is not installed.
    NoProgram(CommandLine),
    /// The command failed and said this.
    Failed(CommandLine, String),
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandError::NoProgram(command) => write!(
                f,
                "{} is not installed: run 'sudo apt-get install {}'",
                command.program,
                command.package()
            ),
            CommandError::Failed(command, said) => {
                write!(f, "\"{command}\" failed: {said}; run it as root: \"sudo {command}\"")
            }
        }
    }
}

impl std::error::Error for CommandError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_fails_is_quoted_with_its_reason() {
        let error = command("sh", ["-c", "echo reason>&2;exit 2"]).run();
        assert_eq!(
            error.unwrap_err().to_string(),
            "\"sh -c 'echo reason>&2;exit 2'\" failed: reason; run it as root: \"sudo sh -c 'echo \
             reason>&2;exit 2'\""
        );
    }

    #[test]
    fn a_missing_program_is_named_with_its_package() {
        let error = command("no-such-program", []).run().unwrap_err();
        assert_eq!(
            error.to_string(),
            "no-such-program is not installed: run 'sudo apt-get install iptables'"
        );
    }

    #[test]
    fn what_a_shell_would_take_apart_is_quoted() {
        let shown = command("nft", ["add", "table", "ip", "t", "{ chain c { } }"]).to_string();
        assert_eq!(shown, "nft add table ip t '{ chain c { } }'");
        assert_eq!(command("ip", ["address", "10.7.0.1/24"]).to_string(), "ip address 10.7.0.1/24");
    }

    #[test]
    fn what_a_command_prints_is_returned() {
        assert_eq!(command("echo", ["some", "text"]).run().unwrap(), "some text\n");
    }
}
