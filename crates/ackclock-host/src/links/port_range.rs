//! Ranges of consecutive ports.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A range of consecutive ports, such as 61000-61063.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ports {
    first: u16,
    last: u16,
}

impl Ports {
    /// The most ports of a range, each of which takes a socket.
    pub const MOST: u16 = 512;

    /// The range of this port only.
    pub fn one(port: u16) -> Self {
        Ports { first: port, last: port }
    }

    /// The first port.
    pub fn first(self) -> u16 {
        self.first
    }

    /// The last port.
    pub fn last(self) -> u16 {
        self.last
    }

    /// All ports of the range.
    pub fn all(self) -> RangeInclusive<u16> {
        self.first..=self.last
    }

    /// The range of the same length right after this one; `None` if there are not enough ports.
    pub fn next(self) -> Option<Self> {
        let length = self.last - self.first;
        let first = self.last.checked_add(1)?;
        Some(Ports { first, last: first.checked_add(length)? })
    }
}

impl Default for Ports {
    /// 64 ports above those that Linux gives to programs that do not choose (its
    /// `ip_local_port_range` is 32768-60999).
    fn default() -> Self {
        Ports { first: 61_000, last: 61_063 }
    }
}

impl fmt::Display for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first == self.last {
            true => write!(f, "{}", self.first),
            false => write!(f, "{}-{}", self.first, self.last),
        }
    }
}

impl FromStr for Ports {
    type Err = InvalidPorts;

    fn from_str(text: &str) -> Result<Self, InvalidPorts> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let number = |text: &str| text.parse::<u16>().map_err(|_| InvalidPorts);
        let (first, last) = (number(first)?, number(last)?);
        let usable = first > 0 && last.checked_sub(first).is_some_and(|more| more < Ports::MOST);
        if usable { Ok(Ports { first, last }) } else { Err(InvalidPorts) }
    }
}

/// The error for a text that is not a range of ports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidPorts;

impl fmt::Display for InvalidPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a range of at most {} ports, such as 61000-61063", Ports::MOST)
    }
}

impl std::error::Error for InvalidPorts {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_and_written() {
        for text in ["61000-61063", "9", "1-512", "65535"] {
            assert_eq!(text.parse::<Ports>().unwrap().to_string(), text);
        }
        assert_eq!(Ports::default().to_string(), "61000-61063");
        for text in ["", "0", "0-5", "5-4", "1-513", "65535-65536", "a-b", "1-2-3", "-5"] {
            assert_eq!(text.parse::<Ports>(), Err(InvalidPorts), "{text}");
        }
    }

    #[test]
    fn as_many_ports_follow_as_there_are() {
        assert_eq!(Ports::default().next(), Some("61064-61127".parse().unwrap()));
        assert_eq!("65500-65535".parse::<Ports>().unwrap().next(), None);
        assert_eq!("65470-65503".parse::<Ports>().unwrap().next(), None);
        assert_eq!("65473-65503".parse::<Ports>().unwrap().next().map(Ports::last), Some(65_534));
    }
}
