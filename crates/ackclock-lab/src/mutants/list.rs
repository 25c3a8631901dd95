//! The mutants. What each must turn follows from what the experiments claim; what it may turn keeps
//! from running what it cannot reach.

use super::{Change, Mutant};
use crate::mutants::law::LawFault;
use ackclock::congestion::{BuiltIn, InitialWindow};
use ackclock::tcp::{
    AckPolicy, Config, RecoveryAlgorithm, RestartAfterIdle, RtoBackoff, RtoEstimator, RttSampling,
};
use ackclock::time::Duration;
use ackclock_emulator::{Discipline, Loss, Path, Probability, QueueLimit};
use std::num::NonZeroU16;

/// A mutant of the list.
const fn mutant(
    name: &'static str,
    what: &'static str,
    turns: &'static [&'static str],
    may_turn: &'static [&'static str],
    change: Change,
) -> Mutant {
    Mutant { name, what, turns, spares: &[], may_turn, change }
}

impl Mutant {
    /// These experiments do not notice, though they must.
    const fn sparing(mut self, spares: &'static [&'static str]) -> Self {
        self.spares = spares;
        self
    }
}

/// All mutants.
pub const ALL: &[Mutant] = &[
    mutant(
        "byte-counting-counts-nothing",
        "ABC, LBC and SABC count each ack for one segment",
        &["allman99.scaled", "allman99.many_flows"],
        &["allman99.mixed", "allman99.one_on_one"],
        Change::Laws(|law| growth(law, "per-ack", &["abc", "lbc", "sabc"])),
    ),
    mutant(
        "abc-is-lbc",
        "ABC counts bytes in every slow start",
        &["allman99.many_flows"],
        &[],
        Change::Laws(|law| growth(law, "lbc", &["abc"])),
    ),
    mutant(
        "slow-start-counts-thrice",
        "an ack in slow start counts three times",
        &["allman98.equations"],
        &["allman98", "allman99.one_on_one", "allman99.scaled", "jacobson88", "veno.modem"],
        Change::Law(LawFault::SlowStartTimes(3)),
    ),
    mutant(
        "byte-counting-counts-thrice",
        "ABC, LBC and SABC count what an ack acknowledges three times in slow start",
        &["allman99.many_flows"],
        &["allman99.scaled", "allman99.one_on_one"],
        Change::Law(LawFault::BytesTimes(3)),
    ),
    mutant(
        "avoidance-counts-thrice",
        "an ack in congestion avoidance counts three times",
        &["zhang91.one_way_3", "jacobson88.four_conversations"],
        &[
            "zhang91",
            "jacobson88.delay_sweep",
            "jacobson88.window_adjustment",
            "veno.loss_sweep",
            "veno.modem",
        ],
        Change::Law(LawFault::AvoidanceTimes(3)),
    ),
    mutant(
        "fast-retransmit-keeps-three-quarters",
        "a fast retransmit leaves three quarters of the window",
        &["veno.dummynet", "zhang91.one_way_3"],
        &["zhang91", "allman99.one_on_one", "veno.loss_sweep", "veno.modem", "veno.utilisation"],
        Change::Law(LawFault::ThreeQuarters),
    )
    // Utilisation rises within its tolerance, and the period misses as it is.
    .sparing(&["zhang91.one_way_3"]),
    mutant(
        "veno-always-halves",
        "Veno takes no loss for random",
        &["veno.utilisation", "veno.loss_sweep", "veno.coexistence", "veno.dummynet"],
        &["veno.modem"],
        Change::Law(LawFault::AlwaysHalves),
    )
    // What Veno gets there misses the paper's number as it is.
    .sparing(&["veno.dummynet"]),
    mutant(
        "veno-never-halves",
        "Veno takes every loss that a duplicate ack shows for random",
        &["veno.modem", "veno.coexistence"],
        &["veno.loss_sweep"],
        Change::Laws(|law| law.with_parameter("threshold", "255").unwrap_or(law)),
    ),
    mutant(
        "veno-sees-no-queue",
        "Veno takes the first round-trip time for all of them",
        &["veno.modem", "veno.coexistence"],
        &["veno.loss_sweep"],
        Change::Law(LawFault::OneSample),
    ),
    mutant(
        "threshold-is-a-quarter",
        "a loss leaves a quarter of the flight as threshold",
        &["zhang91.one_way_3"],
        &[
            "zhang91",
            "jacobson88.four_conversations",
            "jacobson88.damage_loss",
            "jacobson88.window_adjustment",
        ],
        Change::Law(LawFault::HalfTheFlight),
    ),
    mutant(
        "loss-changes-nothing",
        "the window stays as it is whatever is lost",
        &[
            "zhang91.one_way_3",
            "jacobson88.four_conversations",
            "zhang91.two_way_1_1_small_pipe",
            "zhang91.two_way_1_1_large_pipe",
            "zhang91.two_way_5_5",
            "veno.loss_sweep",
        ],
        &["zhang91", "jacobson88", "veno.modem", "allman99.fairness", "allman98"],
        Change::Law(LawFault::IgnoresLoss),
    ),
    mutant(
        "no-slow-start",
        "the window begins with 64 segments",
        &["jacobson88.chronology", "jacobson88.startup", "allman98.equations", "allman98.internet"],
        &["allman98", "jacobson88.four_conversations", "allman99.one_on_one", "veno.modem"],
        Change::Law(LawFault::StartsWith(64)),
    ),
    mutant(
        "no-ack-delay",
        "receivers acknowledge each segment",
        &["jacobson88.delay_sweep", "allman98.equations", "allman99.many_flows", "allman99.scaled"],
        &[
            "allman98",
            "allman99.one_on_one",
            "jacobson88.window_adjustment",
            "veno.loss_sweep",
            "zhang91.delayed_acks",
        ],
        Change::Settings(|config| config.ack_policy = AckPolicy::EverySegment),
    ),
    mutant(
        "acks-delayed",
        "receivers delay acks for 200 ms or a second segment",
        &["jacobson88.ack_clock", "zhang91.fixed_windows", "allman98.equations"],
        &[
            "zhang91",
            "jacobson88.chronology",
            "jacobson88.damage_loss",
            "jacobson88.idle_restart",
            "veno.loss_sweep",
        ],
        Change::Settings(|config| {
            let timeout = Duration::from_millis(200);
            config.ack_policy = AckPolicy::Delayed { timeout, quick_acks: 0 };
        }),
    ),
    mutant(
        "timer-of-rfc793",
        "the timer waits for twice the mean",
        &["jacobson88.one_trace", "jacobson88.timers", "jacobson88.slip_timer"],
        &["jacobson88", "zhang91.two_way_1_1_small_pipe", "zhang91.two_way_1_1_large_pipe"],
        Change::Settings(|config| config.rto.estimator = RtoEstimator::Rfc793),
    ),
    mutant(
        "timer-of-two-deviations",
        "the timer waits for the mean and two deviations, not four",
        &["jacobson88.slip_timer"],
        &["jacobson88.one_trace", "jacobson88.timers", "jacobson88.damage_loss"],
        Change::Settings(|config| {
            if config.rto.estimator == RtoEstimator::Jacobson88 {
                config.rto.estimator = RtoEstimator::Jacobson88K2;
            }
        }),
    ),
    mutant(
        "timer-of-mean-and-deviation",
        "the old timer is the new one",
        &["jacobson88.one_trace", "jacobson88.timers"],
        &["jacobson88.damage_loss", "jacobson88.four_conversations", "jacobson88.slip_timer"],
        Change::Settings(|config| config.rto.estimator = RtoEstimator::Jacobson88),
    ),
    mutant(
        "timer-of-30-seconds",
        "no timeout is shorter than 30 s",
        &["jacobson88.damage_loss", "jacobson88.four_conversations", "veno.dummynet"],
        &["jacobson88", "zhang91.one_way_3", "veno.loss_sweep", "allman98", "allman99.one_on_one"],
        Change::Settings(|config| {
            config.rto.ticks = None;
            config.rto.min = Duration::from_secs(30);
        }),
    ),
    mutant(
        "timer-half-as-long",
        "least timeouts and the clock's ticks are half as long",
        &["jacobson88.slip_timer"],
        &["jacobson88.startup", "jacobson88.delay_sweep"],
        Change::Settings(half_as_long),
    ),
    mutant(
        "timer-does-not-back-off",
        "a repeated timeout waits as long as the first",
        &["jacobson88.four_conversations"],
        &["jacobson88", "jacobson88.timers", "veno.loss_sweep"],
        Change::Settings(|config| config.rto.backoff = RtoBackoff::None),
    ),
    mutant(
        "no-karn",
        "where one segment per window is timed, what is sent again is measured too",
        &["jacobson88.four_conversations"],
        &["jacobson88", "zhang91", "allman98", "veno.dummynet"],
        Change::Settings(|config| {
            if config.rto.sampling == RttSampling::OnePerWindow {
                config.rto.sampling = RttSampling::OneWithoutKarn;
            }
        }),
    ),
    mutant(
        "no-fast-retransmit",
        "only the timer repairs a loss",
        &["zhang91.one_way_3", "veno.dummynet", "veno.loss_sweep"],
        &["allman98", "allman99.fairness", "allman99.one_on_one", "zhang91"],
        Change::Settings(|config| config.recovery = RecoveryAlgorithm::TimeoutOnly),
    ),
    mutant(
        "goes-back-n",
        "a loss is answered by sending everything again",
        &["zhang91.two_way_1_1_small_pipe"],
        &["zhang91", "jacobson88.four_conversations", "allman98.internet", "veno.loss_sweep"],
        Change::Settings(|config| config.recovery = RecoveryAlgorithm::GoBackN),
    ),
    mutant(
        "no-restart-after-idle",
        "an idle connection keeps its window",
        &["jacobson88.idle_restart"],
        &[],
        Change::Settings(|config| config.restart_after_idle = RestartAfterIdle::Never),
    ),
    mutant(
        "initial-window-of-one",
        "every connection begins with one segment",
        &["allman98.equations", "allman98.internet"],
        &["allman98", "allman99.one_on_one"],
        Change::Settings(|config| config.initial_window = InitialWindow::segments(1)),
    ),
    mutant(
        "queue-one-longer",
        "each queue takes a packet more",
        &["allman98.burst_probe", "zhang91.formulas"],
        &["zhang91", "jacobson88.window_adjustment", "veno.modem", "allman98.campaign"],
        Change::Network(|path| {
            path.queue = queue(path, |packets| packets + 1);
        }),
    ),
    mutant(
        "queue-half-as-long",
        "each queue takes half as many packets",
        &[
            "allman98.burst_probe",
            "zhang91.formulas",
            "jacobson88.four_conversations",
            "zhang91.one_way_3",
        ],
        &[
            "zhang91",
            "jacobson88",
            "allman98",
            "allman99.one_on_one",
            "allman99.many_flows",
            "veno.loss_sweep",
            "veno.utilisation",
        ],
        Change::Network(|path| {
            path.queue = queue(path, |packets| packets.div_ceil(2));
        }),
    ),
    mutant(
        "queue-four-times-as-long",
        "each queue takes four times as many packets",
        &[
            "allman98.burst_probe",
            "zhang91.formulas",
            "zhang91.one_way_3",
            "jacobson88.four_conversations",
        ],
        &[
            "zhang91",
            "jacobson88",
            "allman98",
            "allman99.one_on_one",
            "veno.loss_sweep",
            "veno.modem",
        ],
        Change::Network(|path| {
            path.queue = queue(path, |packets| packets * 4);
        }),
    ),
    mutant(
        "delay-half-longer",
        "propagation takes half as long again",
        &[
            "jacobson88.ack_clock",
            "zhang91.fixed_windows",
            "zhang91.formulas",
            "allman98.equations",
            "veno.dummynet",
        ],
        &[
            "zhang91",
            "jacobson88.chronology",
            "jacobson88.delay_sweep",
            "jacobson88.window_adjustment",
        ],
        Change::Network(|path| path.delay = path.delay + path.delay / 2),
    ),
    mutant(
        "loss-thrice",
        "three times as many packets are lost at random",
        &["jacobson88.damage_loss", "veno.dummynet"],
        &["allman98.internet", "veno.coexistence", "veno.loss_sweep", "veno.utilisation"],
        Change::Network(|path| {
            if let Loss::Bernoulli(share) = &mut path.loss {
                let thrice = share.parts_per_billion().saturating_mul(3).min(1_000_000_000);
                *share = Probability::from_parts_per_billion(thrice).unwrap_or(*share);
            }
        }),
    ),
    mutant(
        "no-red",
        "RED drops at the tail",
        &["allman99.many_flows"],
        &["allman99.one_on_one", "allman99.fairness", "allman99.scaled"],
        Change::Network(|path| {
            if matches!(path.queue, Discipline::Red(_)) {
                path.queue = Discipline::DropTail(QueueLimit::Packets(40));
            }
        }),
    ),
];

/// Wrong stacks that are not tried, and why.
pub(super) const NOT_TRIED: &[(&str, &str)] = &[(
    "D-SACK ignored",
    "no sender of the papers knows D-SACK (RFC 2883 is younger than four of them, and veno's takes SACK \
     alone): no verdict can turn by it. The tests of the core try it",
)];

/// Timers that are all half as long where their least values count. Each setting is made from the default
/// or from BSD's ticks, so that twice is as once.
fn half_as_long(config: &mut Config) {
    let whole = Config::default().rto;
    config.rto.min = config.rto.min.min(whole.min / 2);
    config.rto.initial = config.rto.initial.min(whole.initial / 2);
    if let Some(ticks) = &mut config.rto.ticks {
        ticks.millis = ticks.millis.min(HALF_A_TICK);
    }
}

/// Milliseconds of half a tick of BSD's.
const HALF_A_TICK: NonZeroU16 = NonZeroU16::new(250).unwrap();

/// The law with another growth in place of these.
fn growth(law: BuiltIn, instead: &str, of: &[&str]) -> BuiltIn {
    let words = law.to_string();
    let is_one = of.iter().any(|growth| words.contains(&format!("growth={growth}")));
    if is_one { law.with_parameter("growth", instead).unwrap_or(law) } else { law }
}

/// A drop-tail queue in packets with another limit.
fn queue(path: &Path, limit: fn(usize) -> usize) -> Discipline {
    match path.queue {
        Discipline::DropTail(QueueLimit::Packets(packets)) => {
            Discipline::DropTail(QueueLimit::Packets(limit(packets)))
        }
        other => other,
    }
}
