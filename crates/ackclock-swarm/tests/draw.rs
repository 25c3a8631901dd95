//! What is drawn: every case can be used, and every feature is drawn now and then.

use ackclock_swarm::{Case, Line, case_of};
use std::collections::BTreeSet;

fn keys<'a>(lines: impl Iterator<Item = &'a Line>) -> BTreeSet<String> {
    lines.flat_map(|line| line.items().map(|(key, _)| key.to_owned())).collect()
}

#[test]
fn every_case_can_be_used_and_every_feature_is_drawn() {
    let cases: Vec<Case> = (0..6_000).map(case_of).collect();
    for (seed, case) in cases.iter().enumerate() {
        assert_eq!(case.check(), Ok(()), "{seed}");
        assert_eq!(Case::from_toml(&case.to_toml("")).as_ref(), Ok(case), "{seed}");
    }
    // Two changed bits of one segment, one in each of its fragments, are more than its checksum can tell.
    let has_fragments = |case: &Case| {
        let paths = case.hops.as_flattened();
        let narrow = |line: &Line| line.read::<u64>("mtu").is_some_and(|mtu| mtu < 552);
        let changes_bits = paths.iter().any(|path| path.get("corrupt").is_some());
        changes_bits && paths.iter().chain(&case.changes).any(narrow)
    };
    assert_eq!(cases.iter().position(has_fragments), None);
    let paths = keys(cases.iter().flat_map(|case| case.hops.as_flattened()));
    let expected = [
        "corrupt",
        "delay",
        "duplicate",
        "impair",
        "jitter",
        "loss",
        "mtu",
        "outage",
        "overhead",
        "queue",
        "rate",
        "reorder",
    ];
    assert_eq!(paths, expected.map(String::from).into());
    let flows = keys(cases.iter().flat_map(|case| &case.flows));
    let expected = [
        "abort", "end", "from", "ours", "pause", "read", "reject", "rounds", "sip", "start",
        "theirs", "to", "wait",
    ];
    assert_eq!(flows, expected.map(String::from).into());
    let hosts = keys(cases.iter().flat_map(|case| &case.hosts));
    let expected = [
        "ack_timer",
        "acks",
        "advertised_user_timeout",
        "buffers",
        "burst",
        "clamp",
        "clock",
        "device",
        "ecn",
        "fast_open",
        "isn",
        "iw",
        "jump",
        "keepalive",
        "law",
        "lie",
        "memory",
        "mss",
        "mtu_probing",
        "nagle",
        "pacing",
        "poll",
        "prediction",
        "ranges",
        "receive",
        "records",
        "recovery",
        "restart",
        "rto",
        "rto_max",
        "rto_min",
        "sack",
        "scaling",
        "segmentation",
        "send",
        "smoltcp",
        "stop",
        "timestamps",
        "user_timeout",
    ];
    assert_eq!(hosts, expected.map(String::from).into());
    let oracles: BTreeSet<_> = cases.iter().filter_map(|case| case.oracle.as_deref()).collect();
    assert_eq!(oracles.len(), 12 + 4 + 2, "{oracles:?}");
    let is_long = |case: &Case| {
        case.flows
            .iter()
            .any(|flow| flow.read::<u64>("ours").is_some_and(|bytes| bytes > u64::from(u32::MAX)))
    };
    assert!(cases.iter().any(is_long));
    assert!(cases.iter().any(|case| !case.changes.is_empty()));
}
