//! The two directions of an asynchronous connection.

use super::methods::{reads, writes};
use crate::socket::connection::Connection;
use std::net::Shutdown;
use std::sync::Arc;

/// The direction of a [`TcpStream`](super::TcpStream) that is read, borrowed.
#[derive(Debug)]
pub struct ReadHalf<'s>(pub(super) &'s Connection);

/// The direction of a [`TcpStream`](super::TcpStream) that is written, borrowed.
#[derive(Debug)]
pub struct WriteHalf<'s>(pub(super) &'s Connection);

/// The direction of a [`TcpStream`](super::TcpStream) that is read. The connection is closed when both are
/// dropped.
#[derive(Debug)]
pub struct OwnedReadHalf(pub(super) Arc<Connection>);

/// The direction of a [`TcpStream`](super::TcpStream) that is written. Dropping it ends the direction: the
/// peer reads to the end of what was written.
#[derive(Debug)]
pub struct OwnedWriteHalf(pub(super) Arc<Connection>);

impl Drop for OwnedWriteHalf {
    fn drop(&mut self) {
        // On a connection that has ended this does nothing.
        let _ = self.0.shutdown(Shutdown::Write);
    }
}

reads!(ReadHalf<'_>);
writes!(WriteHalf<'_>);
reads!(OwnedReadHalf);
writes!(OwnedWriteHalf);
