//! The report: one page that needs nothing else.

use crate::experiment::{Choice, Paper};
use crate::finding::{Finding, Verdict};
use crate::output::{capture_name, series_link, series_name};
use crate::results::{Outcome, Results, Sensitivity};
use crate::table::{self, Tally};
use ackclock_report::{Page, Plot, Table, Text};

/// The link to the capture of a name, where there is one.
type CaptureLink<'c> = &'c dyn Fn(&str) -> Option<String>;

/// The whole report in one page, with links to the captures that there are.
pub(crate) fn html(results: &Results, capture: CaptureLink<'_>) -> String {
    let mut page = Page::new("Papers about TCP, reproduced");
    let version = concat!("ackclock ", env!("CARGO_PKG_VERSION"), ": ");
    page.paragraph(Text::from(version).code(format!("ackclock {}", results.plan.command())));
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
    if !results.outcomes.iter().any(|outcome| !captures(outcome, capture).is_empty()) {
        let command = format!("ackclock {} --captures 2000 --out DIR", results.plan.command());
        let how = Text::new().faint("Captures of the packets are made on demand: ");
        page.paragraph(how.code(command));
    }
    let mut papers: Vec<Paper> = Vec::new();
    for outcome in &results.outcomes {
        if !papers.contains(&outcome.experiment.paper) {
            papers.push(outcome.experiment.paper);
        }
    }
    if results.plan.settings.is_empty() {
        summary(&mut page, &papers, results);
    }
    for paper in papers {
        let of_paper = |outcome: &&Outcome| outcome.experiment.paper == paper;
        page.chapter(paper.title());
        let outcomes = results.outcomes.iter().filter(of_paper);
        outcomes.for_each(|outcome| experiment(&mut page, outcome, capture));
    }
    page.html()
}

/// How many verdicts there are of each paper, and where those are that do not hold.
fn summary(page: &mut Page, papers: &[Paper], results: &Results) {
    let of_paper = |paper: Paper| {
        let outcomes = results.outcomes.iter().filter(move |it| it.experiment.paper == paper);
        outcomes.filter_map(|it| it.findings.as_ref()).flat_map(|findings| &findings.findings)
    };
    let columns = ["", "hold", "fail", "miss, as is known", "reported only"];
    let table = papers.iter().fold(Table::new(columns), |table, &paper| {
        let counts = Tally::of(of_paper(paper)).counts();
        let name = std::iter::once(paper.name().to_owned());
        table.row(name.chain(counts.map(|count| count.to_string())))
    });
    page.table(table.caption("Verdicts"));
    let mut items = Vec::new();
    for outcome in &results.outcomes {
        let id = outcome.experiment.id();
        let findings = outcome.findings.iter().flat_map(|findings| &findings.findings);
        for finding in findings.filter(|it| matches!(it.verdict, Verdict::Fails | Verdict::Misses))
        {
            let mark = if finding.verdict == Verdict::Fails { "fails: " } else { "misses: " };
            let place = Text::new().bad(mark).link(id.as_str(), format!("#{id}"));
            let paper = finding.paper.as_deref().unwrap_or("–");
            let measured = table::measured(finding);
            items.push(place.plain(format!(": {}, {measured}; paper: {paper}", finding.quantity)));
        }
    }
    page.list(items);
}

/// A picture of the page.
struct Picture<'o> {
    plot: &'o Plot,
    variant: Option<&'o str>,
    title: String,
    /// Of its place on the page, and of the file with its points.
    id: String,
    series: String,
    /// Link to the capture of the variant that it shows, or to the list of all.
    capture: Option<String>,
}

/// The captures of an experiment that there are: variants and links.
fn captures<'o>(outcome: &'o Outcome, capture: CaptureLink<'_>) -> Vec<(&'o str, String)> {
    let id = outcome.experiment.id();
    let link = |variant: &'o str| Some((variant, capture(&capture_name(&id, variant))?));
    outcome.samples.variants().filter_map(link).collect()
}

/// Links to the captures of an experiment, if there are any.
fn list_captures(page: &mut Page, captures: &[(&str, String)]) {
    let links = captures.iter().fold(Text::from("Captures:"), |text, (variant, link)| {
        text.plain(" ").link(*variant, link).plain(";")
    });
    if !captures.is_empty() {
        page.paragraph(links);
    }
}

/// The pictures that come next on the page, in the order of the paper's figures. What shows all variants
/// stands for what shows one of them under the same name.
fn pictures<'o>(
    page: &Page,
    outcome: &'o Outcome,
    captures: &[(&str, String)],
) -> Vec<Picture<'o>> {
    let experiment = outcome.experiment.id();
    let picture = |plot: &'o Plot, title: String, variant: Option<&'o str>| {
        let series = series_link(&series_name(&experiment, variant, plot));
        let own = captures.iter().find(|(each, _)| Some(*each) == variant);
        let capture = own.map(|(_, link)| link.clone());
        let id = String::new();
        let all = || (!captures.is_empty()).then(|| format!("#{experiment}"));
        Picture { plot, variant, title, id, series, capture: capture.or_else(all) }
    };
    let shared = || outcome.findings.iter().flat_map(|findings| &findings.plots);
    let mut pictures: Vec<_> =
        shared().map(|plot| picture(plot, plot.title.clone(), None)).collect();
    for variant in outcome.samples.variants() {
        for (seed, sample) in outcome.samples.of(variant) {
            let is_own = |plot: &&Plot| shared().all(|other| other.name != plot.name);
            pictures.extend(sample.plots.iter().filter(is_own).map(|plot| {
                let title = format!("{} ({variant}, seed {seed})", plot.title);
                picture(plot, title, Some(variant))
            }));
        }
    }
    pictures.sort_by_key(|picture| figure_number(&picture.plot.title));
    let ids = page.next_figures(pictures.iter().map(|picture| picture.plot.name.as_str()));
    pictures.iter_mut().zip(ids).for_each(|(picture, id)| picture.id = id);
    pictures
}

/// The pictures, with links to each above them.
fn figures(page: &mut Page, pictures: &[Picture<'_>]) {
    let links = pictures.iter().fold(Text::from("Pictures:"), |text, picture| {
        text.plain(" ").link(picture.title.as_str(), format!("#{}", picture.id)).plain(";")
    });
    if pictures.len() > 1 {
        page.paragraph(links);
    }
    for picture in pictures {
        let caption = Text::from(picture.title.as_str()).plain(" ").link("CSV", &picture.series);
        page.figure(picture.plot, with_capture(caption, picture));
    }
}

fn with_capture(text: Text, picture: &Picture<'_>) -> Text {
    picture.capture.iter().fold(text, |text, link| text.plain(" ").link("capture", link))
}

/// The figure of the paper that a plot is said to show; those that show none are last.
fn figure_number(title: &str) -> u32 {
    let behind = title.split_once("figure ").or_else(|| title.split_once("figures "));
    let digits = behind.map_or("", |(_, behind)| behind);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().unwrap_or(u32::MAX)
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

fn experiment(page: &mut Page, outcome: &Outcome, capture: CaptureLink<'_>) {
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
    let captures = captures(outcome, capture);
    list_captures(page, &captures);
    let pictures = pictures(page, outcome, &captures);
    if let Some(findings) = &outcome.findings {
        if !findings.findings.is_empty() {
            page.table(table_of(&findings.findings, &pictures));
        }
        findings.sweeps.iter().for_each(|table| page.table(table.for_page()));
        page.list(findings.notes.iter().map(String::as_str));
    }
    figures(page, &pictures);
    if !experiment.choices.is_empty() {
        page.table(choices(experiment.choices));
    }
    if !outcome.sensitivity.is_empty() {
        page.table(sensitivity(&outcome.sensitivity));
    }
}

/// What shows a finding: the picture that it names, or else the first; of its own variant if there is one.
fn shown_in<'p, 'o>(finding: &Finding, pictures: &'p [Picture<'o>]) -> Option<&'p Picture<'o>> {
    let is_named = |it: &&Picture<'_>| finding.plot.is_none_or(|name| it.plot.name == name);
    let named = || pictures.iter().filter(is_named);
    let is_own = |it: &&Picture<'_>| it.variant.is_some_and(|of| tells_of(&finding.quantity, of));
    named().find(is_own).or_else(|| named().next()).or_else(|| pictures.first())
}

/// Whether a quantity has the values of all settings of a variant among its words.
fn tells_of(quantity: &str, variant: &str) -> bool {
    let has = |value: &str| quantity.split([' ', ',']).any(|word| word.eq_ignore_ascii_case(value));
    let mut values = variant.split(' ').filter_map(|setting| setting.split_once('=')).peekable();
    values.peek().is_some() && values.all(|(_, value)| has(value))
}

/// The verdict, with links to the picture, to its points and to the packets behind it.
fn verdict_cell(finding: &Finding, pictures: &[Picture<'_>]) -> Text {
    let mark = verdict_mark(Some(finding.verdict));
    let Some(picture) = shown_in(finding, pictures) else { return mark };
    let link = mark.plain(" ").link("picture", format!("#{}", picture.id));
    with_capture(link.plain(" ").link("CSV", &picture.series), picture)
}

fn table_of(findings: &[Finding], pictures: &[Picture<'_>]) -> Table {
    let columns = ["", "paper", "measured", "tolerance", "verdict"];
    findings.iter().fold(Table::new(columns), |table, finding| {
        let quantity = Text::from(finding.quantity.as_str());
        table.row([
            finding.note.iter().fold(quantity, |quantity, note| quantity.below(note)),
            finding.paper.as_deref().unwrap_or("–").into(),
            table::measured(finding).into(),
            finding.tolerance.to_string().into(),
            verdict_cell(finding, pictures),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_tells_of_the_variant_whose_values_it_has() {
        assert!(tells_of("longest queue 1, tau 1s", "tau=1s"));
        assert!(tells_of("packets/s of SACK, twice", "pipes=twice law=sack"));
        assert!(!tells_of("longest queue 1, tau 0.01s", "tau=1s"));
        assert!(!tells_of("utilisation", "stated"));
    }

    #[test]
    fn pictures_are_in_the_order_of_the_papers_figures() {
        let titles =
            ["Queues (figure 10)", "spurious timeouts", "cwnd (figures 4 and 5)", "figure 2"];
        let numbers = titles.map(figure_number);
        assert_eq!(numbers, [10, u32::MAX, 4, 2]);
    }
}
