//! Ours: two networks that are joined by a channel of packets, each driven by a thread.

use super::PATIENCE;
use ackclock_net::channel::joined;
use ackclock_net::{Net, NetConfig, TcpListener, TcpStream};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

pub(crate) struct World {
    client: Net,
    server: Net,
}

impl World {
    pub(crate) fn new() -> Self {
        let [near, far] = joined(1500, 256);
        let net = |link, address: &str| {
            Net::on_thread(link, &NetConfig::new([address.parse().unwrap()])).unwrap()
        };
        World { client: net(near, "10.0.0.1/24"), server: net(far, "10.0.0.2/24") }
    }

    pub(crate) fn listener(&self) -> TcpListener {
        TcpListener::bind(&self.server, "10.0.0.2:0").unwrap()
    }

    pub(crate) fn connect(&self, to: SocketAddr) -> io::Result<TcpStream> {
        TcpStream::connect(&self.client, to)
    }

    pub(crate) fn connect_timeout(
        &self,
        to: &SocketAddr,
        in_time: Duration,
    ) -> io::Result<TcpStream> {
        TcpStream::connect_timeout(&self.client, to, in_time)
    }
}

pub(crate) fn set_linger(stream: &TcpStream, linger: Option<Duration>) {
    stream.set_linger(linger).unwrap();
}

#[expect(clippy::duplicate_mod, reason = "the table is the same for both")]
#[path = "rows.rs"]
mod rows;
