//! TCP Fast Open (RFC 7413) with the kernel of this machine at the other end.
#![cfg(target_os = "linux")]

#[path = "../namespace/mod.rs"]
mod namespace;

use namespace::{in_namespace, reports};

/// Both ends over TUN; the kernel opens and accepts connections fast.
const PRELUDE: &str = r#"
    echo 3 >/proc/sys/net/ipv4/tcp_fastopen
    "$A" setup tun ack0 --address 10.7.0.2/24 --address fd07::2/64 >/dev/null
    ours="--tun ack0 --address 10.7.0.2/24 --address fd07::2/64"
    kernel() { python3 "$SCRIPTS/kernel.py" "$@"; }
"#;

fn run(script: &str) -> Option<std::process::Output> {
    let scripts = concat!("SCRIPTS=", env!("CARGO_MANIFEST_DIR"), "/tests/fast_open");
    in_namespace(&format!("{scripts}\n{PRELUDE}\n{script}"))
}

#[test]
fn the_kernels_listener_takes_our_data_with_the_syn() {
    let script = r#"
        for host in 10.7.0.1 fd07::1; do
            begin "kernel$host" serving kernel server "$host" 7
        done
        for host in 10.7.0.1 '[fd07::1]'; do
            "$A" echo "$host:7" $ours --fast-open on --bytes 1000 --json
            "$A" echo "$host:7" $ours --fast-open on --bytes 100k --json
            "$A" echo "$host:7" $ours --bytes 1000 --json
        done
    "#;
    let Some(output) = run(script) else {
        return;
    };
    let reports = reports(&output);
    assert_eq!(reports.len(), 6);
    for of_family in reports.chunks(3) {
        let [short, long, plain] = of_family else { panic!("three transfers") };
        assert_eq!(short["totals"]["received_bytes"], 1_000);
        assert_eq!(short["local"]["syn_data"], 1_000, "{short}");
        assert_eq!(long["totals"]["received_bytes"], 100 << 10);
        let with_syn = long["local"]["syn_data"].as_u64().unwrap();
        assert!((1_000..1_460).contains(&with_syn), "as much as fits: {with_syn}");
        assert_eq!(
            (&plain["totals"]["received_bytes"], &plain["local"]["syn_data"]),
            (&1_000.into(), &0.into())
        );
    }
}

#[test]
fn our_listener_takes_the_kernels_data_with_the_syn() {
    let script = r#"
        serve ours echo $ours --fast-open on --json
        kernel client 10.7.0.2 7
        kernel client fd07::2 7
        kill -INT %1
        wait %1 || true
    "#;
    let Some(output) = run(script) else {
        return;
    };
    let reports = reports(&output);
    assert_eq!(reports.len(), 4);
    for of_family in reports.chunks(2) {
        assert_eq!(of_family[0]["syn_data"], false, "the first has no cookie yet");
        assert_eq!(of_family[1]["syn_data"], true);
        assert!(of_family.iter().all(|report| report["right"] == true), "{of_family:?}");
    }
}

#[test]
fn a_kernel_that_knows_nothing_of_it_gets_an_ordinary_handshake() {
    let script = r#"
        echo 0 >/proc/sys/net/ipv4/tcp_fastopen
        serve kernel echo --via kernel --port 7
        "$A" echo 10.7.0.1:7 $ours --fast-open on --bytes 100k --json
        "$A" echo 10.7.0.1:7 $ours --fast-open without-cookie --bytes 1000 --json
    "#;
    let Some(output) = run(script) else {
        return;
    };
    for report in reports(&output) {
        assert_eq!(report["local"]["syn_data"], 0);
        assert_eq!(report["error"], serde_json::Value::Null);
    }
}

/// What the path drops, SYNs with data among it, arrives all the same, once, in both roles.
#[test]
fn every_byte_arrives_over_a_path_that_loses() {
    let script = r#"
        for host in 10.7.0.1 fd07::1; do
            begin "kernel$host" serving kernel server "$host" 7
        done
        "$A" setup tun ack1 --address 10.8.0.2/24 --address fd08::2/64 >/dev/null
        serve ours echo --tun ack1 --address 10.8.0.2/24 --address fd08::2/64 --fast-open on --json
        for tables in iptables ip6tables; do
            $tables -A INPUT -m statistic --mode random --probability 0.05 -j DROP
            $tables -A OUTPUT -m statistic --mode random --probability 0.05 -j DROP
        done
        for host in 10.7.0.1 '[fd07::1]'; do
            "$A" echo "$host:7" $ours --fast-open on --bytes 50k --json
            "$A" echo "$host:7" $ours --fast-open without-cookie --bytes 50k --json
        done
        kernel client 10.8.0.2 7
        kernel client fd08::2 7
        kill -INT %3
        wait %3 || true
    "#;
    let Some(output) = run(script) else {
        return;
    };
    let reports = reports(&output);
    assert_eq!(reports.len(), 8);
    let (ours, kernels) = reports.split_at(4);
    for report in ours {
        assert_eq!(report["totals"]["received_bytes"], 50 << 10, "{report}");
        assert_eq!(report["error"], serde_json::Value::Null);
    }
    assert!(kernels.iter().all(|report| report["right"] == true), "{kernels:?}");
}
