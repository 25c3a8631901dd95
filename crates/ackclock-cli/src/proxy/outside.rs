//! The outside of a proxy: connections from this host to where peers want to go.

use super::settings::ProxySettings;
use super::way::{Socks5, Way};
use crate::failure::Failure;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_socks::tcp::Socks5Stream;

/// Why there is no connection.
#[derive(Debug)]
pub(super) enum NoConnection {
    /// Nobody listens there.
    Refused,
    /// Nobody answered, there is no way, or the proxy will not connect.
    Unreachable(io::Error),
}

/// What opens connections.
#[derive(Clone, Debug)]
pub(super) struct Outside {
    /// The proxy, if connections go by one.
    proxy: Option<(SocketAddr, Option<(String, String)>)>,
    interface: Option<String>,
    connect_time: Duration,
}

impl Outside {
    /// Looks up the proxy's address.
    pub(super) fn new(settings: &ProxySettings) -> Result<Self, Failure> {
        let proxy = match &settings.way {
            Way::Direct => None,
            Way::Socks5(Socks5 { server, login }) => {
                let unknown = |why: String| Failure::Environment(format!("--to {server}: {why}"));
                let mut found =
                    server.to_socket_addrs().map_err(|error| unknown(error.to_string()))?;
                let address = found.next().ok_or_else(|| unknown("it has no address".into()))?;
                Some((address, login.clone()))
            }
        };
        let connect_time = settings.connect_time.into();
        Ok(Outside { proxy, interface: settings.interface.clone(), connect_time })
    }

    /// Opens a connection.
    pub(super) async fn connect(&self, to: SocketAddr) -> Result<TcpStream, NoConnection> {
        let opened = timeout(self.connect_time, async {
            match &self.proxy {
                None => self.open(to).await.map_err(NoConnection::from),
                Some((proxy, login)) => {
                    // A proxy that refuses is no peer that refuses.
                    let stream = self.open(*proxy).await.map_err(NoConnection::Unreachable)?;
                    Ok(by_proxy(stream, login.as_ref(), to).await?)
                }
            }
        });
        let in_time = opened.await;
        in_time.unwrap_or_else(|_| Err(NoConnection::Unreachable(ErrorKind::TimedOut.into())))
    }

    async fn open(&self, to: SocketAddr) -> io::Result<TcpStream> {
        let socket = if to.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        if let Some(interface) = &self.interface {
            socket.bind_device(Some(interface.as_bytes()))?;
        }
        socket.set_nodelay(true)?;
        socket.connect(to).await
    }
}

/// Has a proxy connect.
async fn by_proxy(
    stream: TcpStream,
    login: Option<&(String, String)>,
    to: SocketAddr,
) -> Result<TcpStream, tokio_socks::Error> {
    let stream = match login {
        Some((user, password)) => {
            Socks5Stream::connect_with_password_and_socket(stream, to, user, password).await?
        }
        None => Socks5Stream::connect_with_socket(stream, to).await?,
    };
    Ok(stream.into_inner())
}

impl From<io::Error> for NoConnection {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::ConnectionRefused => NoConnection::Refused,
            _ => NoConnection::Unreachable(error),
        }
    }
}

impl From<tokio_socks::Error> for NoConnection {
    fn from(error: tokio_socks::Error) -> Self {
        match error {
            tokio_socks::Error::ConnectionRefused => NoConnection::Refused,
            tokio_socks::Error::Io(error) => NoConnection::Unreachable(error),
            error => NoConnection::Unreachable(io::Error::other(error.to_string())),
        }
    }
}
