//! The hosts of the tests: NetBSD 1.2.1, and transfers of 16 kB with various initial windows.

use crate::experiment::{Choice, Job, Stop};
use crate::papers::flows::{Flow, Flows, ethernet};
use crate::published;
use ackclock::apps::Amount;
use ackclock::congestion::{BuiltIn, InitialWindow};
use ackclock::tcp::{AckPolicy, AckTimer, Config, RecoveryAlgorithm, RestartAfterIdle};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Path, Topology};

/// Initial windows in segments; 8 is read off the sequence.
pub(super) const WINDOWS: [u16; 7] = [1, 2, 3, 4, 8, 16, 32];
/// Bytes of a segment.
pub(super) const MSS: u16 = 512;

/// The sender's timer.
pub(super) const TIMER: Choice = Choice {
    parameter: "timer",
    value: "jacobson88:ticks=500ms/3:one",
    reason: "NetBSD 1.2.1 as other systems from BSD: ticks of 500 ms, one segment timed per window; \
             at least three, since the first measurement counts from one on, and mean and deviation \
             of one tick make three",
};
/// The receiver's acks.
pub(super) const ACK_TIMER: Choice = Choice {
    parameter: "ack_timer",
    value: "heartbeat",
    reason: "BSD looks for delayed acks every 200 ms; other systems time each",
};

/// What one transfer took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    /// From the SYN to the last ack.
    pub(super) seconds: f64,
    pub(super) retransmissions: f64,
}

/// Reno as BSD had it, and the receiver.
pub(super) fn connection(job: &Job<'_>, window: u16) -> Result<(BuiltIn, Config), Stop> {
    let mut config = Config::default();
    config.mss = Some(MSS);
    (config.timestamps, config.sack, config.window_scaling) = (false, false, false);
    // The receiver's window "exceeded our largest initial window".
    (config.send_buffer, config.receive_buffer) = (32_768, 32_768);
    config.recovery = RecoveryAlgorithm::Reno;
    config.initial_window = InitialWindow::segments(window);
    // Nothing is idle here but for want of acks, which BSD, counting from the last segment that
    // arrived, does not take for idleness.
    config.restart_after_idle = RestartAfterIdle::Never;
    let timeout = Duration::from_millis(200);
    config.ack_policy = AckPolicy::Delayed { timeout, quick_acks: 0 };
    config.ack_timer = match job.word("ack_timer")? {
        "heartbeat" => AckTimer::BSD,
        _ => AckTimer::PerSegment,
    };
    config.rto = job.get("timer")?;
    config.rto.initial = Duration::from_secs(6);
    Ok(("reno:growth=per-ack".parse()?, config))
}

/// A transfer from a host on an Ethernet over these hops.
pub(super) fn transfer(
    job: &Job<'_>,
    seed: u64,
    window: u16,
    hops: &[[Path; 2]],
) -> Result<Taken, Stop> {
    let mut all = vec![ethernet()?];
    all.extend_from_slice(hops);
    let chain = Topology::chain(&all);
    let (law, settings) = connection(job, window)?;
    let [from, to] = chain.ends;
    let amount = Amount::Bytes(published::whole("allman98.transfers.bytes"));
    let flow =
        Flow { from, to, ends: [settings; 2], start: Instant::ZERO, pause: Duration::ZERO, amount };
    let mut flows = Flows::seeded(job, seed, &chain.topology, |_| law, &[flow], ())?;
    flows.run_until_done(job, Instant::from_secs(3600))?;
    let retransmissions = flows.info(0).map_or(0.0, |info| info.retransmitted as f64);
    let seconds = flows.seconds(0);
    let seconds = seconds.ok_or_else(|| Stop::Failed("the transfer is not over".to_owned()))?;
    Ok(Taken { seconds, retransmissions })
}

/// The names of the time saved against one segment, and of the additional retransmissions.
pub(super) fn quantities(window: u16) -> [String; 2] {
    [format!("saved_by_{window}"), format!("extra_retransmissions_of_{window}")]
}
