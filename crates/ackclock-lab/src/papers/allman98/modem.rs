//! Figure 4: larger initial windows over a modem.

use super::network::{self, ACK_TIMER, TIMER, WINDOWS, quantities};
use crate::drawing::DrawPrinted;
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock_emulator::Path;
use ackclock_report::{Axis, HeatMap, Plot, Style};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "modem",
    paper: Paper::Allman98,
    shows: "figure 4",
    title: "16 kB over a 28.8 kbit/s modem: time saved and retransmissions by initial window",
    scenario: "A dialup line of 28.8 kbit/s with CSLIP: a segment of 512 bytes takes 517 on the \
               line, an ack 10 at most. NetBSD 1.2.1 at both ends. 30 rounds of a transfer of 16 kB \
               with each initial window of 1 to 32 segments.",
    choices: &[
        Choice {
            parameter: "buffer",
            value: "26",
            reason: "packets in the terminal server: 16 segments must not overflow it, with the \
                     growth that follows, and 32 must",
        },
        Choice {
            parameter: "delay",
            value: "75ms",
            reason: "one way, besides the packet's time on the line: modems' own, typical of V.34",
        },
        TIMER,
        ACK_TIMER,
    ],
    parameters: &[],
    sends: true,
    headline: &["saved_by_4", "saved_by_16", "saved_by_32"],
    seconds: Seconds { full: 10.0, quick: 2.0 },
    work: Work::Rust { variants, run, judge },
};

/// The grid over what is not stated.
const BUFFERS: [&str; 5] = ["20", "24", "26", "28", "40"];
const DELAYS: [&str; 3] = ["25ms", "75ms", "150ms"];

fn on_grid(buffer: &str, delay: &str) -> Variant {
    Variant::new(&[("buffer", buffer), ("delay", delay)], 5)
}

fn variants(quick: bool) -> Vec<Variant> {
    let seeds = if quick { 10 } else { 30 };
    let base = Variant::new(&[], seeds);
    let mut variants = vec![base.clone()];
    for (parameter, value) in [
        ("buffer", "20"),
        ("buffer", "24"),
        ("buffer", "28"),
        ("buffer", "40"),
        ("delay", "25ms"),
        ("delay", "150ms"),
        ("timer", "jacobson88:ticks:one"),
        ("ack_timer", "per-segment"),
    ] {
        variants.push(base.but(parameter, value, seeds));
    }
    for buffer in BUFFERS {
        variants.extend(DELAYS.map(|delay| on_grid(buffer, delay)));
    }
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let (buffer, delay) = (job.word("buffer")?, job.word("delay")?);
    // Of 40 bytes of headers CSLIP leaves about 5.
    let rate = published::number("allman98.modem.link_bps");
    let line = format!("rate={rate}bit,delay={delay},loss=0,overhead=-35,queue={buffer}");
    let line: Path = line.parse()?;
    let hops = [[line.clone(), line]];
    let mut sample = Sample::new();
    let one = network::transfer(job, job.seed, 1, &hops)?;
    for window in WINDOWS {
        let taken = network::transfer(job, job.seed, window, &hops)?;
        let [saved, extra] = quantities(window);
        sample.set(saved, 1.0 - taken.seconds / one.seconds);
        sample.set(extra, taken.retransmissions - one.retransmissions);
    }
    sample.set("seconds_of_1", one.seconds);
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let name = Variant::new(&[], 1).name();
    let mut findings = Findings::new();
    for window in WINDOWS.into_iter().filter(|window| *window > 1) {
        let [saved, extra] = quantities(window);
        let mut finding = Finding::new(
            format!("time saved by {window} segments"),
            samples.spread(&name, &saved)?,
        );
        match window {
            3..=16 => {
                let paper = published::text("allman98.modem.saved_iw_3_to_16");
                let printed = published::number("allman98.modem.saved_iw_3_to_16");
                finding = finding.paper(paper).tolerance(Tolerance::around(printed, 0.05)).missed(
                    "7 % with the chosen delay of the modems, of which the time saved is a share",
                );
            }
            32 => {
                let longer = -published::number("allman98.modem.extra_time_iw_32");
                finding = finding
                    .paper(longer.to_string())
                    .tolerance(Tolerance::around(longer, 0.05))
                    .missed(
                        "longer, but by half as much as printed, with every buffer that was tried",
                    );
            }
            _ => {}
        }
        findings.push(finding);
        let mut finding = Finding::new(
            format!("additional retransmissions of {window} segments"),
            samples.spread(&name, &extra)?,
        );
        if window <= 16 {
            let paper = published::text("allman98.modem.retransmissions_up_to_16");
            finding = finding.paper(paper).tolerance(Tolerance::AtMost(0.0));
        }
        findings.push(finding);
    }
    let printed = |key: &str| published::number(&format!("allman98.modem.{key}"));
    let mut saved = vec![(32.0, -printed("extra_time_iw_32"))];
    saved.extend([3.0, 4.0, 8.0, 16.0].map(|window| (window, printed("saved_iw_3_to_16"))));
    findings.plots.extend(plots(samples, &name, 4, [saved, Vec::new()]));
    for window in [4, 16, 32] {
        findings.plots.push(grid(samples, window)?);
    }
    Ok(findings)
}

/// The time that a window saves, for each buffer and delay of the grid.
fn grid(samples: &Samples, window: u16) -> Result<Plot, Stop> {
    let [saved, _] = quantities(window);
    let value = |delay, buffer| {
        let spread = samples.spread(&on_grid(buffer, delay).name(), &saved);
        spread.map(|spread| spread.median)
    };
    let row = |delay| BUFFERS.iter().map(|buffer| value(delay, buffer)).collect();
    let values: Result<Vec<Vec<f64>>, Stop> = DELAYS.into_iter().map(row).collect();
    let title = format!("time saved by {window} segments, by what is not stated");
    let [x, y] = ["buffer in packets", "delay"].map(Axis::linear);
    let mut plot = Plot::new(&format!("grid_{window}"), &title, x, y);
    plot.heat = Some(HeatMap {
        columns: BUFFERS.map(str::to_owned).to_vec(),
        rows: DELAYS.map(str::to_owned).to_vec(),
        values: values?,
        label: "time saved".to_owned(),
    });
    Ok(plot)
}

/// Saving and retransmissions over the initial window, as in figures 4 and 5, with what is printed of each.
pub(super) fn plots(
    samples: &Samples,
    name: &str,
    figure: u32,
    printed: [Vec<(f64, f64)>; 2],
) -> [Plot; 2] {
    [(0, "time saved", 'a'), (1, "additional retransmissions", 'b')].map(|(index, label, part)| {
        let [x, y] = [Axis::log("initial window (segments)"), Axis::linear(label)];
        let points = WINDOWS.into_iter().filter_map(|window| {
            let spread = samples.spread(name, &quantities(window)[index]).ok()?;
            Some((f64::from(window), spread.median))
        });
        let plot = Plot::new(
            &format!("figure_{figure}{part}"),
            &format!("{label} (figure {figure}{part})"),
            x,
            y,
        );
        let plot = plot.line(label, Style::LinePoints, points);
        match printed[index].is_empty() {
            true => plot,
            false => plot.printed_points(label, printed[index].iter().copied()),
        }
    })
}
