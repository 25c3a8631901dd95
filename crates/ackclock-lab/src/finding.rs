//! What an experiment found, beside what the paper printed.

use crate::sample::Spread;
use crate::sweep::SweepTable;
use ackclock_report::{Plot, number};
use serde::Serialize;
use std::fmt;

/// What follows from the samples of an experiment.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Findings {
    /// The rows of "paper, measured, tolerance, verdict".
    pub findings: Vec<Finding>,
    /// What a reader has to know besides: what did not follow from the stated parameters, what was
    /// tried, what explains it.
    pub notes: Vec<String>,
    /// Plots over all variants, as throughput against loss.
    #[serde(skip)]
    pub plots: Vec<Plot>,
    /// What was measured with other values than the paper's, in place of rows.
    #[serde(skip)]
    pub(crate) sweeps: Vec<SweepTable>,
}

impl Findings {
    /// Nothing found yet.
    pub fn new() -> Self {
        Findings::default()
    }

    /// Adds a row.
    pub fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Adds a note.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
}

/// A row of the table: what the paper printed, what was measured, and whether that will do.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// What was measured, with its unit.
    pub quantity: String,
    /// What the paper printed, if it did.
    pub paper: Option<String>,
    /// What was measured.
    pub measured: Spread,
    /// What is asked of the median.
    pub tolerance: Tolerance,
    /// Whether the median meets it.
    pub verdict: Verdict,
    /// What a reader has to know.
    pub note: Option<String>,
    /// The name of the plot that shows it; `None`: the first of the experiment's.
    #[serde(skip)]
    pub(crate) plot: Option<&'static str>,
}

impl Finding {
    /// This was measured. Until [`tolerance`](Self::tolerance) is called it is reported only.
    pub fn new(quantity: impl Into<String>, measured: Spread) -> Self {
        Finding {
            quantity: quantity.into(),
            paper: None,
            measured,
            tolerance: Tolerance::ReportOnly,
            verdict: Verdict::Reported,
            note: None,
            plot: None,
        }
    }

    /// A statement, which holds or not: 1 or 0 is measured, and 1 is asked for.
    pub fn statement(statement: impl Into<String>, holds: bool) -> Self {
        let measured = Spread::exactly(f64::from(u8::from(holds)));
        Finding::new(statement, measured).tolerance(Tolerance::Holds)
    }

    /// What the paper printed: [`published::text`](crate::published::text), or what it says in
    /// words.
    pub fn paper(mut self, paper: impl Into<String>) -> Self {
        self.paper = Some(paper.into());
        self
    }

    /// What is asked of the median.
    pub fn tolerance(mut self, tolerance: Tolerance) -> Self {
        self.tolerance = tolerance;
        self.verdict = tolerance.judge(self.measured.median);
        self
    }

    /// What a reader has to know.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// The name of the plot that shows it, where the experiment has several.
    pub(crate) fn shown_in(mut self, plot: &'static str) -> Self {
        self.plot = Some(plot);
        self
    }

    /// Told beforehand: what is asked, the paper's number, is not what follows here, for this reason.
    /// Where it is met after all the report says what is not so, and the verdict fails.
    pub fn missed(mut self, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        match self.verdict {
            Verdict::Fails => self.verdict = Verdict::Misses,
            Verdict::Holds => {
                self.verdict = Verdict::Fails;
                return self.note(format!("told as a miss, but met; told was: {reason}"));
            }
            Verdict::Misses | Verdict::Reported => {}
        }
        self.note(reason)
    }
}

/// What is asked of a median.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tolerance {
    /// From the first to the last, both included.
    Between(f64, f64),
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
    /// More than this.
    Above(f64),
    /// Less than this.
    Below(f64),
    /// This and nothing else.
    Exactly(f64),
    /// A statement that holds: 1.
    Holds,
    /// Nothing.
    ReportOnly,
}

impl Tolerance {
    /// What the paper printed, give or take this share of it.
    pub fn around(printed: f64, share: f64) -> Self {
        let margin = (printed * share).abs();
        Tolerance::Between(printed - margin, printed + margin)
    }

    /// Whether a value meets it.
    pub fn judge(self, value: f64) -> Verdict {
        let holds = match self {
            Tolerance::Between(first, last) => (first..=last).contains(&value),
            Tolerance::AtLeast(bound) => value >= bound,
            Tolerance::AtMost(bound) => value <= bound,
            Tolerance::Above(bound) => value > bound,
            Tolerance::Below(bound) => value < bound,
            Tolerance::Exactly(wanted) => value == wanted,
            Tolerance::Holds => value == 1.0,
            Tolerance::ReportOnly => return Verdict::Reported,
        };
        if holds { Verdict::Holds } else { Verdict::Fails }
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match *self {
            Tolerance::Between(first, last) => format!("{} to {}", number(first), number(last)),
            Tolerance::AtLeast(bound) => format!("at least {}", number(bound)),
            Tolerance::AtMost(bound) => format!("at most {}", number(bound)),
            Tolerance::Above(bound) => format!("above {}", number(bound)),
            Tolerance::Below(bound) => format!("below {}", number(bound)),
            Tolerance::Exactly(wanted) => number(wanted),
            Tolerance::Holds => "holds".to_owned(),
            Tolerance::ReportOnly => "report only".to_owned(),
        })
    }
}

/// Whether what was measured will do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It will.
    Holds,
    /// It will not.
    Fails,
    /// It will not, as is known and told: the paper's number is contradicted. Not among what is judged,
    /// and counted by itself.
    Misses,
    /// Nothing was asked.
    Reported,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Holds => "holds",
            Verdict::Fails => "FAILS",
            Verdict::Misses => "MISSES",
            Verdict::Reported => "reported",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_decides_and_the_bounds_belong_to_the_tolerance() {
        let verdict = |median, tolerance| {
            let spread = Spread { median, least: 0.0, most: 9.0, count: 3 };
            Finding::new("something", spread).tolerance(tolerance).verdict
        };
        assert_eq!(verdict(0.86, Tolerance::Between(0.86, 0.93)), Verdict::Holds);
        assert_eq!(verdict(0.94, Tolerance::Between(0.86, 0.93)), Verdict::Fails);
        assert_eq!(verdict(1.0, Tolerance::AtLeast(1.0)), Verdict::Holds);
        assert_eq!(verdict(1.0, Tolerance::Above(1.0)), Verdict::Fails);
        assert_eq!(verdict(1.0, Tolerance::Below(1.0)), Verdict::Fails);
        assert_eq!(verdict(2.0, Tolerance::ReportOnly), Verdict::Reported);
        assert_eq!(Finding::statement("it is so", false).verdict, Verdict::Fails);
    }

    #[test]
    fn a_miss_that_was_told_fails_where_the_number_is_met() {
        let around = |measured: f64| {
            let finding = Finding::new("something", Spread::exactly(measured));
            finding.tolerance(Tolerance::around(10.0, 0.05)).missed("one run").verdict
        };
        assert_eq!(around(9.4), Verdict::Misses);
        assert_eq!(around(9.5), Verdict::Fails);
        assert_eq!(around(10.6), Verdict::Misses);
    }
}
