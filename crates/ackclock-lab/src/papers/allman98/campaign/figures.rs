//! The paper's figures of a campaign.

use crate::drawing::DrawPrinted;
use crate::published;
use crate::sample::Sample;
use ackclock_measure::report::Findings;
use ackclock_report::{Axis, HeatMap, Plot, Style};

/// Of what the campaign's report found, and of the burst capacities before the tests and during them.
pub(super) fn draw(sample: &mut Sample, found: &Findings, [day, during]: [&[f64]; 2]) {
    for (name, title, capacities) in [
        ("before", "burst capacity in the day before the tests (figure 1)", day),
        ("during", "burst capacity during the tests (figure 3)", during),
    ] {
        let [x, y] = [Axis::linear("burst capacity (segments)"), Axis::linear("share of bursts")];
        let plot = Plot::new(&format!("bursts_{name}"), title, x, y);
        let plot = plot.cdf("bursts", capacities.iter().copied());
        let of_probes = |key: &str| published::number(&format!("allman98.burst_probe.{key}"));
        let (segments, share) = match name {
            "before" => (32.0, of_probes("below_32_segments")),
            _ => (of_probes("smallest_during_tests_segments"), 0.0),
        };
        sample.draw(plot.printed_points("share below", [(segments, share)]));
    }
    let [x, y] = [Axis::linear("hop"), Axis::linear("share of routes through a gateway")];
    let gateways = found
        .common_path
        .hops
        .iter()
        .flat_map(|hop| hop.gateways.iter().map(|gateway| (hop.number as f64, gateway.share)));
    let title = "gateways of the common path (figure 2)";
    let beyond = found.common_path.beyond.iter();
    let beyond = beyond.map(|gateway| (found.common_path.length() as f64 + 1.0, gateway.share));
    sample.draw(Plot::new("common_path", title, x, y).line("on it", Style::Points, gateways).line(
        "beyond, the largest",
        Style::Crosses,
        beyond,
    ));
    let hops: Vec<f64> = found.hosts.iter().filter_map(|host| host.hops).collect();
    let bins = hops.iter().copied().fold(0.0, f64::max) as usize + 2;
    let [x, y] = [Axis::linear("hops"), Axis::linear("share of hosts")];
    let plot = Plot::new("hops", "hop counts of the hosts (figure 6)", x, y);
    sample.draw(plot.histogram("hosts", hops, 1.0, bins));
    let [x, y] = [Axis::linear("round-trip time (ms)"), Axis::linear("share of hosts")];
    let rtts = found.hosts.iter().filter_map(|host| Some(host.rtt_seconds? * 1e3));
    let plot = Plot::new("rtt", "round-trip times of the hosts (figure 7)", x, y);
    sample.draw(plot.cdf("hosts", rtts));
    sample.draw(domains(found));
}

/// Table 1, the largest domain first.
fn domains(found: &Findings) -> Plot {
    let [x, y] = [Axis::linear("top-level domain"), Axis::linear("")];
    let mut by_hosts: Vec<_> = found.domains.iter().collect();
    by_hosts.sort_by_key(|(domain, hosts)| (usize::MAX - **hosts, (*domain).clone()));
    let mut plot = Plot::new("domains", "hosts by top-level domain (table 1)", x, y);
    plot.heat = Some(HeatMap {
        columns: by_hosts.iter().map(|(domain, _)| (*domain).clone()).collect(),
        rows: vec!["hosts".to_owned()],
        values: vec![by_hosts.iter().map(|(_, hosts)| **hosts as f64).collect()],
        label: "hosts".to_owned(),
    });
    plot
}
