//! How long the host goes on sending what nobody acknowledges.

use crate::call::Call;
use crate::facts::Facts;
use crate::segment::Seen;
use crate::sentence::Sentence;
use crate::verdict::Docket;
use ackclock::time::{Duration, Instant};

pub(crate) static NOT_GIVEN_UP: Sentence = Sentence::must(
    "not-given-up",
    9293,
    "3.8.3",
    "When the number of transmissions of the same segment reaches a threshold R2 greater than R1, close the \
     connection.",
);

/// Since when the host waits for its peer, and what its application has set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patience {
    /// When something came from the peer last, or what is outstanding was sent.
    since: Instant,
    user_timeout: Option<Duration>,
}

impl Patience {
    /// The host has sent text or a FIN, before that is noted in the facts.
    pub(super) fn on_sent(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        if facts.acked == facts.sent {
            self.since = seen.time;
        }
        let longest = self.user_timeout.or(facts.settings.longest_wait);
        let waited = seen.time.saturating_since(self.since);
        let is_again = seen.text() < facts.sent;
        if let Some(longest) =
            longest.filter(|longest| is_again && waited > *longest + facts.settings.reaction)
        {
            docket.forbid(&NOT_GIVEN_UP, seen.time, seen.number, || {
                format!("sent again after {waited:?} in which nothing has come, where {longest:?} are to be enough")
            });
        }
    }

    /// A segment has reached the host.
    pub(super) fn on_received(&mut self, now: Instant) {
        self.since = now;
    }

    /// The application has called.
    pub(super) fn on_call(&mut self, call: Call) {
        if let Call::UserTimeout(timeout) = call {
            self.user_timeout = Some(timeout);
        }
    }
}
