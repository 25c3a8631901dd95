//! Results as text: the table that a terminal shows.

use crate::finding::{Finding, Verdict};
use crate::results::{Outcome, Results};
use crate::sample::Spread;
use ackclock_report::number;
use std::fmt::{self, Write};

/// Columns of what was measured.
const WIDEST: usize = 58;

/// The median, and what the seeds are spread over.
pub(crate) fn spread(spread: &Spread) -> String {
    let Spread { median, least, most, .. } = *spread;
    match least == most {
        true => number(median),
        false => format!("{} ({} to {})", number(median), number(least), number(most)),
    }
}

/// What was measured, as a reader wants it: a statement holds or not.
pub(crate) fn measured(finding: &Finding) -> String {
    match (finding.tolerance, finding.verdict) {
        (crate::Tolerance::Holds, Verdict::Holds) => "yes".to_owned(),
        (crate::Tolerance::Holds, _) => "no".to_owned(),
        _ => spread(&finding.measured),
    }
}

/// How many findings have which verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tally {
    holds: usize,
    fails: usize,
    misses: usize,
    reported: usize,
}

impl Tally {
    pub(crate) fn of<'f>(findings: impl Iterator<Item = &'f Finding> + Clone) -> Self {
        let count = |verdict| findings.clone().filter(|each| each.verdict == verdict).count();
        let [holds, fails, misses, reported] =
            [Verdict::Holds, Verdict::Fails, Verdict::Misses, Verdict::Reported].map(count);
        Tally { holds, fails, misses, reported }
    }
}

impl Tally {
    /// How many hold, fail, miss and are reported only.
    pub(crate) fn counts(self) -> [usize; 4] {
        [self.holds, self.fails, self.misses, self.reported]
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { holds, fails, misses, reported } = self;
        write!(
            f,
            "{holds} hold, {fails} fail, {misses} miss as is known, {reported} are reported only"
        )
    }
}

/// The table: paper, measured, tolerance, verdict.
impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.outcomes.iter().try_for_each(|outcome| write!(f, "{outcome}"))?;
        match self.plan.settings.is_empty() {
            true => write!(f, "{}", Tally::of(self.findings()))?,
            false => write!(f, "with {}: nothing is judged", self.plan.settings)?,
        }
        let missing: u64 = self.outcomes.iter().map(|outcome| outcome.missing).sum();
        if missing > 0 {
            write!(f, "; {missing} jobs have not been run")?;
        }
        f.write_char('\n')
    }
}

impl Results {
    fn findings(&self) -> impl Iterator<Item = &Finding> + Clone {
        let findings = self.outcomes.iter().filter_map(|outcome| outcome.findings.as_ref());
        findings.flat_map(|findings| &findings.findings)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let experiment = self.experiment;
        writeln!(f, "{} ({}): {}", experiment.id(), experiment.shows, experiment.title)?;
        for why in &self.failures {
            writeln!(f, "  FAILS: {why}")?;
        }
        if self.missing > 0 {
            writeln!(f, "  not judged: {} jobs have not been run", self.missing)?;
        }
        let Some(findings) = &self.findings else { return f.write_char('\n') };
        for table in &findings.sweeps {
            writeln!(f, "{table}")?;
        }
        for finding in &findings.findings {
            let Finding { quantity, paper, tolerance, verdict, .. } = finding;
            let paper = paper.as_deref().unwrap_or("-");
            writeln!(
                f,
                "  {verdict:8} {quantity:WIDEST$} {:28} {tolerance:16} paper: {paper}",
                measured(finding),
            )?;
        }
        f.write_char('\n')
    }
}
