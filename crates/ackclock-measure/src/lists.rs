//! Lists of hosts: those to measure, and those to leave alone.

use crate::text_file::read_file;
use ackclock::stack::Cidr;
use std::fmt;
use std::net::IpAddr;
use std::path::Path;
use std::str::FromStr;

/// The entries of a list, with line numbers from 1. Text after `#` is a comment.
pub fn entries(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let entry = |line: &'_ str| line.find('#').unwrap_or(line.len());
    let entries = (1..).zip(text.lines().map(move |line| line[..entry(line)].trim()));
    entries.filter(|(_, entry)| !entry.is_empty())
}

/// A host's name or address, and its port if it has another one than usual: `a.example`,
/// `192.0.2.7:7009`, `fd07::1` or `[fd07::1]:9`.
///
/// # Errors
/// It has another form.
pub fn split_port(entry: &str) -> Result<(&str, Option<u16>), HostError> {
    if entry.parse::<IpAddr>().is_ok() {
        return Ok((entry, None));
    }
    let (host, port) = match entry.rsplit_once(':') {
        None => (entry, None),
        Some((host, port)) => (host, Some(port.parse().map_err(|_| HostError::Form)?)),
    };
    let bracketed = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    match bracketed.unwrap_or(host) {
        _ if port == Some(0) => Err(HostError::PortZero),
        "" => Err(HostError::Form),
        bare if bracketed.is_none() && bare.contains([':', '[', ']']) => Err(HostError::Form),
        host if host.contains(char::is_whitespace) => Err(HostError::Form),
        host => Ok((host, port)),
    }
}

/// A text that is no host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum HostError {
    /// It has another form.
    Form,
    /// Nothing can be connected to port 0.
    PortZero,
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            HostError::Form => {
                "not HOST or HOST:PORT, such as server.example:9, 10.7.0.1:9 or [fd07::1]:9"
            }
            HostError::PortZero => "port 0 cannot be connected to",
        })
    }
}

impl std::error::Error for HostError {}

/// Hosts that are to be left alone: names and all below them, addresses, networks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StopList {
    /// In lower case.
    names: Vec<String>,
    networks: Vec<Cidr>,
}

impl StopList {
    /// An empty list.
    pub const fn new() -> Self {
        StopList { names: Vec::new(), networks: Vec::new() }
    }

    /// Reads a file with an entry in each line.
    ///
    /// # Errors
    /// The file cannot be read, or has a line that is no entry.
    pub fn read(file: &Path) -> Result<Self, StopListError> {
        read_file(file).map_err(StopListError::File)?.parse()
    }

    /// Adds a name, an address or a network.
    ///
    /// # Errors
    /// It is none of them.
    pub fn add(&mut self, entry: &str) -> Result<(), EntryError> {
        let refused = || EntryError(entry.to_owned());
        if let Ok(address) = entry.parse::<IpAddr>() {
            let prefix = if address.is_ipv4() { 32 } else { 128 };
            self.networks.push(Cidr { address, prefix });
        } else if entry.contains(['/', ':']) {
            self.networks.push(entry.parse().map_err(|_| refused())?);
        } else {
            let name = entry.trim_matches('.').to_lowercase();
            self.names.push(Some(name).filter(|name| is_name(name)).ok_or_else(refused)?);
        }
        Ok(())
    }

    /// Adds all that are on another one.
    pub fn extend(&mut self, other: StopList) {
        self.names.extend(other.names);
        self.networks.extend(other.networks);
    }

    /// Whether it has the name of a host, or one above it.
    pub fn has_name(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.').to_lowercase();
        self.names.iter().any(|name| {
            let below = host.strip_suffix(name.as_str());
            below.is_some_and(|below| below.is_empty() || below.ends_with('.'))
        })
    }

    /// Whether it has an address or its network.
    pub fn has(&self, address: IpAddr) -> bool {
        self.networks.iter().any(|network| network.contains(address.to_canonical()))
    }
}

/// The last label of a name is no number (RFC 1123 section 2.1): that is an address, or a part of one.
fn is_name(text: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(|it| it.is_alphanumeric() || matches!(it, '-' | '_'))
    };
    let last = text.rsplit('.').next().unwrap_or_default();
    text.split('.').all(is_label) && !last.bytes().all(|byte| byte.is_ascii_digit())
}

impl FromStr for StopList {
    type Err = StopListError;

    fn from_str(text: &str) -> Result<Self, StopListError> {
        let mut list = StopList::new();
        for (line, entry) in entries(text) {
            list.add(entry).map_err(|error| StopListError::Line(line, error))?;
        }
        Ok(list)
    }
}

/// A text that is no entry of a stop list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryError(String);

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "'{}' is no entry of a stop list: write a name, which stands for all below it too, an \
             address, or a network such as 192.0.2.0/24",
            self.0
        )
    }
}

impl std::error::Error for EntryError {}

/// Why there is no stop list.
#[derive(Debug)]
#[non_exhaustive]
pub enum StopListError {
    /// The file cannot be read.
    File(std::io::Error),
    /// A line, counted from 1, is no entry.
    Line(usize, EntryError),
}

impl fmt::Display for StopListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopListError::File(error) => error.fmt(f),
            StopListError::Line(line, error) => write!(f, "line {line}: {error}"),
        }
    }
}

impl std::error::Error for StopListError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_comments_and_empty_lines() {
        let list = "# all\na.example\n\n  b.example # slow\n";
        assert_eq!(entries(list).collect::<Vec<_>>(), [(2, "a.example"), (4, "b.example")]);
    }

    #[test]
    fn a_host_may_have_a_port_of_its_own() {
        for (entry, host, port) in [
            ("a.example", "a.example", None),
            ("a.example:7009", "a.example", Some(7009)),
            ("192.0.2.1:7", "192.0.2.1", Some(7)),
            ("fd07::1:9", "fd07::1:9", None),
            ("[fd07::1]:9", "fd07::1", Some(9)),
        ] {
            assert_eq!(split_port(entry), Ok((host, port)), "{entry}");
        }
        for entry in ["", ":9", "a:", "a:65536", "[a:9", "a b", "a:b:9"] {
            assert_eq!(split_port(entry), Err(HostError::Form), "{entry}");
        }
        assert_eq!(split_port("a:0"), Err(HostError::PortZero));
    }

    #[test]
    fn a_stop_list_has_names_and_what_is_below_them() {
        let list: StopList = "Example.org\n.host.example.com\n".parse().unwrap();
        for host in ["example.org", "a.b.EXAMPLE.org", "example.org.", "host.example.com"] {
            assert!(list.has_name(host), "{host}");
        }
        for host in ["anexample.org", "example.com", "org", "host2.example.com"] {
            assert!(!list.has_name(host), "{host}");
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
    }

    #[test]
    fn a_line_that_would_stop_nobody_is_refused() {
        let wrong =
            ["192.0.2.0/33", "192.0.2", "10.0.0.256", "*.example.org", "a.example:9", "a b", "."];
        for entry in wrong {
            let error = format!("a.example\n\n{entry}\n").parse::<StopList>().unwrap_err();
            let says = format!("line 3: '{entry}' is no entry of a stop list: write a name");
            assert!(error.to_string().starts_with(&says), "{error}");
        }
    }
}
