//! A TUN device as a link.
//!
//! The kernel has one end of the interface and the stack the other: the interface itself carries
//! the *kernel's* address (such as 10.7.0.1/24), and the stack has another one in that network
//! (10.7.0.2), to which the kernel routes through the device.

use super::vnet::{self, VNET_HEADER};
use crate::system::interface::{self, InterfaceName};
use ackclock::link::{Link, TransmitError};
use ackclock::stack::{Capabilities, Received, Segmentation, Transmit};
use ackclock::time::Instant;
use ackclock::wire::WriteChecksum;
use rustix::io::{Errno, read, retry_on_intr, write, writev};
use std::fmt;
use std::io::{self, IoSlice};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

/// Largest packet in bytes that an IP header can describe, jumbograms excepted: 65,535 and the IPv6
/// header, which the length field does not count.
const LARGEST_PACKET: u32 = 65_575;

/// Largest packet in bytes that is copied into one piece before it is written. For packets up to
/// Ethernet's size this takes less time than gathering the parts in the kernel.
const COPIED: usize = 2_048;

/// Most queues of an interface (`MAX_TAP_QUEUES` of Linux).
pub const MAX_QUEUES: usize = 256;

/// Whether the kernel segments, and computes checksums, in our place.
///
/// An offloading device takes up to 64 KiB at once, which are cut into segments only where they
/// leave the machine. In the other direction it delivers up to 64 KiB that have not been cut yet,
/// or that were put together of received segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Offload {
    /// Offload if the kernel can.
    #[default]
    Auto,
    /// Offload; it is an error if the kernel cannot.
    On,
    /// No offload: each packet has the size that it has in the network.
    Off,
}

/// A TUN device, or one queue of it. An interface that did not exist before is removed when this is
/// dropped.
#[derive(Debug)]
pub struct Tun {
    device: OwnedFd,
    name: InterfaceName,
    mtu: u32,
    /// Whether each packet begins with a header that describes checksums and segments.
    offloading: bool,
    /// Buffer for a packet that is read, or that is written in one piece.
    packet: Vec<u8>,
    /// The claim on an interface of several queues, which keeps other programs off: the kernel
    /// would give them some of our packets.
    _claim: Option<Arc<OwnedFd>>,
}

impl Tun {
    /// Attaches to the interface of that name, without offload; creates it if there is none, which
    /// takes the privilege `CAP_NET_ADMIN`.
    ///
    /// # Errors
    /// Says which command helps.
    pub fn open(name: &InterfaceName) -> Result<Self, TunError> {
        Tun::open_with(name, Offload::Off)
    }

    /// Attaches to an interface as [`open`](Self::open) does, with or without offload.
    ///
    /// # Errors
    /// Says which command helps.
    pub fn open_with(name: &InterfaceName, offload: Offload) -> Result<Self, TunError> {
        Tun::attach(name, offload, |offloading| {
            if offloading {
                interface::open_offloading_tun(name, VNET_HEADER)
            } else {
                interface::open_tun(name)
            }
        })
        .map_err(|error| match error {
            TunError::NotTun(name) if !interface::refuses(&name, true) => {
                TunError::SeveralQueues(name)
            }
            error => error,
        })
    }

    /// Attaches to an interface of several queues, at most [`MAX_QUEUES`]; creates it if there is none.
    /// Each of the devices is to be served by a loop of its own
    /// ([`RunLoop::of_queues`](crate::run_loop::RunLoop::of_queues)).
    ///
    /// # Errors
    /// Says which command helps.
    pub fn open_queues(
        name: &InterfaceName,
        offload: Offload,
        queues: usize,
    ) -> Result<Vec<Self>, TunError> {
        let claim = interface::claim(name).map_err(|error| TunError::on_open(name, error))?;
        let claim = Arc::new(claim);
        let queue = |_| {
            let tun = Tun::attach(name, offload, |offloading| {
                interface::open_tun_queue(name, offloading.then_some(VNET_HEADER))
            })?;
            Ok(Tun { _claim: Some(Arc::clone(&claim)), ..tun })
        };
        (0..queues).map(queue).collect::<Result<_, _>>().map_err(|error| match error {
            TunError::NotTun(name) if !interface::refuses(&name, false) => TunError::OneQueue(name),
            error => error,
        })
    }

    /// Opens the interface by calling `open` with whether to offload.
    pub(crate) fn attach(
        name: &InterfaceName,
        offload: Offload,
        open: impl Fn(bool) -> io::Result<OwnedFd>,
    ) -> Result<Self, TunError> {
        let plain = || open(false).map_err(|error| TunError::on_open(name, error));
        let wanted = offload != Offload::Off;
        let (device, offloading) = match wanted.then(|| open(true)) {
            Some(Ok(device)) => (device, true),
            Some(Err(error)) if offload == Offload::On => {
                // If the interface cannot be opened without offload either, that error counts.
                drop(plain()?);
                return Err(TunError::NoOffload(name.clone(), error));
            }
            _ => (plain()?, false),
        };
        let failed = |error| TunError::Device(name.clone(), error);
        interface::wait_for_carrier(name).map_err(failed)?;
        let mtu = interface::mtu(name).map_err(failed)?;
        let (name, packet) = (name.clone(), Vec::new());
        let mut tun = Tun { device, name, mtu, offloading, packet, _claim: None };
        let largest = tun.capabilities().largest_received().max(LARGEST_PACKET);
        tun.packet = vec![0; VNET_HEADER + largest as usize];
        Ok(tun)
    }

    /// Whether the kernel segments, and computes checksums, in our place.
    pub fn is_offloading(&self) -> bool {
        self.offloading
    }

    /// The interface's name.
    pub fn name(&self) -> &InterfaceName {
        &self.name
    }

    /// The interface's MTU in bytes when it was opened.
    pub fn mtu(&self) -> u32 {
        self.mtu
    }

    /// A packet from the bytes that were read.
    fn received<'p>(&self, bytes: &'p [u8]) -> Received<'p> {
        match bytes.split_first_chunk() {
            Some((header, packet)) if self.offloading => {
                Received { packet, verify: vnet::unverified(header) }
            }
            _ => Received::unverified(bytes),
        }
    }

    /// The meaning of an error of the open device.
    fn device_error(&self, errno: Errno) -> TunError {
        match errno {
            Errno::IO => TunError::Down(self.name.clone()),
            Errno::BADFD => TunError::Gone(self.name.clone()),
            errno => TunError::Device(self.name.clone(), errno.into()),
        }
    }
}

/// Checks that an interface is up, since an interface that is down carries no packets.
///
/// # Errors
/// [`TunError::Down`] if the interface is down.
pub fn require_up(name: &InterfaceName) -> Result<(), TunError> {
    match interface::is_up(name) {
        Ok(true) => Ok(()),
        Ok(false) => Err(TunError::Down(name.clone())),
        Err(error) => Err(TunError::Device(name.clone(), error)),
    }
}

/// Checks that an existing interface was made for one queue, or for several, and leaves it as it
/// is.
///
/// # Errors
/// [`TunError::NotTun`], [`TunError::OneQueue`] or [`TunError::SeveralQueues`].
pub fn require_queues(name: &InterfaceName, several: bool) -> Result<(), TunError> {
    match [false, true].map(|several| interface::refuses(name, several)) {
        [true, true] => Err(TunError::NotTun(name.clone())),
        [false, true] if several => Err(TunError::OneQueue(name.clone())),
        [true, false] if !several => Err(TunError::SeveralQueues(name.clone())),
        _ => Ok(()),
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}

impl Link for Tun {
    type Error = TunError;

    fn capabilities(&self) -> Capabilities {
        let mut capabilities = Capabilities::with_mtu(self.mtu);
        if self.offloading {
            capabilities.checksum = WriteChecksum::PseudoHeader;
            capabilities.segmentation = Segmentation::both(Capabilities::LARGEST_PAYLOAD);
            capabilities.coalescing = LARGEST_PACKET;
        }
        capabilities
    }

    fn transmit(
        &mut self,
        _now: Instant,
        transmit: &Transmit<'_>,
    ) -> Result<(), TransmitError<TunError>> {
        let header = if self.offloading { &vnet::header(transmit)[..] } else { &[] };
        let length = header.len() + transmit.len();
        let sent = match self.packet.get_mut(..length) {
            Some(packet) if length <= COPIED => write_copy(&self.device, header, transmit, packet),
            _ => write_packet(&self.device, header, transmit),
        };
        match sent {
            Ok(()) => Ok(()),
            Err(Errno::AGAIN) => Err(TransmitError::Full),
            Err(errno) => Err(TransmitError::Device(self.device_error(errno))),
        }
    }

    fn receive(
        &mut self,
        _now: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, TunError> {
        for received in 0..budget {
            match retry_on_intr(|| read(&self.device, &mut *self.packet)) {
                Ok(length) => {
                    let bytes = self.packet.get(..length).unwrap_or_default();
                    deliver(self.received(bytes));
                }
                Err(Errno::AGAIN) => return Ok(received),
                Err(errno) => return Err(self.device_error(errno)),
            }
        }
        Ok(budget)
    }
}

/// Writes a packet in one system call from a copy in `packet`, which has its length. The bytes of
/// `before` come first.
fn write_copy(
    device: impl AsFd,
    before: &[u8],
    transmit: &Transmit<'_>,
    packet: &mut [u8],
) -> Result<(), Errno> {
    let (first, rest) = packet.split_at_mut(before.len());
    first.copy_from_slice(before);
    transmit.copy_to(rest);
    retry_on_intr(|| write(device.as_fd(), packet)).map(|_| ())
}

/// Writes a packet in one system call, gathered from its parts. The bytes of `before` come first.
fn write_packet(device: impl AsFd, before: &[u8], transmit: &Transmit<'_>) -> Result<(), Errno> {
    let [first, second] = transmit.payload;
    let parts = [before, transmit.header, first, second].map(IoSlice::new);
    // Empty parts at either end are left out.
    let parts = if before.is_empty() { &parts[1..] } else { &parts[..] };
    let parts = if second.is_empty() { &parts[..parts.len() - 1] } else { parts };
    // A TUN device takes a packet whole or not at all.
    retry_on_intr(|| writev(device.as_fd(), parts)).map(|_| ())
}

/// Why a TUN device cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum TunError {
    /// There is no `/dev/net/tun`.
    NoDeviceFile,
    /// `/dev/net/tun` may not be opened.
    DeviceFileDenied,
    /// The interface does not exist and may not be created, or belongs to another user.
    NotPermitted(InterfaceName),
    /// The kernel does not segment for the interface.
    NoOffload(InterfaceName, io::Error),
    /// Another program is attached to the interface.
    Busy(InterfaceName),
    /// The interface exists and is not a TUN interface.
    NotTun(InterfaceName),
    /// The interface was made for a single queue.
    OneQueue(InterfaceName),
    /// The interface was made for several queues.
    SeveralQueues(InterfaceName),
    /// The interface is down.
    Down(InterfaceName),
    /// The interface was deleted.
    Gone(InterfaceName),
    /// Any other error of the device.
    Device(InterfaceName, io::Error),
}

impl TunError {
    /// The meaning of an error while attaching to the interface.
    fn on_open(name: &InterfaceName, error: io::Error) -> Self {
        match Errno::from_io_error(&error) {
            // Without the kernel module the device file may be missing, or have no driver.
            Some(Errno::NOENT | Errno::NODEV | Errno::NXIO) => TunError::NoDeviceFile,
            Some(Errno::ACCESS) => TunError::DeviceFileDenied,
            Some(Errno::PERM) => TunError::NotPermitted(name.clone()),
            Some(Errno::BUSY | Errno::ADDRINUSE) => TunError::Busy(name.clone()),
            Some(Errno::INVAL) => TunError::NotTun(name.clone()),
            _ => TunError::Device(name.clone(), error),
        }
    }
}

impl fmt::Display for TunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TunError::NoDeviceFile => f.write_str(
                "no TUN driver behind /dev/net/tun: run 'sudo modprobe tun'; in a container \
                 'sudo mkdir -p /dev/net && sudo mknod /dev/net/tun c 10 200'",
            ),
            TunError::DeviceFileDenied => f.write_str(
                "not allowed to open /dev/net/tun: run 'sudo chmod 666 /dev/net/tun', or this \
                 program as root",
            ),
            TunError::NotPermitted(name) => write!(
                f,
                "not allowed to create or use interface {name}: run 'sudo ip tuntap add dev \
                 {name} mode tun user $(id -u)' (see 'ackclock setup tun {name}'), or give the \
                 program the privilege with 'sudo setcap cap_net_admin+ep PROGRAM'"
            ),
            TunError::NoOffload(name, error) => write!(
                f,
                "the kernel does not segment for interface {name} ({error}): use --offload auto, \
                 which does without"
            ),
            TunError::Busy(name) => write!(
                f,
                "another program is attached to interface {name}: stop it ('sudo fuser -v \
                 /dev/net/tun' shows which) or choose another interface name"
            ),
            TunError::NotTun(name) => write!(
                f,
                "interface {name} exists and is not a plain TUN interface: choose another name, \
                 or remove it with 'sudo ip link delete {name}'"
            ),
            TunError::OneQueue(name) => write!(
                f,
                "interface {name} was not made for several queues: run 'sudo ip link delete {name}' \
                 and make it again with 'ackclock setup tun {name} --queues 2'"
            ),
            TunError::SeveralQueues(name) => write!(
                f,
                "interface {name} was made for several queues: use it with --queues 2 or more, or \
                 run 'sudo ip link delete {name}' and make it again"
            ),
            TunError::Down(name) => {
                write!(f, "interface {name} is down: run 'sudo ip link set dev {name} up'")
            }
            TunError::Gone(name) => write!(
                f,
                "interface {name} was deleted while in use: make it again with 'ackclock setup \
                 tun {name}'"
            ),
            TunError::Device(name, error) => write!(
                f,
                "interface {name} failed: {error}; 'ip -s link show dev {name}' shows its state"
            ),
        }
    }
}

impl std::error::Error for TunError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TunError::NoOffload(_, error) | TunError::Device(_, error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::wire::Ecn;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

    fn packet<'a>(header: &'a [u8], payload: [&'a [u8]; 2]) -> Transmit<'a> {
        Transmit {
            header,
            payload,
            transport_offset: 0,
            segment_size: 0,
            checksum: WriteChecksum::default(),
            ecn: Ecn::NotEct,
        }
    }

    fn packet_pair() -> (OwnedFd, OwnedFd) {
        let kind = (AddressFamily::UNIX, SocketType::SEQPACKET);
        socketpair(kind.0, kind.1, SocketFlags::NONBLOCK, None).unwrap()
    }

    #[test]
    fn a_packet_is_gathered_from_its_parts() {
        let (near, far) = packet_pair();
        for (before, second, expected) in [
            (&b""[..], &b"second"[..], "headfirstsecond"),
            (b"vnet", b"second", "vnetheadfirstsecond"),
            (b"vnet", b"", "vnetheadfirst"),
            (b"", b"", "headfirst"),
        ] {
            let packet = packet(b"head", [b"first", second]);
            let mut copy = vec![0; expected.len()];
            let mut bytes = [0; 64];
            write_packet(&near, before, &packet).unwrap();
            let length = read(&far, &mut bytes).unwrap();
            assert_eq!(&bytes[..length], expected.as_bytes());
            write_copy(&near, before, &packet, &mut copy).unwrap();
            let length = read(&far, &mut bytes).unwrap();
            assert_eq!(&bytes[..length], expected.as_bytes());
        }
    }

    #[test]
    fn a_full_device_takes_nothing_and_takes_the_packet_when_it_has_room() {
        let (near, far) = packet_pair();
        let payload = [7; 1000];
        let mut queued = 0;
        while write_packet(&near, &[], &packet(b"head", [&payload, b""])).is_ok() {
            queued += 1;
        }
        assert_eq!(write_packet(&near, &[], &packet(b"last", [b"", b""])), Err(Errno::AGAIN));

        let mut bytes = [0; 2000];
        for _ in 0..queued {
            assert_eq!(read(&far, &mut bytes), Ok(1004));
        }
        assert_eq!(read(&far, &mut bytes), Err(Errno::AGAIN));
        write_packet(&near, &[], &packet(b"last", [b"", b""])).unwrap();
        assert_eq!(read(&far, &mut bytes), Ok(4));
    }

    #[test]
    fn every_error_of_opening_is_one_line_with_its_command() {
        let name: InterfaceName = "tun7".parse().unwrap();
        let cases = [
            (Errno::NOENT, "sudo modprobe tun"),
            (Errno::ACCESS, "sudo chmod 666 /dev/net/tun"),
            (Errno::PERM, "sudo ip tuntap add dev tun7 mode tun user $(id -u)"),
            (Errno::BUSY, "sudo fuser -v /dev/net/tun"),
            (Errno::INVAL, "sudo ip link delete tun7"),
            (Errno::NOMEM, "ip -s link show dev tun7"),
        ];
        for (errno, command) in cases {
            let text = TunError::on_open(&name, errno.into()).to_string();
            assert!(text.contains(command) && !text.contains('\n'), "{text}");
        }
    }
}
