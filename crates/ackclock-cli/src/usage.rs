//! What is said about a command line that cannot be used: one line.

use crate::failure::Failure;
use clap::error::ErrorKind;

/// Prints help or the version if that was asked for; anything else is a failure.
pub(crate) fn answer(error: &clap::Error) -> Result<(), Failure> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            error.print().map_err(|error| Failure::output(&error))
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Err(Failure::Usage(
            "say what to do: discard, echo, serve, emulate or setup tun; 'ackclock --help' tells more"
                .into(),
        )),
        _ => Err(Failure::Usage(one_line(&error.render().to_string()))),
    }
}

/// The message and the tip, without the usage that follows.
fn one_line(message: &str) -> String {
    let mut paragraphs = message.split("\n\n").map(|paragraph| {
        let words: Vec<_> = paragraph.split_whitespace().collect();
        words.join(" ")
    });
    let first = paragraphs.next().unwrap_or_default();
    let text = first.strip_prefix("error: ").unwrap_or(&first);
    // That a negative number can be given after `--` helps nobody: no option takes one.
    let helps = |tip: &String| tip.starts_with("tip: ") && !tip.contains("as a value, use '-- ");
    match paragraphs.find(helps) {
        Some(tip) => format!("{text} ({tip}); see 'ackclock --help'"),
        None => format!("{text}; see 'ackclock --help'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::CommandLine;
    use clap::CommandFactory;

    fn complaint(arguments: &[&str]) -> String {
        let arguments = ["ackclock"].iter().chain(arguments);
        let error = CommandLine::read(arguments).unwrap_err();
        answer(&error).unwrap_err().to_string()
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
             'ackclock --help'"
        );
        assert_eq!(
            complaint(&["discard", "10.7.0.1:9"]),
            "the following required arguments were not provided: --address <CIDR> --tun <NAME>; \
             see 'ackclock --help'"
        );
        assert_eq!(
            complaint(&["echo", "--bytes", "16X"]),
            "invalid value '16X' for '--bytes <BYTES>': unknown suffix 'x': use k, M, G or T; see \
             'ackclock --help'"
        );
        assert_eq!(
            complaint(&["discard", "--bytes", "-1"]),
            "unexpected argument '-1' found; see 'ackclock --help'"
        );
        assert_eq!(
            complaint(&[]),
            "say what to do: discard, echo, serve, emulate or setup tun; 'ackclock --help' tells more"
        );
    }

    #[test]
    fn an_unknown_law_is_answered_with_those_there_are() {
        let text = complaint(&["discard", "--cc", "vogon"]);
        assert!(text.contains("reno") && !text.contains('\n'), "{text}");
    }

    #[test]
    fn options_that_exclude_each_other_are_refused() {
        for arguments in [
            &["discard", "--bytes", "1", "--time", "1s"][..],
            &["discard", "a:9", "--tun", "t", "--address", "10.7.0.2/24", "--path", "loss=0"],
            &["discard", "--tun", "t"],
            &["serve", "echo", "--via", "kernel", "--tun", "t", "--address", "10.7.0.2/24"],
            &["serve", "echo", "--via", "kernel", "--mss", "1000"],
        ] {
            assert!(complaint(arguments).ends_with("see 'ackclock --help'"), "{arguments:?}");
        }
    }
}
