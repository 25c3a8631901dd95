//! ACK aggregation: how much more than expected acks acknowledge at once (section 5.5.9).

use super::{Bbr, Flag, Sample};

/// Half of ExtraAckedFilterLen, in rounds: the filter covers the last this many rounds and the ones before.
const HALF_FILTER_ROUNDS: u8 = 5;

impl Bbr {
    /// BBR.extra_acked.
    pub(super) fn extra_acked(&self) -> u32 {
        let [recent, older] = self.extra_acked_filter;
        recent.max(older)
    }

    /// UpdateACKAggregation.
    pub(super) fn update_ack_aggregation(&mut self, sample: &Sample) {
        let interval = sample.now_micros.wrapping_sub(self.extra_acked_interval_start);
        let mut expected_delivered = self.bw().bytes_in(interval);
        if self.extra_acked_delivered <= expected_delivered {
            self.extra_acked_delivered = 0;
            self.extra_acked_interval_start = sample.now_micros;
            expected_delivered = 0;
        }
        self.extra_acked_delivered = self.extra_acked_delivered.saturating_add(sample.newly_acked);
        let extra = self.extra_acked_delivered.saturating_sub(expected_delivered).min(self.cwnd);
        if self.is(Flag::RoundStart) {
            self.age_extra_acked();
        }
        let [recent, _] = &mut self.extra_acked_filter;
        *recent = (*recent).max(extra);
    }

    /// Ages the filter by one round. In Startup it covers only one round.
    fn age_extra_acked(&mut self) {
        self.extra_acked_rounds = self.extra_acked_rounds.saturating_add(1);
        let [recent, _] = self.extra_acked_filter;
        if !self.is(Flag::FullBwReached) {
            self.extra_acked_filter = [0; 2];
        } else if self.extra_acked_rounds >= HALF_FILTER_ROUNDS {
            self.extra_acked_rounds = 0;
            self.extra_acked_filter = [0, recent];
        }
    }
}
