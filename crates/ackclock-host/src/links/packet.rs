//! Packet sockets on an interface as a link of Ethernet frames: the stack is a host of its own on
//! the LAN, with an IP address and a hardware address of its own. The kernel knows neither address,
//! so it answers nothing.
//!
//! The interface is in promiscuous mode meanwhile, since it would drop frames to a hardware address
//! that is not its own. Behind wireless access points and virtual switches of clouds, which pass
//! only known addresses, packet sockets do not work.

use super::unfinished::Unfinished;
use crate::system::interface::{self, InterfaceName};
use ackclock::link::{Link, TransmitError};
use ackclock::stack::{Capabilities, Received, Transmit};
use ackclock::time::Instant;
use ackclock::wire::{ETHERNET_HEADER, EthernetAddress};
use pnet::datalink::{Channel, Config, DataLinkReceiver, DataLinkSender, channel, interfaces};
use rustix::io::Errno;
use rustix::net::sockopt::{set_socket_send_buffer_size, socket_error};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
use std::fmt;
use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

/// Largest packet that is delivered, in bytes: the kernel may have put it together of received
/// segments.
const LARGEST_PACKET: usize = 65_575;

/// How long, and how often meanwhile, an interface that went down is looked at: it may be gone then.
const DELETION_STEP: Duration = Duration::from_millis(10);
const DELETION_STEPS: u32 = 50;

/// A packet socket on an Ethernet interface, a link of frames.
pub struct PacketSocket {
    sender: Box<dyn DataLinkSender>,
    receiver: Box<dyn DataLinkReceiver>,
    /// Another descriptor of the socket, to wait for packets.
    socket: OwnedFd,
    name: InterfaceName,
    address: EthernetAddress,
    mtu: u32,
    /// Buffer for a frame that is sent.
    frame: Vec<u8>,
    unfinished: Arc<Unfinished>,
}

impl PacketSocket {
    /// Opens a packet socket on this interface, for a station with this hardware address.
    ///
    /// # Errors
    /// Says which command helps.
    pub fn open(name: &InterfaceName, address: EthernetAddress) -> Result<Self, PacketError> {
        let failed = |error| PacketError::Socket(name.clone(), error);
        let all = interfaces();
        let found = all.iter().find(|interface| interface.name == name.as_str());
        let found = found.ok_or_else(|| PacketError::NoInterface(name.clone()))?;
        if found.mac.is_none() || found.is_loopback() {
            return Err(PacketError::NotEthernet(name.clone()));
        }
        if !found.is_up() {
            return Err(PacketError::Down(name.clone()));
        }
        let mtu = interface::mtu(name).map_err(failed)?;
        // A socket without a protocol receives nothing until it is bound to the interface.
        let flags = SocketFlags::CLOEXEC;
        let opened = socket_with(AddressFamily::PACKET, SocketType::RAW, flags, None);
        let opened = opened.map_err(|errno| match errno {
            Errno::PERM | Errno::ACCESS => PacketError::NotPermitted,
            errno => failed(errno.into()),
        })?;
        let socket = opened.try_clone().map_err(failed)?;
        let config = Config {
            read_buffer_size: LARGEST_PACKET + ETHERNET_HEADER,
            read_timeout: Some(Duration::ZERO),
            write_timeout: Some(Duration::ZERO),
            promiscuous: true,
            socket_fd: Some(opened.into_raw_fd()),
            ..Config::default()
        };
        let Channel::Ethernet(sender, receiver) = channel(found, config).map_err(failed)? else {
            return Err(PacketError::NotEthernet(name.clone()));
        };
        let (name, frame, unfinished) = (name.clone(), Vec::new(), Arc::default());
        Ok(PacketSocket { sender, receiver, socket, name, address, mtu, frame, unfinished })
    }

    /// Limits the packets below the stack, in the queue of the interface, to about this many bytes, in which the
    /// kernel includes its overhead, but at least two packets. Other packets stay in the stack, where connections
    /// take turns. By default the limit is the system's (`net.core.wmem_default`), some ninety packets.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn limit_queue(&self, bytes: usize) -> Result<(), PacketError> {
        let limited = set_socket_send_buffer_size(&self.socket, bytes);
        limited.map_err(|errno| PacketError::Socket(self.name.clone(), errno.into()))
    }

    /// Notes of unfinished packets that were received, see [`unfinished`](crate::unfinished).
    pub fn unfinished(&self) -> Arc<Unfinished> {
        Arc::clone(&self.unfinished)
    }

    /// Whether the interface, which is down, is being deleted: the kernel first takes it down, reports
    /// only this to the socket, and needs a moment for the deletion.
    fn is_deleted(&self) -> bool {
        for _ in 0..DELETION_STEPS {
            match interface::is_up(&self.name) {
                Ok(true) => return false,
                Ok(false) => std::thread::sleep(DELETION_STEP),
                Err(_) => return true,
            }
        }
        false
    }

    /// The meaning of an error of the open socket.
    fn failed(&self, error: io::Error) -> PacketError {
        // The library reports that the socket has a pending error, but not which one.
        let pending = || socket_error(&self.socket).ok().and_then(Result::err);
        match Errno::from_io_error(&error).or_else(pending) {
            Some(Errno::NETDOWN) if self.is_deleted() => {
                PacketError::NoInterface(self.name.clone())
            }
            Some(Errno::NETDOWN) => PacketError::Down(self.name.clone()),
            Some(Errno::NODEV | Errno::NXIO) => PacketError::NoInterface(self.name.clone()),
            _ => PacketError::Socket(self.name.clone(), error),
        }
    }
}

/// A hardware address for a stack: locally administered, and as unique on the LAN as the last four
/// bytes of the IP address.
pub fn hardware_address(address: IpAddr) -> EthernetAddress {
    let [a, b, c, d] = match address {
        IpAddr::V4(address) => address.octets(),
        IpAddr::V6(address) => {
            let [.., a, b, c, d] = address.octets();
            [a, b, c, d]
        }
    };
    EthernetAddress([0x02, 0xac, a, b, c, d])
}

impl AsFd for PacketSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Link for PacketSocket {
    type Error = PacketError;

    fn capabilities(&self) -> Capabilities {
        let mut capabilities = Capabilities::with_mtu(self.mtu);
        capabilities.coalescing = LARGEST_PACKET as u32;
        capabilities
    }

    fn transmit(
        &mut self,
        _now: Instant,
        transmit: &Transmit<'_>,
    ) -> Result<(), TransmitError<PacketError>> {
        self.frame.resize(transmit.len(), 0);
        transmit.copy_to(&mut self.frame);
        match self.sender.send_to(&self.frame, None) {
            None | Some(Ok(())) => Ok(()),
            Some(Err(error)) => match error.kind() {
                ErrorKind::TimedOut | ErrorKind::WouldBlock => Err(TransmitError::Full),
                // No room in the kernel's queue: the packet is lost, as in a network.
                _ if Errno::from_io_error(&error) == Some(Errno::NOBUFS) => Ok(()),
                _ => Err(TransmitError::Device(self.failed(error))),
            },
        }
    }

    fn receive(
        &mut self,
        _now: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, PacketError> {
        let mut received = 0;
        // Frames to other stations count against the budget too, so that the loop ends.
        for _ in 0..budget {
            match self.receiver.next() {
                Ok(frame) if is_for(frame, self.address) => {
                    let packet = frame.get(ETHERNET_HEADER..).unwrap_or_default();
                    let Received { verify, .. } = self.unfinished.accept(packet, self.mtu);
                    deliver(Received { packet: frame, verify });
                    received += 1;
                }
                Ok(_) => {}
                Err(error) => match error.kind() {
                    ErrorKind::TimedOut | ErrorKind::WouldBlock => break,
                    _ => return Err(self.failed(error)),
                },
            }
        }
        Ok(received)
    }
}

/// Whether a frame is for this station, or for a group of stations.
fn is_for(frame: &[u8], address: EthernetAddress) -> bool {
    let destination = frame.first_chunk().copied().map(EthernetAddress);
    destination.is_some_and(|destination| destination == address || destination.is_group())
}

impl fmt::Debug for PacketSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PacketSocket").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Why a packet socket cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum PacketError {
    /// This process may not open packet sockets.
    NotPermitted,
    /// There is no such interface, or not any more.
    NoInterface(InterfaceName),
    /// The interface is no Ethernet interface.
    NotEthernet(InterfaceName),
    /// The interface is down.
    Down(InterfaceName),
    /// Any other error of the socket.
    Socket(InterfaceName, io::Error),
}

impl fmt::Display for PacketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PacketError::NotPermitted => f.write_str(
                "not allowed to open packet sockets: run this program as root, with 'sudo', or give \
                 it the privilege with 'sudo setcap cap_net_raw+ep PROGRAM'",
            ),
            PacketError::NoInterface(name) => {
                write!(f, "there is no interface {name}: 'ip link' shows those there are")
            }
            PacketError::NotEthernet(name) => write!(
                f,
                "{name} is no Ethernet interface: 'ip link' shows of which kind each is; --via raw \
                 works over any"
            ),
            PacketError::Down(name) => {
                write!(f, "interface {name} is down: run 'sudo ip link set dev {name} up'")
            }
            PacketError::Socket(name, error) => write!(
                f,
                "the packet socket on {name} failed: {error}; 'ip -s link show dev {name}' shows the \
                 state of the interface"
            ),
        }
    }
}

impl std::error::Error for PacketError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PacketError::Socket(_, error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hardware_addresses_are_administered_locally_and_differ_as_addresses_do() {
        let of = |address: &str| hardware_address(address.parse().unwrap());
        assert_eq!(of("10.1.0.9"), EthernetAddress([0x02, 0xac, 10, 1, 0, 9]));
        assert_eq!(of("fd01::a:9"), EthernetAddress([0x02, 0xac, 0, 10, 0, 9]));
        assert!(of("255.255.255.255").is_station());
    }

    #[test]
    fn frames_for_others_are_not_ours() {
        let own = EthernetAddress([2, 0, 0, 0, 0, 1]);
        assert!(is_for(&[2, 0, 0, 0, 0, 1, 9], own));
        assert!(is_for(&[0xff; 14], own));
        assert!(is_for(&[0x33, 0x33, 0, 0, 0, 1], own));
        assert!(!is_for(&[2, 0, 0, 0, 0, 2, 9], own));
        assert!(!is_for(&[2, 0, 0], own));
    }

    #[test]
    fn loopback_is_no_ethernet_and_what_is_not_there_is_told() {
        let own = EthernetAddress([2, 0, 0, 0, 0, 1]);
        let error = |name: &str| PacketSocket::open(&name.parse().unwrap(), own).unwrap_err();
        assert!(error("lo").to_string().contains("is no Ethernet interface"));
        assert!(error("no-such-if").to_string().contains("'ip link'"));
    }
}
