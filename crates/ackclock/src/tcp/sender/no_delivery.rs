//! What stands in for delivery rate samples where they were left out: nothing is remembered, and laws
//! are told no rate.

use super::Sender;
use super::flight::Losses;
use crate::congestion::{CongestionController, DeliveryRate, Loss};
use crate::profile::Profile;
use crate::storage::{Buffer, Deque};
use crate::time::{Duration, Instant};

/// Memory that is lent for these is not used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryRecord;

impl DeliveryRecord {
    pub(super) fn with_flight(self, _in_flight: u32) -> Self {
        self
    }

    pub(super) fn is_known(&self) -> bool {
        false
    }
}

/// No memory beside the flight's.
#[derive(Debug, Default)]
pub(super) struct DeliveryColumn<'a>(core::marker::PhantomData<&'a ()>);

impl<'a> DeliveryColumn<'a> {
    pub(super) fn new<T>(_buffer: Buffer<'a, DeliveryRecord>, _: &Deque<'_, T>) -> Self {
        DeliveryColumn::default()
    }

    pub(super) fn into_buffer(self) -> Buffer<'a, DeliveryRecord> {
        Buffer::default()
    }

    pub(super) fn is_usable(&self) -> bool {
        false
    }

    pub(super) fn reserve<T: Copy + Default>(&mut self, deque: &mut Deque<'_, T>) -> bool {
        deque.reserve()
    }

    pub(super) fn get<T>(&self, _: &Deque<'_, T>, _position: usize) -> Option<DeliveryRecord> {
        None
    }

    pub(super) fn set<T>(&mut self, _: &Deque<'_, T>, _position: usize, _: DeliveryRecord) {}

    pub(super) fn clear(&mut self) {}
}

/// Nothing is counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Delivery;

impl Delivery {
    pub(super) fn total(&self) -> u32 {
        0
    }

    pub(super) fn on_sent(&mut self, _now: Instant, _idle: bool, _resent: bool) -> DeliveryRecord {
        DeliveryRecord
    }

    pub(super) fn on_delivered(&mut self, _now: Instant, _bytes: u32) {}

    pub(super) fn is_app_limited(&self) -> bool {
        false
    }

    pub(super) fn sample(&mut self, _: &DeliveryRecord, _min_rtt: Duration) -> DeliveryRate {
        DeliveryRate::default()
    }
}

/// What a round trip delivers is not counted either.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundRate;

impl RoundRate {
    pub(super) fn new(_now: Instant) -> Self {
        RoundRate
    }

    pub(super) fn rate(&self) -> u64 {
        0
    }

    pub(super) fn on_sent(&mut self, _app_limited: bool) {}

    pub(super) fn end(&mut self, _now: Instant, _delivered: u32, _peak: u32) -> DeliveryRate {
        DeliveryRate::default()
    }
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    pub(super) fn note_app_limited(&mut self) {}

    pub(super) fn note_app_limited_at(&mut self, _pipe: u32) {}

    /// Losses were found: the law hears of them.
    pub(super) fn tell_losses(&mut self, now: Instant, losses: &Losses) {
        if losses.bytes == 0 {
            return;
        }
        self.recovery.count_lost(losses.bytes.div_ceil(self.mss.max(1)));
        if self.controller.is_constant() {
            return;
        }
        let loss = Loss {
            now,
            bytes: losses.bytes,
            flight_when_sent: losses.in_flight_when_sent,
            lost_since_sent: losses.bytes,
            app_limited: false,
            total_delivered: 0,
            random: self.next_random(),
        };
        self.controller.on_loss(&loss);
    }
}
