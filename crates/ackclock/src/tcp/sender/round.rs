//! Round trips counted by data: a round ends when the first data sent in it is acknowledged.

use super::delivery::RoundRate;
use super::validation::Validation;
use crate::congestion::DeliveryRate;
use crate::profile::{Kept, Part, Profile};
use crate::seq::SeqNumber;
use crate::time::Instant;

/// The current round trip and the last one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round<P: Profile> {
    /// The round ends when data beyond this is acknowledged.
    end: SeqNumber,
    /// Most bytes in flight during the last round and this one.
    last_peak: u32,
    peak: u32,
    rate: RoundRate<P>,
    pub(super) validation: <P::WindowValidation as Part>::Keeps<Validation>,
}

impl<P: Profile> Round<P> {
    pub(crate) fn new(now: Instant, nxt: SeqNumber) -> Self {
        Round {
            end: nxt,
            last_peak: 0,
            peak: 0,
            rate: RoundRate::new(now),
            validation: Kept::new(Validation::new(now)),
        }
    }

    /// The largest flight of the last round and this one so far, in bytes.
    pub(crate) fn peak(&self) -> u32 {
        self.peak.max(self.last_peak)
    }

    /// Forgets the peaks, because nothing is in flight: earlier flights no longer show that the window is
    /// used.
    pub(crate) fn forget_flights(&mut self) {
        self.last_peak = 0;
        self.peak = 0;
    }

    /// Delivery rate of the last round in bytes per second; 0 before the first.
    pub(crate) fn rate(&self) -> u64 {
        self.rate.rate()
    }

    /// Whether the last round was limited by the application.
    pub(crate) fn is_app_limited(&self) -> bool {
        self.rate.is_app_limited()
    }

    pub(crate) fn on_sent(&mut self, in_flight: u32, app_limited: bool) {
        self.peak = self.peak.max(in_flight);
        self.rate.on_sent(app_limited);
    }

    /// Notes an ack; `delivered` is the number of bytes delivered on the connection, this ack included,
    /// modulo 2^32. If the ack begins a new round, returns a rate sample over the last one.
    pub(crate) fn on_ack(
        &mut self,
        now: Instant,
        una: SeqNumber,
        nxt: SeqNumber,
        delivered: u32,
        in_flight: u32,
    ) -> Option<DeliveryRate> {
        if una.at_or_before(self.end) {
            return None;
        }
        let sample = self.rate.end(now, delivered, self.peak);
        (self.end, self.last_peak, self.peak) = (nxt, self.peak, in_flight);
        Some(sample)
    }
}
