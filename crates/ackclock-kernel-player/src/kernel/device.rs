//! The TUN device through which the peer's packets come and the kernel's go, and its clock.

use std::io;
use std::net::IpAddr;
use std::os::fd::AsRawFd;
use tun_tap::{Iface, Mode};

/// The name of the device in every namespace.
pub(crate) const NAME: &str = "peer0";
const LARGEST_PACKET: usize = 65_575;
/// Microseconds of which a thousandth matters.
const LONG: i64 = 1_000_000;

/// A device without packet information, which never waits.
pub(crate) struct Device(Iface);

/// Microseconds on the machine's monotonic clock.
pub(crate) fn now() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: room for the time.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
}

impl Device {
    /// The device of the namespace that the calling thread is in.
    pub(crate) fn open() -> io::Result<Self> {
        let device = Iface::without_packet_info(NAME, Mode::Tun)?;
        device.set_non_blocking()?;
        Ok(Device(device))
    }

    pub(crate) fn send(&self, packet: &[u8]) -> io::Result<()> {
        self.0.send(packet).map(|_| ())
    }

    /// The kernel's next packet to this address, if it has sent one. What goes to others is of scripts before.
    pub(crate) fn receive(&self, peer: IpAddr) -> Option<Vec<u8>> {
        let mut packet = vec![0; LARGEST_PACKET];
        loop {
            let len = self.0.recv(&mut packet).ok()?;
            if is_tcp_to(&packet[..len], peer) {
                packet.truncate(len);
                return Some(packet);
            }
        }
    }

    /// Sleeps until there is a packet, but no longer than `micros`, and less long if that is long: the kernel lets a sleep
    /// be late by a thousandth of it.
    pub(crate) fn wait(&self, micros: i64) {
        let micros = if micros > LONG { micros - micros / 100 } else { micros };
        let mut one = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let time =
            libc::timespec { tv_sec: micros / 1_000_000, tv_nsec: micros % 1_000_000 * 1_000 };
        // SAFETY: one descriptor and a time.
        unsafe { libc::ppoll(&mut one, 1, &time, std::ptr::null()) };
    }
}

fn is_tcp_to(packet: &[u8], peer: IpAddr) -> bool {
    const TCP: u8 = 6;
    match peer {
        IpAddr::V4(peer) => packet.get(16..20) == Some(&peer.octets()) && packet[9] == TCP,
        IpAddr::V6(peer) => packet.get(24..40) == Some(&peer.octets()) && packet[6] == TCP,
    }
}
