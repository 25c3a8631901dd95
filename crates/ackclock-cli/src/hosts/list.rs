//! Lists of hosts: those to try, and those never to try.

use crate::failure::Failure;
use crate::values::{Peer, contains, parse_network};
use ackclock::stack::Cidr;
use std::io::Read;
use std::net::IpAddr;
use std::path::Path;
use std::str::FromStr;

/// The hosts of a file, or of standard input for `-`; the port is for those that name none.
pub(super) fn read(file: &Path, port: u16) -> Result<Vec<Peer>, Failure> {
    parse(&text(file)?, port)
        .map_err(|problem| Failure::Usage(format!("{}: {problem}", file.display())))
}

fn text(file: &Path) -> Result<String, Failure> {
    let read = if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(file)
    };
    read.map_err(|error| Failure::Environment(format!("cannot read {}: {error}", file.display())))
}

fn parse(text: &str, port: u16) -> Result<Vec<Peer>, String> {
    let hosts = entries(text).map(|(number, entry)| {
        let with_port = match entry.parse::<IpAddr>() {
            Ok(IpAddr::V6(address)) => format!("[{address}]:{port}"),
            _ if entry.contains(':') => entry.to_owned(),
            _ => format!("{entry}:{port}"),
        };
        with_port.parse().map_err(|problem| format!("line {number}: '{entry}': {problem}"))
    });
    hosts.collect()
}

/// What the lines of a list say, with their numbers.
fn entries(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let entry = |line: &'_ str| line.split('#').next().unwrap_or_default().trim().len();
    let lines = text.lines().enumerate();
    lines
        .filter(move |(_, line)| entry(line) > 0)
        .map(|(index, line)| (index + 1, line.split('#').next().unwrap_or_default().trim()))
}

/// Hosts that are never tried.
#[derive(Debug, Default)]
pub(super) struct StopList {
    /// In lower case.
    names: Vec<String>,
    networks: Vec<Cidr>,
}

impl StopList {
    pub(super) fn read(file: &Path) -> Result<Self, Failure> {
        text(file)?.parse().map_err(|problem: String| {
            Failure::Usage(format!("--stop-list {}: {problem}", file.display()))
        })
    }

    /// Whether it has the name of a host, or one above it.
    pub(super) fn has_name(&self, peer: &Peer) -> bool {
        let host = peer.host().trim_end_matches('.').to_ascii_lowercase();
        self.names.iter().any(|name| {
            let below = host.strip_suffix(name.as_str());
            below.is_some_and(|below| below.is_empty() || below.ends_with('.'))
        })
    }

    /// Whether it has an address or its network.
    pub(super) fn has(&self, address: IpAddr) -> bool {
        self.networks.iter().any(|network| contains(network, address.to_canonical()))
    }
}

impl FromStr for StopList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut list = StopList::default();
        for (number, entry) in entries(text) {
            if entry.contains(['/', ':']) || entry.parse::<IpAddr>().is_ok() {
                let network = parse_network(entry);
                let network =
                    network.map_err(|problem| format!("line {number}: '{entry}': {problem}"))?;
                list.networks.push(network);
            } else {
                list.names.push(entry.trim_matches('.').to_ascii_lowercase());
            }
        }
        Ok(list)
    }
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

    #[test]
    fn a_stop_list_has_names_and_what_is_below_them() {
        let list: StopList = "Example.org\nhost.example.com\n".parse().unwrap();
        let has = |host: &str| list.has_name(&format!("{host}:9").parse().unwrap());
        for host in ["example.org", "a.b.EXAMPLE.org", "example.org.", "host.example.com"] {
            assert!(has(host), "{host}");
        }
        for host in ["anexample.org", "example.com", "org", "host2.example.com"] {
            assert!(!has(host), "{host}");
        }
    }

    #[test]
    fn a_stop_list_has_addresses_and_networks_of_both_families() {
        let list: StopList = "192.0.2.0/24\n198.51.100.7\nfd07::/16\n".parse().unwrap();
        let has = |address: &str| list.has(address.parse().unwrap());
        for address in ["192.0.2.255", "198.51.100.7", "fd07:1::", "::ffff:192.0.2.1"] {
            assert!(has(address), "{address}");
        }
        for address in ["192.0.3.0", "198.51.100.6", "fd08::"] {
            assert!(!has(address), "{address}");
        }
        assert!("0.0.0.0/0".parse::<StopList>().unwrap().has([8, 8, 8, 8].into()));
        assert!("192.0.2.0/33".parse::<StopList>().is_err());
    }
}
