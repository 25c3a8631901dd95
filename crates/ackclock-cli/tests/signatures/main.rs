//! Connections signed with MD5 (RFC 2385), with the kernel of this machine (`TCP_MD5SIG`) at the other end.
#![cfg(target_os = "linux")]

#[path = "../namespace/mod.rs"]
mod namespace;

use namespace::{in_namespace, reports};
use serde_json::Value;

/// Both ends over TUN.
const PRELUDE: &str = r#"
    "$A" setup tun ack0 --address 10.7.0.2/24 --address fd07::2/64 >/dev/null
    ours="--tun ack0 --address 10.7.0.2/24 --address fd07::2/64"
    kernel() { python3 "$SCRIPTS/kernel.py" "$@"; }
    lose() {
        for tables in iptables ip6tables; do
            $tables -A INPUT -m statistic --mode random --probability 0.03 -j DROP
            $tables -A OUTPUT -m statistic --mode random --probability 0.03 -j DROP
        done
    }
"#;

fn run(script: &str) -> Option<std::process::Output> {
    let scripts = concat!("SCRIPTS=", env!("CARGO_MANIFEST_DIR"), "/tests/signatures");
    in_namespace(&format!("{scripts}\n{PRELUDE}\n{script}"))
}

/// Every byte arrives in both directions, over either family, also where packets are lost.
#[test]
fn our_signed_connections_reach_the_kernels_listener() {
    let script = r#"
        begin kernel4 serving kernel server 10.7.0.1 7 10.7.0.2 secret
        begin kernel6 serving kernel server fd07::1 7 fd07::2 secret
        transfer() {
            for host in 10.7.0.1 '[fd07::1]'; do
                "$A" echo "$host:7" $ours --md5-key secret --bytes 300k --json
            done
        }
        transfer
        lose
        transfer
    "#;
    let Some(output) = run(script) else {
        return;
    };
    let reports = reports(&output);
    assert_eq!(reports.len(), 4);
    for report in &reports {
        assert_eq!(report["totals"]["received_bytes"], 300 << 10, "{report}");
        assert_eq!(report["error"], Value::Null);
        assert_eq!(report["local"]["signed"], true);
    }
    for (report, mss) in reports.iter().zip([1_440, 1_420]) {
        assert_eq!(report["local"]["mss_bytes"], mss, "{report}");
    }
}

#[test]
fn the_kernels_signed_connections_reach_our_listener() {
    let script = r#"
        serve ours echo $ours --md5-key 10.7.0.0/24=secret --md5-key fd07::1=secret --json
        transfer() {
            for host in 10.7.0.2 fd07::2; do
                kernel client "$host" 7 300000 secret
            done
        }
        transfer
        lose
        transfer
        kill -INT %1
        wait %1 || true
        cat "$work/ours"
    "#;
    let Some(output) = run(script) else {
        return;
    };
    let reports = reports(&output);
    let [transfers @ .., service] = &reports[..] else { panic!("{reports:?}") };
    assert_eq!(transfers.len(), 4);
    assert!(transfers.iter().all(|report| report["right"] == true), "{transfers:?}");
    // The end of the last one may be lost, and the service is stopped before it comes again.
    assert_eq!(
        (&service["accepted_connections"], &service["failed_connections"]),
        (&4.into(), &0.into())
    );
    assert_eq!(service["refused"]["signatures"], 0);
    assert_eq!(service["last"]["signed"], true);
}

/// Whoever has another key, or none, does not get in, and is counted.
#[test]
fn nobody_gets_in_without_the_key() {
    let script = r#"
        serve ours echo $ours --md5-key secret --json
        kernel client 10.7.0.2 7 1000 wrong
        kernel client fd07::2 7 1000 wrong
        kill -INT %1
        wait %1 || true
        cat "$work/ours"
        begin kernel4 serving kernel server 10.7.0.1 7 10.7.0.2 secret
        for key in "--md5-key other" ""; do
            "$A" echo 10.7.0.1:7 $ours $key --connect-timeout 2s --bytes 1000 --json || true
        done
    "#;
    let Some(output) = run(script) else {
        return;
    };
    let reports = reports(&output);
    let [kernel_4, kernel_6, service, wrong, none] = &reports[..] else { panic!("{reports:?}") };
    for kernels in [kernel_4, kernel_6] {
        assert_eq!(kernels["error"], "TimeoutError");
    }
    assert_eq!(service["accepted_connections"], 0);
    assert!(service["refused"]["signatures"].as_u64().unwrap() >= 2, "{service}");
    for ours in [wrong, none] {
        assert_eq!(ours["totals"]["received_bytes"], 0, "{ours}");
        assert!(ours["error"].as_str().unwrap().contains("timed out"), "{ours}");
    }
}
