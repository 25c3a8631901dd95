//! Many connections over one link: demultiplexing, timers, listeners, ports, ICMP and limits.

mod capabilities;
mod config;
mod error;
mod event;
mod statistics;
mod transmit;

pub use capabilities::Capabilities;
pub use config::{Cidr, ListenConfig, StackConfig};
pub use error::{AddressError, ConnectError, InvalidHandle, ListenError};
pub use event::{Event, Readiness};
pub use statistics::Statistics;
pub use transmit::{Rejected, Transmit};

use crate::congestion::{BuiltIn, CongestionController};
use crate::tcp::{Config, Info, ReceiveError, SendError};
use crate::time::Instant;
use core::net::SocketAddr;

/// Names a connection. It is never valid for another one: slots are reused, handles are not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Handle {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

/// Names a listener.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Listener {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

/// Memory for a stack, lent or growing.
#[derive(Debug)]
pub struct Storage<'a, C> {
    marker: core::marker::PhantomData<&'a C>,
}

#[cfg(feature = "alloc")]
impl<C> Storage<'_, C> {
    /// Storage that grows on demand, up to the limits of the [`StackConfig`].
    pub fn growing() -> Self {
        todo!()
    }
}

/// Many TCP connections over one link.
#[derive(Debug)]
pub struct Stack<'a, C = BuiltIn> {
    storage: Storage<'a, C>,
}

impl<'a, C: CongestionController + Clone> Stack<'a, C> {
    /// A stack without addresses. Each connection gets a clone of `controller`.
    ///
    /// # Errors
    /// Names the setting that cannot be used.
    pub fn new(
        config: StackConfig,
        controller: C,
        storage: Storage<'a, C>,
    ) -> Result<Self, crate::tcp::ConfigError> {
        let _ = (config, controller);
        Ok(Stack { storage })
    }

    /// Adds a local address with its prefix.
    pub fn add_address(&mut self, address: Cidr) -> Result<(), AddressError> {
        let _ = address;
        todo!()
    }

    /// Removes a local address; connections bound to it end with an error.
    pub fn remove_address(&mut self, now: Instant, address: Cidr) -> Result<(), AddressError> {
        let _ = (now, address);
        todo!()
    }

    /// Opens a connection to `remote` (active open). The source address is chosen among the local
    /// ones (longest common prefix), the port by RFC 6056, unless `local` says otherwise (an
    /// unspecified address or port 0 leaves the choice to the stack).
    pub fn connect(
        &mut self,
        now: Instant,
        remote: SocketAddr,
        local: Option<SocketAddr>,
        config: &Config,
    ) -> Result<Handle, ConnectError> {
        let _ = (now, remote, local, config);
        todo!()
    }

    /// As [`connect`](Self::connect), with a controller of its own for this connection.
    pub fn connect_with(
        &mut self,
        now: Instant,
        remote: SocketAddr,
        local: Option<SocketAddr>,
        config: &Config,
        controller: C,
    ) -> Result<Handle, ConnectError> {
        let _ = (now, remote, local, config, controller);
        todo!()
    }

    /// Waits for connections (passive open). An unspecified address means any local address of
    /// that family; port 0 means any port, and [`local_addr`](Self::local_addr) of the accepted
    /// connection tells the original destination.
    pub fn listen(&mut self, config: ListenConfig) -> Result<Listener, ListenError> {
        let _ = config;
        todo!()
    }

    /// Takes the next established connection of a listener.
    pub fn accept(&mut self, listener: Listener) -> Option<Handle> {
        let _ = listener;
        todo!()
    }

    /// Ends a listener. Connections not yet accepted are reset.
    pub fn close_listener(&mut self, now: Instant, listener: Listener) {
        let _ = (now, listener);
        todo!()
    }

    /// One packet from the link.
    pub fn on_packet(&mut self, now: Instant, packet: &[u8]) {
        let _ = (now, packet);
        todo!()
    }

    /// Offers the next transmission to `sink`. Returns `None` when there is nothing to send, and
    /// otherwise what the sink answered; a [`Rejected`] transmission stays and will be offered
    /// again.
    pub fn transmit(
        &mut self,
        now: Instant,
        sink: &mut dyn FnMut(&Transmit<'_>) -> Result<(), Rejected>,
    ) -> Option<Result<(), Rejected>> {
        let _ = (now, sink);
        todo!()
    }

    /// The earliest deadline; [`Instant::FAR_FUTURE`] if there is none.
    pub fn poll_at(&self) -> Instant {
        todo!()
    }

    /// Fires every timer that is due.
    pub fn on_timeout(&mut self, now: Instant) {
        let _ = now;
        todo!()
    }

    /// The next change that an application may want to know of. Changes of one connection are
    /// merged, so the queue is bounded and nothing is lost.
    pub fn poll_event(&mut self) -> Option<Event> {
        todo!()
    }

    /// Queues what fits of `data` for sending; returns how many bytes were taken.
    pub fn send(&mut self, now: Instant, handle: Handle, data: &[u8]) -> Result<usize, SendError> {
        let _ = (now, handle, data);
        todo!()
    }

    /// As [`send`](Self::send), marking the last byte taken as urgent (RFC 9293 section 3.8.5).
    pub fn send_urgent(
        &mut self,
        now: Instant,
        handle: Handle,
        data: &[u8],
    ) -> Result<usize, SendError> {
        let _ = (now, handle, data);
        todo!()
    }

    /// Copies received data into `to`; 0 if there is none yet.
    pub fn receive(
        &mut self,
        now: Instant,
        handle: Handle,
        to: &mut [u8],
    ) -> Result<usize, ReceiveError> {
        let _ = (now, handle, to);
        todo!()
    }

    /// Received data where it lies, as two slices in order; [`consume`](Self::consume) removes it.
    pub fn received(&self, handle: Handle) -> Result<[&[u8]; 2], ReceiveError> {
        let _ = handle;
        todo!()
    }

    /// Removes `n` received bytes.
    pub fn consume(&mut self, now: Instant, handle: Handle, n: usize) -> Result<(), InvalidHandle> {
        let _ = (now, handle, n);
        todo!()
    }

    /// Half-close: no more data will be sent; FIN follows what is queued. The peer's data can
    /// still be received.
    pub fn shutdown(&mut self, now: Instant, handle: Handle) -> Result<(), InvalidHandle> {
        let _ = (now, handle);
        todo!()
    }

    /// Gives the connection up: the handle is void, what is queued is still delivered (see
    /// `Config::linger`), and data that arrives from now on, or was not read, resets the
    /// connection (RFC 9293 section 3.6.1, MUST-13 and SHLD-3).
    pub fn close(&mut self, now: Instant, handle: Handle) -> Result<(), InvalidHandle> {
        let _ = (now, handle);
        todo!()
    }

    /// ABORT: the peer gets a RST, what is queued is lost, the handle is void.
    pub fn abort(&mut self, now: Instant, handle: Handle) -> Result<(), InvalidHandle> {
        let _ = (now, handle);
        todo!()
    }

    /// Switches Nagle's algorithm.
    pub fn set_nagle(
        &mut self,
        now: Instant,
        handle: Handle,
        on: bool,
    ) -> Result<(), InvalidHandle> {
        let _ = (now, handle, on);
        todo!()
    }

    /// Corked, only full-sized segments are sent.
    pub fn set_cork(
        &mut self,
        now: Instant,
        handle: Handle,
        on: bool,
    ) -> Result<(), InvalidHandle> {
        let _ = (now, handle, on);
        todo!()
    }

    /// Our end of a connection.
    pub fn local_addr(&self, handle: Handle) -> Option<SocketAddr> {
        let _ = handle;
        todo!()
    }

    /// The peer's end of a connection.
    pub fn remote_addr(&self, handle: Handle) -> Option<SocketAddr> {
        let _ = handle;
        todo!()
    }

    /// A snapshot of a connection; it also answers after the connection is over, until `close`.
    pub fn info(&self, now: Instant, handle: Handle) -> Option<Info> {
        let _ = (now, handle);
        todo!()
    }

    /// What a connection can do now.
    pub fn readiness(&self, handle: Handle) -> Option<Readiness> {
        let _ = handle;
        todo!()
    }

    /// Counters of the whole stack.
    pub fn statistics(&self) -> &Statistics {
        todo!()
    }
}
