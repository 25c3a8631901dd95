//! Round trips, counted by data: what was sent in one is acknowledged in the next.

use super::delivery::micros;
use super::restart::CoarseInstant;
use crate::congestion::DeliveryRate;
use crate::seq::SeqNumber;
use crate::time::{Duration, Instant};

/// The current round trip and the last one. Times are in microseconds modulo 2^32.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// The round ends when this is acknowledged.
    end: SeqNumber,
    began_at: u32,
    /// What had been delivered on the connection when it began, modulo 2^32.
    prior_delivered: u32,
    /// Most bytes in flight during the last round and this one.
    last_peak: u32,
    peak: u32,
    /// Bytes delivered in the last round, and its length.
    last_delivered: u32,
    last_length: u32,
    app_limited: bool,
    /// When acks last came out of a flight of half the window (RFC 7661).
    pub(super) validated_at: CoarseInstant,
    /// The loss that is being repaired met a window that was not validated.
    pub(super) lost_unvalidated: bool,
}

impl Round {
    pub(crate) fn new(now: Instant, nxt: SeqNumber) -> Self {
        Round {
            end: nxt,
            began_at: micros(now),
            prior_delivered: 0,
            last_peak: 0,
            peak: 0,
            last_delivered: 0,
            last_length: 0,
            app_limited: false,
            validated_at: CoarseInstant::new(now),
            lost_unvalidated: false,
        }
    }

    /// The largest flight of the last round and this one so far, in bytes.
    pub(crate) fn peak(&self) -> u32 {
        self.peak.max(self.last_peak)
    }

    /// Nothing is in flight: what once was does not fill the window any more.
    pub(crate) fn forget_flights(&mut self) {
        self.last_peak = 0;
        self.peak = 0;
    }

    /// Bytes per second delivered in the last round; 0 before the first.
    pub(crate) fn rate(&self) -> u64 {
        u64::from(self.last_delivered) * 1_000_000 / u64::from(self.last_length.max(1))
    }

    pub(crate) fn on_sent(&mut self, in_flight: u32, app_limited: bool) {
        self.peak = self.peak.max(in_flight);
        self.app_limited |= app_limited;
    }

    /// An ack arrived; `delivered` is what has been delivered on the connection, modulo 2^32, this
    /// included. When it begins a new round it gives a sample over the one that ends: all there is
    /// where transmissions remember nothing of deliveries.
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
        let now = micros(now);
        let sample = DeliveryRate {
            delivered: delivered.wrapping_sub(self.prior_delivered),
            interval: Duration::from_micros(u64::from(now.wrapping_sub(self.began_at))),
            app_limited: self.app_limited,
            prior_delivered: self.prior_delivered,
            total_delivered: delivered,
            flight_when_sent: self.peak,
            ..DeliveryRate::default()
        };
        *self = Round {
            end: nxt,
            began_at: now,
            prior_delivered: delivered,
            last_peak: self.peak,
            peak: in_flight,
            last_delivered: sample.delivered,
            last_length: now.wrapping_sub(self.began_at),
            app_limited: false,
            validated_at: self.validated_at,
            lost_unvalidated: self.lost_unvalidated,
        };
        Some(sample)
    }
}
