//! A non-blocking raw socket for IP packets of one protocol (`pnet`'s transport channel).

use crate::system::interface::duplicate;
use pnet::packet::Packet;
use pnet::packet::ip::IpNextHeaderProtocol;
use pnet::packet::ipv4::Ipv4Packet;
use pnet::transport::TransportChannelType::Layer3;
use pnet::transport::{TransportReceiver, TransportSender, ipv4_packet_iter, transport_channel};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::net::sockopt::{
    set_socket_recv_buffer_size, set_socket_recv_buffer_size_force, set_socket_send_buffer_size,
    set_socket_send_buffer_size_force,
};
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Largest IPv4 packet in bytes (RFC 791 section 3.1).
pub(super) const LARGEST_PACKET: usize = 65_535;

/// Size in bytes of the kernel's receive buffer, its overhead included: some ten milliseconds at a
/// gigabit per second.
const RECEIVE_BUFFER: usize = 8 << 20;
/// Size in bytes of the kernel's send buffer.
const SEND_BUFFER: usize = 1 << 20;

/// A raw socket that carries packets with their IPv4 headers.
pub(super) struct Channel {
    sender: TransportSender,
    receiver: TransportReceiver,
    /// Another descriptor of the socket, to wait for packets.
    socket: OwnedFd,
}

impl Channel {
    /// Opens a raw socket for a protocol, by its number.
    pub(super) fn open(protocol: u8) -> io::Result<Self> {
        let kind = Layer3(IpNextHeaderProtocol(protocol));
        let (sender, receiver) = transport_channel(LARGEST_PACKET, kind)?;
        let socket = duplicate(&sender)?;
        ioctl_fionbio(&socket, true)?;
        // Only with the privilege can a buffer be above the system's limit; without it the limit
        // will do.
        if set_socket_recv_buffer_size_force(&socket, RECEIVE_BUFFER).is_err() {
            let _ = set_socket_recv_buffer_size(&socket, RECEIVE_BUFFER);
        }
        let _ = set_socket_send_buffer_size_force(&socket, SEND_BUFFER);
        Ok(Channel { sender, receiver, socket })
    }

    /// Bounds what waits in the queue of the interface.
    pub(super) fn limit_queue(&self, bytes: usize) -> Result<(), Errno> {
        set_socket_send_buffer_size(&self.socket, bytes)
    }

    /// Sends a whole IPv4 packet where its header says.
    pub(super) fn send(&mut self, packet: &[u8]) -> Result<(), Errno> {
        let packet = Ipv4Packet::new(packet).ok_or(Errno::INVAL)?;
        let destination = IpAddr::V4(packet.get_destination());
        self.sender.send_to(packet, destination).map(|_| ()).map_err(|error| errno(&error))
    }

    /// Calls `look` with the next packet; `None` if there is none.
    pub(super) fn receive<T>(&mut self, look: impl FnOnce(&[u8]) -> T) -> Result<Option<T>, Errno> {
        match ipv4_packet_iter(&mut self.receiver).next() {
            Ok((packet, _)) => Ok(Some(look(packet.packet()))),
            Err(error) => match errno(&error) {
                Errno::AGAIN => Ok(None),
                errno => Err(errno),
            },
        }
    }
}

fn errno(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Channel").field(&self.socket).finish()
    }
}
