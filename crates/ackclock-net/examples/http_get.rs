//! Gets a page over a TUN device. docs/sockets.md says how to make the device.
use ackclock_host::tun::{Offload, Tun};
use ackclock_net::{Net, NetConfig, TcpStream};
use std::io::{Read, Write};

/// Gets a page and prints it.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tun = Tun::open_with(&"tun0".parse()?, Offload::Auto)?;
    let net = Net::over(tun, &NetConfig::new(["10.7.0.2/24".parse()?]))?;
    let mut stream = TcpStream::connect(&net, "10.7.0.1:8000")?;
    stream.write_all(b"GET / HTTP/1.0\r\n\r\n")?;
    let mut page = String::new();
    stream.read_to_string(&mut page)?;
    print!("{page}");
    Ok(())
}
