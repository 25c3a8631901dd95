//! Answer to a command line that cannot be run: help, the version, or one line about the error.

use super::CommandLine;
use crate::failure::Failure;
use crate::report::stdout;
use clap::error::ErrorKind;
use clap::{Command, CommandFactory};
use std::ffi::OsString;
use std::io::Write;

/// Prints help or the version if that was asked for; anything else is a failure. `arguments` is the
/// command line in which `error` was found, which begins with the program's name.
pub(crate) fn answer(error: &clap::Error, arguments: &[OsString]) -> Result<(), Failure> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let printed = stdout().flush().and_then(|()| error.print());
            printed.map_err(|error| Failure::output(&error))
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Err(Failure::Usage(format!(
            "say what to do: {}; '{}' tells more",
            choice(arguments),
            help(arguments)
        ))),
        _ => {
            let text = one_line(&error.render().to_string());
            Err(Failure::Usage(format!("{text}; see '{}'", help(arguments))))
        }
    }
}

/// Subcommand that a command line begins with, if it does.
fn subcommand(arguments: &[OsString]) -> Option<Command> {
    let first = arguments.get(1)?.to_str()?;
    CommandLine::command().find_subcommand(first).cloned()
}

/// Command that prints the help about the options.
fn help(arguments: &[OsString]) -> String {
    match subcommand(arguments) {
        Some(subcommand) => format!("ackclock help {}", subcommand.get_name()),
        None => "ackclock --help".into(),
    }
}

/// Words that may follow, for a command line that ends where one of them is needed.
fn choice(arguments: &[OsString]) -> String {
    let Some(subcommand) = subcommand(arguments) else {
        return "discard, echo, serve, hosts, path, bprobe, campaign, trace, emulate, lab, swarm or setup tun"
            .into();
    };
    let words: Vec<_> = subcommand.get_subcommands().map(Command::get_name).collect();
    match &words[..] {
        [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
        _ => words.concat(),
    }
}

/// Message and tip of an error in one line, without the usage that follows them.
fn one_line(message: &str) -> String {
    let mut paragraphs = message.split("\n\n").map(|paragraph| {
        let words: Vec<_> = paragraph.split_whitespace().collect();
        words.join(" ")
    });
    let first = paragraphs.next().unwrap_or_default();
    let text = first.strip_prefix("error: ").unwrap_or(&first);
    // The tip to give a negative number after `--` is of no help: no option takes a negative number.
    let helps = |tip: &String| tip.starts_with("tip: ") && !tip.contains("as a value, use '-- ");
    match paragraphs.find(helps) {
        Some(tip) => format!("{text} ({tip})"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(arguments: &[&str]) -> String {
        let arguments: Vec<_> = ["ackclock"].iter().chain(arguments).map(OsString::from).collect();
        let error = CommandLine::read(&arguments).unwrap_err();
        answer(&error, &arguments).unwrap_err().to_string()
    }

    #[test]
    fn the_definition_of_the_command_line_is_sound() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn complaints_are_one_line() {
        assert_eq!(
            complaint(&["discard", "--byte", "1M"]),
            "unexpected argument '--byte' found (tip: a similar argument exists: '--bytes'); see \
             'ackclock help discard'"
        );
        assert_eq!(
            complaint(&["discard", "--tun", "t"]),
            "--tun needs a peer: give HOST:PORT, or leave it out for an emulated path; see 'ackclock \
             help discard'"
        );
        assert_eq!(
            complaint(&["echo", "10.7.0.1:7", "--via", "raw", "--offload", "on"]),
            "--offload has no effect with --via raw: leave it out; see 'ackclock help echo'"
        );
        assert_eq!(
            complaint(&["serve", "echo", "--via", "packet", "--queues", "2"]),
            "--queues has no effect with --via packet: leave it out; see 'ackclock help serve'"
        );
        assert_eq!(
            complaint(&["serve", "echo", "--once", "--queues", "2"]),
            "--queues has no effect with --once: a connection is on one queue; see 'ackclock help \
             serve'"
        );
        assert_eq!(
            complaint(&["echo", "--bytes", "16X"]),
            "invalid value '16X' for '--bytes <BYTES>': unknown suffix 'x': use k, M, G or T; see \
             'ackclock help echo'"
        );
        assert_eq!(
            complaint(&["discard", "--bytes", "-1"]),
            "unexpected argument '-1' found; see 'ackclock help discard'"
        );
        assert_eq!(
            complaint(&["--bytes", "1"]),
            "unexpected argument '--bytes' found; see 'ackclock --help'"
        );
        assert_eq!(
            complaint(&[]),
            "say what to do: discard, echo, serve, hosts, path, bprobe, campaign, trace, emulate, lab, \
             swarm or setup tun; 'ackclock --help' tells more"
        );
    }

    #[test]
    fn a_subcommand_alone_is_answered_with_its_own_words() {
        for (subcommand, words) in [
            ("lab", "list, show, run, merge or mutants"),
            ("campaign", "run or report"),
            ("setup", "tun"),
        ] {
            let expected =
                format!("say what to do: {words}; 'ackclock help {subcommand}' tells more");
            assert_eq!(complaint(&[subcommand]), expected);
        }
    }

    #[test]
    fn an_unknown_law_is_answered_with_those_there_are() {
        assert_eq!(
            complaint(&["discard", "--cc", "vogon"]),
            "invalid value 'vogon' for '--cc <LAW>': unknown law: use cubic, reno, veno, vegas, \
             tahoe, none, fixed, bbr, prague; see 'ackclock help discard'"
        );
    }

    #[test]
    fn options_that_exclude_each_other_are_refused() {
        for arguments in [
            &["discard", "--bytes", "1", "--time", "1s"][..],
            &["discard", "a:9", "--tun", "t", "--address", "10.7.0.2/24", "--path", "loss=0"],
            &["discard", "--tun", "t"],
            &["serve", "echo", "--via", "kernel", "--tun", "t", "--address", "10.7.0.2/24"],
            &["serve", "echo", "--via", "kernel", "--mss", "1000"],
            &["serve", "echo", "--via", "kernel", "--queues", "2"],
            &["discard", "--queues", "2"],
            &["discard", "--scenario", "file", "--queues", "2"],
            &["discard", "a:9", "--via", "raw", "--queues", "2"],
        ] {
            let help = format!("see 'ackclock help {}'", arguments[0]);
            assert!(complaint(arguments).ends_with(&help), "{arguments:?}");
        }
    }
}
