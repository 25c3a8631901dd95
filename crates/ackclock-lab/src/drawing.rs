//! What the emulator recorded, as lines of plots.

use ackclock::time::Instant;
use ackclock_emulator::Series;
use ackclock_report::{Plot, Style};

/// Draws series of the emulator.
pub(crate) trait DrawSeries {
    /// With a series from `from` to `until`, in seconds; its values are divided by `unit`.
    fn series(
        self,
        name: impl Into<String>,
        series: &Series,
        span: [Instant; 2],
        unit: f64,
    ) -> Self;
}

impl DrawSeries for Plot {
    fn series(
        self,
        name: impl Into<String>,
        series: &Series,
        [from, until]: [Instant; 2],
        unit: f64,
    ) -> Self {
        let seconds = |at: Instant| at.as_nanos() as f64 / 1e9;
        let scaled = |value: u64| value as f64 / unit;
        let before = series.at(from).map(|value| (seconds(from), scaled(value)));
        let within = series.steps().iter().filter(|(at, _)| (from..until).contains(at));
        let within = within.map(|&(at, value)| (seconds(at), scaled(value)));
        let after = series.at(until).map(|value| (seconds(until), scaled(value)));
        let points: Vec<_> = before.into_iter().chain(within).chain(after).collect();
        self.line(name, Style::Steps, points)
    }
}
