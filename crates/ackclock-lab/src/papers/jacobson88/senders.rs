//! The senders and receivers of the paper: before the seven algorithms, and with them.

use crate::experiment::{Choice, Job, Stop};
use crate::published;
use ackclock::congestion::{BuiltIn, InitialWindow};
use ackclock::tcp::{
    AckPolicy, AckTimer, Config, Nagle, RecoveryAlgorithm, RestartAfterIdle, RtoConfig, Ticks,
};

/// Payload of a packet.
pub(super) fn mss() -> u32 {
    published::whole("jacobson88.startup.mss")
}

/// The clock and the measurements of the old sender.
pub(super) const OLD_TIMER: Choice = Choice {
    parameter: "old_timer",
    value: "rfc793:ticks:one",
    reason: "4.3BSD: ticks of 500 ms, at least two, one segment timed per window",
};
/// How the old sender's timeouts grow.
pub(super) const BACKOFF: Choice = Choice {
    parameter: "backoff",
    value: "linear",
    reason: "the paper says that exponential backoff is one of the new algorithms; 4.3BSD's timeout \
             grew by smaller factors at first",
};
/// The new sender's timer.
pub(super) const NEW_TIMER: Choice = Choice {
    parameter: "new_timer",
    value: "jacobson88:ticks=500ms/3:one",
    reason: "appendix A with k = 4 and BSD's ticks of 500 ms, at least three of them: BSD counts its \
             first measurement from one on, and mean and deviation of one tick make three. The \
             figures may have been measured with k = 2, since footnote 21 tells of the change",
};
/// Link overhead.
pub(super) const OVERHEAD: Choice = Choice {
    parameter: "overhead",
    value: "+38",
    reason: "bytes of the link besides 40 of headers, which make 25,000 bytes/s of data out of 28,800 \
             on the wire, the two rates that the paper prints",
};

/// Settings that both senders share.
fn common() -> Config {
    let mut config = Config::default();
    config.mss = Some(mss() as u16);
    (config.timestamps, config.sack, config.window_scaling) = (false, false, false);
    config.nagle = Nagle::Off;
    let window = published::whole("jacobson88.startup.window_bytes");
    (config.send_buffer, config.receive_buffer) = (window, window);
    config.initial_window = InitialWindow::segments(1);
    config.restart_after_idle = RestartAfterIdle::Never;
    config.ack_timer = AckTimer::BSD;
    config
}

/// 4.3BSD before the seven algorithms: the peer's window only, go-back-n, RFC 793's timer.
pub(super) fn old(job: &Job<'_>) -> Result<(BuiltIn, Config), Stop> {
    let mut config = common();
    config.recovery = RecoveryAlgorithm::GoBackN;
    config.rto = job.get("old_timer")?;
    config.rto.backoff = job.get("backoff")?;
    Ok(("none".parse()?, config))
}

/// With slow start and congestion avoidance; the timer repairs every loss (figure 12).
pub(super) fn new(job: &Job<'_>) -> Result<(BuiltIn, Config), Stop> {
    new_with(job.get("new_timer")?)
}

/// The same with that timer.
pub(super) fn new_with(timer: RtoConfig) -> Result<(BuiltIn, Config), Stop> {
    let mut config = common();
    config.recovery = RecoveryAlgorithm::TimeoutOnly;
    config.rto = timer;
    Ok(("tahoe".parse()?, config))
}

/// A timer by its estimator, with an exact clock or one of ticks, and a measurement for each ack or
/// one per window.
pub(super) fn timer(estimator: &str, clock: &str, sampling: &str) -> Result<RtoConfig, Stop> {
    let unknown = |word: &str| Stop::Failed(format!("there is no timer '{word}'"));
    let mut timer: RtoConfig = estimator.parse().map_err(|_| unknown(estimator))?;
    timer.ticks = (clock == "ticks").then_some(Ticks::BSD);
    timer.sampling = sampling.parse().map_err(|_| unknown(sampling))?;
    Ok(timer)
}

/// The one that the setting `sender` names.
pub(super) fn sender(job: &Job<'_>) -> Result<(BuiltIn, Config), Stop> {
    match job.word("sender")? {
        "old" => old(job),
        "new" => new(job),
        other => Err(Stop::Failed(format!("there is no sender '{other}'"))),
    }
}

/// A receiver of 4.3BSD: 35 % of the window or 200 ms.
pub(super) fn slow_receiver(config: Config) -> Config {
    let mut config = config;
    config.ack_policy = AckPolicy::Bsd43;
    config
}

/// A receiver that delays an ack for at most one packet.
pub(super) fn fast_receiver(config: Config) -> Result<Config, Stop> {
    let mut config = config;
    config.ack_policy =
        "delayed=200ms/0".parse().map_err(|_| Stop::Failed("no such policy".to_owned()))?;
    Ok(config)
}
