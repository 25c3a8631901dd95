//! Figure 1: acks as a clock that strobes packets into the network.

use super::queue::lasting;
use super::senders::{self, mss};
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::packets::segment;
use crate::papers::flows::{ENDLESS, Flow, Flows, ethernet, second, seconds};
use crate::published;
use crate::sample::{Sample, Samples, Spread};
use ackclock::tcp::AckPolicy;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Event, LinkId, Observer, Path, Rate, Recorder, Topology};
use ackclock_report::{Axis, Plot, Style};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "ack_clock",
    paper: Paper::Jacobson88,
    shows: "figure 1, footnote 10",
    title: "self-clocking: packets leave the sender at the spacing of the slowest link",
    scenario: "Two hosts on Ethernets, joined by a slow line. Path and line hold 16 packets, 8 each \
               way; the sender has a window of 22, ships it back to back, and then sends a packet for \
               each ack. Nothing is lost.",
    choices: &[Choice {
        parameter: "line",
        value: "55200bit",
        reason: "on which a packet of 512 bytes of data takes 80 ms; what is measured is in parts of that",
    }],
    parameters: &[super::stated::WINDOW],
    sends: true,
    headline: &["spacing_of_packets_sent", "queue"],
    seconds: Seconds { full: 0.2, quick: 0.2 },
    work: Work::Rust { variants, run, judge },
};

fn printed(key: &str) -> f64 {
    published::number(&format!("jacobson88.self_clocking.{key}"))
}

fn variant(window: &str) -> Variant {
    Variant::new(&[("window", window)], 1)
}

fn variants(_quick: bool) -> Vec<Variant> {
    let base = variant(&printed("window_packets").to_string());
    vec![base.but("line", "1.5mbit", 1), base]
}

/// Where packets and acks are seen, in the order in which they come by: the quantity, the words of the
/// report, and the paper's letter for the time between two of them.
const PLACES: [(&str, &str, &str); 5] = [
    ("spacing_behind_line", "packets behind the slow line", "P_b"),
    ("spacing_at_receiver", "packets at the receiver", "P_r"),
    ("spacing_of_acks_sent", "acks that the receiver sends", "A_r"),
    ("spacing_of_acks_at_sender", "acks at the sender", "A_s"),
    ("spacing_of_packets_sent", "packets that the sender sends", "P_s"),
];

/// When something came by at each place.
#[derive(Debug)]
struct Passages {
    /// The sender's Ethernet, the line and the receiver's Ethernet, each there and back.
    hops: [[LinkId; 2]; 3],
    at: [Vec<Instant>; 5],
}

impl Observer for Passages {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        let Some(packet) = event.packet() else { return };
        let [senders, line, receivers] = self.hops;
        let (place, wants_data) = match event {
            Event::Delivered(_) if packet.link == line[0] => (0, true),
            Event::Delivered(_) if packet.link == receivers[0] => (1, true),
            Event::Sent(_) if packet.link == receivers[1] => (2, false),
            Event::Delivered(_) if packet.link == senders[1] => (3, false),
            Event::Sent(_) if packet.link == senders[0] => (4, true),
            _ => return,
        };
        let has_data = segment(packet).is_some_and(|segment| !segment.payload.is_empty());
        if has_data == wants_data {
            self.at[place].push(now);
        }
    }
}

/// The time that a packet of data with its headers takes on the line.
fn packet_time(job: &Job<'_>) -> Result<f64, Stop> {
    Ok(f64::from(mss() + 40) * 8.0 / job.get::<Rate>("line")?.bits_per_second() as f64)
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let packet = packet_time(job)?;
    let round_trip = printed("path_packets") * packet;
    // What is not the packet's time on the line is propagation; the Ethernets take a little of it.
    let ethernets = 4.0 * 1e-4 + 2.0 * f64::from(mss() + 40 + 40) * 8.0 / 1e7;
    let delay = ((round_trip - packet - ethernets) / 2.0 * 1e6).round();
    let rate = job.word("line")?;
    let line: Path = format!("rate={rate},delay={delay}us,loss=0,queue=infinite,ack=0").parse()?;
    let chain = Topology::chain(&[ethernet()?, [line.clone(), line], ethernet()?]);
    let window: u32 = job.get("window")?;
    let (_, mut settings) = senders::new_with("jacobson88".parse()?)?;
    (settings.send_buffer, settings.receive_buffer) = (window * mss(), window * mss());
    settings.ack_policy = AckPolicy::EverySegment;
    let [from, to] = chain.ends;
    let flow = Flow {
        from,
        to,
        ends: [settings; 2],
        start: Instant::ZERO,
        pause: Duration::ZERO,
        amount: ENDLESS,
    };
    let hops = [chain.hops[0], chain.hops[1], chain.hops[2]];
    let observer = (Passages { hops, at: Default::default() }, Recorder::default());
    let law = "none".parse()?;
    let mut flows = Flows::new(job, &chain.topology, |_| law, &[flow], observer)?;
    let after = |packets: f64| Instant::from_nanos((packets * packet * 1e9) as u64);
    // A few round trips until everything is as it stays, and ten windows of it.
    let span = [after(5.0 * 22.0), after(15.0 * 22.0)];
    job.run_until(&mut flows.emulator, span[1])?;
    let (passages, recorder) = flows.emulator.into_observer().0;
    let mut sample = Sample::new();
    for ((quantity, ..), at) in PLACES.iter().zip(&passages.at) {
        let steady: Vec<f64> =
            at.iter().filter(|at| **at >= span[0]).map(|at| second(*at) / packet).collect();
        // The one that is farthest from the packet's time on the line.
        let gaps = steady.windows(2).map(|pair| pair[1] - pair[0]);
        let worst = gaps.max_by(|one, other| (one - 1.0).abs().total_cmp(&(other - 1.0).abs()));
        sample.set(*quantity, worst.unwrap_or(f64::NAN));
    }
    let queue = recorder.link(hops[1][0]).map(|link| &link.waiting_packets);
    let packet = Duration::from_nanos((packet * 1e9) as u64);
    if let Some([least, most]) = queue.and_then(|queue| lasting(queue, span, packet)) {
        sample.set("least_queue", least);
        sample.set("queue", most);
    }
    if job.draws() {
        sample.draw(draw(&passages, seconds(packet)));
    }
    Ok(sample)
}

/// The first two round trips: where packets and acks are over time. The burst becomes a train with the
/// spacing of the slow line, which it keeps.
fn draw(passages: &Passages, packet: f64) -> Plot {
    let shown = 0.0..2.6 * printed("path_packets") * packet;
    let [x, y] =
        [Axis::linear("time (packets on the slow line)"), Axis::linear("place on the way")];
    let title = "where packets and acks are: 0 the sender, 1 behind the slow line, 2 the receiver (figure 1)";
    let first = passages.at[4].first().map_or(0.0, |at| second(*at));
    let heights = [1.0, 2.0, 2.1, 0.1, 0.0];
    // From the sender over the line and back to it.
    [4, 0, 1, 2, 3].into_iter().fold(Plot::new("clock", title, x, y), |plot, place| {
        let at = passages.at[place].iter().map(|at| second(*at) - first);
        let at = at.filter(|at| shown.contains(at));
        plot.line(PLACES[place].1, Style::Points, at.map(|at| (at / packet, heights[place])))
    })
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let name = variant(&printed("window_packets").to_string()).name();
    let mut findings = Findings::new();
    for (quantity, what, letter) in PLACES {
        findings.push(
            Finding::new(
                format!("time between {what} over a packet's on the slow line ({letter})"),
                samples.spread(&name, quantity)?,
            )
            .paper(format!("1: {}", published::text("jacobson88.self_clocking.spacing")))
            .tolerance(Tolerance::around(1.0, 0.001)),
        );
    }
    let [most, least] = ["queue", "least_queue"].map(|each| samples.spread(&name, each));
    for (what, spread) in [("most", most?), ("fewest", least?)] {
        findings.push(queue(what, spread));
    }
    Ok(findings)
}

/// The queue that is left of the first burst.
fn queue(what: &str, spread: Spread) -> Finding {
    let excess = printed("window_packets") - printed("path_packets");
    Finding::new(format!("{what} packets that wait for the slow line, after the burst"), spread)
        .paper(format!(
            "{}, what the window exceeds the path by: {excess}",
            printed("queue_packets")
        ))
        .tolerance(Tolerance::Exactly(printed("queue_packets")))
}
