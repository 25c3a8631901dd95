//! Network interfaces: their names, their state in the kernel, and descriptors of TUN and TAP
//! interfaces.
//!
//! The `unsafe` code of the crate is in this file, but for a look at standard output: ioctls for which no safe binding exists, and
//! the file descriptors that `tun-tap` and `pnet` open.
#![allow(unsafe_code)]

use pnet::transport::TransportSender;
use rustix::io::{Errno, ioctl_fionbio};
use rustix::ioctl::{IntegerSetter, Opcode, Setter, Updater, ioctl, opcode};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, socket_with};
use std::ffi::{c_int, c_uint};
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::{BorrowedFd, FromRawFd, IntoRawFd, OwnedFd};
use std::str::FromStr;
use std::thread;
use std::time::Duration;

/// Longest name in bytes (`IFNAMSIZ` without the closing zero).
const MAX_NAME: usize = 15;

/// `SIOCGIFFLAGS` of `linux/sockios.h`.
const GET_FLAGS: Opcode = 0x8913;
/// `SIOCGIFMTU` of `linux/sockios.h`.
const GET_MTU: Opcode = 0x8921;
/// `IFF_UP` of `linux/if.h`.
const FLAG_UP: u16 = 1;
/// `IFF_RUNNING` of the same header.
const FLAG_RUNNING: u16 = 0x40;
/// `SIOCETHTOOL` of `linux/sockios.h`.
const ETHTOOL: Opcode = 0x8946;
/// `ETHTOOL_GLINK` of `linux/ethtool.h`.
const GET_LINK: u32 = 0x0a;
/// How often, a millisecond apart, an interface is looked at that is up and does not carry packets yet.
const LOOKS: u32 = 100;

/// The device file of TUN and TAP interfaces.
const TUN_DEVICE: &str = "/dev/net/tun";
/// `TUNSETIFF`, `TUNSETOFFLOAD` and `TUNSETVNETHDRSZ` of `linux/if_tun.h`.
const SET_TUN: Opcode = opcode::write::<c_int>(b'T', 202);
const SET_OFFLOAD: Opcode = opcode::write::<c_uint>(b'T', 208);
const SET_VNET_HEADER_SIZE: Opcode = opcode::write::<c_int>(b'T', 216);
/// `IFF_TUN | IFF_NO_PI` of `linux/if_tun.h`.
const TUN: u16 = 0x0001 | 0x1000;
/// `IFF_VNET_HDR` of the same header.
const VNET_HEADER: u16 = 0x4000;
/// `IFF_MULTI_QUEUE` of the same header.
const MULTI_QUEUE: u16 = 0x0100;
/// `TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6`: what the kernel may leave to the reader of the device.
/// Without `TUN_F_TSO_ECN` it segments data with CWR itself.
const OFFLOADS: usize = 0x01 | 0x02 | 0x04;

/// The name of a network interface: 1 to 15 letters, digits, `-`, `_` or `.`.
///
/// The kernel allows more characters; these need no quotes on a command line.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct InterfaceName(String);

impl InterfaceName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for InterfaceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for InterfaceName {
    type Err = InvalidName;

    fn from_str(name: &str) -> Result<Self, InvalidName> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        // A leading hyphen would be read as an option by `ip`.
        let usable = (1..=MAX_NAME).contains(&name.len())
            && name.bytes().all(allowed)
            && !name.starts_with(['-', '.']);
        if usable { Ok(InterfaceName(name.to_owned())) } else { Err(InvalidName) }
    }
}

/// The error for a text that cannot name an interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidName;

impl fmt::Display for InvalidName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "an interface name has 1 to {MAX_NAME} letters, digits, '-', '_' or '.', such as tun0"
        )
    }
}

impl std::error::Error for InvalidName {}

/// Whether the interface exists.
///
/// # Errors
/// When the kernel cannot be asked.
pub fn exists(name: &InterfaceName) -> io::Result<bool> {
    match request::<GET_FLAGS>(name) {
        Ok(_) => Ok(true),
        Err(error) if error.raw_os_error() == Some(Errno::NODEV.raw_os_error()) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether the interface is up.
///
/// # Errors
/// When there is no such interface.
pub fn is_up(name: &InterfaceName) -> io::Result<bool> {
    Ok(flags(name)? & FLAG_UP != 0)
}

fn flags(name: &InterfaceName) -> io::Result<u16> {
    let [low, high, ..] = request::<GET_FLAGS>(name)?;
    Ok(u16::from_ne_bytes([low, high]))
}

/// Waits until an interface that is up carries packets.
///
/// The kernel notices with a delay that a program is attached to a TUN interface, and drops packets
/// sent through it before that, such as the answer to the stack's first SYN.
pub(crate) fn wait_for_carrier(name: &InterfaceName) -> io::Result<()> {
    for _ in 0..LOOKS {
        // Newer kernels have noticed when they answer this.
        synchronize_link(name);
        let flags = flags(name)?;
        if flags & FLAG_UP == 0 || flags & FLAG_RUNNING != 0 {
            break;
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// The MTU of the interface in bytes.
///
/// # Errors
/// When there is no such interface.
pub fn mtu(name: &InterfaceName) -> io::Result<u32> {
    let [a, b, c, d, ..] = request::<GET_MTU>(name)?;
    Ok(u32::from_ne_bytes([a, b, c, d]))
}

/// `struct ifreq` of `linux/if.h`: a name and a union of at most 24 bytes.
#[repr(C)]
struct InterfaceRequest {
    name: [u8; MAX_NAME + 1],
    value: [u8; 24],
}

impl InterfaceRequest {
    fn named(name: &InterfaceName) -> Self {
        let mut request = InterfaceRequest { name: [0; MAX_NAME + 1], value: [0; 24] };
        for (to, from) in request.name.iter_mut().zip(name.as_str().bytes()) {
            *to = from;
        }
        request
    }
}

/// Asks the kernel for a property of an interface in the network namespace of the calling thread.
/// (`/sys/class/net` shows another namespace's.)
fn request<const OPCODE: Opcode>(name: &InterfaceName) -> io::Result<[u8; 24]> {
    let mut request = InterfaceRequest::named(name);
    let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    // SAFETY: both opcodes of properties take a pointer to a `struct ifreq`, read its name and
    // write its value; `InterfaceRequest` is at least as large on every architecture, and the name
    // ends with a zero byte.
    unsafe { ioctl(&socket, Updater::<OPCODE, _>::new(&mut request)) }?;
    Ok(request.value)
}

/// `struct ethtool_value` of `linux/ethtool.h`.
#[repr(C)]
struct EthtoolValue {
    command: u32,
    data: u32,
}

/// Asks the kernel whether the interface has a link, only for what it does before it answers.
fn synchronize_link(name: &InterfaceName) {
    let mut value = EthtoolValue { command: GET_LINK, data: 0 };
    let mut request = InterfaceRequest::named(name);
    let address = (&raw mut value).expose_provenance();
    for (to, from) in request.value.iter_mut().zip(address.to_ne_bytes()) {
        *to = from;
    }
    let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None);
    if let Ok(socket) = socket {
        // SAFETY: `SIOCETHTOOL` takes a pointer to a `struct ifreq` whose union begins with a pointer to
        // what the command needs, here a `struct ethtool_value`, which is read and written and outlives
        // the call.
        let _ = unsafe { ioctl(&socket, Updater::<ETHTOOL, _>::new(&mut request)) };
    }
}

/// Opens (and, with the privilege, creates) a TUN interface without packet information,
/// non-blocking. A permanent interface keeps the offload settings of the program before; they are
/// reset.
pub(crate) fn open_tun(name: &InterfaceName) -> io::Result<OwnedFd> {
    open_plain(name, tun_tap::Mode::Tun)
}

/// Opens a TAP interface, which carries Ethernet frames, as [`open_tun`] does.
pub(crate) fn open_tap(name: &InterfaceName) -> io::Result<OwnedFd> {
    open_plain(name, tun_tap::Mode::Tap)
}

fn open_plain(name: &InterfaceName, mode: tun_tap::Mode) -> io::Result<OwnedFd> {
    let interface = tun_tap::Iface::without_packet_info(name.as_str(), mode)?;
    interface.set_non_blocking()?;
    // SAFETY: `into_raw_fd` gives the open descriptor up, so that we are its only owner.
    let device = unsafe { OwnedFd::from_raw_fd(interface.into_raw_fd()) };
    // A kernel that does not know the request has no offload to reset.
    let _ = set_offload(&device, 0);
    Ok(device)
}

/// Opens a TUN interface as [`open_tun`] does, with offload: each packet that is read or written
/// begins with a `struct virtio_net_hdr` of `header` bytes. The kernel leaves checksums and the
/// segmentation of TCP to the reader, and does both for the writer.
pub(crate) fn open_offloading_tun(name: &InterfaceName, header: usize) -> io::Result<OwnedFd> {
    let device = attach(name, TUN | VNET_HEADER)?;
    set_vnet_header(&device, header)?;
    Ok(device)
}

/// Opens another queue of a TUN interface of several queues. With `header` it offloads as
/// [`open_offloading_tun`] does.
pub(crate) fn open_tun_queue(name: &InterfaceName, header: Option<usize>) -> io::Result<OwnedFd> {
    let Some(header) = header else {
        let device = attach(name, TUN | MULTI_QUEUE)?;
        let _ = set_offload(&device, 0);
        return Ok(device);
    };
    let device = attach(name, TUN | MULTI_QUEUE | VNET_HEADER)?;
    set_vnet_header(&device, header)?;
    Ok(device)
}

/// Whether an existing interface is not a TUN interface of one queue, or of several queues. (If it
/// is, the trial adds a queue to it for a moment.)
pub(crate) fn refuses(name: &InterfaceName, several_queues: bool) -> bool {
    let flags = if several_queues { TUN | MULTI_QUEUE } else { TUN };
    attach(name, flags).is_err_and(|error| Errno::from_io_error(&error) == Some(Errno::INVAL))
}

/// Claims an interface for this program until the descriptor is closed, since the kernel lets any
/// program add queues. The claim is the name of a socket, which is unique in the network namespace.
///
/// # Errors
/// `EADDRINUSE` if another program has claimed it.
pub(crate) fn claim(name: &InterfaceName) -> io::Result<OwnedFd> {
    let socket = socket_with(AddressFamily::UNIX, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    let text = format!("ackclock queues of {name}");
    bind(&socket, &SocketAddrUnix::new_abstract_name(text.as_bytes())?)?;
    Ok(socket)
}

/// Attaches a new descriptor to the interface.
fn attach(name: &InterfaceName, flags: u16) -> io::Result<OwnedFd> {
    let device: OwnedFd = File::options().read(true).write(true).open(TUN_DEVICE)?.into();
    ioctl_fionbio(&device, true)?;
    let mut request = InterfaceRequest::named(name);
    for (to, from) in request.value.iter_mut().zip(flags.to_ne_bytes()) {
        *to = from;
    }
    // SAFETY: `TUNSETIFF` takes a pointer to a `struct ifreq`, reads its name and its flags, which
    // come first in the union, and writes the name; see `request` for the sizes.
    unsafe { ioctl(&device, Updater::<SET_TUN, _>::new(&mut request)) }?;
    Ok(device)
}

fn set_vnet_header(device: &OwnedFd, header: usize) -> io::Result<()> {
    let header = c_int::try_from(header).map_err(io::Error::other)?;
    // SAFETY: `TUNSETVNETHDRSZ` takes a pointer to an int and reads it.
    unsafe { ioctl(device, Setter::<SET_VNET_HEADER_SIZE, c_int>::new(header)) }?;
    set_offload(device, OFFLOADS)
}

/// Another descriptor of a socket that `pnet` opened, to wait for packets.
pub(crate) fn duplicate(sender: &TransportSender) -> io::Result<OwnedFd> {
    // SAFETY: the descriptor is open at least as long as the sender, which is borrowed.
    unsafe { BorrowedFd::borrow_raw(sender.socket.fd) }.try_clone_to_owned()
}

/// Sets what the kernel may leave to the reader of the device.
fn set_offload(device: &OwnedFd, offloads: usize) -> io::Result<()> {
    // SAFETY: `TUNSETOFFLOAD` takes its argument as a number, not as a pointer.
    unsafe { ioctl(device, IntegerSetter::<SET_OFFLOAD>::new_usize(offloads)) }?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_need_no_quoting_are_taken() {
        for name in ["tun0", "a", "my-tun_1.5", "fifteen-letters"] {
            assert_eq!(name.parse::<InterfaceName>().unwrap().as_str(), name);
        }
    }

    #[test]
    fn other_names_are_refused() {
        for name in ["", "sixteen-letters-", "-x", ".", "a b", "a/b", "tun%d", "t\0", "ü"] {
            assert_eq!(name.parse::<InterfaceName>(), Err(InvalidName), "{name:?}");
        }
    }

    #[test]
    fn the_loopback_interface_is_there_with_its_mtu() {
        let loopback = "lo".parse().unwrap();
        assert!(exists(&loopback).unwrap());
        assert!(mtu(&loopback).unwrap() >= 1280);
    }

    #[test]
    fn an_unknown_interface_does_not_exist_and_has_no_mtu() {
        let unknown = "no-such-if".parse().unwrap();
        assert!(!exists(&unknown).unwrap());
        assert_eq!(mtu(&unknown).unwrap_err().raw_os_error(), Some(19));
        assert_eq!(is_up(&unknown).unwrap_err().raw_os_error(), Some(19));
    }
}
