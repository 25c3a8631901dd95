//! Held ports: ports of the host's own address that other local programs cannot use meanwhile.

use crate::links::port_range::Ports;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, socket_with};
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::OwnedFd;

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
    /// [`NotHeld`] says which port could not be held, and why.
    pub fn hold(address: Ipv4Addr, ports: Ports) -> Result<Self, NotHeld> {
        let hold = |port| hold(address, port).map_err(|errno| NotHeld { address, port, errno });
        let sockets = ports.all().map(hold).collect::<Result<_, _>>()?;
        Ok(HeldPorts { address, ports, _sockets: sockets })
    }

    /// The address of the ports.
    pub fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// The ports that are held.
    pub fn ports(&self) -> Ports {
        self.ports
    }
}

/// A socket that is bound to the port, and does not listen.
pub(super) fn hold(address: Ipv4Addr, port: u16) -> Result<OwnedFd, Errno> {
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
    // There is no SO_REUSEADDR, which would let another program listen at the port.
    bind(&socket, &SocketAddr::from((address, port)))?;
    Ok(socket)
}

/// The error for a port that could not be held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotHeld {
    address: Ipv4Addr,
    port: u16,
    errno: Errno,
}

impl NotHeld {
    /// Whether another program uses the port.
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
