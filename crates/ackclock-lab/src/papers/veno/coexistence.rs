//! Figures 6 and 7: as many connections of Veno as of SACK over one bottleneck.

use super::network::{self, ACKS, THRESHOLD_OF_NETBSD, TIMER, TIMER_OF_NS};
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::compare::ratio;
use crate::papers::flows::second;
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::time::{Duration, Instant};
use ackclock_report::{Axis, Plot, Style};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "coexistence",
    paper: Paper::Veno,
    shows: "figures 6 and 7",
    title: "n connections of Veno and n of SACK: what each gets, and what SACK gets among itself",
    scenario: "Figure 2(b) with packets of 1000 bytes: n connections of Veno and n of SACK share \
               1.6 Mbit/s with a buffer of 15 packets (figure 6) or 16 Mbit/s with one of 150 \
               (figure 7), n = 1, 2, 4, 8, 16, without random loss or with 1 % on the forward link, \
               for 200 s. Throughput is in parts of a fair share of what the full link carries.",
    choices: &[
        Choice {
            parameter: "delay",
            value: "100ms",
            reason: "one way: printed for the topology of figure 2(b), where figure 4 uses it; not \
                     repeated here",
        },
        Choice {
            parameter: "jitter",
            value: "1",
            reason: "of each access link, at most, in times that the bottleneck takes for a packet: \
                     the paper says nothing of the access links. If all round trips are alike and \
                     nothing else is random, which packets find a full queue follows from the order \
                     in which the connections send; such traffic phase effects decide the shares \
                     then. A random time of up to a packet's is what ns's overhead_ is for",
        },
        THRESHOLD_OF_NETBSD,
        ACKS,
        TIMER,
    ],
    parameters: &[
        super::stated::RATE,
        super::stated::LOSS,
        super::stated::PAIRS,
        super::stated::MIX,
    ],
    sends: true,
    headline: &["veno", "sack"],
    seconds: Seconds { full: 300.0, quick: 12.0 },
    work: Work::Rust { variants, run, judge },
};

/// The rates of figures 6 and 7.
const SLOW: &str = "1.6mbit";
const FAST: &str = "16mbit";
/// Bytes of a segment; its packet has 40 more.
fn segment() -> u16 {
    published::whole("veno.coexistence.segment_bytes")
}
const COUNTS: [&str; 5] = ["1", "2", "4", "8", "16"];

fn variant(rate: &str, loss: &str, each: &str, mix: &str, seeds: u64) -> Variant {
    Variant::new(&[("rate", rate), ("loss", loss), ("n", each), ("mix", mix)], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let mut variants = Vec::new();
    for rate in [SLOW, FAST] {
        let seeds = match (rate, quick) {
            (SLOW, true) => 4,
            (_, true) => 1,
            (SLOW, false) => 20,
            _ => 5,
        };
        let is_wanted = |each: &&str| !quick || *each == "2" || rate == SLOW;
        for each in COUNTS.into_iter().filter(is_wanted) {
            for loss in ["0", "1%"] {
                variants
                    .extend(["mixed", "alone"].map(|mix| variant(rate, loss, each, mix, seeds)));
            }
        }
    }
    let rows = if quick { 2 } else { 10 };
    for each in ["2", "4"] {
        let base = variant(SLOW, "0", each, "mixed", rows);
        for (parameter, value) in [
            ("threshold", "1"),
            ("acks", "delayed=200ms/0"),
            ("timer", "jacobson88:ticks:one"),
            ("timer", TIMER_OF_NS),
            ("jitter", "0"),
            ("jitter", "4"),
            ("delay", "5ms"),
            ("delay", "20ms"),
            ("delay", "50ms"),
        ] {
            variants.push(base.but(parameter, value, rows));
        }
    }
    if !quick {
        for each in COUNTS {
            variants.push(variant(FAST, "0", each, "mixed", 3).but("jitter", "0", 3));
        }
        let base = variant(FAST, "0", "8", "mixed", 2);
        for (parameter, value) in [
            ("threshold", "1"),
            ("timer", TIMER_OF_NS),
            ("jitter", "4"),
            ("delay", "5ms"),
            ("delay", "20ms"),
            ("delay", "50ms"),
        ] {
            variants.push(base.but(parameter, value, 2));
        }
    }
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let case = usize::from(job.word("rate")? == FAST);
    let printed = |key: &str| published::whole(&format!("veno.coexistence.cases.{case}.{key}"));
    let bottleneck: [u64; 2] = [printed("link_bps") / 100_000, printed("buffer_packets")];
    let each: usize = job.get("n")?;
    let first = if job.word("mix")? == "mixed" { "veno" } else { "sack" };
    // In turn, so that neither kind starts first.
    let laws: Vec<_> = [first, "sack"].into_iter().cycle().take(2 * each).collect();
    // At a rate in units of 100 kbit/s.
    let packet_seconds = f64::from(segment() + 40) * 8.0 / (bottleneck[0] as f64 * 1e5);
    let jitter = Duration::from_nanos((job.get::<f64>("jitter")? * packet_seconds * 1e9) as u64);
    let mut flows = network::bottleneck(job, segment(), &laws, bottleneck, jitter, ())?;
    job.run_until(
        &mut flows.emulator,
        Instant::ZERO + published::seconds("veno.coexistence.duration_s"),
    )?;
    // "Such that a fair share of the link bandwidth is one" (footnote 5): of what a full link carries
    // besides headers.
    let share = f64::from(segment()) / packet_seconds / (2 * each) as f64;
    let got = |flow: usize| flows.delivered(flow) as f64 / second(flows.emulator.now()) / share;
    let mean = |kind: usize| (0..each).map(|flow| got(2 * flow + kind)).sum::<f64>() / each as f64;
    let mut sample = Sample::new();
    if first == "veno" {
        sample.set("veno", mean(0));
        sample.set("sack", mean(1));
        let both = (mean(0) + mean(1)) / 2.0;
        sample.set("veno_of_what_all_get", mean(0) / both);
    } else {
        sample.set("sack", (mean(0) + mean(1)) / 2.0);
    }
    Ok(sample)
}

/// Where Veno or SACK gets less or more than a fair share where the paper says that it is fair.
const UNFAIR: [[&str; 3]; 4] =
    [[SLOW, "1", "veno"], [SLOW, "2", "sack"], [FAST, "2", "veno"], [FAST, "2", "sack"]];
/// Where SACK beside Veno does not get what it gets among itself, against the paper.
const ANOTHER: [[&str; 3]; 4] =
    [[SLOW, "0", "1"], [FAST, "0", "2"], [SLOW, "1%", "4"], [SLOW, "1%", "8"]];

/// What n Veno and n SACK connections get; the variants are those, and SACK among itself.
fn judge_pair(
    samples: &Samples,
    findings: &mut Findings,
    [rate, loss, each]: [&str; 3],
    [mixed, alone]: &[String; 2],
) -> Result<(), Stop> {
    let which = format!("{rate}, loss {loss}, {each}+{each}");
    let is_fair = loss == "0" && (rate == FAST || ["1", "2"].contains(&each));
    for (law, title) in [("veno", "Veno"), ("sack", "SACK")] {
        let quantity = format!("share of {title}, {which}");
        let mut finding = Finding::new(quantity, samples.spread(mixed, law)?);
        if is_fair {
            finding = finding
                .paper(published::text("veno.coexistence.fair_at_low_loss"))
                .tolerance(Tolerance::around(1.0, 0.1));
            if UNFAIR.contains(&[rate, each, law]) {
                finding = finding.missed("not its fair share: see the notes");
            }
        }
        findings.push(finding);
    }
    if loss != "0" {
        let more = samples.derived(mixed, "shares of both", |sample| {
            Some(sample.get("veno")? / sample.get("sack")?)
        })?;
        findings.push(
            Finding::new(format!("Veno over SACK beside it, {which}"), more)
                .paper(published::text("veno.coexistence.at_high_loss"))
                .tolerance(Tolerance::Above(1.0)),
        );
    }
    let kept = ratio(samples, [mixed, alone], "sack")?;
    let mut finding =
        Finding::new(format!("SACK beside Veno over SACK among itself, {which}"), kept);
    if is_fair || loss != "0" {
        finding = finding
            .paper("SACK gets what it would get among SACK flows")
            .tolerance(Tolerance::around(1.0, 0.1));
        if ANOTHER.contains(&[rate, loss, each]) {
            finding = finding.missed("contradicted: see the notes");
        }
    }
    findings.push(finding);
    Ok(())
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    for (rate, loss) in [(SLOW, "0"), (FAST, "0"), (SLOW, "1%"), (FAST, "1%")] {
        let name = |each: &str, mix: &str| variant(rate, loss, each, mix, 1).name();
        let counts: Vec<&str> = COUNTS
            .into_iter()
            .filter(|each| samples.of(&name(each, "mixed")).next().is_some())
            .collect();
        for &each in &counts {
            let variants = [name(each, "mixed"), name(each, "alone")];
            judge_pair(samples, &mut findings, [rate, loss, each], &variants)?;
        }
        let [x, y] = [Axis::linear("connections of each kind"), Axis::linear("share")];
        let figure = if rate == SLOW { 6 } else { 7 };
        let part = if loss == "0" { 'a' } else { 'b' };
        let title = format!("mean throughput, {rate}, loss {loss} (figure {figure}{part})");
        let mut plot = Plot::new(&format!("shares_{figure}{part}"), &title, x, y);
        for (line, mix, law) in
            [("Veno", "mixed", "veno"), ("SACK", "mixed", "sack"), ("SACK alone", "alone", "sack")]
        {
            let points = counts.iter().filter_map(|each| {
                let share = samples.spread(&name(each, mix), law).ok()?.median;
                Some((each.parse().ok()?, share))
            });
            plot = plot.line(line, Style::LinePoints, points);
        }
        findings.plots.push(plot);
    }
    findings.note(
        "\"SACK gets what it would get among SACK flows\" is contradicted at 1.6 Mbit/s: beside four Veno \
         connections four of SACK get a quarter less than among themselves, with 1 % of loss and without, \
         since Veno takes losses in the shared queue for random while its backlog is at most three \
         packets. Nor is Veno's share fair where little is lost: alone beside one SACK connection it gets \
         less than its share, since it grows at half the pace while more than three packets wait. That Veno \
         gets more than SACK beside it at 1 % of loss holds for every number.",
    );
    findings.note(
        "Without random times on the access links (jitter 0) the order in which packets meet the full \
         queue is locked by round trips that are all alike, and the shares follow from it.",
    );
    Ok(findings)
}
