//! The program with packet sockets, as a host of its own on the LAN.

use crate::namespace::{in_namespace, reports};

/// Options for a stack with addresses of its own beside 10.1.0.1 on v0.
const OURS: &str = "
    neighbour
    ip -n peer address add fd01::2/64 dev v1 nodad
    ours='--via packet --interface v0 --address 10.1.0.9/24 --address fd01::9/64'
";

#[test]
fn transfers_both_ways_complete_over_both_families() {
    let script = OURS.to_owned()
        + r#"
        for host in 10.1.0.2 '[fd01::2]'; do
            begin far serving at_peer "$A" serve discard --via kernel --port 9 --once --json
            "$A" discard "$host:9" $ours --bytes 3M --json
            wait $!
            cat "$work/far"
            begin far serving at_peer "$A" serve echo --via kernel --port 7 --once --json
            "$A" echo "$host:7" $ours --bytes 3M --json
            wait $!
            cat "$work/far"
        done
        for host in 10.1.0.9 fd01::9; do
            serve near discard $ours --once --json
            at_peer bash -c "head -c 1000000 /dev/zero >/dev/tcp/$host/9"
            wait $!
            cat "$work/near"
        done
    "#;
    let Some(output) = in_namespace(&script) else {
        return;
    };
    let reports = reports(&output);
    let (transfers, served) = reports.split_at(8);
    for four in transfers.chunks(4) {
        let [sent, discarded, echoed, echo] = four else {
            panic!("four reports: {four:?}");
        };
        assert_eq!(sent["parameters"]["via"], "packet");
        assert_eq!(sent["totals"]["acked_bytes"], 3 << 20);
        assert_eq!(discarded["received_bytes"], 3 << 20);
        assert_eq!(echoed["totals"]["received_bytes"], 3 << 20);
        assert_eq!(echo["sent_bytes"], 3 << 20);
    }
    assert_eq!(served.len(), 2);
    for served in served {
        assert_eq!(served["via"], "packet");
        assert_eq!(served["received_bytes"], 1_000_000);
    }
}

#[test]
fn what_is_not_on_the_lan_is_reached_through_the_gateway() {
    let script = OURS.to_owned()
        + r#"
        ip -n peer address add 192.0.2.1/32 dev lo
        begin far serving at_peer "$A" serve discard --via kernel --port 9 --once --json
        status=0
        "$A" discard 192.0.2.1:9 $ours --bytes 3M 2>"$work/complaint" || status=$?
        echo $status
        grep -c 'give the --gateway' "$work/complaint"
        "$A" discard 192.0.2.1:9 $ours --gateway 10.1.0.2 --bytes 3M --json --pcap "$work/pcap"
        wait $!
        cat "$work/far"
        # The capture has IP packets, as its header says.
        od -An -tu1 -j20 -N1 "$work/pcap"
        od -An -tx1 -j40 -N1 "$work/pcap" | tr -d ' '
    "#;
    let Some(output) = in_namespace(&script) else {
        return;
    };
    let reports = reports(&output);
    assert_eq!(reports[0], 2, "exit status");
    assert_eq!(reports[1], 1, "complaints");
    assert_eq!(reports[2]["totals"]["acked_bytes"], 3 << 20);
    assert_eq!(reports[3]["received_bytes"], 3 << 20);
    assert_eq!(reports[4], 101, "LINKTYPE_RAW");
    // The first packet is the transfer's, which is IPv4, or a router solicitation of the neighbour.
    assert!([45, 60].map(serde_json::Value::from).contains(&reports[5]), "{:?}", reports[5]);
}

#[test]
fn a_service_outlasts_an_interface_that_goes_down_and_not_one_that_is_deleted() {
    let script = OURS.to_owned()
        + r#"
        serve near echo $ours
        near=$!
        at_peer bash -c 'exec 4<>/dev/tcp/10.1.0.9/7
            say() { echo $1 >&4; read -r word <&4; echo "\"$word\""; }
            say one
            until [ -e "$0/up" ]; do sleep 0.01; done
            say two' "$work" >"$work/client" &
        client=$!
        until grep -q one "$work/client"; do sleep 0.01; done
        ip link set v0 down
        until grep -q 'v0 is down' "$work/near.ready"; do sleep 0.01; done
        ip link set v0 up
        : >"$work/up"
        wait $client
        cat "$work/client"
        grep -c '^note: v0 is up again$' "$work/near.ready"
        ip link delete v0
        status=0
        wait $near || status=$?
        echo $status
    "#;
    let Some(output) = in_namespace(&script) else {
        return;
    };
    let reports = reports(&output);
    assert_eq!(reports[..3], ["one".into(), "two".into(), serde_json::Value::from(1)]);
    assert_eq!(reports[3], 3, "exit status after the interface was deleted");
}

#[test]
fn an_address_that_the_kernel_has_is_refused() {
    let script = r#"
        neighbour
        "$A" discard 10.1.0.2:9 --via packet --interface v0 --address 10.1.0.1/24
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("use --via raw"), "{text}");
}

/// What waits for the line waits in the stack: of a transfer with buffers of megabytes the interface's queue holds
/// about as much as `--bql` says.
#[test]
fn a_byte_queue_limit_keeps_the_queue_of_the_interface_short() {
    let script = OURS.to_owned()
        + r#"
        tc qdisc replace dev v0 root tbf rate 10mbit burst 3100 limit 10000000
        waiting() {
            tc -s -j qdisc show dev v0 | python3 -c '
import json, sys
print(max(queue.get("backlog", 0) for queue in json.load(sys.stdin)))'
        }
        for limit in 3000 200000; do
            begin far serving at_peer "$A" serve discard --via kernel --port 9 --once --json
            "$A" discard 10.1.0.2:9 $ours --buffer 4M --bql $limit --bytes 3M --json &
            transfer=$!
            most=0
            while kill -0 $transfer 2>/dev/null; do
                now=$(waiting)
                if [ "$now" -gt "$most" ]; then most=$now; fi
            done
            wait $transfer
            echo "{\"most_waiting\": $most}"
        done
    "#;
    let Some(output) = in_namespace(&script) else {
        return;
    };
    let reports = reports(&output);
    let [short, waiting_short, long, waiting_long] = &reports[..] else { panic!("{reports:?}") };
    for transfer in [short, long] {
        assert_eq!(transfer["totals"]["acked_bytes"], 3 << 20);
    }
    let [few, many] =
        [waiting_short, waiting_long].map(|report| report["most_waiting"].as_u64().unwrap());
    assert!(few <= 6_000, "{few} bytes");
    assert!(many > 30_000, "{many} bytes");
}
