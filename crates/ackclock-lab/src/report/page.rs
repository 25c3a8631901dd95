//! The page.

use super::{hover, picture};
use crate::experiment::{Choice, Paper};
use crate::finding::{Finding, Verdict};
use crate::plot::Plot;
use crate::results::{Outcome, Results, Sensitivity};
use crate::table;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The whole report in one page.
pub(crate) fn html(results: &Results) -> String {
    let plan = &results.plan;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "ackclock: five papers, reproduced" }
                style { (PreEscaped(include_str!("page.css"))) }
            }
            body {
                h1 { "Five papers about TCP, reproduced" }
                p {
                    "Each experiment ran in ackclock's emulator with its real TCP stack. Measured is \
                     the median over seeds, in brackets the least and the greatest value; the \
                     tolerance is asked of the median."
                }
                @if plan.quick { p.faint { "A quick run: fewer seeds, shorter runs." } }
                @if !results.is_complete() {
                    p.fails { "Not all of it has been run: what is missing is not judged." }
                }
                (index(results))
                @for paper in Paper::ALL {
                    @let outcomes: Vec<_> = of(results, paper).collect();
                    @if !outcomes.is_empty() {
                        h2 { (paper.title()) }
                        @for outcome in outcomes { (experiment(outcome)) }
                    }
                }
                script { (PreEscaped(include_str!("page.js"))) }
            }
        }
    };
    page.into_string()
}

fn of(results: &Results, paper: Paper) -> impl Iterator<Item = &Outcome> {
    results.outcomes.iter().filter(move |outcome| outcome.experiment.paper == paper)
}

fn index(results: &Results) -> Markup {
    html! {
        nav {
            @for paper in Paper::ALL {
                @if of(results, paper).next().is_some() {
                    p { strong { (paper.name()) } }
                    ul {
                        @for outcome in of(results, paper) {
                            @let id = outcome.experiment.id();
                            li {
                                a href={ "#" (id) } { (outcome.experiment.shows) }
                                ": " (outcome.experiment.title) " "
                                (verdict_mark(outcome.verdict()))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn verdict_mark(verdict: Option<Verdict>) -> Markup {
    match verdict {
        None => html! { span.faint { "not judged" } },
        Some(Verdict::Holds) => html! { span.holds { "holds" } },
        Some(Verdict::Fails) => html! { span.fails { "fails" } },
        Some(Verdict::Reported) => html! { span.faint { "reported" } },
    }
}

fn experiment(outcome: &Outcome) -> Markup {
    let experiment = outcome.experiment;
    let drawn = outcome.findings.iter().flat_map(|findings| &findings.plots);
    html! {
        section {
            h3 id=(experiment.id()) {
                (experiment.shows) ": " (experiment.title) " " code { (experiment.id()) }
            }
            p { (experiment.scenario) }
            @for why in &outcome.failures { p.fails { (why) } }
            @if outcome.missing > 0 { p.faint { (outcome.missing) " runs are missing." } }
            @if let Some(findings) = &outcome.findings {
                (table_of(&findings.findings))
                @if !findings.notes.is_empty() {
                    ul { @for note in &findings.notes { li { (note) } } }
                }
            }
            @for plot in drawn { (figure(plot, None)) }
            @for variant in outcome.samples.variants() {
                @for (seed, sample) in outcome.samples.of(variant) {
                    @for plot in &sample.plots { (figure(plot, Some((variant, seed)))) }
                }
            }
            (choices(experiment.choices))
            (sensitivity(&outcome.sensitivity))
        }
    }
}

fn table_of(findings: &[Finding]) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { th { "" } th { "paper" } th { "measured" } th { "tolerance" } th { "verdict" } } }
                tbody {
                    @for finding in findings {
                        tr {
                            td {
                                (finding.quantity)
                                @if let Some(note) = &finding.note { div.faint { (note) } }
                            }
                            td { (finding.paper.as_deref().unwrap_or("–")) }
                            td.number { (table::measured(finding)) }
                            td { (finding.tolerance) }
                            td { (verdict_mark(Some(finding.verdict))) }
                        }
                    }
                }
            }
        }
    }
}

fn figure(plot: &Plot, of: Option<(&str, u64)>) -> Markup {
    let (svg, plane) = picture::drawn(plot);
    html! {
        figure data-plot=(hover::data(plot, &plane)) {
            figcaption {
                (plot.title)
                @if let Some((variant, seed)) = of { " (" (variant) ", seed " (seed) ")" }
            }
            (PreEscaped(svg))
        }
    }
}

fn choices(choices: &[Choice]) -> Markup {
    html! {
        @if !choices.is_empty() {
            div.scroll {
                table {
                    caption { "Chosen for what the paper does not state" }
                    @for Choice { parameter, value, reason } in choices {
                        tr { td { (parameter) } td { code { (value) } } td { (reason) } }
                    }
                }
            }
        }
    }
}

fn sensitivity(rows: &[Sensitivity]) -> Markup {
    html! {
        @if !rows.is_empty() {
            div.scroll {
                table {
                    caption { "What becomes of it with other choices" }
                    @for pair in rows.chunk_by(|one, other| {
                        (one.parameter, one.quantity) == (other.parameter, other.quantity)
                    }) {
                        @for row in pair {
                            tr {
                                td { (row.quantity) ", " (row.variant) }
                                td {
                                    (row.parameter) " = " code { (row.value) }
                                    @if row.chosen { " (chosen)" }
                                }
                                td.number { (table::spread(&row.measured)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
