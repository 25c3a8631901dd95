//! Figure 2 and section 3.1: three connections in one direction.

use super::analysis::{correlation, means, period, share};
use super::network::{self, CHOICES, Scenario, port};
use crate::experiment::{Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::time::Duration;

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
    parameters: &[super::stated::tau(""), super::stated::buffer("20")],
    sends: true,
    headline: &["utilisation", "period"],
    seconds: Seconds { full: 10.0, quick: 2.0 },
    work: Work::Rust { variants, run, judge },
};

const LARGE: &str = "tau=1s";
const SMALL: &str = "tau=0.01s";
const PORTS: [u16; 3] = [port(0, 0), port(0, 1), port(0, 2)];

fn variants(quick: bool) -> Vec<Variant> {
    let seeds = if quick { 3 } else { 20 };
    let mut variants = network::with_sensitivity(&Variant::new(&[("tau", "1s")], seeds), quick);
    variants.push(Variant::new(&[("tau", "0.01s")], seeds));
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let (tau, buffer) = (job.word("tau")?, job.word("buffer")?);
    let laws = [network::tahoe()?; 2];
    let scenario = Scenario { connections: [3, 0], tau, buffer, laws };
    let run = network::run(job, &scenario, network::connection(job)?)?;
    let epochs = run.epochs(tau, job.get("buffer")?)?;
    let mut sample = Sample::new();
    sample.set("utilisation", run.utilisation(0)?);
    sample.set("period", period(&epochs));
    let one_each = share(&epochs, |epoch| {
        epoch.losses.len() == PORTS.len() && epoch.losses.values().all(|losses| *losses == 1)
    });
    sample.set("epochs_with_one_loss_each", one_each);
    let windows: Vec<f64> =
        PORTS.iter().map(|port| run.largest_window(*port)).collect::<Result<_, _>>()?;
    sample.set("largest_window", windows.into_iter().fold(0.0, f64::max));
    let step = Duration::from_millis(500);
    let means = PORTS.map(|port| run.cwnd(port).map(|cwnd| means(cwnd, run.span, step)));
    let [first, second, third] = means;
    let (first, second, third) = (first?, second?, third?);
    let least = correlation(&first, &second).min(correlation(&second, &third));
    sample.set("correlation_of_windows", least.min(correlation(&first, &third)));
    if job.draws() && tau == "1s" {
        let length = Duration::from_secs(150);
        let title = "Queue of switch 1, and when packets are dropped (figure 2)";
        sample.draw(run.queue_plot(title, &[0], length)?);
        sample.draw(run.window_plot("Congestion windows (figure 2)", &PORTS, length)?);
    }
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    let published = |key: &str| published::text(&format!("zhang91.one_way_3.{key}"));
    let number = |key: &str| published::number(&format!("zhang91.one_way_3.{key}"));
    findings.push(
        Finding::new("utilisation, tau 1 s", samples.spread(LARGE, "utilisation")?)
            .paper(published("tau_1s_utilisation"))
            .tolerance(Tolerance::around(number("tau_1s_utilisation"), 0.05)),
    );
    findings.push(
        Finding::new("utilisation, tau 0.01 s", samples.spread(SMALL, "utilisation")?)
            .paper(published("tau_0_01s_utilisation"))
            .tolerance(Tolerance::Between(0.995, 1.0)),
    );
    findings.push(
        Finding::new("period in s, tau 1 s", samples.spread(LARGE, "period")?)
            .paper(published("tau_1s_period_s"))
            .tolerance(Tolerance::around(number("tau_1s_period_s"), 0.05))
            .missed("roughly, says the paper; longer here by hardly more than a twentieth"),
    );
    let one_each = samples.spread(LARGE, "epochs_with_one_loss_each")?;
    findings.push(
        Finding::new("epochs in which each connection loses one packet, share", one_each)
            .paper(published("synchronisation"))
            .tolerance(Tolerance::AtLeast(0.95)),
    );
    let in_phase = samples.spread(LARGE, "correlation_of_windows")?;
    findings.push(
        Finding::new("least correlation of two windows, tau 1 s", in_phase)
            .paper(published("synchronisation"))
            .tolerance(Tolerance::Above(0.0)),
    );
    let largest = samples.spread(LARGE, "largest_window")?;
    findings.push(
        Finding::new("largest window in packets, tau 1 s", largest)
            .paper(published("synchronisation"))
            .tolerance(Tolerance::Below(50.0)),
    );
    Ok(findings)
}
