//! What the emulator recorded and what papers print, as lines of plots; and several variants in one picture.

use crate::sample::Samples;
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

/// Draws what a paper prints beside what was measured.
pub(crate) trait DrawPrinted {
    /// With a level over the width of what is drawn so far.
    fn printed_level(self, what: &str, level: f64) -> Self;

    /// With a straight line through the origin over the width of what is drawn so far.
    fn printed_slope(self, what: &str, slope: f64) -> Self;

    /// With single points, as of a table.
    fn printed_points(self, what: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self;
}

impl DrawPrinted for Plot {
    fn printed_level(self, what: &str, level: f64) -> Self {
        let ends: Vec<_> = width(&self).into_iter().map(|x| (x, level)).collect();
        self.line(format!("printed: {what}"), Style::Dashes, ends)
    }

    fn printed_slope(self, what: &str, slope: f64) -> Self {
        let ends: Vec<_> = width(&self).into_iter().map(|x| (x, x * slope)).collect();
        self.line(format!("printed: {what}"), Style::Dashes, ends)
    }

    fn printed_points(self, what: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.line(format!("printed: {what}"), Style::Crosses, points)
    }
}

/// The least and the greatest x of what is drawn; nothing if nothing is.
fn width(plot: &Plot) -> Vec<f64> {
    let places = || plot.lines.iter().flat_map(|line| &line.points).map(|(x, _)| *x);
    places().reduce(f64::min).into_iter().chain(places().reduce(f64::max)).collect()
}

/// The pictures of a name that the first seeds of these variants drew, in one: with the axes of the first, and
/// each line named after its variant. `None` if none was drawn.
pub(crate) fn together(
    samples: &Samples,
    name: &str,
    title: &str,
    variants: &[(String, &str)],
) -> Option<Plot> {
    let drawn = variants.iter().filter_map(|(variant, called)| {
        let (_, sample) = samples.of(variant).next()?;
        Some((sample.plots.iter().find(|plot| plot.name == name)?, *called))
    });
    let drawn: Vec<_> = drawn.collect();
    let (first, _) = drawn.first()?;
    let mut plot = Plot::new(name, title, first.x.clone(), first.y.clone());
    for (each, called) in drawn {
        plot.lines.extend(each.lines.iter().cloned().map(|mut line| {
            line.name = format!("{called}{}", line.name);
            line
        }));
    }
    Some(plot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;
    use ackclock_report::Axis;
    use std::collections::BTreeMap;

    fn plot(line: &str) -> Plot {
        let points = [(1.0, 5.0), (3.0, 2.0)];
        let axis = || Axis::linear("");
        Plot::new("queue", "a queue", axis(), axis()).line(line, Style::Line, points)
    }

    #[test]
    fn a_printed_level_is_as_wide_as_what_is_drawn() {
        let level = plot("one").printed_level("longest", 4.0).lines.remove(1);
        assert_eq!((level.name.as_str(), level.style), ("printed: longest", Style::Dashes));
        assert_eq!(level.points, [(1.0, 4.0), (3.0, 4.0)]);
    }

    #[test]
    fn variants_stand_in_one_picture_under_their_names() {
        let mut samples = Samples::default();
        for variant in ["law=sack", "law=veno"] {
            let mut sample = Sample::new();
            sample.draw(plot("window"));
            samples.by_variant.insert(variant.to_owned(), BTreeMap::from([(0, sample)]));
        }
        let both = [("law=sack".to_owned(), "old "), ("law=veno".to_owned(), "new ")];
        let shown = together(&samples, "queue", "both", &both).unwrap();
        let names: Vec<_> = shown.lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!((shown.title.as_str(), names), ("both", vec!["old window", "new window"]));
        assert_eq!(together(&samples, "other", "both", &both), None);
    }
}
