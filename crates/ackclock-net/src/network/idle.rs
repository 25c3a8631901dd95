//! Connections that end when they were idle for too long.

use super::State;
use crate::error::SocketError;
use ackclock::stack::Handle;
use ackclock::time::{Duration, Instant};
use std::collections::BTreeSet;

/// How long a connection may be idle, and when it is to be seen whether it was.
#[derive(Clone, Copy, Debug)]
pub(super) struct IdleTime {
    most: Duration,
    look_at: Instant,
}

/// When each connection that has an idle time is to be looked at: it is then seen whether
/// it was used meanwhile, so that data that moves need move no timer.
#[derive(Debug, Default)]
pub(super) struct Looks(BTreeSet<(Instant, Handle)>);

impl Looks {
    /// When the next connection is to be looked at.
    pub(super) fn next(&self) -> Instant {
        self.0.first().map_or(Instant::FAR_FUTURE, |(at, _)| *at)
    }

    /// A connection with this idle time, if any, is not to be looked at any more.
    pub(super) fn forget(&mut self, handle: Handle, idle: Option<IdleTime>) {
        if let Some(idle) = idle {
            self.0.remove(&(idle.look_at, handle));
        }
    }
}

impl State {
    /// Sets how long a connection may be idle; `None`: for ever.
    pub(crate) fn set_idle_time(
        &mut self,
        now: Instant,
        handle: Handle,
        most: Option<Duration>,
    ) -> Result<(), SocketError> {
        let open = self.waiting.connection_mut(handle);
        let open = open.ok_or(SocketError::NotConnected)?;
        let before = open.idle.take();
        self.waiting.looks.forget(handle, before);
        if let Some(most) = most {
            self.look(now, handle, most);
            self.driver.is_late = true;
        }
        Ok(())
    }

    /// Ends connections that were idle for as long as they may.
    pub(crate) fn end_idle(&mut self, now: Instant) {
        while let Some(&(at, handle)) = self.waiting.looks.0.first()
            && at <= now
        {
            self.waiting.looks.0.pop_first();
            let open = self.waiting.connection_mut(handle);
            if let Some(idle) = open.and_then(|open| open.idle.take()) {
                self.look(now, handle, idle.most);
            }
        }
    }

    /// Looks at a connection, and notes when to look again.
    fn look(&mut self, now: Instant, handle: Handle, most: Duration) {
        if let Some(look_at) = self.stack.end_if_idle(now, handle, most)
            && let Some(open) = self.waiting.connection_mut(handle)
        {
            open.idle = Some(IdleTime { most, look_at });
            self.waiting.looks.0.insert((look_at, handle));
        }
    }

    /// When the driver is to begin a round without another reason.
    pub(crate) fn poll_at(&self) -> Instant {
        self.stack.poll_at().min(self.waiting.looks.next())
    }
}
