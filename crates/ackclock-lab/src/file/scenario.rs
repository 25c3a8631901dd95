//! The scenario of a file with the values of its parameters, while it runs.

use super::delays::Delays;
use super::format::{Measure, PlotTable, Take, What};
use crate::drawing::DrawSeries;
use crate::experiment::{Job, Stop};
use crate::papers::flows::{jain, second};
use crate::sample::Sample;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::scenario::{Scenario, ScenarioResults, ScenarioRun};
use ackclock_emulator::{
    ConnectionRecord, DropReason, LinkId, LinkRecord, Observer, Recorder, Series,
};
use ackclock_report::{Axis, Plot, Style};
use std::collections::{BTreeMap, BTreeSet};

/// The port of the first flow's receiver; each flow has the next.
const FIRST_PORT: u16 = 1024;
/// Spans of rates in a picture that says nothing of it.
const EVERY: Duration = Duration::from_secs(1);

/// The text with `{NAME}` replaced by what `value` has for it.
///
/// # Errors
/// The name for which there is none, and where it stands.
pub(super) fn filled<'v>(
    text: &str,
    value: impl Fn(&str) -> Option<&'v str>,
) -> Result<String, (String, usize)> {
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let mut done = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        done += before;
        let end = behind.find(|c| !is_name(c)).filter(|end| behind[*end..].starts_with('}'));
        match end.filter(|end| *end > 0) {
            Some(end) => {
                let name = &behind[..end];
                let at = text.len() - behind.len();
                done += value(name).ok_or_else(|| (name.to_owned(), at))?;
                rest = &behind[end + 1..];
            }
            // A table of TOML.
            None => (done, rest) = (done + "{", behind),
        }
    }
    Ok(done + rest)
}

/// What happened.
pub(super) struct Run {
    recorder: Recorder,
    delays: Option<Delays>,
    results: ScenarioResults,
    end: Instant,
    /// Bytes that each flow's receiver had at these times.
    delivered: BTreeMap<Instant, Vec<u64>>,
}

impl Run {
    /// Runs the scenario, and looks at what was delivered at these times.
    pub(super) fn new(
        job: &Job<'_>,
        scenario: &Scenario,
        looks: &BTreeSet<Instant>,
        delays: Option<Delays>,
    ) -> Result<Self, Stop> {
        let failed = |error: &dyn std::fmt::Display| Stop::Failed(error.to_string());
        let observers = ((Recorder::default(), delays), job.capture(scenario.topology()));
        let mut run = scenario.start(observers).map_err(|error| failed(&error))?;
        let end = scenario.end();
        let mut delivered = BTreeMap::new();
        for &look in looks.iter().chain([&end]) {
            advance(job, &mut run, look.min(end))?;
            let flows = run.results().flows;
            delivered.insert(look.min(end), flows.iter().map(|flow| flow.delivered).collect());
        }
        let results = run.results();
        if results.from > Instant::ZERO {
            let why = "the scenario has a warm_up: give the measures a 'from' instead";
            return Err(Stop::Failed(why.to_owned()));
        }
        if let Some((name, error)) = results.flows.iter().find_map(|it| Some((&it.name, it.error?)))
        {
            return Err(Stop::Failed(format!("{name}: {error}")));
        }
        let ((recorder, delays), _) = run.into_observer();
        Ok(Run { recorder, delays, results, end, delivered })
    }

    fn link_id(&self, name: &str) -> Option<LinkId> {
        let mut links = self.results.links.iter();
        links.find(|link| link.ends.join(">") == name).map(|found| found.link)
    }

    fn link(&self, name: &str) -> Result<&LinkRecord, Stop> {
        let record = self.link_id(name).and_then(|link| self.recorder.link(link));
        record.ok_or_else(|| Stop::Failed(format!("nothing was sent over {name}")))
    }

    /// The sender's end of a flow.
    fn connection(&self, flow: usize) -> Result<&ConnectionRecord, Stop> {
        let host = self.results.flows.get(flow).map(|flow| flow.from);
        let port = FIRST_PORT + flow as u16;
        let mut connections = self.recorder.connections();
        let found = connections.find(|it| Some(it.host) == host && it.remote.port() == port);
        found.ok_or_else(|| Stop::Failed(format!("flow {} did not start", flow + 1)))
    }

    /// The flows of a list, from 0; all if it is empty.
    fn flows(&self, list: &[usize]) -> Vec<usize> {
        match list.is_empty() {
            true => (0..self.results.flows.len()).collect(),
            false => list.iter().map(|number| number - 1).collect(),
        }
    }

    /// Bits per second of each flow.
    fn rates(&self, flows: &[usize], [from, until]: [Instant; 2]) -> Vec<f64> {
        let at = |time: Instant, flow: usize| {
            let then = self.delivered.get(&time).and_then(|flows| flows.get(flow));
            then.map_or(0.0, |bytes| *bytes as f64)
        };
        let seconds = second(until) - second(from);
        flows.iter().map(|&flow| (at(until, flow) - at(from, flow)) * 8.0 / seconds).collect()
    }

    /// Milliseconds that packets of flows waited at a link.
    fn delay(&self, link: LinkId, flows: &[usize], span: [Instant; 2], take: Take) -> Option<f64> {
        let delays = self.delays.as_ref()?;
        let port = |flow: &usize| FIRST_PORT + *flow as u16;
        let mut waits: Vec<u64> =
            flows.iter().flat_map(|flow| delays.over(link, port(flow), span)).collect();
        waits.sort_unstable();
        let rank = |percent: usize| (waits.len() * percent).div_ceil(100).checked_sub(1);
        let nanos = match take {
            Take::Mean => {
                let sum: u64 = waits.iter().sum();
                return (!waits.is_empty()).then(|| sum as f64 / waits.len() as f64 / 1e6);
            }
            Take::Least => waits.first(),
            Take::Median => waits.get(rank(50)?),
            Take::P99 => waits.get(rank(99)?),
            Take::Most => waits.last(),
        };
        nanos.map(|nanos| *nanos as f64 / 1e6)
    }

    fn span(&self, from: Option<Duration>, until: Option<Duration>) -> [Instant; 2] {
        let from = Instant::ZERO + from.unwrap_or_default();
        [from, until.map_or(self.end, |until| Instant::ZERO + until).min(self.end)]
    }

    /// Measures one quantity.
    pub(super) fn measure(&self, measure: &Measure, sample: &mut Sample) -> Result<(), Stop> {
        let span @ [from, until] =
            self.span(measure.from.map(|it| it.0), measure.until.map(|it| it.0));
        let flows = self.flows(&measure.flows);
        let link_name = measure.link.as_deref().unwrap_or_default();
        let link = || self.link(link_name);
        let taken = |series: &Series| taken(series, span, measure.take);
        let value = match *measure.what.get_ref() {
            What::Utilisation => link()?.busy.over(from, until).map(|busy| busy.mean),
            What::Queue => taken(&link()?.packets),
            What::Drops => {
                use DropReason::{Early, Forced, Late, QueueFull};
                let of_queue = |why: &DropReason| matches!(why, QueueFull | Early | Forced | Late);
                let drops = link()?
                    .drops
                    .iter()
                    .filter(|(at, _, reason)| (from..until).contains(at) && of_queue(reason));
                Some(drops.count() as f64)
            }
            What::Delay => {
                self.link_id(link_name).and_then(|id| self.delay(id, &flows, span, measure.take))
            }
            What::Rate => Some(self.rates(&flows, span).iter().sum()),
            What::Ratio => match self.rates(&flows, span)[..] {
                [first, second] => (second > 0.0).then_some(first / second),
                _ => None,
            },
            What::Fairness => Some(jain(&self.rates(&flows, span))),
            What::Window => match flows[..] {
                [flow] => taken(&self.connection(flow)?.cwnd),
                _ => None,
            },
            What::Retransmissions => {
                let infos = flows.iter().filter_map(|flow| self.results.flows.get(*flow)?.info);
                Some(infos.map(|info| info.retransmitted as f64).sum())
            }
        };
        let none = || Stop::Failed(format!("nothing of {} was measured", measure.name));
        sample.set(measure.name.as_str(), value.ok_or_else(none)?);
        Ok(())
    }

    /// Draws one picture.
    pub(super) fn draw(&self, table: &PlotTable) -> Result<Plot, Stop> {
        let span = self.span(table.from.map(|it| it.0), table.until.map(|it| it.0));
        let flows = self.flows(&table.flows);
        let name = |flow: usize| self.results.flows.get(flow).map_or("", |flow| flow.name.as_str());
        let unit = match table.what.get_ref() {
            What::Utilisation => "line busy",
            What::Queue => "packets at the link",
            What::Window => "congestion window (bytes)",
            What::Rate => "rate (bit/s)",
            What::Fairness => "fairness index",
            What::Drops | What::Delay | What::Ratio | What::Retransmissions => "",
        };
        let [x, y] = ["time (s)", unit].map(Axis::linear);
        let mut plot = Plot::new(&table.name, &table.title, x, y);
        let spans = || spans(span, table.every.map_or(EVERY, |every| every.0));
        match table.what.get_ref() {
            What::Queue => {
                for link in &table.links {
                    plot = plot.series(link.as_str(), &self.link(link)?.packets, span, 1.0);
                }
            }
            What::Window => {
                for flow in flows {
                    plot = plot.series(name(flow), &self.connection(flow)?.cwnd, span, 1.0);
                }
            }
            What::Rate => {
                for flow in flows {
                    let rate = |span: [Instant; 2]| self.rates(&[flow], span)[0];
                    let points: Vec<_> = spans().map(|it| (second(it[1]), rate(it))).collect();
                    plot = plot.line(name(flow), Style::Line, points);
                }
            }
            _ => {
                let points: Vec<_> =
                    spans().map(|it| (second(it[1]), jain(&self.rates(&flows, it)))).collect();
                plot = plot.line("fairness", Style::Line, points);
            }
        }
        Ok(plot)
    }
}

fn advance(
    job: &Job<'_>,
    run: &mut ScenarioRun<impl Observer>,
    until: Instant,
) -> Result<(), Stop> {
    /// Virtual time between two looks at the user.
    const PATIENCE: Duration = Duration::from_secs(10);
    loop {
        job.go_on()?;
        let next = until.min(run.emulator().now() + PATIENCE);
        let is_over = run.run_until(next).map_err(|error| Stop::Failed(error.to_string()))?;
        if is_over || next == until {
            return Ok(());
        }
    }
}

/// When a measure or a picture has to know what was delivered.
pub(super) fn looks(measures: &[Measure], plots: &[PlotTable], end: Instant) -> BTreeSet<Instant> {
    let at = |time: Option<super::format::Time>| time.map(|time| Instant::ZERO + time.0);
    let is_rate = |what: What| matches!(what, What::Rate | What::Ratio | What::Fairness);
    let mut looks = BTreeSet::from([Instant::ZERO]);
    for measure in measures.iter().filter(|it| is_rate(*it.what.get_ref())) {
        looks.extend([at(measure.from), at(measure.until)].into_iter().flatten());
    }
    for plot in plots.iter().filter(|it| is_rate(*it.what.get_ref())) {
        let span = [at(plot.from).unwrap_or_default(), at(plot.until).unwrap_or(end)];
        looks.extend(spans(span, plot.every.map_or(EVERY, |every| every.0)).flatten());
    }
    looks.retain(|look| *look <= end);
    looks
}

/// Spans of a length, one behind the other.
fn spans([from, until]: [Instant; 2], every: Duration) -> impl Iterator<Item = [Instant; 2]> {
    let starts = std::iter::successors(Some(from), move |start| Some(*start + every));
    starts.map(move |start| [start, start + every]).take_while(move |span| span[1] <= until)
}

fn taken(series: &Series, [from, until]: [Instant; 2], take: Take) -> Option<f64> {
    let summary = series.over(from, until)?;
    Some(match take {
        Take::Mean => summary.mean,
        Take::Least => summary.least as f64,
        Take::Median => summary.median as f64,
        Take::P99 => return None,
        Take::Most => summary.most as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_braces_become_values_and_tables_stay() {
        let value = |name: &str| (name == "tau").then_some("1s");
        let text = "delay={tau} connection = { mss = 500 } {}";
        let expected = "delay=1s connection = { mss = 500 } {}";
        assert_eq!(filled(text, value), Ok(expected.to_owned()));
        assert_eq!(filled("a\n{rate}", value), Err(("rate".to_owned(), 3)));
    }
}
