//! Applications over a stack, without I/O and without a heap: the classic services (discard, echo,
//! chargen; RFC 863, 862, 864), the clients that talk to them, and requests with responses.
//!
//! What a client does, and when, follows from a [`Schedule`]: any iterator.
//!
//! Whoever drives a stack (the emulator in virtual time, the run loop over a TUN device, firmware)
//! drives its applications with the same few calls.

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
/// The driver calls [`start`](Application::start) once, then hands over each
/// [`Event`] and wakes the application when the time it asked for has come. Applications that share a stack
/// see all events and ignore what is not theirs.
pub trait Application<'a, C, P: Profile = Full> {
    /// Opens connections or listens.
    ///
    /// # Errors
    /// Says why it could not.
    fn start(&mut self, now: Instant, stack: &mut Stack<'a, C, P>) -> Result<(), StartError>;

    /// Something changed.
    fn on_event(&mut self, now: Instant, stack: &mut Stack<'a, C, P>, event: &Event);

    /// Whether an event is about a connection or listener of this application, as far as it knows
    /// now. It need not be asked before [`on_event`](Application::on_event), but a driver of many
    /// applications that share a stack finds out by it whose a connection is.
    fn concerns(&self, _event: &Event) -> bool {
        true
    }

    /// When it wants to be woken next; [`Instant::FAR_FUTURE`]: never.
    fn wake_at(&self) -> Instant {
        Instant::FAR_FUTURE
    }

    /// The time it asked for has come.
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
