//! Ports of the host's own address that no local program can have while we do.

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, socket_with};
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::os::fd::OwnedFd;
use std::str::FromStr;

/// Consecutive ports, such as 61000-61063.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ports {
    first: u16,
    last: u16,
}

impl Ports {
    /// So many at most, each of which is held by a socket.
    pub const MOST: u16 = 512;

    /// One port.
    pub fn one(port: u16) -> Self {
        Ports { first: port, last: port }
    }

    /// The first.
    pub fn first(self) -> u16 {
        self.first
    }

    /// The last.
    pub fn last(self) -> u16 {
        self.last
    }

    /// All of them.
    pub fn all(self) -> RangeInclusive<u16> {
        self.first..=self.last
    }

    /// As many ports after these, if there are.
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

/// The text does not say which ports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidPorts;

impl fmt::Display for InvalidPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a range of at most {} ports, such as 61000-61063", Ports::MOST)
    }
}

impl std::error::Error for InvalidPorts {}

/// Ports that are held: bound by sockets of the kernel that neither listen nor connect.
#[derive(Debug)]
pub struct HeldPorts {
    address: Ipv4Addr,
    ports: Ports,
    _sockets: Vec<OwnedFd>,
}

impl HeldPorts {
    /// Holds all these ports of one of the host's addresses.
    ///
    /// # Errors
    /// [`NotHeld`] says which port could not be had, and why.
    pub fn hold(address: Ipv4Addr, ports: Ports) -> Result<Self, NotHeld> {
        let hold = |port| hold(address, port).map_err(|errno| NotHeld { address, port, errno });
        let sockets = ports.all().map(hold).collect::<Result<_, _>>()?;
        Ok(HeldPorts { address, ports, _sockets: sockets })
    }

    /// Whose they are.
    pub fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// Which they are.
    pub fn ports(&self) -> Ports {
        self.ports
    }
}

/// A socket that is bound to the port, and to which nobody can connect.
pub(super) fn hold(address: Ipv4Addr, port: u16) -> Result<OwnedFd, Errno> {
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
    // Without SO_REUSEADDR, with which another program could listen there nevertheless.
    bind(&socket, &SocketAddr::from((address, port)))?;
    Ok(socket)
}

/// A port that could not be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotHeld {
    address: Ipv4Addr,
    port: u16,
    errno: Errno,
}

impl NotHeld {
    /// Whether another program has it.
    pub fn is_in_use(&self) -> bool {
        self.errno == Errno::ADDRINUSE
    }
}

impl fmt::Display for NotHeld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotHeld { address, port, errno } = self;
        match *errno {
            Errno::ADDRINUSE => write!(
                f,
                "port {port} of {address} is in use: 'ss -tanp sport = :{port}' shows by whom; stop \
                 that program or choose other ports"
            ),
            Errno::ADDRNOTAVAIL => write!(
                f,
                "{address} is not an address of this host: 'ip -4 address' shows those there are"
            ),
            Errno::ACCESS => write!(f, "port {port} takes the privilege of root: use 'sudo'"),
            Errno::MFILE => write!(
                f,
                "each port takes a descriptor, and there are too few: raise the limit with 'ulimit \
                 -n 1024', or choose fewer ports"
            ),
            errno => write!(f, "cannot hold port {port} of {address}: {errno}; choose other ports"),
        }
    }
}

impl std::error::Error for NotHeld {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

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

    #[test]
    fn no_program_can_listen_at_a_port_that_is_held() {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = free.local_addr().unwrap().port();
        let ports = Ports::one(port);
        let in_use = HeldPorts::hold(Ipv4Addr::LOCALHOST, ports).unwrap_err();
        assert!(in_use.is_in_use());
        assert!(in_use.to_string().contains(&format!("'ss -tanp sport = :{port}'")), "{in_use}");
        drop(free);
        let held = HeldPorts::hold(Ipv4Addr::LOCALHOST, ports).unwrap();
        assert!(TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_err());
        drop(held);
        assert!(TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok());
    }

    #[test]
    fn an_address_of_another_host_has_no_ports_for_us() {
        let error = HeldPorts::hold(Ipv4Addr::new(192, 0, 2, 1), Ports::one(61_000)).unwrap_err();
        assert!(error.to_string().contains("'ip -4 address'"), "{error}");
        assert!(!error.is_in_use());
    }
}
