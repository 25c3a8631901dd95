//! Section 5: connections whose round-trip times differ.

use super::analysis::{cluster, epochs, share};
use super::network::{self, CHOICES, TRANSMISSION, port};
use super::watch::Watch;
use crate::experiment::{Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings};
use crate::papers::flows::starts;
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Path, Recorder, Topology};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "unequal_rtt",
    paper: Paper::Zhang91,
    shows: "section 5",
    title: "round-trip times that differ: clusters are no longer perfect",
    scenario: "Three connections in one direction over the line of 50 kbit/s with tau 1 s and \
               buffers of 20 packets, each from a host of its own. The second host is farther away \
               by a given delay each way, the third by twice that.",
    choices: CHOICES,
    parameters: &[super::stated::tau("1s"), super::stated::buffer("20"), super::stated::FARTHER],
    sends: true,
    headline: &["cluster", "utilisation"],
    seconds: Seconds { full: 20.0, quick: 3.0 },
    work: Work::Rust {
        variants: |quick| {
            let seeds = if quick { 2 } else { 10 };
            let of = |farther: &&str| Variant::new(&[("farther", farther)], seeds);
            let mut variants = network::with_sensitivity(&of(&FARTHER[2]), quick);
            variants.extend(FARTHER.iter().filter(|each| **each != FARTHER[2]).map(of));
            variants
        },
        run,
        judge,
    },
};

/// A data packet takes 80 ms at the bottleneck: twice these are less, and more.
const FARTHER: [&str; 4] = ["0s", "0.02s", "0.1s", "0.4s"];

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let access = network::access()?;
    let (tau, buffer) = (job.word("tau")?, job.word("buffer")?);
    let line = format!("rate=50kbit,delay={tau},queue={buffer}");
    let line = access.with(&format!("{line},in_service={}", job.word("in_service")?))?;
    let farther: Duration = job.get("farther")?;
    let paths: Vec<[Path; 2]> = (0..3)
        .map(|times| {
            let mut far = access.clone();
            far.delay += farther.saturating_mul(times);
            [far, access.clone()]
        })
        .collect();
    let mut dumbbell = Topology::dumbbell([line.clone(), line], &paths);
    let hosts: Vec<_> = dumbbell.topology.hosts().collect();
    for host in hosts {
        dumbbell.topology.set_processing(host, Duration::from_micros(100));
    }
    let law = network::tahoe()?;
    let watch = Watch::new(dumbbell.bottleneck.to_vec(), Vec::new());
    let mut emulator =
        job.emulator(&dumbbell.topology, job.seed, |_| law, (Recorder::default(), watch))?;
    let settings = network::connection(job)?;
    let starts = starts(job, job.get("start")?);
    let ends = dumbbell.senders.iter().zip(&dumbbell.receivers);
    for ((index, (&from, &to)), start) in (0..).zip(ends).zip(starts) {
        network::discard(&mut emulator, &dumbbell.topology, to, settings)?;
        network::send(
            &mut emulator,
            &dumbbell.topology,
            [from, to],
            port(0, index),
            settings,
            start,
        )?;
    }
    let from = network::WARM_UP;
    let until: Instant = from + Duration::from_secs(job.get("length")?);
    job.run_until(&mut emulator, until)?;
    let (recorder, watch) = emulator.into_observer().0;
    let forth = dumbbell.bottleneck[0];
    let busy = network::line(&recorder, forth)?.busy.over(from, until);
    let mut sample = Sample::new();
    sample.set("utilisation", busy.map_or(0.0, |busy| busy.mean));
    let passed = watch.passed.get(&forth).map_or(&[][..], Vec::as_slice);
    sample.set("cluster", cluster(passed, from));
    let drops = &watch.drops[watch.drops.partition_point(|drop| drop.at < from)..];
    let trips = job.get::<Duration>("tau")?.saturating_mul(2) + farther.saturating_mul(4);
    let gap = trips + TRANSMISSION.saturating_mul(job.get("buffer")?);
    let all_lose = |epoch: &super::analysis::Epoch| epoch.losses.len() == 3;
    sample.set("all_lose", share(&epochs(drops, gap), all_lose));
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    for farther in FARTHER {
        let variant = format!("farther={farther}");
        let paper = match farther {
            "0s" => "complete clustering, all lose in each epoch".to_owned(),
            _ => published::text("zhang91.other_settings.unequal_rtt"),
        };
        let cluster = samples.spread(&variant, "cluster")?;
        findings.push(
            Finding::new(
                format!("packets of one connection in a row, farther by {farther}"),
                cluster,
            )
            .paper(paper)
            .note("no number is printed; whether clusters get shorter is judged"),
        );
        let all = samples.spread(&variant, "all_lose")?;
        findings.push(Finding::new(
            format!("epochs in which all three lose, farther by {farther}, share"),
            all,
        ));
        let utilisation = samples.spread(&variant, "utilisation")?;
        findings.push(Finding::new(format!("utilisation, farther by {farther}"), utilisation));
    }
    let cluster = |farther: &str| samples.spread(&format!("farther={farther}"), "cluster");
    let broken = cluster("0.4s")?.median < cluster("0s")?.median;
    findings.push(
        Finding::statement(
            "clusters are shorter when times differ by more than a packet's",
            broken,
        )
        .paper("partial clustering may still exist"),
    );
    Ok(findings)
}
