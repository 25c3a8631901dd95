//! Opening connections, also with data in the SYN (TCP Fast Open).

use super::socket::{Kind, Stream};
use super::{Descriptor, Errno, Sockets, WOULD_BLOCK};
use ackclock::tcp::{FastOpenMode, State};
use std::net::SocketAddr;

/// What a call that opens a connection has to do then.
const STARTED: Errno = Errno(libc::EINPROGRESS);

impl Sockets {
    /// `connect`: the first call starts (and answers `EINPROGRESS`), later ones tell how it went. With
    /// TCP_FASTOPEN_CONNECT and a cookie the first write starts.
    pub(crate) fn connect(
        &mut self,
        descriptor: Descriptor,
        remote: SocketAddr,
    ) -> Result<(), Errno> {
        match &self.get(descriptor)?.kind {
            Kind::Fresh => {}
            Kind::Listening { .. } | Kind::Deferred(_) => return Err(Errno(libc::EISCONN)),
            Kind::Epoll(_) | Kind::Pipe(_) => return Err(Errno(libc::ENOTSOCK)),
            Kind::Stream(stream) if stream.connect_told => return Err(Errno(libc::EISCONN)),
            Kind::Stream(_) => {
                return self.connected(descriptor).map_err(|error| match error {
                    WOULD_BLOCK => Errno(libc::EALREADY),
                    error => error,
                });
            }
        }
        if !self.get(descriptor)?.fast_open_connect {
            self.open(descriptor, remote, FastOpenMode::Off)?;
            return Err(STARTED);
        }
        let mode = self.client_mode(descriptor)?;
        if self.open(descriptor, remote, mode)? == 0 {
            return Err(STARTED);
        }
        // There is a cookie: the SYN waits for data.
        if let Ok(handle) = self.handle(descriptor) {
            let _ = self.stack.abort(self.now, handle);
        }
        self.get_mut(descriptor)?.kind = Kind::Deferred(remote);
        Ok(())
    }

    /// `sendto` with MSG_FASTOPEN, or any write after a connect that was put off: opens the connection with as
    /// much of `data` as its SYN takes, and says how much that is.
    ///
    /// `None`: there is a connection already, and nothing was done.
    ///
    /// # Errors
    /// `EINPROGRESS` if no data goes with the SYN.
    pub(crate) fn open_with(
        &mut self,
        descriptor: Descriptor,
        remote: Option<SocketAddr>,
        data: &[u8],
    ) -> Option<Result<usize, Errno>> {
        let remote = match self.get(descriptor).map(|socket| &socket.kind) {
            Ok(Kind::Deferred(remote)) => *remote,
            Ok(Kind::Fresh) => match remote {
                Some(remote) => remote,
                None => return Some(Err(Errno(libc::EINVAL))),
            },
            Ok(Kind::Stream(stream)) if !stream.connect_told => {
                let is_opening = self.connected(descriptor) == Err(WOULD_BLOCK);
                return is_opening.then_some(Err(Errno(libc::EALREADY)));
            }
            _ => return None,
        };
        Some(self.open_fast(descriptor, remote, data))
    }

    fn open_fast(
        &mut self,
        descriptor: Descriptor,
        remote: SocketAddr,
        data: &[u8],
    ) -> Result<usize, Errno> {
        let mode = self.client_mode(descriptor)?;
        let room = self.open(descriptor, remote, mode)?.min(data.len());
        let handle = self.handle(descriptor)?;
        match self.stack.send(self.now, handle, &data[..room]) {
            Ok(taken) if taken > 0 => {
                if let Kind::Stream(stream) = &mut self.get_mut(descriptor)?.kind {
                    stream.syn_text = taken;
                    stream.errors.wrote(taken);
                }
                Ok(taken)
            }
            _ => Err(STARTED),
        }
    }

    /// What a socket that connects may do with Fast Open.
    fn client_mode(&self, descriptor: Descriptor) -> Result<FastOpenMode, Errno> {
        match (self.flags.fast_open.client, self.get(descriptor)?.fast_open_no_cookie) {
            (FastOpenMode::Off, _) => Err(Errno(libc::EOPNOTSUPP)),
            (_, true) => Ok(FastOpenMode::WithoutCookie),
            (mode, false) => Ok(mode),
        }
    }

    /// Opens a connection, and says how many bytes its SYN takes.
    fn open(
        &mut self,
        descriptor: Descriptor,
        remote: SocketAddr,
        mode: FastOpenMode,
    ) -> Result<usize, Errno> {
        let socket = self.get(descriptor)?;
        let remote = socket.inside(remote)?;
        let (mut config, local) = (socket.config, socket.local);
        config.fast_open = mode;
        let law = socket.law.unwrap_or(self.flags.law);
        let local = match local {
            Some(local) if !local.ip().is_unspecified() => local,
            other => {
                let own = self.flags.local[usize::from(remote.is_ipv6())];
                self.add_address(own)?;
                SocketAddr::new(own, other.map_or(0, |local| local.port()))
            }
        };
        let handle = self.stack.connect_with(self.now, remote, Some(local), &config, law)?;
        let (local, stream) = (self.stack.local_addr(handle), Stream::connecting(handle, self.now));
        let socket = self.get_mut(descriptor)?;
        (socket.local, socket.kind) = (local, Kind::Stream(stream));
        self.apply_options(descriptor);
        self.defer_first_ack(descriptor);
        // Beside the options that a SYN may have.
        let most = config.mss.map_or(usize::MAX, |mss| usize::from(mss).saturating_sub(40));
        Ok(self.stack.syn_room(handle).min(most))
    }

    /// How a connect that was started went.
    pub(crate) fn connected(&mut self, descriptor: Descriptor) -> Result<(), Errno> {
        let handle = self.handle(descriptor)?;
        let info = self.stack.info(self.now, handle).ok_or(Errno(libc::EBADF))?;
        match info.state {
            State::SynSent | State::SynReceived => Err(WOULD_BLOCK),
            _ => {
                if let Some(error) = self.take_error(descriptor) {
                    return Err(error);
                }
                if let Kind::Stream(stream) = &mut self.get_mut(descriptor)?.kind {
                    stream.connect_told = true;
                }
                Ok(())
            }
        }
    }
}
