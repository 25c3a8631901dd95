//! The idle connections of one queue of a service: they are ended after a time, and told of when they gave
//! way to others.

use ackclock::congestion::CongestionController;
use ackclock::stack::Stack;
use ackclock::time::{Duration, Instant};
use std::io::{self, Write};

/// Least and most time between two looks at the idle connections: each connection is looked at.
const LOOK: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(10)];

/// When connections are ended because nothing moved on them, and how many were.
#[derive(Clone, Copy, Debug)]
pub(super) struct Idle {
    /// They are ended after this time; `None`: only if memory is short.
    time: Option<Duration>,
    /// When they are looked at next.
    look_at: Instant,
    /// How many had given way to others at the last look.
    gave_way: u64,
}

impl Idle {
    /// Connections are ended when nothing has moved on them for `time`; `None`: only if memory is short.
    pub(super) fn new(time: Option<Duration>) -> Self {
        Idle { time, look_at: Instant::ZERO, gave_way: 0 }
    }

    /// Time of the next look.
    pub(super) fn look_at(&self) -> Instant {
        self.look_at
    }

    /// Ends connections that were idle too long, and reports those that were ended to make room since the last call.
    pub(super) fn look<C: CongestionController + Clone>(
        &mut self,
        now: Instant,
        stack: &mut Stack<'_, C>,
    ) {
        let [least, most] = LOOK;
        self.look_at = now + self.time.unwrap_or(most).clamp(least, most);
        if let Some(time) = self.time {
            stack.end_idle(now, time);
        }
        let gave_way = stack.statistics().gave_way;
        let more = gave_way - std::mem::replace(&mut self.gave_way, gave_way);
        if more > 0 {
            // The service goes on even if the line cannot be written.
            let _ = writeln!(
                io::stderr(),
                "note: {more} idle connections were ended to make room for others: raise --memory \
                 or --max-connections if they matter"
            );
        }
    }
}
