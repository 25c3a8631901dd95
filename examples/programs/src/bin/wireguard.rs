//! A WireGuard client that needs neither privilege nor an interface: it says to a server behind the tunnel what it
//! reads, and prints the answer.
//!
//! ```console
//! $ wireguard --key PRIVATE --peer PUBLIC --endpoint 192.0.2.1:51820 --address 10.9.0.2/32 10.9.0.1:7 <file
//! ```
#![forbid(unsafe_code)]

use ackclock::stack::Cidr;
use ackclock_net::channel::{Packets, packets};
use ackclock_net::sim::HostError;
use ackclock_net::{Net, NetConfig, TcpStream};
use ackclock_programs::wireguard::{Inside, Key, MTU, Tunnel};
use clap::Parser;
use std::io;
use std::net::{Shutdown, SocketAddr, UdpSocket};
use std::thread;

/// Speaks with a server behind a WireGuard tunnel.
#[derive(Parser)]
struct Program {
    /// Our private key.
    #[arg(long)]
    key: Key,
    /// The public key of the other end.
    #[arg(long)]
    peer: Key,
    /// Where the other end is.
    #[arg(long)]
    endpoint: SocketAddr,
    /// Our address in the tunnel.
    #[arg(long)]
    address: Cidr,
    /// The server behind the tunnel.
    server: SocketAddr,
}

/// The packets of our network.
struct Ours(Packets);

impl Inside for Ours {
    fn next(&self) -> io::Result<Vec<u8>> {
        self.0.receive().ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    fn give(&self, packet: &[u8]) {
        // As a network does that has no room, it loses it.
        let _ = self.0.try_send(packet.to_vec());
    }
}

fn main() -> Result<(), HostError> {
    let Program { key, peer, endpoint, address, server } = Program::parse();
    let any = if endpoint.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    let tunnel = Tunnel::new(key, peer, UdpSocket::bind(any)?, Some(endpoint));
    let (link, packets) = packets(MTU, 1024);
    // It goes on until the program ends.
    thread::spawn(move || tunnel.carry(&Ours(packets)));
    let net = Net::on_thread(link, &NetConfig::new([address]))?;
    let stream = TcpStream::connect(&net, server)?;
    let (mut says, mut hears) = (stream.try_clone()?, stream);
    let saying = thread::spawn(move || {
        io::copy(&mut io::stdin().lock(), &mut says)?;
        says.shutdown(Shutdown::Write)
    });
    io::copy(&mut hears, &mut io::stdout().lock())?;
    saying.join().map_err(|_| "what was read could not be said")??;
    Ok(())
}
