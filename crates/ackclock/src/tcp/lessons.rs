//! What a connection has learned of the path to a host, and what it begins with where an earlier one has
//! learned something (RFC 9040 section 6, temporal sharing).

use super::connection::Connection;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};

/// What a connection has learned. Zero: nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Lessons {
    /// Smoothed round-trip time and its mean deviation, in microseconds.
    pub(crate) rtt: u32,
    pub(crate) rttvar: u32,
    /// Slow-start threshold in bytes.
    pub(crate) threshold: u32,
    /// By how many steps the reordering window of RACK-TLP has grown (RFC 8985 section 6.2 step 4), if
    /// reordering was seen.
    pub(crate) reordering: Option<u8>,
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// A connection that is yet to be established begins with what an earlier one to the same host has
    /// learned.
    pub(crate) fn begin_with_lessons(&mut self, lessons: Lessons) {
        self.sender.expect_rtt(lessons.rtt, lessons.rttvar);
        if lessons.threshold > 0 || lessons.reordering.is_some() {
            let place = self.seldom.make().and_then(|state| state.lessons.get_mut());
            if let Some(place) = place {
                *place = lessons;
            }
        }
    }

    /// The sender has started: what is left of that is put to use.
    pub(super) fn use_lessons(&mut self) {
        let lessons = self.seldom.get().and_then(|state| state.lessons.get());
        if let Some(&Lessons { threshold, reordering, .. }) = lessons {
            self.sender.expect(threshold, reordering);
        }
    }

    /// What it has learned, once it is over.
    pub(crate) fn lessons(&self) -> Lessons {
        let rto = self.sender.rto();
        let micros =
            |span: crate::time::Duration| u32::try_from(span.as_micros()).unwrap_or(u32::MAX);
        // Section 8.2: a path that does not answer is not what it was.
        let is_measured = rto.samples() > 0 && rto.backoff() == 0;
        let (rtt, rttvar) = match is_measured {
            true => (micros(rto.smoothed_rtt()), micros(rto.deviation())),
            false => (0, 0),
        };
        let threshold = self.sender.threshold_to_remember();
        Lessons { rtt, rttvar, threshold, reordering: self.sender.reordering() }
    }
}
