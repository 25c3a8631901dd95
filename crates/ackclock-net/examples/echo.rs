//! An echo server over a TUN device, with a thread for each connection. docs/sockets.md says how to make
//! the device; `nc 10.7.0.2 7` is a client.

use ackclock_host::tun::{Offload, Tun};
use ackclock_net::{Net, NetConfig, TcpListener, TcpStream};
use std::{io, thread};

/// Echoes for ever.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tun = Tun::open_with(&"tun0".parse()?, Offload::Auto)?;
    let net = Net::over(tun, &NetConfig::new(["10.7.0.2/24".parse()?]))?;
    for stream in TcpListener::bind(&net, "10.7.0.2:7")?.incoming() {
        let stream = stream?;
        thread::spawn(move || echo(&stream));
    }
    Ok(())
}

/// Sends back what comes, until the end; the end follows when the stream is dropped.
fn echo(mut stream: &TcpStream) {
    let peer = stream.peer_addr();
    match io::copy(&mut { stream }, &mut stream) {
        Ok(bytes) => println!("{peer:?}: {bytes} bytes"),
        Err(error) => println!("{peer:?}: {error}"),
    }
}
