//! A packet socket that sees what passes the interfaces of its namespace.

use ackclock::time::Instant;
use libc::{c_int, c_void, socklen_t};
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;

/// Room for what comes while the judges are busy, in bytes.
const ROOM: c_int = 512 << 20;
/// How long a read waits, in microseconds.
const WAIT: libc::suseconds_t = 50_000;
/// The header before each packet (virtio 1.2 section 5.1.6): flags, kind, header length, segment size, and where the checksum is.
const OFFLOAD_HEADER: usize = 10;
const NEEDS_CHECKSUM: u8 = 1;
/// Largest packet.
const LARGEST: usize = OFFLOAD_HEADER + 14 + 65_575;

/// Kinds of interfaces: without a link-layer header, Ethernet, and the loopback (`linux/if_arp.h`).
const KIND_NONE: u16 = 65_534;
const KIND_ETHERNET: u16 = 1;
const KIND_LOOPBACK: u16 = 772;
const ETHERNET_HEADER: usize = 14;

/// A packet as it passed an interface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tapped<'a> {
    /// When, since 1970.
    pub(super) time: Instant,
    /// Index of the interface.
    pub(super) interface: u32,
    /// Whether this machine sent it.
    pub(super) is_outgoing: bool,
    pub(super) is_tun: bool,
    pub(super) is_loopback: bool,
    /// Into segments of so many bytes it is cut later, or of such ones it was put together; 0 if it is one.
    pub(super) segment_size: u16,
    /// Whether its checksum is completed later.
    pub(super) needs_checksum: bool,
    /// The IP packet.
    pub(super) packet: &'a [u8],
}

/// A packet socket of all interfaces.
pub(super) struct PacketTap {
    socket: OwnedFd,
    buffer: Vec<u8>,
    control: [u64; 32],
}

impl PacketTap {
    pub(super) fn open() -> io::Result<Self> {
        let all = c_int::from((libc::ETH_P_ALL as u16).to_be());
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
        // SAFETY: the call has no pointers.
        let socket = unsafe { libc::socket(libc::AF_PACKET, kind, all) };
        if socket < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new and nobody else's.
        let socket = unsafe { OwnedFd::from_raw_fd(socket) };
        let wait = libc::timeval { tv_sec: 0, tv_usec: WAIT };
        set(&socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &ROOM)?;
        set(&socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, &1)?;
        set(&socket, libc::SOL_SOCKET, libc::SO_RCVTIMEO, &wait)?;
        set(&socket, libc::SOL_PACKET, libc::PACKET_VNET_HDR, &1)?;
        Ok(PacketTap { socket, buffer: vec![0; LARGEST], control: [0; 32] })
    }

    /// The next packet of IP, or `None` if there is none for a while.
    pub(super) fn next(&mut self) -> Option<Tapped<'_>> {
        loop {
            let (length, address, time) = self.receive()?;
            let skipped = match address.sll_hatype {
                KIND_NONE => 0,
                KIND_ETHERNET | KIND_LOOPBACK => ETHERNET_HEADER,
                _ => continue,
            };
            let is_ip = matches!(
                c_int::from(u16::from_be(address.sll_protocol)),
                libc::ETH_P_IP | libc::ETH_P_IPV6
            );
            let begins = OFFLOAD_HEADER + skipped;
            if !is_ip || length <= begins || address.sll_pkttype == libc::PACKET_OTHERHOST {
                continue;
            }
            let buffer = &self.buffer;
            let kind = buffer[1];
            let segment_size =
                if kind == 0 { 0 } else { u16::from_ne_bytes([buffer[4], buffer[5]]) };
            return Some(Tapped {
                time,
                interface: address.sll_ifindex as u32,
                is_outgoing: address.sll_pkttype == libc::PACKET_OUTGOING,
                is_tun: address.sll_hatype == KIND_NONE,
                is_loopback: address.sll_hatype == KIND_LOOPBACK,
                segment_size,
                needs_checksum: buffer[0] & NEEDS_CHECKSUM != 0,
                packet: &self.buffer[begins..length],
            });
        }
    }

    /// Reads one packet: its length, where it passed, and when.
    fn receive(&mut self) -> Option<(usize, libc::sockaddr_ll, Instant)> {
        // SAFETY: all zero is a value of both plain structures of C.
        let (mut address, mut message): (libc::sockaddr_ll, libc::msghdr) =
            unsafe { (zeroed(), zeroed()) };
        let mut part = libc::iovec {
            iov_base: self.buffer.as_mut_ptr().cast::<c_void>(),
            iov_len: self.buffer.len(),
        };
        message.msg_name = (&raw mut address).cast::<c_void>();
        message.msg_namelen = size_of::<libc::sockaddr_ll>() as socklen_t;
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = self.control.as_mut_ptr().cast::<c_void>();
        message.msg_controllen = size_of::<[u64; 32]>();
        // SAFETY: all pointers of the message are to memory of the lengths beside them, which outlives the call.
        let length = unsafe { libc::recvmsg(self.socket.as_raw_fd(), &raw mut message, 0) };
        let length = usize::try_from(length).ok()?;
        Some((length, address, stamp(&message)))
    }

    /// Packets for which there was no room.
    pub(super) fn dropped(&self) -> u64 {
        let mut counts = [0_u32; 2];
        let mut length = size_of::<[u32; 2]>() as socklen_t;
        // SAFETY: the pointers are to the two numbers, of the length that is told, and to that length.
        let got = unsafe {
            libc::getsockopt(
                self.socket.as_raw_fd(),
                libc::SOL_PACKET,
                libc::PACKET_STATISTICS,
                counts.as_mut_ptr().cast::<c_void>(),
                &raw mut length,
            )
        };
        if got == 0 { counts[1].into() } else { 0 }
    }
}

/// When a packet passed, by the control message of the socket's time stamps.
fn stamp(message: &libc::msghdr) -> Instant {
    // SAFETY: the message is one that recvmsg has filled, whose control messages lie in its control buffer.
    let found = unsafe {
        let mut control = libc::CMSG_FIRSTHDR(message);
        let mut found = None;
        while let Some(header) = control.as_ref() {
            if header.cmsg_level == libc::SOL_SOCKET && header.cmsg_type == libc::SCM_TIMESTAMPNS {
                found =
                    Some(ptr::read_unaligned(libc::CMSG_DATA(control).cast::<libc::timespec>()));
            }
            control = libc::CMSG_NXTHDR(message, control);
        }
        found
    };
    let nanos = found.map_or(0, |time| time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64);
    Instant::from_nanos(nanos)
}

fn set<T>(socket: &OwnedFd, level: c_int, name: c_int, value: &T) -> io::Result<()> {
    let length = size_of::<T>() as socklen_t;
    let value = ptr::from_ref(value).cast::<c_void>();
    // SAFETY: the pointer is to a value of the length that is told.
    let done = unsafe { libc::setsockopt(socket.as_raw_fd(), level, name, value, length) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
