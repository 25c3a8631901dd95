//! `ackclock hosts`.

use crate::namespace::{in_namespace, reports};

#[test]
fn those_that_accept_are_found_and_the_others_have_their_reasons() {
    // The hosts: one with a window of a few segments, one that refuses, two that do not answer, and one with
    // two names.
    let script = r#"
        neighbour
        for address in 3 4 5 6; do ip -n peer address add 10.1.0.$address/24 dev v1; done
        at_peer nft add table ip silent '{
            chain input { type filter hook input priority 0; ip daddr 10.1.0.5 drop; };
        }'
        begin far serving at_peer "$A" serve discard --via kernel --port 9
        begin small serving at_peer bash -c 'sysctl -qw net.ipv4.tcp_rmem="4096 4096 4096"
            exec "$0" serve discard --via kernel --port 7009' "$A"
        printf '%s\n' 10.1.0.2 10.1.0.3:7009 10.1.0.4:10 10.1.0.5 10.1.0.6 ::ffff:10.1.0.2 \
            no.such.host.invalid >"$work/list"
        echo 10.1.0.6/31 >"$work/stop"
        tries() { "$A" hosts "$work/list" --stop-list "$work/stop" --timeout 1s --rate 100 "$@"; }
        tries --json
        tries --via raw --guard --window 20000 --json
        tries 2>/dev/null | "$A" hosts - --via raw --guard --json
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    let reports = reports(&output);
    let [kernel, raw, again] = &reports[..] else {
        panic!("three reports: {reports:?}");
    };
    for report in [kernel, raw] {
        let hosts = report["hosts"].as_array().expect("hosts");
        let reasons: Vec<_> = hosts.iter().map(|host| host["reason"].as_str()).collect();
        assert_eq!(reasons[0], None, "{report}");
        assert_eq!(hosts[0]["found"], true);
        assert_eq!(
            reasons[2..5],
            [Some("refuses the connection"), Some("does not answer"), Some("is on the stop list"),]
        );
        assert!(reasons[6].is_some_and(|reason| reason.starts_with("no address is known")));
        assert_eq!(reasons[5], Some("is the same host as 10.1.0.2:9"));
        assert_eq!(report["interrupted"], false);
    }
    assert_eq!(kernel["hosts"][1]["found"], true);
    assert_eq!(kernel["hosts"][0]["window_bytes"], serde_json::Value::Null);
    let window = raw["hosts"][0]["window_bytes"].as_u64();
    assert!(window >= Some(20_000), "{raw}");
    let reason = raw["hosts"][1]["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("advertises a window of "), "{reason}");
    assert_eq!(raw["found"], 1);
    // The output is a list of hosts again.
    assert_eq!(again["hosts"][0]["host"], "10.1.0.2:9");
    assert_eq!(again["found"], again["hosts"].as_array().map(Vec::len).expect("hosts"));
}

#[test]
fn a_host_is_tried_once_and_told_goodbye() {
    let script = r#"
        neighbour
        begin far serving at_peer "$A" serve discard --via kernel --port 9 --once --json
        far=$!
        printf '127.0.0.1\n10.1.0.1\n10.1.0.2\n10.1.0.2:9\n' | "$A" hosts - --via raw --guard --json
        wait $far
        cat "$work/far"
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    let reports = reports(&output);
    let hosts = &reports[0]["hosts"];
    for own in 0..2 {
        let reason = hosts[own]["reason"].as_str();
        assert!(reason.is_some_and(|reason| reason.contains("is this host itself")), "{hosts}");
    }
    assert_eq!(hosts[2]["found"], true);
    assert_eq!(hosts[3]["reason"], "is the same host as 10.1.0.2:9");
    assert_eq!(reports[1]["accepted_connections"], 1);
    assert_eq!(reports[1]["completed_connections"], 1);
}

#[test]
fn over_tun_the_kernels_service_is_found() {
    let script = r#"
        serve kernel echo --via kernel --port 7
        echo 10.7.0.1 | "$A" hosts - --service echo --via tun --tun ack0 --address 10.7.0.2/24 --json
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    let report = &reports(&output)[0];
    assert_eq!(report["found"], 1, "{report}");
    assert!(report["hosts"][0]["window_bytes"].as_u64() > Some(0));
}
