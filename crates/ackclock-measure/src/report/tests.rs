//! Reports of campaigns whose outcome is known.

use super::Findings;
use crate::burst::{Burst, Measured, Verdict};
use crate::campaign::{
    BurstRecord, CrossingRecord, Plan, Record, RouteRecord, Rtt, TransferRecord,
};
use crate::route::{Hop, HopAnswer, Route};
use std::net::{IpAddr, Ipv4Addr};

fn plan() -> Plan {
    let text = r#"
        name = "<known>"
        rounds = 2
        hosts = ["a.example.edu", "b.example.COM.:7009", "192.0.2.3"]
        [transfer]
        initial_windows = ["1", "4", "2048B"]
    "#;
    text.parse().unwrap()
}

fn address(last: u8) -> IpAddr {
    Ipv4Addr::new(192, 0, 2, last).into()
}

fn transfer(round: u32, host: &str, window: &str, outcome: Result<(f64, u64), &str>) -> Record {
    let mut record = TransferRecord {
        round,
        host: host.into(),
        law: "reno".into(),
        initial_window: window.into(),
        ..TransferRecord::default()
    };
    match outcome {
        Ok((seconds, retransmitted)) => {
            record.seconds = Some(seconds);
            record.retransmitted_segments = retransmitted;
            let (min_seconds, smoothed_seconds) = (0.02, 0.05);
            let deviation_seconds = 0.01;
            record.rtt = Some(Rtt { samples: 9, min_seconds, smoothed_seconds, deviation_seconds });
        }
        Err(error) => record.error = Some(error.into()),
    }
    Record::Transfer(Box::new(record))
}

fn route(host: &str, target: u8, hops: &[u8]) -> Record {
    let hop = |last: &u8| {
        let answer = HopAnswer { from: address(*last), rtt_seconds: 0.01, unreachable: None };
        Hop { sent: 1, answers: vec![answer] }
    };
    let hops = hops.iter().chain([&target]).map(hop).collect();
    let route = Route { target: address(target), hops, reached: true, probes: 0 };
    Record::Route(RouteRecord { host: host.into(), route: Some(route), ..RouteRecord::default() })
}

fn burst(verdict: Verdict) -> Record {
    let burst = Burst { sent: 100, bytes: 512, ..Burst::default() };
    let measured = Some(Measured { burst, smallest: None, spaced: None, verdict });
    let through = vec![address(101)];
    let host = "192.0.2.3".to_owned();
    let crossing = CrossingRecord { host, through, hop_limit: 3, measured, error: None };
    Record::Burst(BurstRecord { crossings: vec![crossing], ..BurstRecord::default() })
}

fn records() -> Vec<Record> {
    let (a, b) = ("a.example.edu", "b.example.COM.:7009");
    vec![
        transfer(1, a, "1", Ok((2.0, 0))),
        transfer(1, a, "4", Ok((1.0, 1))),
        transfer(2, a, "4", Ok((1.5, 0))),
        transfer(2, a, "1", Ok((2.0, 1))),
        transfer(1, b, "1", Err("reset")),
        transfer(1, b, "4", Ok((9.0, 9))),
        route(a, 1, &[100, 101]),
        route(a, 1, &[100, 101, 105]),
        route(b, 2, &[100, 101]),
        route("192.0.2.3", 3, &[100, 101]),
        burst(Verdict::AtLeast(100)),
        burst(Verdict::Capacity(3)),
        burst(Verdict::RateLimited(6)),
    ]
}

#[test]
fn transfers_are_compared_within_their_test_group() {
    let findings = Findings::of(&plan(), &records());
    let four = &findings.variants[1];
    // Half of two seconds, a quarter of two seconds; the group without its first one is left out.
    let saved = four.time_saved_percent.unwrap();
    assert_eq!((saved.mean, saved.count), (37.5, 2));
    assert_eq!(four.extra_retransmissions.unwrap().mean, 0.0);
    assert_eq!((four.transfers, four.failed), (3, 0));
    assert_eq!(four.loss_free_share, Some(1.0 / 3.0));
    let one = &findings.variants[0];
    assert_eq!((one.transfers, one.failed, one.time_saved_percent.unwrap().mean), (2, 1, 0.0));
    let bytes = &findings.variants[2];
    assert_eq!((bytes.initial_window_segments, bytes.transfers), (4.0, 0));
    assert_eq!(findings.failures.into_iter().collect::<Vec<_>>(), [("reset".to_owned(), 1)]);
    assert_eq!((findings.planned_transfers, findings.transfers), (18, 6));
}

#[test]
fn hosts_routes_and_bursts_are_told_as_the_paper_does() {
    let findings = Findings::of(&plan(), &records());
    let domains: Vec<_> = findings.domains.iter().map(|(name, n)| (&name[..], *n)).collect();
    assert_eq!(domains, [("com", 1), ("edu", 1), ("unknown", 1)]);
    // Three and four hops.
    assert_eq!((findings.hosts[0].hops, findings.hosts[0].rtt_seconds), (Some(3.5), Some(0.05)));
    assert_eq!((findings.hosts[2].hops, findings.hosts[2].rtt_seconds), (Some(3.0), None));
    let common: Vec<_> =
        findings.common_path.hops.iter().map(|hop| hop.gateways[0].address).collect();
    assert_eq!(common, [address(100), address(101)]);
    // Of two that tell a capacity one is below four segments.
    assert_eq!(findings.bursts_below_largest_window, Some(0.5));
    assert_eq!(findings.bursts.len(), 3);
}

#[test]
fn the_page_shows_all_figures_and_escapes_names() {
    let html = Findings::of(&plan(), &records()).html();
    for part in ["&lt;known&gt;", "figure 7", "figure 6", "table 1", "figure 2", "figures 1 and 3"]
    {
        assert!(html.contains(part), "{part}");
    }
    assert!(!html.contains("<known>"));
    assert!(html.contains("192.0.2.101") && html.contains("100 % of routes"));
    assert!(html.contains("rate-limited, not a capacity"));
    // Five plots, and the picture of the common path.
    let ids = html.split("<figure id=\"").skip(1).filter_map(|it| it.split('"').next());
    let figures =
        ["time-saved", "extra-retransmissions", "rtt", "hops", "common-path", "burst-capacity"];
    assert_eq!(ids.collect::<Vec<_>>(), figures.map(|name| format!("figure-{name}")));
    assert_eq!(html.matches("<svg").count(), 6);
}

#[test]
fn the_page_of_a_campaign_that_has_not_begun_says_so() {
    let findings = Findings::of(&plan(), &[]);
    let html = findings.html();
    assert!(html.contains("The campaign is not finished"));
    assert!(html.contains("0 of 18 transfers"));
}

#[test]
fn the_files_can_be_read_again() {
    let directory = std::env::temp_dir().join(format!("ackclock-report-{}", std::process::id()));
    let files = Findings::of(&plan(), &records()).write(&directory).unwrap();
    assert_eq!(files.len(), 6);
    let rows = |name: &str| csv::Reader::from_path(directory.join(name)).unwrap().records().count();
    let counts = ["transfers.csv", "variants.csv", "hosts.csv", "bursts.csv"].map(rows);
    assert_eq!(counts, [6, 3, 3, 3]);
    let bursts = std::fs::read_to_string(directory.join("bursts.csv")).unwrap();
    let verdicts: Vec<_> = bursts.lines().filter_map(|line| line.rsplit(',').next()).collect();
    assert_eq!(verdicts, ["verdict", "at_least", "capacity", "rate_limited"]);
    let json = std::fs::read_to_string(directory.join("report.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["variants"][1]["time_saved_percent"]["mean"], 37.5);
    assert_eq!(json["bursts"][1]["verdict"], "capacity");
    std::fs::remove_dir_all(directory).unwrap();
}
