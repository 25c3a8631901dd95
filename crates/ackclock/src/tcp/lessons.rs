//! What a connection has learned of the path to a host, and how a later one to that host starts with it (RFC
//! 9040 section 6, temporal sharing).

use super::connection::Connection;
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};

/// What a connection has learned. A field that is zero was not learned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Lessons {
    /// Smoothed round-trip time and its mean deviation, in microseconds.
    pub(crate) rtt: u32,
    pub(crate) rttvar: u32,
    /// Slow-start threshold in bytes.
    pub(crate) threshold: u32,
    /// How many steps the reordering window of RACK-TLP has grown by (RFC 8985 section 6.2 step 4), if
    /// reordering was seen.
    pub(crate) reordering: Option<u8>,
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Prepares a connection that is not established yet with what an earlier one to the same host has
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

    /// Applies the threshold and the reordering window to the sender, which has just started.
    pub(super) fn use_lessons(&mut self) {
        let lessons = self.seldom.get().and_then(|state| state.lessons.get());
        if let Some(&Lessons { threshold, reordering, .. }) = lessons {
            self.sender.expect(threshold, reordering);
        }
    }

    /// What the connection has learned; asked once it is over.
    pub(crate) fn lessons(&self) -> Lessons {
        let rto = self.sender.rto();
        let micros =
            |span: crate::time::Duration| u32::try_from(span.as_micros()).unwrap_or(u32::MAX);
        // RFC 9040 section 8.2: while the path does not answer, its round-trip time may have changed.
        let is_measured = rto.samples() > 0 && rto.backoff() == 0;
        let (rtt, rttvar) = match is_measured {
            true => (micros(rto.smoothed_rtt()), micros(rto.deviation())),
            false => (0, 0),
        };
        let threshold = self.sender.threshold_to_remember();
        Lessons { rtt, rttvar, threshold, reordering: self.sender.reordering() }
    }
}
