//! Section 5: four switches and fifty connections over one, two and three hops.

use super::analysis::{correlation, largest_rise, means, share};
use super::network::{self, CHOICES, TRANSMISSION, port};
use super::watch::Watch;
use crate::drawing::DrawSeries;
use crate::experiment::{Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::flows::starts;
use crate::published;
use crate::sample::{Sample, Samples, Spread};
use ackclock::time::Duration;
use ackclock_emulator::{Recorder, Topology};
use ackclock_report::{Axis, Plot};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "four_switches",
    paper: Paper::Zhang91,
    shows: "section 5",
    title: "four switches, fifty connections over one to three hops: what persists",
    scenario: "Four switches in a line, joined by lines of 50 kbit/s, and fifty connections whose \
               paths are about equally split between one, two and three hops. The paper says that \
               ack compression and out-of-phase synchronisation were seen; it prints no number, no \
               buffer and no delay.",
    choices: CHOICES,
    parameters: &[super::stated::tau("0.01s"), super::stated::buffer("")],
    sends: true,
    headline: &["largest_rise", "correlation_of_queues"],
    seconds: Seconds { full: 60.0, quick: 8.0 },
    work: Work::Rust {
        variants: |quick| {
            let seeds = if quick { 1 } else { 5 };
            let of = |buffer| Variant::new(&[("buffer", buffer)], seeds);
            let mut variants = network::with_sensitivity(&of("30"), quick);
            variants.push(of("60"));
            variants
        },
        run,
        judge,
    },
};

const CONNECTIONS: u16 = 50;

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let access = network::access()?;
    let (tau, buffer) = (job.word("tau")?, job.word("buffer")?);
    let line = format!("rate=50kbit,delay={tau},queue={buffer}");
    let line = access.with(&format!("{line},in_service={}", job.word("in_service")?))?;
    let hops = [(); 3].map(|()| [line.clone(), line.clone()]);
    let mut lot = Topology::parking_lot(&hops, &access);
    for host in lot.hosts.as_flattened() {
        lot.topology.set_processing(*host, Duration::from_micros(100));
    }
    let law = network::tahoe()?;
    let watch = Watch::new(lot.hops.as_flattened().to_vec(), Vec::new());
    let mut emulator =
        job.emulator(&lot.topology, job.seed, |_| law, (Recorder::default(), watch))?;
    let settings = network::connection(job)?;
    for [_, peer] in &lot.hosts {
        network::discard(&mut emulator, &lot.topology, *peer, settings)?;
    }
    // Each pair of switches in both directions: six over one hop, four over two, two over three.
    let pairs = |hops: usize| {
        let there = (0..4 - hops).map(move |at| [at, at + hops]);
        there.flat_map(|[from, to]| [[from, to], [to, from]]).cycle()
    };
    let mut by_hops = [1, 2, 3].map(pairs);
    for (index, start) in (0..CONNECTIONS).zip(starts(job, job.get("start")?)) {
        let Some([from, to]) = by_hops[usize::from(index % 3)].next() else { continue };
        let ends = [lot.hosts[from][0], lot.hosts[to][1]];
        network::send(&mut emulator, &lot.topology, ends, port(0, index), settings, start)?;
    }
    let from = network::WARM_UP;
    let until = from + Duration::from_secs(job.get("length")?);
    job.run_until(&mut emulator, until)?;
    let (recorder, watch) = emulator.into_observer().0;
    let mut sample = Sample::new();
    let mut rises = Vec::new();
    let mut correlations = Vec::new();
    let mut busy = Vec::new();
    for hop in &lot.hops {
        let [forth, back] = hop.map(|link| network::line(&recorder, link));
        let (forth, back) = (forth?, back?);
        for line in [forth, back] {
            rises.push(largest_rise(&line.packets, [from, until], TRANSMISSION) as f64);
            busy.extend(line.busy.over(from, until).map(|busy| busy.mean));
        }
        let step = Duration::from_secs(2);
        let queue =
            |line: &ackclock_emulator::LinkRecord| means(&line.packets, [from, until], step);
        correlations.push(correlation(&queue(forth), &queue(back)));
    }
    let median = |values: Vec<f64>| Spread::of(values).map_or(f64::NAN, |spread| spread.median);
    sample.set("largest_rise", median(rises));
    sample.set("correlation_of_queues", median(correlations));
    sample.set("utilisation", median(busy));
    let drops = &watch.drops[watch.drops.partition_point(|drop| drop.at < from)..];
    sample.set("dropped_data", share(drops, |drop| drop.is_data));
    if job.draws() {
        let [x, y] = ["time in s", "packets at the switch"].map(Axis::linear);
        let seen = [from, from + Duration::from_secs(60)];
        let mut plot = Plot::new("queue", "Queues of the middle line", x, y);
        for (name, link) in ["forth", "back"].into_iter().zip(lot.hops[1]) {
            plot = plot.series(name, &network::line(&recorder, link)?.packets, seen, 1.0);
        }
        sample.draw(plot);
    }
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    let claim = published::text("zhang91.other_settings.larger_topology");
    for buffer in [30, 60] {
        let variant = format!("buffer={buffer}");
        let spread = |quantity| samples.spread(&variant, quantity);
        findings.push(
            Finding::new(
                format!("largest rise of a queue within a transmission time, buffers of {buffer}"),
                spread("largest_rise")?,
            )
            .paper(claim.clone())
            .tolerance(Tolerance::AtLeast(3.0)),
        );
        findings.push(
            Finding::new(
                format!("correlation of the two queues of a line, buffers of {buffer}"),
                spread("correlation_of_queues")?,
            )
            .paper("out of phase")
            .tolerance(Tolerance::Below(0.0)),
        );
        findings.push(Finding::new(
            format!("utilisation, buffers of {buffer}"),
            spread("utilisation")?,
        ));
        findings.push(Finding::new(
            format!("share of dropped packets that are data, buffers of {buffer}"),
            spread("dropped_data")?,
        ));
    }
    Ok(findings)
}
