//! An echo server for ten thousand clients and more, over a TUN device, in one thread:
//!
//! ```console
//! $ cargo run -p ackclock-programs --bin echo -- tun0 10.7.0.2:7
//! ```
#![forbid(unsafe_code)]

use ackclock::stack::Cidr;
use ackclock_net::Net;
use ackclock_net::aio::{TcpListener, TcpStream};
use ackclock_net::sim::HostError;
use ackclock_programs::over_tun;
use std::io;
use std::net::{Shutdown, SocketAddr};

/// So many connections wait to be accepted: as many as a burst may bring.
const BACKLOG: usize = 4096;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), HostError> {
    let arguments: Vec<_> = std::env::args().collect();
    let [_, tun, at] = &arguments[..] else {
        return Err("tell the device, and where to listen, such as 10.7.0.2:7".into());
    };
    let at: SocketAddr = at.parse()?;
    let prefix = if at.is_ipv4() { 24 } else { 64 };
    over_tun(tun, Cidr { address: at.ip(), prefix }, async |net| serve(net, at).await).await
}

async fn serve(net: &Net, at: SocketAddr) -> Result<(), HostError> {
    let listener = TcpListener::bind_with_backlog(net, at, BACKLOG)?;
    loop {
        let (stream, _) = listener.accept().await?;
        // A reset by the peer needs no message.
        tokio::spawn(echo(stream));
    }
}

/// Echoes received data. There is a buffer only while it holds data.
async fn echo(mut stream: TcpStream) -> io::Result<()> {
    loop {
        stream.readable().await?;
        let mut buffer = vec![0; 16 << 10];
        match stream.read(&mut buffer).await? {
            0 => return stream.shutdown(Shutdown::Write),
            n => stream.write_all(&buffer[..n]).await?,
        }
    }
}
