//! The host as a sender of data: what it may send, how much of it, when again, and in what words.

use crate::call::Call;
use crate::facts::Facts;
use crate::segment::Seen;
use crate::verdict::Docket;
use ackclock::time::Instant;

/// The rules of a sender. Each method is called with the facts as they were *before* the segment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sender {}

impl Sender {
    /// The host has sent a segment.
    pub(crate) fn on_sent(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        let _ = (seen, facts, docket);
    }

    /// A segment has reached the host.
    pub(crate) fn on_received(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        let _ = (seen, facts, docket);
    }

    /// An ICMP message that says the path carries packets of at most `mtu` bytes has reached the host.
    pub(crate) fn on_too_big(&mut self, now: Instant, mtu: u32) {
        let _ = (now, mtu);
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
