//! Figure 2 and section 3.1: three connections in one direction.

use super::network::{self, CHOICES, Scenario};
use crate::experiment::{Experiment, Job, Paper, Seconds, Stop, Variant};
use crate::finding::{Finding, Findings, Tolerance};
use crate::published;
use crate::sample::{Sample, Samples};
use std::collections::BTreeSet;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "one_way_3",
    paper: Paper::Zhang91,
    shows: "figure 2, section 3.1",
    title: "three connections in one direction: utilisation, period, one loss each in each epoch",
    scenario: "Host 1 and host 2 are joined by two switches and a line of 50 kbit/s with a \
               propagation delay tau of 1 s (figure 2) or 0.01 s. Three connections with \
               infinite data send from host 1, packets of 500 bytes, acks of 50. The switches have \
               drop-tail buffers of 20 packets.",
    choices: CHOICES,
    headline: &["utilisation"],
    seconds: Seconds { full: 10.0, quick: 2.0 },
    variants,
    run,
    judge,
};

const LARGE: &str = "tau=1s";
const SMALL: &str = "tau=0.01s";

fn variants(quick: bool) -> Vec<Variant> {
    let seeds = if quick { 3 } else { 20 };
    let mut variants = network::with_sensitivity(&Variant::new(&[("tau", "1s")], seeds), quick);
    variants.push(Variant::new(&[("tau", "0.01s")], seeds));
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let tau = job.word("tau")?;
    let laws = [network::tahoe()?; 2];
    let scenario = Scenario { connections: [3, 0], tau, buffer: "20", laws };
    let run = network::run(job, &scenario, network::connection(job)?)?;
    let mut sample = Sample::new();
    sample.set("utilisation", run.utilisation()[0]);
    sample.set("longest_queue", run.longest_queue()[0]);
    let lost = run.watch.drops.iter().filter(|drop| drop.is_data && drop.at >= run.span[0]);
    let losers: BTreeSet<_> = lost.clone().map(|drop| drop.connection).collect();
    sample.set("losers", losers.len() as f64);
    sample.set("acks", run.watch.acks.values().map(Vec::len).sum::<usize>() as f64);
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    findings.push(
        Finding::new("utilisation, tau 1 s", samples.spread(LARGE, "utilisation")?)
            .paper(published::text("zhang91.one_way_3.tau_1s_utilisation"))
            .tolerance(Tolerance::Between(0.86, 0.93)),
    );
    findings.push(
        Finding::new("utilisation, tau 0.01 s", samples.spread(SMALL, "utilisation")?)
            .paper(published::text("zhang91.one_way_3.tau_0_01s_utilisation"))
            .tolerance(Tolerance::Between(0.995, 1.0)),
    );
    Ok(findings)
}
