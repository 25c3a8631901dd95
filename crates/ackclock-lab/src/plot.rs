//! Pictures as data: lines and marks over two axes, or a heat map.

use ackclock::time::Instant;
use ackclock_emulator::Series;
use serde::{Deserialize, Serialize};

/// A picture in the form of the papers' figures.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plot {
    /// Its name among those of a job or of an experiment, as a part of a file name.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, from the back to the front.
    pub lines: Vec<Line>,
    /// In place of lines.
    pub heat: Option<HeatMap>,
}

impl Plot {
    /// Without lines yet.
    pub fn new(name: &str, title: &str, x: Axis, y: Axis) -> Self {
        let [name, title] = [name, title].map(str::to_owned);
        Plot { name, title, x, y, lines: Vec::new(), heat: None }
    }

    /// With another line, in front.
    pub fn line(
        mut self,
        name: impl Into<String>,
        style: Style,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        let points = points.into_iter().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
        self.lines.push(Line { name: name.into(), style, points });
        self
    }

    /// With a series of the emulator, from `from` to `until`, in seconds; its values are divided by
    /// `unit`.
    pub fn series(
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

/// An axis.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Axis {
    /// What it shows, with the unit.
    pub label: String,
    /// Whether it is logarithmic; only positive values are drawn then.
    pub log: bool,
}

impl Axis {
    /// A linear one.
    pub fn linear(label: &str) -> Self {
        Axis { label: label.to_owned(), log: false }
    }

    /// A logarithmic one.
    pub fn log(label: &str) -> Self {
        Axis { label: label.to_owned(), log: true }
    }
}

/// Points, and how they are drawn.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Line {
    /// What the legend calls it.
    pub name: String,
    /// How it is drawn.
    pub style: Style,
    /// x and y of each point; in order of x, unless they are points or marks.
    pub points: Vec<(f64, f64)>,
}

/// How points are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// Joined.
    Line,
    /// Joined, each value kept until the next one.
    Steps,
    /// Joined, with a point at each.
    LinePoints,
    /// Points alone.
    Points,
    /// Crosses, as of drops and retransmissions.
    Crosses,
    /// Joined by dashes, as of bounds and fits.
    Dashes,
}

/// Values over a grid.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HeatMap {
    /// What the columns are called, from left to right.
    pub columns: Vec<String>,
    /// What the rows are called, from bottom to top.
    pub rows: Vec<String>,
    /// By row and column.
    pub values: Vec<Vec<f64>>,
    /// What the values are.
    pub label: String,
}
