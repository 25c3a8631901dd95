//! Every TCP connection that the kernel routes into a TUN device becomes one of a SOCKS5 proxy's, or with `direct`
//! one of this host's own:
//!
//! ```console
//! $ cargo run -p ackclock-programs --bin tun2socks -- tun0 127.0.0.1:1080
//! $ cargo run -p ackclock-programs --bin tun2socks -- tun0 direct
//! ```
//!
//! What leaves this host must not be routed into the device again: `docs/sockets.md` has a namespace for that.
#![forbid(unsafe_code)]

use ackclock_host::tun::{Offload, Tun};
use ackclock_net::aio::{AnyListener, Request};
use ackclock_net::relay::{Carried, relay};
use ackclock_net::sim::HostError;
use ackclock_net::{Net, NetConfig, TokioLink, TokioTimer};
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_socks::tcp::Socks5Stream;

/// So many peers wait for their answer at a time.
const REQUESTS: usize = 1024;
/// A peer's patience is not longer than this.
const CONNECT_TIME: Duration = Duration::from_secs(30);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), HostError> {
    let arguments: Vec<_> = std::env::args().collect();
    let (name, proxy) = match &arguments[..] {
        [_, name, to] if to == "direct" => (name, None),
        [_, name, to] => (name, Some(to.parse()?)),
        _ => return Err("tell the device, and the SOCKS5 proxy or 'direct'".into()),
    };
    let tun = TokioLink::new(Tun::open_with(&name.parse()?, Offload::Auto)?)?;
    // Its own address does not matter: it accepts connections to any address.
    let config = NetConfig::new(["192.0.0.8/32".parse()?]);
    let (net, driver) = Net::with_driver(tun, TokioTimer::start(), &config)?;
    let driver = tokio::spawn(driver);
    let requests = async {
        let listener = AnyListener::bind(&net, REQUESTS)?;
        loop {
            tokio::spawn(answer(listener.request().await?, proxy));
        }
    };
    tokio::select! {
        ended = driver => ended??,
        failed = requests => return failed,
    }
    Ok(())
}

/// Opens a connection outside, and then the one inside; a peer that is refused there is refused here.
async fn answer(request: Request, proxy: Option<SocketAddr>) {
    let (from, to) = (request.from(), request.to());
    let outside = timeout(CONNECT_TIME, connect(to, proxy)).await;
    let done = match outside.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into())) {
        Ok(outside) => carry(request, outside).await,
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => return request.refuse(),
        // As if the SYN had been lost; its peer asks again.
        Err(error) => Err(error),
    };
    if let Err(error) = done {
        eprintln!("{from} to {to}: {error}");
    }
}

async fn carry(request: Request, outside: TcpStream) -> io::Result<()> {
    outside.set_nodelay(true)?;
    relay(request.accept().await?, outside, &Carried::default()).await
}

/// Connects as this host does, or has the proxy connect.
async fn connect(to: SocketAddr, proxy: Option<SocketAddr>) -> io::Result<TcpStream> {
    let Some(proxy) = proxy else {
        return TcpStream::connect(to).await;
    };
    match Socks5Stream::connect(proxy, to).await {
        Ok(stream) => Ok(stream.into_inner()),
        Err(tokio_socks::Error::ConnectionRefused) => Err(ErrorKind::ConnectionRefused.into()),
        Err(error) => Err(io::Error::other(error)),
    }
}
