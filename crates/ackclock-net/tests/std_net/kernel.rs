//! The kernel's sockets.

use super::PATIENCE;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

pub(crate) struct World;

impl World {
    pub(crate) fn new() -> Self {
        World
    }

    pub(crate) fn listener(&self) -> TcpListener {
        TcpListener::bind("127.0.0.1:0").unwrap()
    }

    pub(crate) fn connect(&self, to: SocketAddr) -> io::Result<TcpStream> {
        TcpStream::connect(to)
    }

    pub(crate) fn connect_timeout(
        &self,
        to: &SocketAddr,
        in_time: Duration,
    ) -> io::Result<TcpStream> {
        TcpStream::connect_timeout(to, in_time)
    }
}

pub(crate) fn set_linger(stream: &TcpStream, linger: Option<Duration>) {
    rustix::net::sockopt::set_socket_linger(stream, linger).unwrap();
}

#[path = "rows.rs"]
mod rows;
