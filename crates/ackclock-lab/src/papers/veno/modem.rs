//! Figure 1: windows, sending rates and backlog over a modem line.

use super::network::{self, ACKS, THRESHOLD_OF_NETBSD, TIMER};
use crate::drawing::{DrawSeries, together};
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::compare::{derived, ratio};
use crate::papers::flows::{Flow, Flows, ethernet, second};
use crate::papers::segments::{Conversation, SegmentLog, rate_over};
use crate::published;
use crate::sample::{Sample, Samples, Spread};
use ackclock::apps::Amount;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{ConnectionRecord, Path, Recorder, Topology};
use ackclock_report::{Axis, Plot, Style};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "modem",
    paper: Paper::Veno,
    shows: "figure 1",
    title: "saw teeth of the window over a modem line: Veno stays longer near a full path",
    scenario: "A file of 512 kB over a modem line of 33.6 kbit/s with a round trip of 150 ms; the \
               window between 20 and 80 s.",
    choices: &[
        Choice {
            parameter: "mss",
            value: "512",
            reason: "the paper sets the segment size \"to 512kbytes in order to see window \
                     evolution clearly\", which is meant to be bytes",
        },
        Choice {
            parameter: "buffer",
            value: "11",
            reason: "packets; with so many Veno has the three teeth of the figure and SACK four, with ten \
                     SACK has its five and Veno four: no buffer gives both",
        },
        THRESHOLD_OF_NETBSD,
        ACKS,
        TIMER,
    ],
    parameters: &[super::stated::LAW],
    sends: true,
    headline: &["teeth"],
    seconds: Seconds { full: 3.0, quick: 1.0 },
    work: Work::Rust { variants, run, judge },
};

fn variant(law: &str, seeds: u64) -> Variant {
    Variant::new(&[("law", law)], seeds)
}

fn variants(quick: bool) -> Vec<Variant> {
    let seeds = if quick { 3 } else { 10 };
    let mut variants = Vec::new();
    for law in ["sack", "veno"] {
        let base = variant(law, seeds);
        for (parameter, value) in [
            ("mss", "256"),
            ("mss", "1460"),
            ("buffer", "8"),
            ("buffer", "14"),
            ("buffer", "10"),
            ("acks", "delayed=200ms/0"),
            ("timer", "jacobson88:ticks:one"),
        ] {
            variants.push(base.but(parameter, value, seeds));
        }
        variants.push(base);
    }
    variants.push(variant("veno", seeds).but("threshold", "1", seeds));
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let buffer = job.word("buffer")?;
    let printed = |key: &str| published::number(&format!("veno.modem.{key}"));
    let (rate, delay) = (printed("link_bps"), printed("rtt_s") / 2.0);
    let line: Path = format!("rate={rate}bit,delay={delay}s,loss=0,queue={buffer}").parse()?;
    let chain = Topology::chain(&[ethernet()?, [line.clone(), line]]);
    let mss = job.get("mss")?;
    let settings = network::connection(job, mss)?;
    let law = network::law(job, job.word("law")?)?;
    let [from, to] = chain.ends;
    // Each run meets the line's clock at another time.
    let start = Instant::from_millis(10 * job.seed);
    let flow = Flow {
        from,
        to,
        ends: [settings; 2],
        start,
        pause: Duration::ZERO,
        amount: Amount::Bytes(published::whole("veno.modem.transfer_bytes")),
    };
    let observer = (Recorder::default(), SegmentLog::new([from]));
    let mut flows = Flows::new(job, &chain.topology, |_| law, &[flow], observer)?;
    let mut reductions = [0; 2];
    for (count, until) in reductions.iter_mut().zip(SPAN) {
        job.run_until(&mut flows.emulator, until)?;
        *count = flows.info(0).map_or(0, |info| info.fast_recoveries + info.timeouts);
    }
    let mut sample = Sample::new();
    sample.set("teeth", (reductions[1] - reductions[0]) as f64);
    let delivered = flows.delivered(0) as f64 * 8.0 / rate / 80.0;
    sample.set("utilisation", delivered);
    let (recorder, log) = flows.emulator.into_observer().0;
    let missing = || Stop::Failed("nothing was sent".to_owned());
    let connection = recorder.connections().find(|each| each.host == from).ok_or_else(missing)?;
    let conversation = log.conversation(0).ok_or_else(missing)?;
    let figure =
        Figure { connection, conversation, mss: f64::from(mss), base_s: base_rtt(connection) };
    figure.measure(&mut sample);
    if job.draws() {
        figure.draw(&mut sample, job.word("law")?);
    }
    Ok(sample)
}

/// The time that the figure shows.
const SPAN: [Instant; 2] = [Instant::from_secs(20), Instant::from_secs(80)];
/// Over which sending rates are averaged.
const INTERVAL: Duration = Duration::from_secs(2);

/// The least round trip of the connection, in seconds.
fn base_rtt(connection: &ConnectionRecord) -> f64 {
    let least = connection.rtt.steps().iter().map(|(_, rtt)| *rtt).min();
    least.map_or(f64::NAN, |rtt| rtt as f64 / 1e9)
}

/// What the figure shows of one sender.
struct Figure<'r> {
    connection: &'r ConnectionRecord,
    conversation: &'r Conversation,
    mss: f64,
    base_s: f64,
}

impl Figure<'_> {
    /// Packets that are estimated to be in the bottleneck's buffer: DIFF * BaseRTT of the paper, with the
    /// smoothed round-trip time.
    fn backlog(&self, at: Instant) -> Option<f64> {
        let [cwnd, rtt] = [&self.connection.cwnd, &self.connection.rtt].map(|of| of.at(at));
        Some(cwnd? as f64 / self.mss * (1.0 - self.base_s / (rtt? as f64 / 1e9)))
    }

    /// Packets per second that are sent, over the span.
    fn rates(&self) -> Vec<(f64, f64)> {
        let rates =
            rate_over(SPAN[1], INTERVAL, |at| self.conversation.sent_by(at) as f64 / self.mss);
        rates.into_iter().filter(|(at, _)| *at > second(SPAN[0])).collect()
    }

    fn measure(&self, sample: &mut Sample) {
        let cwnd = self.connection.cwnd.over(SPAN[0], SPAN[1]);
        sample.set("mean_window", cwnd.map_or(f64::NAN, |cwnd| cwnd.mean / self.mss));
        let every = Duration::from_millis(100);
        let times = std::iter::successors(Some(SPAN[0]), |at| Some(*at + every));
        let times = times.take_while(|at| *at < SPAN[1]);
        let windows = times.filter_map(|at| Some(self.connection.cwnd.at(at)? as f64));
        sample.set("window_variation", variation(windows.collect()));
        let rates = self.rates().into_iter().map(|(_, rate)| rate);
        sample.set("rate_variation", variation(rates.collect()));
        // When the window shrinks, the estimate just before.
        let steps = self.connection.cwnd.steps().windows(2);
        let shrinks = steps.filter(|pair| pair[1].1 < pair[0].1 && pair[1].0 >= SPAN[0]);
        let before = |at: Instant| Instant::from_nanos(at.as_nanos().saturating_sub(1));
        let backlogs = shrinks.filter_map(|pair| self.backlog(before(pair[1].0)));
        // A window that never shrinks has none.
        let least = Spread::of(backlogs).map_or(0.0, |spread| spread.least);
        sample.set("least_backlog_at_a_loss", least);
    }

    fn draw(&self, sample: &mut Sample, law: &str) {
        let panel = if law == "veno" { 'a' } else { 'b' };
        let plot = |name: &str, what: &str, unit: &str| {
            let [x, y] = [Axis::linear("time (s)"), Axis::linear(unit)];
            Plot::new(name, &format!("{what} (figure 1{panel})"), x, y)
        };
        sample.draw(plot("cwnd", "congestion window", "congestion window (packets)").series(
            law,
            &self.connection.cwnd,
            SPAN,
            self.mss,
        ));
        sample.draw(plot("rate", "sending rate over 2 s", "sending rate (packets/s)").line(
            law,
            Style::Line,
            self.rates(),
        ));
        let steps = self.connection.rtt.steps().iter().map(|(at, _)| *at);
        let steps = steps.filter(|at| (SPAN[0]..SPAN[1]).contains(at));
        let backlogs = steps.filter_map(|at| Some((second(at), self.backlog(at)?)));
        sample.draw(
            plot("backlog", "estimated packets in the bottleneck's buffer", "packets").line(
                law,
                Style::Steps,
                backlogs.collect::<Vec<_>>(),
            ),
        );
    }
}

/// Standard deviation over mean.
fn variation(values: Vec<f64>) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let square = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
    (square / count).sqrt() / mean
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let [sack, veno] = ["sack", "veno"].map(|law| variant(law, 1).name());
    let mut findings = Findings::new();
    for (name, key, title) in [(&sack, "sack", "SACK"), (&veno, "veno", "Veno")] {
        let key = format!("veno.modem.saw_teeth_20s_to_80s.{key}");
        let finding = Finding::new(format!("saw teeth of {title}"), samples.spread(name, "teeth")?)
            .paper(published::text(&key));
        findings.push(match title {
            "SACK" => finding
                .tolerance(Tolerance::Exactly(published::number(&key)))
                .missed("no buffer gives both: with ten packets SACK has five, and Veno four"),
            _ => finding.note("the buffer, which is not stated, is chosen so"),
        });
    }
    let fewer =
        derived(samples, [&veno, &sack], "teeth", |veno, sack| f64::from(u8::from(veno < sack)))?;
    findings.push(Finding::statement("Veno has fewer than SACK", fewer.median == 1.0));
    let claim = |key: &str| published::text(&format!("veno.modem.{key}"));
    for (quantity, what, key, tolerance) in [
        ("mean_window", "mean window", "window", Some(Tolerance::Above(1.0))),
        (
            "window_variation",
            "deviation of the window over its mean",
            "window",
            Some(Tolerance::Below(1.0)),
        ),
        ("rate_variation", "deviation of the sending rate over its mean", "smoother", None),
    ] {
        let finding = Finding::new(
            format!("{what}, Veno's over SACK's"),
            ratio(samples, [&veno, &sack], quantity)?,
        )
        .paper(claim(key));
        findings.push(match tolerance {
            Some(tolerance) => finding.tolerance(tolerance),
            None => finding.note("the line is full with both: runs differ by more than the laws"),
        });
    }
    findings.push(
        Finding::new(
            "least estimated packets in the buffer when Veno's window shrinks",
            samples.spread(&veno, "least_backlog_at_a_loss")?,
        )
        .paper(claim("halved"))
        .tolerance(Tolerance::Above(published::number("veno.algorithm.beta"))),
    );
    for (name, title) in [
        ("cwnd", "congestion windows (figure 1)"),
        ("rate", "sending rates over 2 s (figure 1)"),
        ("backlog", "estimated packets in the bottleneck's buffer (figure 1)"),
    ] {
        let both = [(veno.clone(), ""), (sack.clone(), "")];
        findings.plots.extend(together(samples, name, title, &both));
    }
    Ok(findings)
}
