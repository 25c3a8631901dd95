//! The same client and server in virtual time, and over a TUN device against the kernel:
//!
//! ```console
//! $ cargo run -p ackclock-net --features sim --example anywhere          # over 200 ms and 2 % loss
//! $ cargo run -p ackclock-net --features sim --example anywhere -- tun0  # of http://10.7.0.1:8000
//! ```

use ackclock::time::Duration;
use ackclock_host::tun::{Offload, Tun};
use ackclock_net::aio::{TcpListener, TcpStream};
use ackclock_net::sim::{HostError, SimNet};
use ackclock_net::{Net, NetConfig};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Gets the page where it is told.
pub fn main() -> Result<(), HostError> {
    let page = match std::env::args().nth(1) {
        Some(name) => over_tun(&name)?,
        None => in_virtual_time(7)?,
    };
    print!("{page}");
    Ok(())
}

/// The page, from the kernel at the other end of this device.
pub fn over_tun(name: &str) -> Result<String, HostError> {
    let tun = Tun::open_with(&name.parse()?, Offload::Auto)?;
    let net = Net::over(tun, &NetConfig::new(["10.7.0.2/24".parse()?]))?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(get(&net, "10.7.0.1:8000".parse()?))
}

/// Gets a page, on any network.
async fn get(net: &Net, server: SocketAddr) -> Result<String, HostError> {
    let mut stream = TcpStream::connect(net, server).await?;
    stream.write_all(b"GET / HTTP/1.0\r\n\r\n").await?;
    let mut page = String::new();
    stream.read_to_string(&mut page).await?;
    Ok(page)
}

/// Answers requests, on any network.
async fn serve(net: Net, local: SocketAddr) -> Result<(), HostError> {
    let listener = TcpListener::bind(&net, local)?;
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(answer(stream));
    }
}

async fn answer(mut stream: TcpStream) -> Result<(), HostError> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        if stream.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    }
    stream.write_all(b"HTTP/1.0 200 OK\r\n\r\nIt works.\n").await?;
    Ok(AsyncWriteExt::shutdown(&mut stream).await?)
}

/// The page, from one host to another in virtual time.
pub fn in_virtual_time(seed: u64) -> Result<String, HostError> {
    let mut sim = SimNet::pair("rate=10mbit,delay=100ms,loss=2%", seed, ())?;
    let (tell, told) = std::sync::mpsc::channel();
    sim.service(
        "right",
        |host| async move { serve(host.net().clone(), "10.0.0.2:80".parse()?).await },
    )?;
    sim.host("left", |host| async move {
        Ok(tell.send(get(host.net(), "10.0.0.2:80".parse()?).await?)?)
    })?;
    sim.run(Duration::from_secs(600))?;
    Ok(told.recv()?)
}
