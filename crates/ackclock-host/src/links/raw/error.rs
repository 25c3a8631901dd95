//! The errors of raw sockets, with what to do about each.

use crate::links::guard::{Cover, GuardError};
use crate::system::interface::InterfaceName;
use rustix::io::Errno;
use std::fmt;
use std::io;
use std::net::Ipv4Addr;

/// Why raw sockets cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum RawError {
    /// This process may not open raw sockets.
    NotPermitted,
    /// The rule of the guard could not be made.
    Guard(GuardError),
    /// The kernel's RSTs are not dropped.
    Unguarded(Cover),
    /// The trial of the guard failed: no RST came back over loopback.
    Mute(Ipv4Addr),
    /// A rule of the firewall drops our packets.
    Filtered,
    /// The MTU of the interface cannot be read.
    Interface(InterfaceName, io::Error),
    /// Any other error of a socket when it is opened.
    Open(io::Error),
    /// Any other error of an open socket.
    Socket(Errno),
}

impl RawError {
    pub(super) fn on_open(error: io::Error) -> Self {
        match Errno::from_io_error(&error) {
            Some(Errno::PERM | Errno::ACCESS) => RawError::NotPermitted,
            _ => RawError::Open(error),
        }
    }
}

impl fmt::Display for RawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RawError::NotPermitted => f.write_str(
                "not allowed to open raw sockets: run this program as root, with 'sudo', or give it \
                 the privilege with 'sudo setcap cap_net_raw,cap_net_admin+ep PROGRAM'",
            ),
            RawError::Guard(error) => error.fmt(f),
            RawError::Unguarded(cover) => write!(
                f,
                "the kernel would answer what arrives for ports {} of {} with RST: drop those with \
                 \"sudo {}\", or let this program do so while it runs with --guard",
                cover.ports,
                cover.address,
                cover.by_hand(),
            ),
            RawError::Mute(address) => write!(
                f,
                "cannot see whether the kernel's RSTs are dropped, for none comes from other ports of \
                 {address} either: take loopback up with 'sudo ip link set dev lo up', and look for a \
                 rule that drops them all with 'sudo nft list ruleset'"
            ),
            RawError::Filtered => f.write_str(
                "a rule of this host's firewall keeps our packets back: 'sudo nft list ruleset' shows \
                 which, in a chain with hook output",
            ),
            RawError::Interface(name, error) => write!(
                f,
                "interface {name} does not tell its MTU: {error}; 'ip link show dev {name}' shows \
                 its state"
            ),
            RawError::Open(error) => write!(f, "cannot open a raw socket: {error}"),
            RawError::Socket(errno) => write!(
                f,
                "a raw socket failed: {errno}; 'ip -s link' shows the state of the interfaces"
            ),
        }
    }
}

impl std::error::Error for RawError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RawError::Interface(_, error) | RawError::Open(error) => Some(error),
            RawError::Socket(errno) => Some(errno),
            RawError::Guard(error) => Some(error),
            _ => None,
        }
    }
}
