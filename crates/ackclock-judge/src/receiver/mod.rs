//! The host as a receiver of data: what it acknowledges, when, and in what words.

use crate::call::Call;
use crate::facts::Facts;
use crate::segment::Seen;
use crate::verdict::Docket;
use ackclock::time::Instant;

/// The rules of a receiver. Each method is called with the facts as they were *before* the segment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Receiver {}

impl Receiver {
    /// The host has sent a segment.
    pub(crate) fn on_sent(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        let _ = (seen, facts, docket);
    }

    /// A segment has reached the host.
    pub(crate) fn on_received(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        let _ = (seen, facts, docket);
    }

    /// The application has called.
    pub(crate) fn on_call(&mut self, now: Instant, call: Call) {
        let _ = (now, call);
    }

    /// Nothing else has happened until `now`: what is overdue?
    pub(crate) fn on_time(&mut self, now: Instant, facts: &Facts, docket: &mut Docket<'_>) {
        let _ = (now, facts, docket);
    }

    /// When the next silence is too long.
    pub(crate) fn due(&self, facts: &Facts) -> Instant {
        let _ = facts;
        Instant::FAR_FUTURE
    }
}
