//! What was measured with other values than the paper's, as tables and pictures.

use crate::experiment::Variant;
use crate::finding::Findings;
use crate::parameters::{Offer, Settings};
use crate::results::Outcome;
use crate::sample::Spread;
use crate::table;
use ackclock_report::{Axis, Plot, Style, Table};
use std::collections::BTreeSet;
use std::fmt;

/// A line of the pictures as a table: the points from the top to the bottom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SweepTable {
    /// The settings that all points have.
    line: String,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// The variants that have all settings in common but the one along the horizontal axis.
struct Line<'v> {
    name: String,
    variants: Vec<&'v Variant>,
}

/// What is along the horizontal axis: the first sweep whose values are all numbers.
fn axis<'o>(offers: &'o [Offer], settings: &Settings) -> Option<&'o Offer> {
    settings.sweeps().iter().find_map(|(name, values)| {
        let offer = offers.iter().find(|offer| offer.name == name)?;
        values.iter().all(|value| offer.kind.number(value).is_some()).then_some(offer)
    })
}

/// Tables and pictures of an outcome.
pub(crate) fn findings(outcome: &Outcome, settings: &Settings) -> Findings {
    let offers = outcome.experiment.offers();
    let axis = axis(&offers, settings);
    let lines = lines(&outcome.planned, axis);
    let mut findings = Findings::new();
    findings.note(format!("Run with {settings}, not as in the paper: nothing is judged."));
    findings.sweeps = match axis {
        Some(axis) => lines.iter().map(|line| table_of(outcome, axis.name, line)).collect(),
        None => vec![table_of_variants(outcome)],
    };
    if let Some(axis) = axis {
        let quantities = quantities(outcome);
        let plot = |quantity: &String| picture(outcome, axis, &lines, quantity);
        findings.plots = quantities.iter().map(plot).collect();
    }
    findings
}

fn lines<'v>(variants: &'v [Variant], axis: Option<&Offer>) -> Vec<Line<'v>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for variant in variants {
        let others = variant.settings().filter(|(name, _)| axis.is_none_or(|it| it.name != *name));
        let others: Vec<String> = others.map(|(name, value)| format!("{name}={value}")).collect();
        let name = others.join(" ");
        match lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.variants.push(variant),
            None => lines.push(Line { name, variants: vec![variant] }),
        }
    }
    lines
}

/// Everything that was measured, the headline first.
fn quantities(outcome: &Outcome) -> Vec<String> {
    let headline = outcome.experiment.headline;
    let samples = outcome.planned.iter().flat_map(|variant| {
        outcome.samples.of(&variant.name()).map(|(_, sample)| sample).collect::<Vec<_>>()
    });
    let measured: BTreeSet<&String> = samples.flat_map(|sample| sample.values.keys()).collect();
    let first = headline.iter().map(|&quantity| quantity.to_owned());
    let first = first.filter(|quantity| measured.contains(quantity));
    let others = measured.iter().filter(|quantity| !headline.contains(&quantity.as_str()));
    first.chain(others.map(|quantity| (*quantity).clone())).collect()
}

fn spread(outcome: &Outcome, variant: &Variant, quantity: &str) -> Option<Spread> {
    outcome.samples.spread(&variant.name(), quantity).ok()
}

fn cells(outcome: &Outcome, variant: &Variant) -> impl Iterator<Item = String> {
    let cell = |quantity: &&'static str| {
        spread(outcome, variant, quantity).map_or("-".to_owned(), |it| table::spread(&it))
    };
    outcome.experiment.headline.iter().map(cell)
}

fn columns(first: &str, outcome: &Outcome) -> Vec<String> {
    let headline = outcome.experiment.headline;
    [first].iter().chain(headline).map(|&column| column.to_owned()).collect()
}

fn table_of(outcome: &Outcome, axis: &str, line: &Line<'_>) -> SweepTable {
    let row = |variant: &&Variant| {
        let value = variant.setting(axis).unwrap_or_default().to_owned();
        std::iter::once(value).chain(cells(outcome, variant)).collect()
    };
    let rows = line.variants.iter().map(row).collect();
    SweepTable { line: line.name.clone(), columns: columns(axis, outcome), rows }
}

fn table_of_variants(outcome: &Outcome) -> SweepTable {
    let row = |variant: &Variant| {
        std::iter::once(variant.name()).chain(cells(outcome, variant)).collect()
    };
    let rows = outcome.planned.iter().map(row).collect();
    SweepTable { line: String::new(), columns: columns("settings", outcome), rows }
}

/// Medians over the axis, with the least and the greatest of the seeds.
fn picture(outcome: &Outcome, axis: &Offer, lines: &[Line<'_>], quantity: &str) -> Plot {
    let words = quantity.replace('_', " ");
    let x = Axis::linear(&format!("{}{}", axis.name, axis.kind.unit()));
    let title = format!("{words} over {}, median and extremes of the seeds", axis.name);
    let name = format!("{quantity}_over_{}", axis.name);
    lines.iter().fold(Plot::new(&name, &title, x, Axis::linear(&words)), |plot, line| {
        let points = || {
            line.variants.iter().filter_map(|variant| {
                let x = axis.kind.number(variant.setting(axis.name)?)?;
                Some((x, spread(outcome, variant, quantity)?))
            })
        };
        let ends = points().flat_map(|(x, spread)| [(x, spread.least), (x, spread.most)]);
        let title = if line.name.is_empty() { words.as_str() } else { line.name.as_str() };
        plot.line(title, Style::LinePoints, points().map(|(x, spread)| (x, spread.median))).line(
            format!("{title}, extremes"),
            Style::Intervals,
            ends,
        )
    })
}

impl SweepTable {
    pub(crate) fn for_page(&self) -> Table {
        let table = Table::new(self.columns.iter().map(String::as_str));
        let table = match self.line.is_empty() {
            true => table,
            false => table.caption(self.line.as_str()),
        };
        self.rows.iter().fold(table, |table, row| table.row(row.iter().map(String::as_str)))
    }
}

/// The settings of the line, and the columns below their names.
impl fmt::Display for SweepTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.line.is_empty() {
            writeln!(f, "  {}", self.line)?;
        }
        let all = || std::iter::once(&self.columns).chain(&self.rows);
        let width = |column: usize| {
            let cells = all().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        for row in all() {
            let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
            writeln!(f, "    {}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Plan, Shard, run, select};
    use std::num::{NonZeroU64, NonZeroUsize};
    use std::sync::atomic::AtomicBool;

    fn outcome(set: &[&str], sweeps: &[&str]) -> Outcome {
        let settings = Settings::read(set, sweeps).unwrap();
        let experiments = settings.fitting(&select(&["zhang91.fixed_windows"]).unwrap()).unwrap();
        let seeds = NonZeroU64::new(2);
        let (captures, mutant) = (None, None);
        let plan = Plan { experiments, quick: true, seeds, mutant, settings, captures };
        let results = run(&plan, Shard::WHOLE, NonZeroUsize::MIN, &AtomicBool::new(false), &());
        assert!(results.is_complete() && !results.fails());
        results.outcomes.into_iter().next().unwrap()
    }

    /// With 2P of a quarter of a packet the wider window is full and the queue has both (section 4.2).
    #[test]
    fn a_sweep_has_a_row_for_each_point_and_a_picture_for_each_quantity() {
        let outcome = outcome(&["tau=0.01s", "length=200"], &["w1=20..40:10"]);
        let findings = outcome.findings.unwrap();
        assert!(findings.findings.is_empty());
        let [table] = &findings.sweeps[..] else { panic!("{:?}", findings.sweeps) };
        assert_eq!(table.line, "tau=0.01s length=200");
        assert_eq!(table.columns, ["w1", "utilisation_1", "utilisation_2"]);
        let first: Vec<&str> = table.rows.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(first, ["20", "30", "40"]);
        let names: Vec<&str> = findings.plots.iter().map(|plot| plot.name.as_str()).collect();
        let all = ["utilisation_1", "utilisation_2", "queue_1", "queue_2"];
        assert_eq!(names, all.map(|quantity| format!("{quantity}_over_w1")));
        let queue = &findings.plots[2];
        assert_eq!(queue.lines[0].points[1], (30.0, 55.0));
        assert_eq!(queue.lines[1].points[2..4], [(30.0, 55.0), (30.0, 55.0)]);
    }

    #[test]
    fn words_are_swept_in_a_table_of_all_variants() {
        let findings = outcome(&["length=100"], &["tcp=paper,today"]).findings.unwrap();
        assert!(findings.plots.is_empty());
        let text = findings.sweeps[0].to_string();
        let rows: Vec<&str> = text.lines().map(|line| line.split("  ").nth(2).unwrap()).collect();
        let expected = [
            "settings",
            "tau=0.01s length=100 tcp=paper",
            "tau=0.01s length=100 tcp=today",
            "tau=1s length=100 tcp=paper",
            "tau=1s length=100 tcp=today",
        ];
        assert_eq!(rows, expected);
    }
}
