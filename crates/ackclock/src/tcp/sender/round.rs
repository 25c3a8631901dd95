//! Round trips, counted by data: what was sent in one is acknowledged in the next.

use crate::congestion::DeliveryRate;
use crate::seq::SeqNumber;
use crate::time::Instant;

/// The current round trip and the last one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// The round ends when this is acknowledged.
    end: SeqNumber,
    began_at: Instant,
    delivered: u32,
    app_limited: bool,
    /// Most bytes in flight during the last round and this one.
    last_peak: u32,
    peak: u32,
    /// Bytes per second over the last round.
    rate: u64,
}

impl Round {
    pub(crate) fn new(now: Instant, nxt: SeqNumber) -> Self {
        Round {
            end: nxt,
            began_at: now,
            delivered: 0,
            app_limited: false,
            last_peak: 0,
            peak: 0,
            rate: 0,
        }
    }

    /// The largest flight of the last round and this one so far, in bytes.
    pub(crate) fn peak(&self) -> u32 {
        self.peak.max(self.last_peak)
    }

    /// Bytes per second delivered in the last round; 0 before the first.
    pub(crate) fn rate(&self) -> u64 {
        self.rate
    }

    pub(crate) fn on_sent(&mut self, in_flight: u32, app_limited: bool) {
        self.peak = self.peak.max(in_flight);
        self.app_limited |= app_limited;
    }

    /// An ack delivered `delivered` bytes. Gives a sample when it begins a new round.
    pub(crate) fn on_ack(
        &mut self,
        now: Instant,
        una: SeqNumber,
        nxt: SeqNumber,
        delivered: u32,
        in_flight: u32,
    ) -> Option<DeliveryRate> {
        self.delivered = self.delivered.saturating_add(delivered);
        if una.at_or_before(self.end) {
            return None;
        }
        let sample = DeliveryRate {
            delivered: self.delivered,
            interval: now.saturating_since(self.began_at),
            app_limited: self.app_limited,
        };
        let nanos = sample.interval.as_nanos().max(1);
        self.rate = u64::from(sample.delivered).saturating_mul(1_000_000_000) / nanos;
        *self = Round {
            end: nxt,
            began_at: now,
            delivered: 0,
            app_limited: false,
            last_peak: self.peak,
            peak: in_flight,
            rate: self.rate,
        };
        Some(sample)
    }
}
