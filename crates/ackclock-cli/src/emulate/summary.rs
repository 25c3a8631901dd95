//! Results of an emulation.

use super::direction::{Interval, Totals};
use crate::report::seconds;
use ackclock::time::Duration;

/// Results of an emulation. In arrays the direction away from the left end comes first.
pub(super) struct Summary {
    pub(super) duration: Duration,
    /// Time in which the loop did not wait.
    pub(super) busy: Duration,
    pub(super) intervals: Vec<Interval>,
    pub(super) totals: [Totals; 2],
    pub(super) interrupted: bool,
    pub(super) error: Option<String>,
}

impl Summary {
    /// Share of the time in which the loop did not wait.
    pub(super) fn busy_share(&self) -> f64 {
        seconds(self.busy) / seconds(self.duration).max(1e-9)
    }
}
