//! Appendix D: how often a window that grows by a packet and is halved loses one.

use super::senders::{self, NEW_TIMER, mss};
use crate::experiment::{Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::flows::{ENDLESS, Flow, Flows};
use crate::published;
use crate::sample::{Sample, Samples, Spread};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Path, Topology};
use ackclock_report::{Axis, Plot, Style, number};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "window_adjustment",
    paper: Paper::Jacobson88,
    shows: "appendix D",
    title: "a packet more in each round trip, and half after a drop: how many packets are dropped",
    scenario: "One conversation over a path that holds 4.5 packets, as the Arpanet, behind a gateway \
               whose buffer makes 8 to 120 packets of it: the window converges to what path and buffer \
               hold. Nothing is lost but by the full buffer.",
    choices: &[NEW_TIMER],
    parameters: &[super::stated::WINDOW, super::stated::ACKS],
    sends: true,
    headline: &["drop_rate"],
    seconds: Seconds { full: 3.0, quick: 0.5 },
    work: Work::Rust { variants, run, judge },
};

/// Packets that path and buffer hold, w.
const WINDOWS: [u32; 6] = [8, 10, 12, 30, 60, 120];

fn variant(window: u32, seeds: u64) -> Variant {
    Variant::new(&[("window", &window.to_string())], seeds)
}

/// With receivers that delay an ack for at most one packet.
fn delayed(window: u32, seeds: u64) -> Variant {
    Variant::new(&[("window", &window.to_string()), ("acks", "delayed=200ms/0")], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let seeds = if quick { 3 } else { 10 };
    let mut variants = WINDOWS.map(|window| variant(window, seeds)).to_vec();
    variants.extend(WINDOWS.map(|window| delayed(window, seeds)));
    variants.push(variant(12, seeds).but("new_timer", "jacobson88:ticks:one", seeds));
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let path = (published::number("jacobson88.window_adjustment.path_packets.0")
        + published::number("jacobson88.window_adjustment.path_packets.1"))
        / 2.0;
    let window: u32 = job.get("window")?;
    // A packet takes 80 ms on the line, and there is one in service.
    let packet = Duration::from_millis(80);
    let rate = u64::from(mss() + 40) * 8 * 1000 / packet.as_millis();
    let delay = (path - 1.0) / 2.0 * packet.as_nanos() as f64 / 1e3;
    let buffer = (f64::from(window) - path).round();
    let line = format!("rate={rate}bit,delay={delay}us,loss=0,ack=0");
    let [there, back]: [Path; 2] =
        [format!("{line},queue={buffer}").parse()?, format!("{line},queue=infinite").parse()?];
    let chain = Topology::chain(&[[there, back]]);
    let (law, mut settings) = senders::new(job)?;
    // The peer's window is none.
    (settings.send_buffer, settings.receive_buffer) = (127 * mss(), 127 * mss());
    settings.ack_policy = job.get("acks")?;
    let [from, to] = chain.ends;
    // Each run meets the timer's ticks at another time.
    let start = Instant::from_millis(70 * job.seed);
    let flow =
        Flow { from, to, ends: [settings; 2], start, pause: Duration::ZERO, amount: ENDLESS };
    let mut flows = Flows::new(job, &chain.topology, |_| law, &[flow], ())?;
    // Without the beginning, where slow start overshoots.
    let mut counts = [(0, 0); 2];
    for (count, until) in counts.iter_mut().zip([100, 3100]) {
        job.run_until(&mut flows.emulator, Instant::from_secs(until))?;
        let line = flows.emulator.statistics(chain.hops[0][0]);
        *count = (line.packets_offered, line.packets_dropped);
    }
    let [before, after] = counts;
    let (packets, drops) = ((after.0 - before.0) as f64, (after.1 - before.1) as f64);
    let mut sample = Sample::new();
    sample.set("drop_rate", drops / packets);
    // As many at least, if none was dropped.
    sample.set("packets_between_drops", packets / drops.max(1.0));
    Ok(sample)
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    let printed = |key: &str| format!("jacobson88.window_adjustment.{key}");
    let rate = published::number(&printed("drop_rate"));
    let end = |end| published::whole::<u32>(&printed(&format!("windows_of_the_arpanet.{end}")));
    let (least, most) = (end(0), end(1));
    for window in [least, (least + most) / 2, most] {
        for (acks, name) in
            [("each packet", variant(window, 1).name()), ("two", delayed(window, 1).name())]
        {
            let finding = Finding::new(
                format!("packets dropped, share, window of {window}, an ack for {acks}"),
                samples.spread(&name, "drop_rate")?,
            )
            .paper(format!("{} with windows of {least} to {most}", number(rate)));
            findings.push(match (window == least || window == most, acks) {
                (false, "two") => finding.tolerance(Tolerance::around(rate, 0.05)),
                _ => finding.note("the one in the middle, with 4.3+BSD's receiver, is judged"),
            });
        }
    }
    let between = |window| samples.spread(&variant(window, 1).name(), "packets_between_drops");
    let [small, large] = [WINDOWS[4], WINDOWS[5]];
    let power = (between(large)?.median / between(small)?.median).log2();
    findings.push(
        Finding::new(
            format!("power of the packets between drops in the window, {small} to {large}"),
            Spread::exactly(power),
        )
        .paper(format!("2: {}", published::text(&printed("packets_between_drops"))))
        .tolerance(Tolerance::around(2.0, 0.05)),
    );
    let [x, y] = [Axis::log("window (packets)"), Axis::log("packets between drops")];
    let mut plot = Plot::new("between_drops", "packets between two drops (appendix D)", x, y);
    for (title, of) in [
        ("an ack for each packet", variant as fn(u32, u64) -> Variant),
        ("an ack for two", delayed),
    ] {
        let points = WINDOWS.into_iter().filter_map(|window| {
            let spread = samples.spread(&of(window, 1).name(), "packets_between_drops").ok()?;
            Some((f64::from(window), spread.median))
        });
        plot = plot.line(title, Style::LinePoints, points);
    }
    let points = WINDOWS.map(|window| (f64::from(window), 0.375 * f64::from(window * window)));
    findings.plots.push(plot.line("3/8 w^2", Style::Dashes, points));
    Ok(findings)
}
