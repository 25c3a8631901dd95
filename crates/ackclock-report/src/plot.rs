//! Pictures as data: lines and marks over two axes, or a heat map.

use crate::picture;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A picture.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plot {
    /// Its name among others, as a part of a file name.
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

    /// With the share of values that are at most x, over x. The values may come in any order.
    pub fn cdf(self, name: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let all = values.len() as f64;
        let start = values.first().map(|least| (*least, 0.0));
        let rest = (1..).zip(&values).map(|(count, value)| (*value, f64::from(count) / all));
        self.line(name, Style::Steps, start.into_iter().chain(rest).collect::<Vec<_>>())
    }

    /// With the share of values, none of them negative, in each of `bins` that are `width` wide,
    /// from 0 on. The last one has all that is greater, too.
    pub fn histogram(
        self,
        name: impl Into<String>,
        values: impl IntoIterator<Item = f64>,
        width: f64,
        bins: usize,
    ) -> Self {
        let mut counts = vec![0_u32; bins];
        let mut all = 0_u32;
        for value in values {
            let bin = ((value / width) as usize).min(bins.saturating_sub(1));
            if let Some(count) = counts.get_mut(bin) {
                *count += 1;
                all += 1;
            }
        }
        let shares = counts.iter().map(|count| f64::from(*count) / f64::from(all));
        let edge = |bin: usize| bin as f64 * width;
        let mut points: Vec<_> =
            shares.enumerate().map(|(bin, share)| (edge(bin), share)).collect();
        // As wide as the others.
        let end = points.last().map(|(_, share)| (edge(bins), *share));
        points.extend(end);
        self.line(name, Style::Steps, points)
    }

    /// The picture.
    pub fn svg(&self) -> String {
        picture::drawn(self).0
    }

    /// Writes the raw points: the line's name, x and y; or column, row and value.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write_csv(&self, file: &Path) -> std::io::Result<()> {
        let mut writer = csv::Writer::from_path(file)?;
        match &self.heat {
            None => writer.write_record(["line", &self.x.label, &self.y.label])?,
            Some(heat) => writer.write_record([&self.x.label, &self.y.label, &heat.label])?,
        }
        for line in &self.lines {
            for (x, y) in &line.points {
                writer.write_record([&line.name, &x.to_string(), &y.to_string()])?;
            }
        }
        if let Some(heat) = &self.heat {
            for (row, values) in heat.rows.iter().zip(&heat.values) {
                for (column, value) in heat.columns.iter().zip(values) {
                    writer.write_record([column, row, &value.to_string()])?;
                }
            }
        }
        writer.flush()
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
    /// Each two points that follow one another joined, in the colour of the line before: the ends of
    /// the intervals in which its points lie.
    Intervals,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn plot() -> Plot {
        Plot::new("name", "title", Axis::linear("x"), Axis::linear("y"))
    }

    #[test]
    fn a_cdf_climbs_to_one_from_the_least_value_to_the_greatest() {
        let plot = plot().cdf("values", [3.0, 1.0, 2.0, 2.0]);
        let points = [(1.0, 0.0), (1.0, 0.25), (2.0, 0.5), (2.0, 0.75), (3.0, 1.0)];
        assert_eq!(plot.lines[0].points, points);
    }

    #[test]
    fn the_last_bin_of_a_histogram_has_all_that_is_greater() {
        let plot = plot().histogram("values", [0.0, 4.0, 7.0, 99.0], 4.0, 3);
        let points = [(0.0, 0.25), (4.0, 0.5), (8.0, 0.25), (12.0, 0.25)];
        assert_eq!(plot.lines[0].points, points);
        assert_eq!(self::plot().histogram("none", [], 4.0, 3).lines[0].points, []);
    }
}
