//! The report as a page.

use super::findings::{Findings, VariantFinding};
use super::picture::common_path;
use crate::statistics::{Distribution, Mean};
use ackclock_report::{Axis, Page, Plot, Style, Table, Text, number};

/// All of it.
pub(super) fn page(findings: &Findings) -> Page {
    let mut page = Page::new(format!("Campaign: {}", findings.name));
    introduction(&mut page, findings);
    transfers(&mut page, findings);
    hosts(&mut page, findings);
    network(&mut page, findings);
    failures(&mut page, findings);
    all_hosts(&mut page, findings);
    page
}

fn introduction(page: &mut Page, findings: &Findings) {
    let failed: usize = findings.failures.values().sum();
    page.paragraph(format!(
        "{} of {} transfers of {} bytes, {} hosts, {} rounds; {failed} transfers failed. Segments \
         have at most {}.",
        findings.transfers,
        findings.planned_transfers,
        findings.transfer_bytes,
        findings.hosts.len(),
        findings.rounds,
        findings.mss.map_or("what the MTU allows".into(), |mss| format!(
            "{mss} bytes, timestamps included"
        )),
    ));
    if findings.transfers < findings.planned_transfers {
        page.paragraph(
            Text::new().bad("The campaign is not finished: these are the results so far."),
        );
    }
    page.paragraph(
        "The figures are those of Allman, Hayes and Ostermann, An Evaluation of TCP with Larger \
         Initial Windows (1998). Each transfer is compared with the one of the same test group that \
         had the first initial window of the plan; bars are 95 % confidence intervals over test \
         groups.",
    );
}

/// Figures 4 and 5.
fn transfers(page: &mut Page, findings: &Findings) {
    page.section("transfers", "Transfers and their initial windows", "");
    let x = || Axis::linear("initial window (segments)");
    let saved = Plot::new("time-saved", "Time saved", x(), Axis::linear("time saved (%)"));
    let saved = with_means(saved, findings, |it| it.time_saved_percent);
    page.figure(&saved, "Time saved, compared with the first initial window (figures 4a and 5a)");
    let y = Axis::linear("additional retransmitted segments");
    let extra = Plot::new("extra-retransmissions", "Additional retransmissions", x(), y);
    let extra = with_means(extra, findings, |it| it.extra_retransmissions);
    page.figure(&extra, "Segments retransmitted in addition, per transfer (figures 4b and 5b)");
    let columns = [
        "law",
        "initial window",
        "transfers",
        "seconds",
        "time saved (%)",
        "additional retransmissions",
        "without loss",
    ];
    let row = |table: Table, it: &VariantFinding| {
        let transfers = match it.failed {
            0 => it.transfers.to_string(),
            failed => format!("{} ({failed} failed)", it.transfers),
        };
        let loss_free = it.loss_free_share.map_or("-".into(), percent);
        table.row([
            it.law.clone(),
            it.initial_window.clone(),
            transfers,
            mean(it.seconds),
            mean(it.time_saved_percent),
            mean(it.extra_retransmissions),
            loss_free,
        ])
    };
    page.table(findings.variants.iter().fold(Table::new(columns), row));
}

/// A line for each congestion control algorithm, and the intervals of its points.
fn with_means(
    plot: Plot,
    findings: &Findings,
    of: impl Fn(&VariantFinding) -> Option<Mean>,
) -> Plot {
    let mut laws: Vec<&str> = Vec::new();
    for variant in &findings.variants {
        if !laws.contains(&&variant.law[..]) {
            laws.push(&variant.law);
        }
    }
    laws.iter().fold(plot, |plot, law| {
        let mut points: Vec<(f64, Mean)> = findings
            .variants
            .iter()
            .filter(|it| it.law == *law)
            .filter_map(|it| Some((it.initial_window_segments, of(it)?)))
            .collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        let intervals = points.iter().filter_map(|(x, mean)| Some((*x, mean.interval?)));
        let intervals: Vec<_> =
            intervals.flat_map(|(x, [low, high])| [(x, low), (x, high)]).collect();
        plot.line(*law, Style::LinePoints, points.iter().map(|(x, mean)| (*x, mean.mean))).line(
            format!("{law}: 95 % confidence"),
            Style::Intervals,
            intervals,
        )
    })
}

/// Appendix B.
fn hosts(page: &mut Page, findings: &Findings) {
    page.section("hosts", "The hosts", "");
    let share = || Axis::linear("share of hosts");
    let rtts = findings.hosts.iter().filter_map(|it| it.rtt_seconds.map(|rtt| rtt * 1e3));
    let plot = Plot::new("rtt", "Round-trip times", Axis::linear("round-trip time (ms)"), share());
    page.figure(&plot.cdf("hosts", rtts), "Distribution of mean round-trip times (figure 7)");
    let hops: Vec<f64> = findings.hosts.iter().filter_map(|it| it.hops).collect();
    let longest = hops.iter().copied().fold(0.0, f64::max);
    let plot = Plot::new("hops", "Hop counts", Axis::linear("hops"), share());
    let bins = longest as usize + 2;
    page.figure(&plot.histogram("hosts", hops, 1.0, bins), "Mean hop counts (figure 6)");
    let mut domains: Vec<_> = findings.domains.iter().collect();
    domains.sort_by_key(|(name, count)| (usize::MAX - **count, (*name).clone()));
    let table = Table::new(["top-level domain", "hosts"]).caption("Domains (table 1)");
    let row = |table: Table, (name, count): (&String, &usize)| {
        table.row([name.clone(), count.to_string()])
    };
    page.table(domains.into_iter().fold(table, row));
}

/// Figures 1 to 3.
fn network(page: &mut Page, findings: &Findings) {
    let common = &findings.common_path;
    page.section("common-path", "The common path", "");
    page.paragraph(format!(
        "Of {} routes that were measured, {} hops are shared: their routers are on at least a third \
         of the routes, alone or together with others that share the load of their hop.",
        common.routes,
        common.length()
    ));
    page.drawing("common-path", &common_path(common), "The routers of the common path (figure 2)");
    let mut table = Table::new(["hop", "router", "share of routes", ""]);
    for hop in &common.hops {
        for gateway in &hop.gateways {
            let shares = if gateway.shares_load { "shares the hop's load" } else { "" };
            let (address, share) = (gateway.address.to_string(), percent(gateway.share));
            table = table.row([hop.number.to_string(), address, share, shares.to_owned()]);
        }
    }
    page.table(table);
    page.section("bursts", "Burst capacity of the common path", "");
    let capacities: Distribution = findings.capacities().collect();
    if capacities.values().is_empty() {
        page.paragraph("No burst measured a capacity.");
    } else {
        let (x, y) = (Axis::linear("burst capacity (packets)"), Axis::linear("share of bursts"));
        let plot = Plot::new("burst-capacity", "Burst capacity", x, y)
            .cdf("bursts", capacities.values().iter().copied());
        page.figure(&plot, "Distribution of burst capacities, lower bounds (figures 1 and 3)");
        let below = findings.bursts_below_largest_window.unwrap_or_default();
        page.paragraph(format!(
            "{} of the bursts had less capacity than the {} segments of the largest initial window.",
            percent(below),
            number(findings.largest_window_segments)
        ));
    }
    let unknown = findings.bursts.len() - capacities.values().len();
    if unknown > 0 {
        page.paragraph(format!(
            "{unknown} bursts tell nothing of the capacity: routers limit how often they answer, or \
             none answers."
        ));
    }
    let table = Table::new(["round", "towards", "ends at hop", "answered", "burst capacity"]);
    let row = |table: Table, it: &super::BurstFinding| {
        table.row([
            it.round.to_string(),
            it.host.clone(),
            it.hop_limit.to_string(),
            format!("{} of {}", it.answered_packets, it.sent_packets),
            it.verdict.to_string(),
        ])
    };
    page.table(findings.bursts.iter().fold(table.caption("All bursts"), row));
}

fn failures(page: &mut Page, findings: &Findings) {
    if findings.failures.is_empty() {
        return;
    }
    page.section("failures", "Transfers that failed", "");
    let row =
        |table: Table, (why, count): (&String, &usize)| table.row([why.clone(), count.to_string()]);
    page.table(findings.failures.iter().fold(Table::new(["reason", "transfers"]), row));
}

fn all_hosts(page: &mut Page, findings: &Findings) {
    page.section("all-hosts", "All hosts", "");
    let table =
        Table::new(["host", "address", "round-trip time (ms)", "hops", "transfers", "failed"]);
    let known = |value: Option<f64>| value.map_or("-".into(), number);
    let row = |table: Table, it: &super::HostFinding| {
        table.row([
            it.host.clone(),
            it.address.map_or("-".into(), |address| address.to_string()),
            known(it.rtt_seconds.map(|rtt| rtt * 1e3)),
            known(it.hops),
            it.transfers.to_string(),
            it.failed.to_string(),
        ])
    };
    page.table(findings.hosts.iter().fold(table, row));
}

fn percent(share: f64) -> String {
    format!("{} %", number((share * 1000.0).round() / 10.0))
}

/// With the interval in brackets.
fn mean(mean: Option<Mean>) -> String {
    match mean {
        None => "-".into(),
        Some(Mean { mean, interval: None, .. }) => number(mean),
        Some(Mean { mean, interval: Some([low, high]), .. }) => {
            format!("{} ({} to {})", number(mean), number(low), number(high))
        }
    }
}
