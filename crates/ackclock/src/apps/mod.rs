//! Applications over a stack, without I/O and without a heap: the classic services (discard, echo,
//! chargen; RFC 863, 862, 864), the clients that talk to them, and requests with responses.
//!
//! What a client does, and when, is read from a [`Schedule`], which can be any iterator.
//!
//! The driver of a stack (the emulator in virtual time, the run loop over a TUN device, firmware) drives the
//! applications too, through the few calls of [`Application`].

mod chargen;
mod client;
mod later;
mod pattern;
mod requests;
mod respond;
mod schedule;
mod server;
mod services;
mod source;
#[cfg(all(test, feature = "alloc"))]
mod tests;

pub use chargen::chargen_byte;
pub use later::Later;
pub use pattern::Pattern;
pub use requests::{Exchange, Requests, RequestsConfig, RequestsError};
pub use respond::{Conversation, Respond};
pub use schedule::{Completed, Recorded, Schedule};
pub use server::{Progress, Serve, Served, Server, ServerStatistics, Service};
pub use source::{Amount, Burst, Source, SourceConfig, SourceError};

use crate::profile::{Full, Profile};
use crate::stack::{Event, Stack};
use crate::time::Instant;

/// An application driven by the events of a stack.
///
/// The driver calls [`start`](Application::start) once, then passes on each [`Event`], and calls
/// [`on_wake`](Application::on_wake) at the time that [`wake_at`](Application::wake_at) named. Applications
/// that share a stack see all of its events and ignore those about others' connections.
pub trait Application<'a, C, P: Profile = Full> {
    /// Opens connections or listens.
    ///
    /// # Errors
    /// Why it could not connect or listen.
    fn start(&mut self, now: Instant, stack: &mut Stack<'a, C, P>) -> Result<(), StartError>;

    /// Handles an event of the stack.
    fn on_event(&mut self, now: Instant, stack: &mut Stack<'a, C, P>, event: &Event);

    /// Whether an event is about a connection or listener of this application, as far as it knows now. A
    /// driver need not ask before [`on_event`](Application::on_event); where many applications share a stack,
    /// it tells the driver to which of them a connection belongs.
    fn concerns(&self, _event: &Event) -> bool {
        true
    }

    /// When it wants [`on_wake`](Application::on_wake) to be called next; [`Instant::FAR_FUTURE`] means
    /// never.
    fn wake_at(&self) -> Instant {
        Instant::FAR_FUTURE
    }

    /// Called when the time that [`wake_at`](Application::wake_at) named has come.
    fn on_wake(&mut self, _now: Instant, _stack: &mut Stack<'a, C, P>) {}

    /// Whether it has nothing more to do.
    fn is_done(&self) -> bool;
}

/// Why an application could not start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartError {
    /// It could not connect.
    Connect(crate::stack::ConnectError),
    /// It could not listen.
    Listen(crate::stack::ListenError),
}

impl core::fmt::Display for StartError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            StartError::Connect(error) => error.fmt(f),
            StartError::Listen(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for StartError {}
