//! Experiments in files: a scenario, what is measured of it, what the paper prints, and what is asked.
//!
//! The scenario is the text of a scenario file ([`ackclock_emulator::scenario`]) in which `{NAME}`
//! stands for a parameter. The keys are told in `docs/papers.md`; `examples/experiments` has files.

mod delays;
mod error;
mod format;
mod scenario;

pub use error::FileError;

use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings};
use crate::parameters::Parameter;
use crate::sample::{Sample, Samples};
use ackclock_emulator::read_text;
use ackclock_emulator::scenario::Scenario;
use delays::Delays;
use error::Source;
use format::{File, FindingTable, Take, Values, What};
use scenario::{Run, filled, looks};
use std::path::Path;
use toml::Spanned;

/// Most bytes of a file.
const MOST: u64 = 1 << 20;

/// What a file says that is to be done.
#[derive(Debug)]
pub struct Recipe {
    name: String,
    file: File,
    /// As many line ends as stand before the scenario, so that its errors name the file's lines.
    lines_before: usize,
    parameters: &'static [Parameter],
    choices: &'static [Choice],
}

/// Reads an experiment. It is kept until the program ends.
///
/// # Errors
/// What cannot be read or used, with the line.
pub fn load(file: impl AsRef<Path>) -> Result<&'static Experiment, FileError> {
    let name = file.as_ref().display().to_string();
    match read_text(file, MOST) {
        Ok(text) => parse(&text, &name),
        Err(error) => Err(FileError::Read { file: name, error: error.to_string() }),
    }
}

/// The same from text.
pub(crate) fn parse(text: &str, name: &str) -> Result<&'static Experiment, FileError> {
    let source = Source { text, name };
    let file: File = toml::from_str(text).map_err(|error| source.toml(&error))?;
    let lines_before = first_line(text, &file.scenario);
    let (parameters, choices) = parameters(&file);
    let recipe = Recipe { name: name.to_owned(), file, lines_before, parameters, choices };
    recipe.check(&source)?;
    let kept = |text: &str| -> &'static str { text.to_owned().leak() };
    let recipe: &'static Recipe = Box::leak(Box::new(recipe));
    let file = &recipe.file;
    let paper = Paper::Other { name: kept(&file.paper.name), title: kept(&file.paper.title) };
    let headline: Vec<&'static str> = match file.headline.is_empty() {
        true => file.measures.iter().map(|measure| measure.name.as_str()).collect(),
        false => file.headline.iter().map(|name| name.get_ref().as_str()).collect(),
    };
    let experiment = Experiment {
        name: &file.name,
        paper,
        shows: &file.shows,
        title: &file.title,
        scenario: &file.description,
        choices: recipe.choices,
        parameters: recipe.parameters,
        // What its parameters can change is what the scenario says.
        sends: false,
        headline: headline.leak(),
        seconds: Seconds { full: 0.0, quick: 0.0 },
        work: Work::File(recipe),
    };
    Ok(Box::leak(Box::new(experiment)))
}

/// The number of line ends before a text begins that stands between three quotes.
fn first_line(text: &str, scenario: &Spanned<String>) -> usize {
    let literal = text.get(scenario.span()).unwrap_or_default();
    let quotes = literal.chars().take_while(|c| "'\"".contains(*c)).count();
    let opens_a_line = literal.get(quotes..).is_some_and(|rest| rest.starts_with('\n'));
    let before = text.get(..scenario.span().start).unwrap_or_default();
    before.matches('\n').count() + usize::from(opens_a_line)
}

fn parameters(file: &File) -> (&'static [Parameter], &'static [Choice]) {
    let kept = |text: &str| -> &'static str { text.to_owned().leak() };
    let (mut parameters, mut choices) = (Vec::new(), Vec::new());
    for table in &file.parameters {
        let (name, value) = (kept(&table.name), kept(&table.value));
        let says = kept(&table.says);
        parameters.push(Parameter { name, kind: table.kind, value, says });
        if table.others.is_some() {
            choices.push(Choice { parameter: name, value, reason: says });
        }
    }
    (parameters.leak(), choices.leak())
}

impl Recipe {
    /// The name of the file, as it was given.
    pub(crate) fn file_name(&self) -> &str {
        &self.name
    }

    /// That all that is named is there, and that each variant is a scenario.
    fn check(&self, source: &Source<'_>) -> Result<(), FileError> {
        let measures: Vec<&str> = self.file.measures.iter().map(|it| it.name.as_str()).collect();
        let named = self.file.findings.iter().map(|finding| &finding.of);
        for name in named.chain(&self.file.headline) {
            if !measures.contains(&name.get_ref().as_str()) {
                let problem = format!("no measure '{}'", name.get_ref());
                return Err(source.unknown(name.span().start, &problem, &measures));
            }
        }
        let parameters: Vec<&str> = self.parameters.iter().map(|it| it.name).collect();
        let of_findings = self.file.findings.iter().filter_map(|it| it.variant.as_ref());
        for values in self.file.variants.iter().chain(of_findings) {
            let unknown = values.get_ref().keys().find(|it| !parameters.contains(&it.as_str()));
            if let Some(name) = unknown {
                let problem = format!("no parameter '{name}'");
                return Err(source.unknown(values.span().start, &problem, &parameters));
            }
        }
        for variant in self.variants(false) {
            let scenario = self.scenario(&variant, source)?;
            self.check_places(&scenario, source)?;
        }
        Ok(())
    }

    /// That links and flows are the scenario's.
    fn check_places(&self, scenario: &Scenario, source: &Source<'_>) -> Result<(), FileError> {
        let topology = scenario.topology();
        let name = |link| topology.ends(link).map(|node| topology.name(node)).join(">");
        let links: Vec<String> = topology.links().map(name).collect();
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        let flows = scenario.flows();
        for measure in &self.file.measures {
            if measure.take == Take::P99 && *measure.what.get_ref() != What::Delay {
                let at = measure.what.span().start;
                return Err(source.invalid(at, "a 99th percentile is that of a delay".to_owned()));
            }
        }
        let measures = self
            .file
            .measures
            .iter()
            .map(|it| (&it.what, it.link.iter().collect::<Vec<_>>(), &it.flows, true));
        let plots = self
            .file
            .plots
            .iter()
            .map(|it| (&it.what, it.links.iter().collect::<Vec<_>>(), &it.flows, false));
        for (what, named, of, is_measure) in measures.chain(plots) {
            let at = what.span().start;
            let of_links = what.get_ref().is_of_link();
            if of_links == named.is_empty() {
                let problem = if of_links { "needs a link" } else { "is of flows, not of links" };
                return Err(source.invalid(at, format!("this {problem}")));
            }
            if let Some(unknown) = named.iter().find(|it| !links.contains(&it.as_str())) {
                return Err(source.unknown(at, &format!("no link '{unknown}'"), &links));
            }
            if of.iter().any(|flow| !(1..=flows).contains(flow)) {
                return Err(source.invalid(at, format!("flows are numbered 1 to {flows}")));
            }
            if is_measure && *what.get_ref() == What::Window && of.len() != 1 {
                return Err(source.invalid(at, "a window is that of one flow".to_owned()));
            }
            let pair = if of.is_empty() { flows } else { of.len() };
            if *what.get_ref() == What::Ratio && pair != 2 {
                return Err(source.invalid(at, "a ratio is that of two flows".to_owned()));
            }
            let undrawn =
                [What::Utilisation, What::Drops, What::Delay, What::Ratio, What::Retransmissions];
            if !is_measure && undrawn.contains(what.get_ref()) {
                let problem = "drawn can be: queue, window, rate, fairness";
                return Err(source.invalid(at, problem.to_owned()));
            }
        }
        Ok(())
    }

    /// What is run: each variant, and the first one with other values for what was chosen.
    pub(crate) fn variants(&self, quick: bool) -> Vec<Variant> {
        let File { seeds, quick_seeds, variants, parameters, .. } = &self.file;
        let seeds = if quick { quick_seeds.unwrap_or(*seeds) } else { *seeds }.get();
        let nothing = Values::new();
        let given = variants.iter().map(Spanned::get_ref);
        let given = given.chain(variants.is_empty().then_some(&nothing));
        let mut all: Vec<Variant> = given.map(|values| self.variant(values, seeds)).collect();
        let base = all[0].clone();
        for (parameter, table) in self.parameters.iter().zip(parameters) {
            for value in table.others.iter().flatten() {
                all.push(base.but(parameter.name, value, seeds));
            }
        }
        all
    }

    fn variant(&self, values: &Values, seeds: u64) -> Variant {
        let known = self
            .parameters
            .iter()
            .filter_map(|parameter| Some((parameter.name, values.get(parameter.name)?.as_str())));
        Variant::new(&known.collect::<Vec<_>>(), seeds)
    }

    fn scenario(&self, variant: &Variant, source: &Source<'_>) -> Result<Scenario, FileError> {
        let stated = |name: &str| self.parameters.iter().find(|it| it.name == name);
        let value = |name: &str| {
            variant
                .setting(name)
                .or_else(|| stated(name).map(|it| it.value))
                .filter(|it| !it.is_empty())
        };
        let text = filled(self.file.scenario.get_ref(), value).map_err(|(name, at)| {
            let line =
                self.lines_before + self.file.scenario.get_ref()[..at].matches('\n').count() + 1;
            let known: Vec<&str> = self.parameters.iter().map(|it| it.name).collect();
            source.unknown_on(line, &format!("no value for the parameter '{name}'"), &known)
        })?;
        let text = "\n".repeat(self.lines_before) + &text;
        Scenario::parse(&text, &self.name).map_err(FileError::Scenario)
    }

    pub(crate) fn run(&self, job: &Job<'_>) -> Result<Sample, Stop> {
        let source = Source { text: "", name: &self.name };
        let scenario = self.scenario(job.variant, &source);
        let mut scenario = scenario.map_err(|error| Stop::Failed(error.to_string()))?;
        scenario.set_seed(job.seed);
        let File { measures, plots, .. } = &self.file;
        let drawn = if job.draws() { &plots[..] } else { &[] };
        let has_delays = measures.iter().any(|measure| *measure.what.get_ref() == What::Delay);
        let delays = has_delays.then(Delays::default);
        let run = Run::new(job, &scenario, &looks(measures, drawn, scenario.end()), delays)?;
        let mut sample = Sample::new();
        for measure in measures {
            run.measure(measure, &mut sample)?;
        }
        for table in drawn {
            sample.draw(run.draw(table)?);
        }
        Ok(sample)
    }

    pub(crate) fn judge(&self, samples: &Samples) -> Result<Findings, Stop> {
        let mut findings = Findings::new();
        let all: Vec<String> = samples.variants().map(str::to_owned).collect();
        for table in &self.file.findings {
            let variants = match &table.variant {
                Some(values) => vec![self.variant(values.get_ref(), 1).name()],
                None => {
                    let own = self.variants(false);
                    let own = own.iter().filter(|variant| variant.instead.is_none());
                    own.map(Variant::name).filter(|name| all.contains(name)).collect()
                }
            };
            for variant in &variants {
                let several = variants.len() > 1;
                findings.push(finding(table, samples, variant, several)?);
            }
        }
        Ok(findings)
    }
}

fn finding(
    table: &FindingTable,
    samples: &Samples,
    variant: &str,
    several: bool,
) -> Result<Finding, Stop> {
    let FindingTable { quantity, of, paper, ask, missed, note, .. } = table;
    let quantity = if several { format!("{quantity}, {variant}") } else { quantity.clone() };
    let mut finding = Finding::new(quantity, samples.spread(variant, of.get_ref())?);
    if let Some(paper) = paper {
        finding = finding.paper(paper);
    }
    if let Some(ask) = ask {
        finding = finding.tolerance((*ask).into());
    }
    if let Some(missed) = missed {
        finding = finding.missed(missed);
    }
    Ok(note.iter().fold(finding, |finding, note| finding.note(note)))
}

#[cfg(test)]
mod tests;
