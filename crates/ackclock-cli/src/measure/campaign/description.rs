//! Description of a campaign and of its steps, for people.

use crate::report::bytes;
use ackclock_measure::campaign::{Estimate, Plan, Step, steps};

/// Name of a step, for people.
pub(super) fn name(plan: &Plan, step: Step) -> String {
    let host = |host: usize| plan.hosts.get(host).map_or("", String::as_str);
    match step {
        Step::Route { round: 0, host: it } => format!("route to {} before round 1", host(it)),
        Step::Route { round, host: it } => format!("round {round}: route to {}", host(it)),
        Step::Burst { round, groups } => {
            format!("round {round}: burst after {groups} of {} hosts", plan.hosts.len())
        }
        Step::Transfer { round, host: it, variant } => {
            let variant =
                plan.variants().get(variant).map_or_else(String::new, ToString::to_string);
            format!("round {round}: {} with {variant}", host(it))
        }
    }
}

/// Description of everything that a campaign would send.
pub(super) fn description(plan: &Plan) -> String {
    let estimate = Estimate::of(plan);
    let Plan { transfer, limits, bursts, routes, .. } = plan;
    let size = |count: u64| bytes(count).trim_start().to_owned();
    let mut text = String::new();
    let mut line = |text_of: String| {
        text += &text_of;
        text.push('\n');
    };
    line(format!("campaign '{}': dry run, nothing is sent", plan.name));
    line(format!(
        "{} transfers of {} to {} hosts (TCP port {}, {}), one at a time, those to a host {} apart",
        estimate.transfers,
        size(transfer.bytes),
        estimate.hosts,
        plan.port(),
        transfer.service.name(),
        limits.pause
    ));
    line(format!(
        "{} times a burst of {} ICMP echo requests of {} bytes through each router that shares the \
         common path",
        estimate.bursts, bursts.count, bursts.bytes
    ));
    line(format!(
        "{} routes, {} {} probes for each hop",
        estimate.routes, routes.queries, routes.probe
    ));
    line(format!(
        "{} in all and {} to each host besides bursts, at {} bit/s at most; {} at least",
        size(estimate.total_bytes),
        size(estimate.host_bytes),
        limits.bits_per_second,
        estimate.least_time
    ));
    line("each round, for each of these hosts:".into());
    plan.hosts.iter().for_each(|host| line(format!("  {host}")));
    line("one transfer with each of:".into());
    plan.variants().iter().for_each(|variant| line(format!("  {variant}")));
    line("the first steps:".into());
    for step in steps(plan).into_iter().take(plan.hosts.len() + plan.variants().len() + 2) {
        line(format!("  {}", name(plan, step)));
    }
    text
}
