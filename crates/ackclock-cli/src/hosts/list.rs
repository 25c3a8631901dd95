//! Lists of hosts: those to try, and those never to try.

use crate::failure::Failure;
use crate::values::Peer;
use ackclock_measure::lists::{StopList, StopListError, entries};
use ackclock_measure::text_file;
use std::fs::File;
use std::path::Path;

/// Reads the hosts of a file, or of standard input for `-`; `port` is for hosts that name none.
pub(super) fn read(file: &Path, port: u16) -> Result<Vec<Peer>, Failure> {
    parse(&text(file)?, port)
        .map_err(|problem| Failure::Usage(format!("{}: {problem}", file.display())))
}

/// Reads the hosts that are never tried.
pub(super) fn read_stop_list(file: &Path) -> Result<StopList, Failure> {
    text(file)?.parse().map_err(|error: StopListError| {
        Failure::Usage(format!("--stop-list {}: {error}", file.display()))
    })
}

fn text(file: &Path) -> Result<String, Failure> {
    let read = if file == Path::new("-") {
        text_file::read(std::io::stdin())
    } else {
        File::open(file).and_then(text_file::read)
    };
    read.map_err(|error| Failure::Environment(format!("cannot read {}: {error}", file.display())))
}

fn parse(text: &str, port: u16) -> Result<Vec<Peer>, String> {
    let hosts = entries(text).map(|(line, entry)| {
        let peer = Peer::with_default_port(entry, port);
        peer.map_err(|error| format!("line {line}: '{entry}': {error}"))
    });
    hosts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_are_read_with_and_without_port() {
        let text =
            "# hosts\na.example\n\n b.example:7009 # twice\n192.0.2.1\nfd07::1\n[fd07::1]:7\n";
        let read: Vec<_> = parse(text, 9).unwrap().iter().map(Peer::to_string).collect();
        assert_eq!(
            read,
            ["a.example:9", "b.example:7009", "192.0.2.1:9", "[fd07::1]:9", "[fd07::1]:7"]
        );
    }

    #[test]
    fn a_line_that_is_none_is_told_with_its_number() {
        let error = parse("a\nb:0\n", 9).unwrap_err();
        assert_eq!(error, "line 2: 'b:0': port 0 cannot be connected to");
    }
}
