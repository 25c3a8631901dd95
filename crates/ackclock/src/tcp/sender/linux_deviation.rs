//! The deviation in Linux's timeout (`tcp_rtt_estimator`): it follows the largest of a round trip at once, and
//! gives way by a quarter in each that was calmer. It is never less than the least timeout.

use crate::seq::SeqNumber;

/// Four times the deviation, in microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct LinuxDeviation {
    /// What is added to the mean.
    timeout_part: u32,
    /// The largest in this round trip, or the least timeout.
    largest: u32,
    /// Whether data were sent in this round trip, and where the first begin.
    timing: bool,
    timed: SeqNumber,
}

impl LinuxDeviation {
    /// The first measurement.
    pub(super) fn begin(&mut self, four_deviations: u32, least: u32) {
        let largest = four_deviations.max(least);
        *self = LinuxDeviation { timeout_part: largest, largest, ..Self::default() };
    }

    /// A measurement, with an ack of everything before `una`.
    pub(super) fn on_sample(&mut self, four_deviations: u32, least: u32, una: Option<SeqNumber>) {
        self.largest = self.largest.max(four_deviations);
        self.timeout_part = self.timeout_part.max(self.largest);
        if self.timing && una.is_some_and(|una| una.after(self.timed)) {
            self.timeout_part -= (self.timeout_part - self.largest) / 4;
            (self.timing, self.largest) = (false, least);
        }
    }

    /// New data that begin at `seq` were sent.
    pub(super) fn on_new_data_sent(&mut self, seq: SeqNumber) {
        if !self.timing {
            (self.timing, self.timed) = (true, seq);
        }
    }

    pub(super) fn timeout_part(&self) -> u32 {
        self.timeout_part
    }
}
