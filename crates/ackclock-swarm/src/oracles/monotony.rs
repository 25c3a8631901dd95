//! Monotony: a better path, or a better TCP on the same path, does not make a transfer slower.
//!
//! Two runs differ in one change. Everything random is drawn for every packet whether it is used or not, so
//! that a lower loss loses a subset of the same packets, and likewise for duplicates and
//! reordering. One pair proves nothing: the loss of a last segment costs a timeout. So a pair that is slower by
//! half leads to 40 pairs that differ in the seed of the network. It is a finding if the mean of the
//! ratios' logarithms is above the change's bound by three standard errors.
//!
//! The bounds allow for what is known and meant: a longer queue lets slow start overshoot by more, a higher
//! rate fills it in larger bursts, and less payload fits beside timestamps. Where a host has no SACK, or its recovery
//! does not heed it, "a TCP sender can only learn about a single lost packet per round trip time" (RFC 2018), so the run that loses more packets may take as many
//! round trips longer, each of them with the queue that is still there: without chance losses slow start goes on until the queue
//! overflows, and then many are lost at once.
//! And without SACK a copy made by the network counts as one more duplicate ack ("duplicate ACKs can be caused by replication of ACK
//! or data segments by the network", RFC 5681 section 3.2): where losses leave too few of them, copies spare timeouts.

use super::Finding;
use crate::case::{Case, Flow, Line};
use crate::run::{Outcome, run};
use ackclock::time::Duration;

/// A pair is suspect if the better run takes so many times as long.
const SUSPECT: f64 = 1.5;
/// Pairs that decide, and after how many of them a clear case is let go.
const PAIRS: u64 = 40;
const EARLY: usize = 8;
/// Packets of one run.
const MOST_SEGMENTS: u64 = 60_000;
/// Allowed besides where without SACK copies stand in for the acks that losses leave out. An estimate, not a bound: a
/// copied ack is a duplicate ack, three of which spare a timeout, and doubled timeouts are most of a run that loses much.
const COPIES: f64 = 2.0;
/// Recoveries that repair one loss in a round trip, or all that was sent behind it, whatever SACK tells.
const RECOVERIES_WITHOUT_SACK: [&str; 5] =
    ["newreno", "reno", "tahoe", "go-back-n", "timeout-only"];
/// What a run takes at least, in seconds, so that ratios of very short ones mean nothing.
const GRAIN: f64 = 0.5;

/// A change for the better.
pub(crate) struct Change {
    pub(crate) name: &'static str,
    /// So many times as long may the better run take in the mean.
    bound: f64,
    apply: fn(&Case) -> Option<Case>,
}

/// All changes.
pub(crate) const CHANGES: &[Change] = &[
    Change {
        name: "less-loss",
        bound: 1.25,
        apply: |case| paths(case, |line| without(line, "loss")),
    },
    Change {
        name: "half-the-loss",
        bound: 1.25,
        apply: |case| paths(case, |line| scaled(line, "loss", 0.5)),
    },
    Change {
        name: "less-duplication",
        bound: 1.25,
        apply: |case| paths(case, |line| without(line, "duplicate")),
    },
    Change {
        name: "less-reordering",
        bound: 1.25,
        apply: |case| paths(case, |line| without(line, "reorder")),
    },
    Change {
        name: "less-jitter",
        bound: 1.25,
        apply: |case| paths(case, |line| without(line, "jitter")),
    },
    Change {
        name: "shorter-delay",
        bound: 1.25,
        apply: |case| if windows_shrink(case) { None } else { paths(case, shorter) },
    },
    Change { name: "more-rate", bound: 1.25, apply: |case| paths(case, faster) },
    Change {
        name: "bigger-buffer",
        bound: 2.0,
        apply: |case| paths(case, |line| scaled(line, "queue", 2.0)),
    },
    Change { name: "sack", bound: 1.25, apply: |case| hosts(case, |line| without(line, "sack")) },
    Change {
        name: "timestamps",
        bound: 1.25,
        apply: |case| hosts(case, |line| without(line, "timestamps")),
    },
    Change {
        name: "rack",
        bound: 1.25,
        apply: |case| hosts(case, |line| without(line, "recovery")),
    },
    Change { name: "ipv6", bound: 1.25, apply: six },
];

impl Change {
    /// How many times as long the better run of a case may take.
    fn bound_of(&self, case: &Case) -> f64 {
        let loses = case.hops.as_flattened().iter().any(|line| line.get("loss").is_some());
        let has_sack = (0..case.host_count()).all(|host| has_sack(case, host));
        let copies_help = self.name == "less-duplication" && loses && !has_sack;
        if copies_help { self.bound * COPIES } else { self.bound }
    }
}

/// Whether a host of a case uses SACK, and repairs by it what it has sent.
fn has_sack(case: &Case, host: usize) -> bool {
    let host = case.host(host);
    let recovery = host.get("recovery").unwrap_or_default();
    host.get("sack") != Some("off") && !RECOVERIES_WITHOUT_SACK.contains(&recovery)
}

/// The case with every path changed; `None` if none can be.
fn paths(case: &Case, change: impl Fn(&Line) -> Option<Line>) -> Option<Case> {
    let mut better = case.clone();
    let mut changed = false;
    for line in better.hops.as_flattened_mut() {
        if let Some(new) = change(line) {
            *line = new;
            changed = true;
        }
    }
    changed.then_some(better)
}

/// The case with every host changed; `None` if none can be.
fn hosts(case: &Case, change: impl Fn(&Line) -> Option<Line>) -> Option<Case> {
    let mut better = case.clone();
    let mut changed = false;
    for line in &mut better.hosts {
        if let Some(new) = change(line) {
            *line = new;
            changed = true;
        }
    }
    changed.then_some(better)
}

fn without(line: &Line, key: &str) -> Option<Line> {
    line.get(key).map(|_| line.without(key))
}

/// A line in which a plain number with a unit is multiplied.
fn scaled(line: &Line, key: &str, factor: f64) -> Option<Line> {
    let text = line.get(key)?;
    let digits =
        text.find(|each: char| !each.is_ascii_digit() && each != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    if unit.contains([':', '/']) {
        return None;
    }
    let number = number.parse::<f64>().ok()? * factor;
    let number = if unit == "%" { format!("{number:.4}") } else { format!("{number:.0}") };
    Some(line.with(key, format!("{number}{unit}")))
}

/// A path with half the delay. What is held back on a detour is held back half as long, too: how often losses are found
/// that are none hangs on its length in round trips (RFC 8985 section 6.2 bounds the reordering window by one).
fn shorter(line: &Line) -> Option<Line> {
    match scaled(line, "delay", 0.5) {
        Some(shorter) => Some(shorter_detour(&shorter).unwrap_or(shorter)),
        None => shorter_detour(line),
    }
}

/// A path with twice the rate. What is held back on a detour is held back half as long, so that as many segments overtake it:
/// three duplicate acks are a loss for who has nothing better (RFC 5681 section 3.2).
fn faster(line: &Line) -> Option<Line> {
    let faster = scaled(line, "rate", 2.0)?;
    Some(shorter_detour(&faster).unwrap_or(faster))
}

fn shorter_detour(line: &Line) -> Option<Line> {
    let (chance, time) = line.get("reorder")?.split_once(':')?;
    let micros: u64 = time.strip_suffix("us")?.parse().ok()?;
    Some(line.with("reorder", format!("{chance}:{}us", micros / 2)))
}

/// Whether a shorter delay makes windows smaller over a path that loses: BBR's is a multiple of what the path holds, and the fewer
/// segments are in flight, the more losses cost a timeout (RFC 5681 section 3.2 wants three duplicate acks), whose least time is
/// many short round trips.
fn windows_shrink(case: &Case) -> bool {
    let loses = case.hops.as_flattened().iter().any(|line| line.get("loss").is_some());
    loses && case.hosts.iter().any(|host| host.get("law") == Some("bbr"))
}

/// IPv6 instead of IPv4 with as many bytes more of MTU as its header is longer.
fn six(case: &Case) -> Option<Case> {
    if case.ip == 6 {
        return None;
    }
    let mtu = |line: &Line| {
        Some(line.with("mtu", line.read::<u32>("mtu").unwrap_or(1_500).max(1_260) + 20))
    };
    let mut better = paths(case, mtu)?;
    better.ip = 6;
    Some(better)
}

/// The names of the changes that a case allows.
pub(crate) fn applicable(case: &Case) -> Vec<&'static str> {
    CHANGES
        .iter()
        .filter(|change| (change.apply)(case).is_some())
        .map(|change| change.name)
        .collect()
}

/// The better case of a change.
pub(crate) fn better(case: &Case, name: &str) -> Option<Case> {
    let change = CHANGES.iter().find(|change| change.name == name)?;
    (change.apply)(case)
}

/// How long a run took, and what the repair of losses one by one may have taken of that.
#[derive(Clone, Copy)]
struct Took {
    /// What its longest flow took, in seconds.
    seconds: f64,
    /// Longest round trip, in seconds.
    round_trip: f64,
    /// Packets lost that are repaired one in a round trip.
    one_by_one: f64,
}

impl Took {
    /// How much longer, in seconds, a run may take than another one, for what it repairs one by one: a round trip of its own
    /// for each packet that it lost more, and for each that both lost as much as its round trip is longer.
    fn repairs_beyond(self, other: Self) -> f64 {
        let shorter = self.round_trip.min(other.round_trip);
        (self.one_by_one * self.round_trip - other.one_by_one * shorter).max(0.0)
    }
}

/// How long a case takes; `None` if it does not come to its end.
fn took(case: &Case, spent: &mut Spent) -> Option<Took> {
    let outcome = run(case, MOST_SEGMENTS).ok()?;
    spent.add(&outcome);
    let took = outcome.took.iter().copied().collect::<Option<Vec<_>>>()?;
    let longest = took.into_iter().max()?;
    let failed = outcome.flows.iter().any(|flow| flow.has_failed());
    let seconds = |time: Duration| time.as_micros() as f64 / 1e6;
    (!failed && !outcome.cut_short).then(|| Took {
        seconds: seconds(longest),
        round_trip: seconds(outcome.longest_round_trip),
        one_by_one: one_by_one(case, &outcome),
    })
}

/// Most packets that any flow lost between hosts of which one has no SACK.
fn one_by_one(case: &Case, outcome: &Outcome) -> f64 {
    let flows = case.flows.iter().zip(&outcome.facts.flows);
    let lost = flows.filter_map(|(line, facts)| {
        let ends = Flow::read(line).ok()?.hosts;
        (!ends.into_iter().all(|host| has_sack(case, host))).then(|| facts.all_lost())
    });
    lost.max().unwrap_or(0) as f64
}

/// What was spent on runs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    pub(crate) segments: u64,
    pub(crate) micros: u64,
    pub(crate) digest: u64,
}

impl Spent {
    pub(crate) fn add(&mut self, outcome: &Outcome) {
        self.segments += outcome.facts.segments;
        self.micros += outcome.time.as_micros();
        self.digest = self.digest.rotate_left(7) ^ outcome.digest;
    }
}

/// Compares a case with its better one.
pub(crate) fn judge(case: &Case, name: &str, spent: &mut Spent) -> Option<Finding> {
    let change = CHANGES.iter().find(|change| change.name == name)?;
    (change.apply)(case)?;
    let ratio = |seed: u64, spent: &mut Spent| {
        let mut worse = case.clone();
        worse.seed = case.seed.wrapping_add(seed);
        let better = (change.apply)(&worse)?;
        let (worse, better) = (took(&worse, spent)?, took(&better, spent)?);
        let allowed = worse.seconds + better.repairs_beyond(worse);
        Some(((better.seconds + GRAIN) / (allowed + GRAIN), better.seconds, worse.seconds))
    };
    let (first, ..) = ratio(0, spent)?;
    if first < SUSPECT {
        return None;
    }
    let bound = change.bound_of(case);
    let mut logs = Vec::new();
    let mut sums = [0.0, 0.0];
    for seed in 1..=PAIRS {
        let Some((ratio, better, worse)) = ratio(seed, spent) else { continue };
        logs.push(ratio.ln());
        sums = [sums[0] + better, sums[1] + worse];
        let (mean, error) = mean_and_error(&logs);
        if logs.len() >= EARLY && mean + 2.0 * error < bound.ln() {
            return None;
        }
    }
    if logs.len() < 30 {
        return None;
    }
    let (mean, error) = mean_and_error(&logs);
    let count = logs.len() as f64;
    (mean - 3.0 * error > bound.ln()).then(|| {
        let text = format!(
            "{name} makes {} pairs of runs {:.2} times as long in the mean (at least {:.2} by three standard errors): \
             {:.2} s instead of {:.2} s; {} times are allowed",
            logs.len(),
            mean.exp(),
            (mean - 3.0 * error).exp(),
            sums[0] / count,
            sums[1] / count,
            bound
        );
        Finding::new(&format!("monotony:{name}"), &text)
    })
}

fn mean_and_error(of: &[f64]) -> (f64, f64) {
    let count = of.len() as f64;
    let mean = of.iter().sum::<f64>() / count;
    let squares: f64 = of.iter().map(|each| (each - mean) * (each - mean)).sum();
    (mean, (squares / (count - 1.0).max(1.0) / count).sqrt())
}
