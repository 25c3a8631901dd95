//! What stands in for explicit congestion notification where it was left out.

use super::Sender;
use crate::congestion::{Congestion, CongestionController, CongestionKind};
use crate::profile::Profile;
use crate::seq::SeqNumber;
use crate::time::Instant;

/// Nothing was agreed on.
#[derive(Clone, Copy, Debug)]
pub(super) struct EcnSender;

impl EcnSender {
    pub(super) fn new(_capable: bool, _iss: SeqNumber) -> Self {
        EcnSender
    }

    pub(super) fn is_holding(&self) -> bool {
        false
    }

    pub(super) fn is_cwr_due(&self) -> bool {
        false
    }

    pub(super) fn release(&mut self) -> bool {
        false
    }

    pub(super) fn on_new_data_sent(&mut self) {}
}

impl<C: CongestionController, P: Profile> Sender<'_, C, P> {
    pub(crate) fn is_ecn_capable(&self) -> bool {
        false
    }

    pub(crate) fn cwr_due(&self) -> bool {
        false
    }

    /// Congestion was detected.
    pub(super) fn reduce(&mut self, now: Instant, kind: CongestionKind, flight_size: u32) {
        self.controller.on_congestion(&Congestion { now, kind, flight_size });
    }

    pub(super) fn withdraw_reduction(&mut self) {}

    pub(super) fn digest_echo(&mut self, _now: Instant, _echo: bool, _advanced: u32) {}
}
