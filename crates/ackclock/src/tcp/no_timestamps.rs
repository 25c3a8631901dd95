//! What stands in for the timestamps option where it was left out: no segment has it, and nothing is
//! said against one.

use crate::seq::SeqNumber;
use crate::time::{Duration, Instant};
use crate::wire::{Header, Timestamps};

/// What a segment's timestamp says of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TimestampCheck {
    Passed,
    Old,
    Missing,
}

/// Never in use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimestampState;

impl TimestampState {
    pub(crate) fn new(_offset: u32) -> Self {
        TimestampState
    }

    pub(crate) fn enable(&mut self, _now: Instant, _value: u32, _rcv_nxt: SeqNumber) {}

    pub(crate) fn offer(&self, _now: Instant) -> Timestamps {
        Timestamps::default()
    }

    pub(crate) fn option(&self, _now: Instant) -> Option<Timestamps> {
        None
    }

    pub(crate) fn recent(&self) -> u32 {
        0
    }

    pub(crate) fn recent_in_use(&self) -> Option<u32> {
        None
    }

    pub(crate) fn check(&self, _now: Instant, _header: &Header) -> TimestampCheck {
        TimestampCheck::Passed
    }

    pub(crate) fn advances(&self, _option: Option<Timestamps>) -> bool {
        true
    }

    pub(crate) fn update(&mut self, _: Instant, _: SeqNumber, _: Option<Timestamps>) {}

    pub(crate) fn on_ack_sent(&mut self, _ack: SeqNumber) {}

    pub(crate) fn echoed_ms(&self, _option: Option<Timestamps>) -> Option<u32> {
        None
    }

    pub(crate) fn rtt(&self, _now: Instant, _option: Option<Timestamps>) -> Option<Duration> {
        None
    }
}

pub(crate) fn rtt_since(_now: Instant, _echoed_ms: u32) -> Option<Duration> {
    None
}
