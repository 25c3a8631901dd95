//! Figure 2: what slow start sends in each round trip, and the queue that it makes.

use super::queue::lasting;
use super::senders::{self, mss};
use crate::experiment::{Choice, Experiment, Job, Paper, Seconds, Stop, Variant, Work};
use crate::finding::{Finding, Findings, Tolerance};
use crate::papers::flows::{ENDLESS, Flow, Flows, second};
use crate::papers::segments::{Conversation, SegmentLog};
use crate::published;
use crate::sample::{Sample, Samples};
use ackclock::tcp::AckPolicy;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Path, Recorder, Topology};
use ackclock_report::{Axis, Plot, Style};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "chronology",
    paper: Paper::Jacobson88,
    shows: "figure 2",
    title: "slow start, round trip by round trip: twice as many packets, and a queue of half a window",
    scenario: "A conversation begins with one packet over a slow line whose path holds 64 packets, on \
               a network so fast that the two packets of each ack come to the line together. The \
               window opens to W packets, and the line's queue is as long as it gets.",
    choices: &[Choice {
        parameter: "round_trip",
        value: "6400ms",
        reason: "64 packets of 100 ms on the line: twice the largest window, so that rounds are told \
                 apart",
    }],
    parameters: &[super::stated::WINDOW],
    sends: true,
    headline: &["longest_queue"],
    seconds: Seconds { full: 0.3, quick: 0.3 },
    work: Work::Rust { variants, run, judge },
};

/// Packets of the window, W.
const WINDOWS: [u32; 4] = [4, 8, 16, 32];
/// Of which the rounds are told.
const LARGEST: u32 = 32;
/// Of a packet on the line.
const PACKET: Duration = Duration::from_millis(100);

fn variant(window: u32) -> Variant {
    Variant::new(&[("window", &window.to_string())], 1)
}

fn variants(_quick: bool) -> Vec<Variant> {
    let mut variants = WINDOWS.map(variant).to_vec();
    variants.push(variant(LARGEST).but("round_trip", "12800ms", 1));
    variants
}

fn run(job: &Job<'_>) -> Result<Sample, Stop> {
    let round_trip: Duration = job.get("round_trip")?;
    let window: u32 = job.get("window")?;
    let rate = u64::from(mss() + 40) * 8 * 1000 / PACKET.as_millis();
    let delay = (round_trip.as_micros() - PACKET.as_micros()) / 2;
    let line: Path =
        format!("rate={rate}bit,delay={delay}us,loss=0,queue=infinite,ack=0").parse()?;
    let chain = Topology::chain(&[[line.clone(), line]]);
    let (law, mut settings) = senders::new_with("jacobson88".parse()?)?;
    (settings.send_buffer, settings.receive_buffer) = (window * mss(), window * mss());
    settings.ack_policy = AckPolicy::EverySegment;
    settings.rto.initial = Duration::from_secs(30);
    let [from, to] = chain.ends;
    let flow = Flow {
        from,
        to,
        ends: [settings; 2],
        start: Instant::ZERO,
        pause: Duration::ZERO,
        amount: ENDLESS,
    };
    let observer = (SegmentLog::new([from]), Recorder::default());
    let mut flows = Flows::new(job, &chain.topology, |_| law, &[flow], observer)?;
    let rounds = window.ilog2() + 1;
    job.run_until(
        &mut flows.emulator,
        Instant::ZERO + round_trip.saturating_mul((rounds + 2).into()),
    )?;
    let (log, recorder) = flows.emulator.into_observer().0;
    let missing = || Stop::Failed("nothing was sent".to_owned());
    let conversation = log.conversation(0).ok_or_else(missing)?;
    let first = conversation.sent.first().ok_or_else(missing)?.at;
    let mut sample = Sample::new();
    let until = first + round_trip.saturating_mul(rounds.into());
    let queue = recorder.link(chain.hops[0][0]).map(|link| &link.waiting_packets);
    let queue = queue.and_then(|queue| lasting(queue, [first, until], PACKET));
    sample.set("longest_queue", queue.map_or(f64::NAN, |[_, most]| most));
    for (round, packets) in (1..).zip(by_round(conversation, first, round_trip, rounds)) {
        sample.set(format!("round_{round}"), packets);
    }
    if job.draws() && window == LARGEST {
        sample.draw(draw(conversation, first, round_trip, rounds));
    }
    Ok(sample)
}

fn in_seconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e9
}

/// Packets that were sent in each round trip.
fn by_round(
    conversation: &Conversation,
    first: Instant,
    round_trip: Duration,
    rounds: u32,
) -> Vec<f64> {
    let round = |at: Instant| ((second(at) - second(first)) / in_seconds(round_trip) + 1e-3) as u32;
    let sent = |wanted| conversation.sent.iter().filter(|sent| round(sent.at) == wanted).count();
    (0..rounds).map(|round| sent(round) as f64).collect()
}

/// The time line in pieces of a round trip, as the figure has it.
fn draw(conversation: &Conversation, first: Instant, round_trip: Duration, rounds: u32) -> Plot {
    let [x, y] = [Axis::linear("time in the round trip (s)"), Axis::linear("round trip")];
    let title = "when packets are sent and acks come, round trip by round trip (figure 2)";
    let place = |at: Instant| {
        let trips = (second(at) - second(first)) / in_seconds(round_trip) + 1e-9;
        ((trips - trips.floor()) * in_seconds(round_trip), trips.floor())
    };
    let shown = |(_, round): &(f64, f64)| (0.0..f64::from(rounds)).contains(round);
    let sent = conversation.sent.iter().map(|sent| place(sent.at)).filter(shown);
    let acked = conversation.acked.iter().map(|(at, _)| place(*at)).filter(shown);
    // An ack stands above the packets that it lets go.
    Plot::new("chronology", title, x, y).line("packets", Style::Points, sent).line(
        "acks",
        Style::Crosses,
        acked.map(|(x, round)| (x, round + 0.2)),
    )
}

fn judge(samples: &Samples) -> Result<Findings, Stop> {
    let mut findings = Findings::new();
    let printed = |key: &str| published::text(&format!("jacobson88.{key}"));
    let of = |window: u32, quantity: &str| samples.spread(&variant(window).name(), quantity);
    for round in 1..=LARGEST.ilog2() {
        let packets = f64::from(1 << (round - 1));
        findings.push(
            Finding::new(
                format!("packets sent in round trip {round}"),
                of(LARGEST, &format!("round_{round}"))?,
            )
            .paper(format!("{packets}: {}", printed("slow_start.rule")))
            .tolerance(Tolerance::Exactly(packets)),
        );
    }
    for window in WINDOWS {
        let half = f64::from(window / 2);
        findings.push(
            Finding::new(
                format!("longest queue while the window opens to {window} packets"),
                of(window, "longest_queue")?,
            )
            .paper(format!("{half}, by {}", printed("startup.slow_start_queue_packets")))
            .tolerance(Tolerance::Exactly(half)),
        );
    }
    Ok(findings)
}
