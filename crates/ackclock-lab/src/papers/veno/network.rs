//! The senders and laws that all experiments of the paper share.

use crate::experiment::{Choice, Job, Stop};
use crate::papers::flows::{ENDLESS, Flow, Flows, dumbbell, second, starts};
use crate::published;
use ackclock::congestion::{BuiltIn, InitialWindow};
use ackclock::tcp::{Config, Nagle, RecoveryAlgorithm};
use ackclock::time::Duration;
use ackclock_emulator::Observer;
use std::collections::BTreeMap;

/// The random-loss threshold where ns was used; of it the paper says two things.
pub(super) const THRESHOLD: Choice = Choice {
    parameter: "threshold",
    value: "1",
    reason: "packets of backlog up to which a loss is taken for random: alpha of the pseudocode in \
             section 2.2",
};
/// The random-loss threshold of the implementation in NetBSD.
pub(super) const THRESHOLD_OF_NETBSD: Choice = Choice {
    parameter: "threshold",
    value: "3",
    reason: "packets of backlog up to which a loss is taken for random: the pseudocode of section \
             2.2 says alpha = 1, but of NetBSD's Veno the text on figure 1 says that equilibrium is \
             reached with more than beta = 3 packets in the buffer; later descriptions of Veno have 3",
};
/// How acks come where ns was used.
pub(super) const ACKS: Choice = Choice {
    parameter: "acks",
    value: "every",
    reason: "the receivers of ns acknowledge each packet unless another kind is chosen",
};
/// The sender's timer where ns was used.
pub(super) const TIMER: Choice = Choice {
    parameter: "timer",
    value: "rfc6298",
    reason: "each packet is timed by a fine clock, so that timeouts tell of the path; the paper names \
             no timer. That of ns then ticked by 100 ms and timed one packet at a time: a row",
};
/// The timer of ns in the nineties: `tcpTick_` 0.1 s, at least two of them, one packet at a time.
pub(super) const TIMER_OF_NS: &str = "jacobson88:ticks=100ms/2:one";

/// The law that the setting `law` names, `sack` or `veno`. Both grow by a segment per window of acks.
pub(super) fn law(job: &Job<'_>, word: &str) -> Result<BuiltIn, Stop> {
    match word {
        "sack" => Ok("reno:growth=per-ack".parse()?),
        "veno" => Ok(format!("veno:growth=per-ack,threshold={}", job.word("threshold")?).parse()?),
        other => Err(Stop::Failed(format!("there is no law '{other}'"))),
    }
}

/// Both ends of a connection: SACK with the pipe variable of Fall & Floyd, as the paper has it.
pub(super) fn connection(job: &Job<'_>, mss: u16) -> Result<Config, Stop> {
    let mut config = Config::default();
    config.mss = Some(mss);
    (config.timestamps, config.nagle) = (false, Nagle::Off);
    // "Receiver buffers at the destination are large enough" (section 3.1).
    (config.send_buffer, config.receive_buffer) = (1 << 20, 1 << 20);
    config.recovery = RecoveryAlgorithm::SackPipe;
    config.initial_window = InitialWindow::segments(1);
    config.ack_policy = job.get("acks")?;
    config.rto = job.get("timer")?;
    Ok(config)
}

/// Payload of a packet in figures 4 and 5.
pub(super) fn mss() -> u16 {
    published::whole("veno.loss_sweep.mss")
}

/// How long the paper's simulations are.
pub(super) fn length() -> Duration {
    published::seconds("veno.loss_sweep.duration_s")
}

/// The bottleneck of figures 4 and 5: its rate in units of 100 kbit/s, and its buffer in packets.
pub(super) fn loss_sweep() -> [u64; 2] {
    let rate: u64 = published::whole("veno.loss_sweep.link_bps");
    [rate / 100_000, published::whole("veno.loss_sweep.buffer_packets")]
}

/// Figure 2(b), with a pair of hosts for each flow; a flow for each of these laws. The rate in
/// units of 100 kbit/s, and the buffer in packets; settings `loss` and `delay` are the job's. A
/// packet takes up to `jitter` longer on each access link.
pub(super) fn bottleneck<O: Observer>(
    job: &Job<'_>,
    mss: u16,
    laws: &[&str],
    [rate, buffer]: [u64; 2],
    jitter: Duration,
    observer: O,
) -> Result<Flows<O>, Stop> {
    let (delay, loss) = (job.word("delay")?, job.word("loss")?);
    let line = format!("rate={rate}00kbit,delay={delay},queue={buffer}");
    let [there, back] = [loss, "0"].map(|loss| format!("{line},loss={loss}"));
    let jitter = jitter.as_nanos() / 1000;
    let access = format!("rate=100mbit,delay=0.1ms,jitter={jitter}us,loss=0,queue=infinite");
    let dumbbell = dumbbell([&there, &back, &access], laws.len())?;
    let settings = connection(job, mss)?;
    let by_host: Result<Vec<_>, _> = laws.iter().map(|word| law(job, word)).collect();
    let by_host: BTreeMap<_, _> = dumbbell.senders.iter().copied().zip(by_host?).collect();
    let ends = dumbbell.senders.iter().zip(&dumbbell.receivers);
    // "Connections simultaneously start up", though no two computers do anything at one instant.
    let starts = starts(job, Duration::from_millis(100));
    let flows: Vec<_> = ends
        .zip(starts)
        .map(|((&from, &to), start)| Flow {
            from,
            to,
            ends: [settings; 2],
            start,
            pause: Duration::ZERO,
            amount: ENDLESS,
        })
        .collect();
    let law = |host| by_host.get(&host).copied().unwrap_or_default();
    Flows::new(job, &dumbbell.topology, law, &flows, observer)
}

/// Share of the bottleneck's bits that were payload, each byte counted once; the rate as above.
pub(super) fn utilisation<O: Observer>(flows: &Flows<O>, rate: u64) -> f64 {
    let delivered: u64 = (0..flows.count()).map(|flow| flows.delivered(flow)).sum();
    delivered as f64 * 8.0 / (rate as f64 * 1e5) / second(flows.emulator.now())
}
