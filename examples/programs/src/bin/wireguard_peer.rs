//! The other end of a WireGuard tunnel, with the kernel's TCP behind a TUN device, for a kernel that has no WireGuard:
//!
//! ```console
//! $ wireguard_peer --key PRIVATE --peer PUBLIC --listen 0.0.0.0:51820 --tun wg0
//! ```
#![forbid(unsafe_code)]

use ackclock_net::sim::HostError;
use ackclock_programs::wireguard::{Inside, Key, Tunnel};
use clap::Parser;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use tun_tap::{Iface, Mode};

/// The other end of a WireGuard tunnel.
#[derive(Parser)]
struct Program {
    /// Our private key.
    #[arg(long)]
    key: Key,
    /// The public key of the other end.
    #[arg(long)]
    peer: Key,
    /// Where the other end comes.
    #[arg(long)]
    listen: SocketAddr,
    /// The TUN device, whose MTU is to be 1420.
    #[arg(long)]
    tun: String,
}

/// The packets of the kernel.
struct Kernel(Iface);

impl Inside for Kernel {
    fn next(&self) -> io::Result<Vec<u8>> {
        let mut packet = vec![0; 65_536];
        let length = self.0.recv(&mut packet)?;
        packet.truncate(length);
        Ok(packet)
    }

    fn give(&self, packet: &[u8]) {
        // A device that is down takes nothing.
        let _ = self.0.send(packet);
    }
}

fn main() -> Result<(), HostError> {
    let Program { key, peer, listen, tun } = Program::parse();
    let device = Iface::without_packet_info(&tun, Mode::Tun)?;
    let tunnel = Tunnel::new(key, peer, UdpSocket::bind(listen)?, None);
    tunnel.carry(&Kernel(device));
    Ok(())
}
