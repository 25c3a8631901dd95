//! The report: one page that needs nothing else.

use crate::experiment::{Choice, Paper};
use crate::finding::{Finding, Verdict};
use crate::results::{Outcome, Results, Sensitivity};
use crate::table::{self, Tally};
use ackclock_report::{Page, Table, Text};

/// The whole report in one page.
pub(crate) fn html(results: &Results) -> String {
    let mut page = Page::new("Five papers about TCP, reproduced");
    page.paragraph(
        "Each experiment ran in ackclock's emulator with its real TCP stack. Measured is the median \
         over seeds, in brackets the least and the greatest value; the tolerance is asked of the \
         median.",
    );
    if results.plan.quick {
        page.paragraph(Text::new().faint("A quick run: fewer seeds, shorter runs."));
    }
    if !results.plan.settings.is_empty() {
        let others = format!("Run with other values than the papers': {}.", results.plan.settings);
        page.paragraph(Text::new().bad(others).plain(" Nothing is judged."));
    }
    if !results.is_complete() {
        let partial = "Not all of it has been run: what is missing is not judged.";
        page.paragraph(Text::new().bad(partial));
    }
    for paper in Paper::ALL {
        let of_paper = |outcome: &&Outcome| outcome.experiment.paper == paper;
        let mut outcomes = results.outcomes.iter().filter(of_paper).peekable();
        if outcomes.peek().is_some() {
            page.chapter(paper.title());
        }
        outcomes.for_each(|outcome| experiment(&mut page, outcome));
    }
    page.html()
}

fn verdict_mark(verdict: Option<Verdict>) -> Text {
    match verdict {
        None => Text::new().faint("not judged"),
        Some(Verdict::Holds) => Text::new().good("holds"),
        Some(Verdict::Fails) => Text::new().bad("fails"),
        Some(Verdict::Misses) => Text::new().bad("misses the paper's number, as is known"),
        Some(Verdict::Reported) => Text::new().faint("reported"),
    }
}

/// The mark of an experiment in the index: what is not judged counts too.
fn mark(outcome: &Outcome) -> Text {
    let Some(findings) = outcome.findings.iter().find(|_| outcome.failures.is_empty()) else {
        return verdict_mark(outcome.verdict());
    };
    if !findings.sweeps.is_empty() {
        return Text::new().faint("not judged");
    }
    let tally = Tally::of(findings.findings.iter()).to_string();
    match outcome.verdict() {
        Some(Verdict::Holds) => Text::new().good(tally),
        Some(Verdict::Fails | Verdict::Misses) => Text::new().bad(tally),
        _ => Text::new().faint(tally),
    }
}

fn experiment(page: &mut Page, outcome: &Outcome) {
    let experiment = outcome.experiment;
    let id = experiment.id();
    let heading = Text::from(format!("{}: {} ", experiment.shows, experiment.title)).code(&id);
    page.section(&id, heading, mark(outcome));
    page.paragraph(experiment.scenario);
    for why in &outcome.failures {
        page.paragraph(Text::new().bad(why));
    }
    if outcome.missing > 0 {
        page.paragraph(Text::new().faint(format!("{} runs are missing.", outcome.missing)));
    }
    if let Some(findings) = &outcome.findings {
        if !findings.findings.is_empty() {
            page.table(table_of(&findings.findings));
        }
        findings.sweeps.iter().for_each(|table| page.table(table.for_page()));
        page.list(findings.notes.iter().map(String::as_str));
        findings.plots.iter().for_each(|plot| page.figure(plot, plot.title.as_str()));
    }
    for variant in outcome.samples.variants() {
        for (seed, sample) in outcome.samples.of(variant) {
            for plot in &sample.plots {
                page.figure(plot, format!("{} ({variant}, seed {seed})", plot.title));
            }
        }
    }
    if !experiment.choices.is_empty() {
        page.table(choices(experiment.choices));
    }
    if !outcome.sensitivity.is_empty() {
        page.table(sensitivity(&outcome.sensitivity));
    }
}

fn table_of(findings: &[Finding]) -> Table {
    let columns = ["", "paper", "measured", "tolerance", "verdict"];
    findings.iter().fold(Table::new(columns), |table, finding| {
        let quantity = Text::from(finding.quantity.as_str());
        table.row([
            finding.note.iter().fold(quantity, |quantity, note| quantity.below(note)),
            finding.paper.as_deref().unwrap_or("–").into(),
            table::measured(finding).into(),
            finding.tolerance.to_string().into(),
            verdict_mark(Some(finding.verdict)),
        ])
    })
}

fn choices(choices: &[Choice]) -> Table {
    let table = Table::new(["parameter", "value", "reason"])
        .caption("Chosen for what the paper does not state");
    choices.iter().fold(table, |table, &Choice { parameter, value, reason }| {
        table.row([parameter.into(), Text::new().code(value), reason.into()])
    })
}

fn sensitivity(rows: &[Sensitivity]) -> Table {
    let table = Table::new(["quantity", "choice", "measured"])
        .caption("What becomes of it with other choices");
    rows.iter().fold(table, |table, row| {
        let chosen = if row.chosen { " (chosen)" } else { "" };
        table.row([
            format!("{}, {}", row.quantity, row.variant).into(),
            Text::from(format!("{} = ", row.parameter)).code(&row.value).plain(chosen),
            table::spread(&row.measured).into(),
        ])
    })
}
