//! Indifference: what cannot matter does not, exactly.
//!
//! Two runs differ in initial sequence numbers (another secret), in what the clocks show, in a port, or in
//! whether stacks have the predicted road. The hosts send segments of the same lengths, flags and
//! windows at the same nanoseconds. The one bound is equality.

use super::Finding;
use super::monotony::Spent;
use crate::case::{Case, Line};
use crate::run::{Outcome, run};

/// Clocks differ by this, in seconds: whole ones, so that ticking timers fire as before, and a multiple of the two
/// minutes by which larger packets may be tried again later than after ten (RFC 1191 section 6.3 names the least time only).
const SHIFT: u64 = 8_334 * 120;
/// What clocks show at least, in seconds.
const FIRST: u64 = 10;
/// Packets of one run.
const MOST_SEGMENTS: u64 = 60_000;

/// A change that cannot matter.
pub(crate) struct Same {
    pub(crate) name: &'static str,
    apply: fn(&Case) -> Option<Case>,
}

/// All such changes.
pub(crate) const SAMES: &[Same] = &[
    Same { name: "sequence-numbers", apply: other_secret },
    Same { name: "clock", apply: other_clock },
    Same { name: "port", apply: other_port },
    Same { name: "prediction", apply: without_prediction },
];

fn each_host(case: &Case, change: impl Fn(Line) -> Line) -> Option<Case> {
    let mut other = case.clone();
    for host in 0..case.host_count() {
        let line = case.host(host);
        if line.get("smoltcp").is_none() {
            *other.host_mut(host) = change(line);
        }
    }
    Some(other)
}

/// Whether something is drawn from the secret and the ports that does matter: the phases of ticking clocks, and of BBR's
/// cycle.
fn has_phases(case: &Case) -> bool {
    case.hosts.iter().any(|host| {
        let ticks = host.get("rto").is_some_and(|rto| rto.contains("ticks"));
        ticks || host.get("law") == Some("bbr") || host.get("ack_timer").is_some()
    })
}

fn other_secret(case: &Case) -> Option<Case> {
    if has_phases(case) {
        return None;
    }
    let chosen = |line: Line| {
        let secret = case.seed ^ 0x0bad_cafe;
        line.without("isn").with("secret", secret)
    };
    each_host(case, chosen)
}

/// Gives each client a port of its own, which it would draw from the secret otherwise: the queues of FQ-CoDel are
/// chosen by a hash of ports.
fn fix_ports(case: &mut Case) {
    for (number, flow) in case.flows.iter_mut().enumerate() {
        if flow.get("local").is_none() {
            flow.set("local", 50_000 + number);
        }
    }
}

fn other_clock(case: &Case) -> Option<Case> {
    // The phase of BBR's cycle is drawn from the time too.
    let is_drawn = |host: &Line| host.get("law") == Some("bbr");
    if case.hosts.iter().any(is_drawn) { None } else { later(case, SHIFT) }
}

/// The case with clocks that show so many seconds more.
fn later(case: &Case, seconds: u64) -> Option<Case> {
    each_host(case, |line| {
        let millis =
            line.get("clock").and_then(|text| text.strip_suffix("ms")?.parse::<u64>().ok());
        line.with("clock", format!("{}ms", millis.unwrap_or(0) + seconds * 1_000))
    })
}

fn other_port(case: &Case) -> Option<Case> {
    if has_phases(case)
        || case
            .hops
            .as_flattened()
            .iter()
            .any(|path| path.get("queue").is_some_and(|queue| queue.starts_with("fq")))
    {
        return None;
    }
    let mut other = case.clone();
    for (number, flow) in other.flows.iter_mut().enumerate() {
        flow.set("port", 9_000 + number);
    }
    Some(other)
}

fn without_prediction(case: &Case) -> Option<Case> {
    let has = |host: usize| case.host(host).get("prediction") != Some("off");
    if !(0..case.host_count()).any(has) {
        return None;
    }
    each_host(case, |line| line.with("prediction", "off"))
}

/// A case with what it must be the same as.
pub(crate) fn pair(case: &Case, name: &str) -> Option<[Case; 2]> {
    let same = SAMES.iter().find(|same| same.name == name)?;
    let mut case = case.clone();
    fix_ports(&mut case);
    if name == "clock" {
        // The first interval of some limits begins when the clock does.
        case = later(&case, FIRST)?;
    }
    if matches!(name, "sequence-numbers" | "clock") {
        // The secret is looked for by the clock.
        (0..case.hosts.len()).for_each(|host| case.hosts[host] = case.hosts[host].without("isn"));
    }
    let other = (same.apply)(&case)?;
    Some([case, other])
}

/// Whether a host was sent more segments without a connection than it answers: how many that are is drawn from the secret and
/// the time.
fn limits_answers(outcome: &Outcome) -> bool {
    outcome.hosts.iter().any(|host| host.resets_suppressed > 0)
}

/// Compares a case with one that must be the same.
pub(crate) fn judge(case: &Case, name: &str, spent: &mut Spent) -> Option<Finding> {
    let [case, other] = pair(case, name)?;
    let one = run(&case, MOST_SEGMENTS).ok()?;
    let two = run(&other, MOST_SEGMENTS).ok()?;
    spent.add(&one);
    spent.add(&two);
    if name != "prediction" && [&one, &two].into_iter().any(limits_answers) {
        return None;
    }
    (one.shape != two.shape).then(|| {
        let text = format!(
            "{name}: {} segments in {:.6} s became {} in {:.6} s, or others, or at other times",
            one.facts.segments,
            one.time.as_micros() as f64 / 1e6,
            two.facts.segments,
            two.time.as_micros() as f64 / 1e6
        );
        Finding::new(&format!("indifference:{name}"), &text)
    })
}
