//! The program over a TUN interface, against the kernel of this machine.
#![cfg(target_os = "linux")]

mod namespace;

use namespace::{in_namespace, reports};
use serde_json::Value;
use std::process::Command;

#[test]
fn echo_from_the_kernels_sockets_brings_every_byte_back_over_both_families() {
    let script = r#"
        "$A" setup tun ack0 --address 10.7.0.2/24 --address fd07::2/64 >/dev/null
        ours="--tun ack0 --address 10.7.0.2/24 --address fd07::2/64"
        for host in 10.7.0.1 '[fd07::1]'; do
            serve kernel echo --via kernel --port 7 --once --json
            "$A" echo "$host:7" $ours --bytes 3M --json
            wait $!
            cat "$work/kernel"
        done
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    let reports = reports(&output);
    assert_eq!(reports.len(), 4, "a client and a service for each family");
    for pair in reports.chunks(2) {
        let totals = &pair[0]["totals"];
        assert_eq!(totals["received_bytes"], 3 << 20, "{pair:?}");
        assert_eq!(pair[0]["virtual_time"], false);
        assert_eq!(pair[0]["remote"], Value::Null);
        assert_eq!(pair[1]["sent_bytes"], 3 << 20);
        assert_eq!(pair[1]["completed_connections"], 1);
    }
}

#[test]
fn the_kernel_segments_unless_it_is_told_not_to() {
    let script = r#"
        "$A" setup tun ack0 --address 10.7.0.2/24 >/dev/null
        for offload in on off auto; do
            serve kernel discard --via kernel --port 9 --once --json
            "$A" discard 10.7.0.1:9 --tun ack0 --address 10.7.0.2/24 --offload $offload --bytes 3M \
                --json
            wait $!
            cat "$work/kernel"
            serve ours discard --tun ack0 --address 10.7.0.2/24 --offload $offload --once --json
            head -c 1000000 /dev/zero >/dev/tcp/10.7.0.2/9
            wait $!
            cat "$work/ours"
        done
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    let reports = reports(&output);
    assert_eq!(reports.len(), 9);
    for (run, (word, offloading)) in
        reports.chunks(3).zip([("on", true), ("off", false), ("auto", true)])
    {
        let [sent, received, served] = run else {
            panic!("three reports");
        };
        assert_eq!(sent["parameters"]["offload"], word);
        assert_eq!(sent["offloading"], offloading);
        assert_eq!(received["received_bytes"], 3 << 20);
        assert!(sent["processor"]["cpu_seconds_per_gigabyte"].as_f64() > Some(0.0));
        assert_eq!(served["offloading"], offloading);
        assert_eq!(served["received_bytes"], 1_000_000);
        assert!(served["processor"]["cpu_seconds"].as_f64() > Some(0.0));
    }
}

#[test]
fn a_kernel_client_is_served_on_an_interface_made_for_the_run() {
    let script = r#"
        serve ours discard --tun ack0 --address 10.7.0.2/24 --once --json
        head -c 1000000 /dev/zero >/dev/tcp/10.7.0.2/9
        wait $!
        cat "$work/ours"
        ip link show dev ack0 2>/dev/null && exit 9
        true
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    let reports = reports(&output);
    assert_eq!(reports[0]["via"], "tun");
    assert_eq!(reports[0]["listened_on"], "10.7.0.2:9");
    assert_eq!(reports[0]["completed_connections"], 1);
    assert_eq!(reports[0]["received_bytes"], 1_000_000);
    assert_eq!(reports[0]["last"]["state"], "CLOSED");
}

#[test]
fn a_refused_connection_is_a_failed_transfer() {
    let script = r#"
        "$A" discard 10.7.0.1:9 --tun ack0 --address 10.7.0.2/24
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.starts_with("ackclock: 10.7.0.1:9: connection refused"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}

#[test]
fn an_interface_that_is_no_tun_interface_is_not_described_as_one() {
    let script = r#"
        "$A" setup tun lo
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("lo exists and is not a plain TUN interface"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}

/// Report of a transfer over so many queues, during which the interface is taken down.
fn taken_down(queues: usize) -> Option<Value> {
    let script = r#"
        ours="ack0 --address 10.7.0.2/24 --queues QUEUES"
        "$A" setup tun $ours >/dev/null
        serve kernel discard --via kernel --port 9
        "$A" discard 10.7.0.1:9 --tun $ours --time 1h --json >"$work/client" &
        client=$!
        received() { ip -s -j link show dev ack0 | grep -o '"rx":{"bytes":[0-9]*' | grep -o '[0-9]*$'; }
        until [ "$(received)" -gt 100000 ]; do sleep 0.01; done
        ip link set dev ack0 down
        status=0
        wait $client || status=$?
        cat "$work/client"
        echo $status
    "#;
    let output = in_namespace(&script.replace("QUEUES", &queues.to_string()))?;
    let [summary, status] = <[Value; 2]>::try_from(reports(&output)).expect("one summary");
    assert_eq!(status, 3);
    let error = summary["error"].as_str().expect("a reason");
    assert!(error.contains("ip link set dev ack0 up"), "{error}");
    Some(summary)
}

#[test]
fn an_interface_that_goes_down_ends_the_transfer_with_its_summary() {
    let Some(summary) = taken_down(1) else {
        return;
    };
    assert_eq!(summary["interrupted"], false);
    assert!(summary["totals"]["acked_bytes"].as_u64().is_some_and(|bytes| bytes > 0));
}

#[test]
fn an_interface_that_goes_down_ends_all_queues_with_one_summary() {
    let Some(summary) = taken_down(2) else {
        return;
    };
    assert_eq!(summary["connections"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_service_and_its_connections_outlast_an_interface_that_goes_down_for_a_moment() {
    let script = r#"
        ours="ack0 --address 10.7.0.2/24 --queues 2"
        "$A" setup tun $ours >/dev/null
        serve ours chargen --tun $ours --json
        exec 3<>/dev/tcp/10.7.0.2/19
        head -c 100000 <&3 >/dev/null
        ip link set dev ack0 down
        until grep -q 'ack0 is down' "$work/ours.ready"; do sleep 0.01; done
        ip link set dev ack0 up
        head -c 10000000 <&3 | wc -c
        exec 3>&-
        kill -INT $!
        wait $!
        cat "$work/ours"
        grep -c '^note: ' "$work/ours.ready"
        grep -c '^note: ack0 is up again$' "$work/ours.ready"
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    let reports = reports(&output);
    assert_eq!(reports[0], 10_000_000, "bytes read after the outage");
    assert_eq!(reports[1]["accepted_connections"], 1);
    assert_eq!(reports[2], 2, "notes: down and up");
    assert_eq!(reports[3], 1, "notes of its return");
}

#[test]
fn an_interface_that_is_deleted_under_a_service_is_made_again_with_the_command_named() {
    let script = r#"
        "$A" setup tun ack0 --address 10.7.0.2/24 >/dev/null
        serve ours discard --tun ack0 --address 10.7.0.2/24
        ip link delete ack0
        status=0
        wait $! || status=$?
        cat "$work/ours.ready"
        exit $status
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("'ackclock setup tun ack0'"), "{text}");
}

#[test]
fn an_interrupted_transfer_still_has_its_summary() {
    let script = r#"
        "$A" setup tun ack0 --address 10.7.0.2/24 >/dev/null
        serve kernel discard --via kernel --port 9 --once --json
        kernel=$!
        "$A" discard 10.7.0.1:9 --tun ack0 --address 10.7.0.2/24 --time 1h --json >"$work/client" &
        client=$!
        received() { ip -s -j link show dev ack0 | grep -o '"rx":{"bytes":[0-9]*' | grep -o '[0-9]*$'; }
        until [ "$(received)" -gt 100000 ]; do sleep 0.01; done
        kill -INT $client
        wait $client && exit 9
        # Its peer is told, and ends too.
        wait $kernel && exit 9
        cat "$work/client" "$work/kernel"
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    let reports = reports(&output);
    assert_eq!(reports[0]["interrupted"], true);
    assert!(reports[0]["totals"]["acked_bytes"].as_u64().is_some_and(|bytes| bytes > 0));
    assert_eq!(reports[1]["failed_connections"], 1);
}

#[test]
fn a_capture_holds_what_passed_the_interface() {
    let script = r#"
        serve ours discard --tun ack0 --address 10.7.0.2/24 --once --pcap "$work/pcap" --json
        head -c 300000 /dev/zero >/dev/tcp/10.7.0.2/9
        wait $!
        cat "$work/pcap" | wc -c
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    assert!(reports(&output)[0].as_u64().is_some_and(|bytes| bytes > 300_000), "{output:?}");
}

#[test]
fn without_privilege_the_command_that_gives_it_is_named() {
    let program = env!("CARGO_BIN_EXE_ackclock");
    let arguments = ["discard", "10.7.0.1:9", "--tun", "ackclock-none", "--address", "10.7.0.2/24"];
    let is_root = Command::new("id").arg("-u").output().expect("id runs").stdout == b"0\n";
    let output = if is_root {
        // A copy of the program that another user may run. `cp` writes it in a process of its own: if this
        // process did, a child that another test starts at that moment would inherit the writable
        // descriptor, and a file cannot be executed while one is open.
        let copy = std::env::temp_dir().join(format!("ackclock-copy-{}", std::process::id()));
        let copied = Command::new("cp").arg(program).arg(&copy).status();
        assert!(copied.expect("cp runs").success());
        let output = Command::new("setpriv")
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(&copy)
            .args(arguments)
            .output();
        std::fs::remove_file(&copy).expect("the copy goes");
        output.expect("setpriv runs")
    } else {
        Command::new(program).args(arguments).output().expect("the program starts")
    };
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("sudo "), "{text}");
}

#[test]
fn what_a_service_refused_is_told_in_intervals_and_at_its_end() {
    // The second connection is one too many. Its client stays, so that the service reads of it before it is stopped.
    let script = r#"
        for json in --json ''; do
            serve ours echo --tun ack0 --address 10.7.0.2/24 --max-connections 1 -i 100ms $json
            exec 3<>/dev/tcp/10.7.0.2/7
            timeout 1 bash -c 'exec 4<>/dev/tcp/10.7.0.2/7; read -r <&4' || true
            exec 3>&-
            kill -INT $!
            wait $!
            cp "$work/ours" "$work/told$json"
        done
        cat "$work/told--json"
        grep -q '^\[  1\] .* sec ' "$work/ours" && echo 1
        grep -c '; refused: 0 half-open, [1-9][0-9]* accept queue, 0 memory, 0 idle, 0 fast, 0 signatures, 0 resets$' "$work/ours"
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    let reports = reports(&output);
    let refused = |report: &Value| report["accept_queue_segments"].as_u64().expect("a counter");
    let all = refused(&reports[0]["refused"]);
    assert!(all > 0, "{}", reports[0]);
    let intervals = reports[0]["intervals"].as_array().expect("intervals");
    let told: u64 = intervals.iter().map(|interval| refused(&interval["refused"])).sum();
    assert_eq!(told, all);
    assert_eq!(reports[1..], [1, 1], "lines of intervals, and the last line");
}

#[test]
fn idle_clients_give_way_to_newcomers_and_end_after_their_time() {
    // Two of 32 places are for newcomers.
    let script = r#"
        open() { for n in $(seq "$1" "$2"); do eval "exec $n<>/dev/tcp/10.7.0.2/7"; done; }
        count() { ss -tHn state established dst 10.7.0.2 | wc -l; }
        serve ours echo --tun ack0 --address 10.7.0.2/24 --max-connections 32 --idle-time 5s --json
        open 10 39
        sleep 1.1
        open 40 61
        echo newcomer >&61
        read -r word <&61
        count
        until [ "$(count)" = 0 ]; do sleep 0.1; done
        kill -INT $!
        wait $!
        cat "$work/ours"
        echo "\"$word\""
        sed -n 's/^note: \([0-9]*\) idle connections were ended to make room.*/\1/p' "$work/ours.ready"
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    let reports = reports(&output);
    // Every second newcomer makes two give way.
    assert_eq!(reports[0], 30);
    assert_eq!(reports[1]["accepted_connections"], 52);
    assert_eq!(reports[1]["refused"]["idle_connections"], 22);
    assert_eq!(reports[2], "newcomer");
    let noted: u64 = reports[3..].iter().filter_map(Value::as_u64).sum();
    assert_eq!(noted, 22);
}

#[test]
fn a_client_that_has_vanished_is_given_up() {
    let script = r#"
        serve ours echo --tun ack0 --address 10.7.0.2/24 --keepalive 400ms --json
        exec 3<>/dev/tcp/10.7.0.2/7
        sleep 1
        iptables -A INPUT -s 10.7.0.2 -j DROP
        sleep 1.5
        kill -INT $!
        wait $!
        cat "$work/ours"
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    let report = &reports(&output)[0];
    assert_eq!(
        (&report["accepted_connections"], &report["failed_connections"]),
        (&1.into(), &1.into())
    );
    let error = report["error"].as_str().expect("an error");
    assert!(error.contains("keepalive"), "{error}");
}

#[test]
fn a_service_holds_no_more_than_it_may() {
    let script = r#"
        serve ours echo --tun ack0 --address 10.7.0.2/24 --memory 64k --max-connections 1 --json
        exec 3<>/dev/tcp/10.7.0.2/7
        echo one >&3
        read -r word <&3
        window=$(ss -tinH dst 10.7.0.2 | grep -o 'snd_wnd:[0-9]*' | cut -d: -f2)
        echo "{\"answer\":\"$word\",\"window\":$window}"
        (exec 4<>/dev/tcp/10.7.0.2/7) 2>/dev/null || true
        kill -INT $!
        wait $!
        cat "$work/ours"
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    let reports = reports(&output);
    assert_eq!(reports[0]["answer"], "one");
    // A window is at most half of the memory.
    let window = reports[0]["window"].as_u64().expect("a window");
    assert!(0 < window && window <= 32 << 10, "{window}");
    assert_eq!(reports[1]["accepted_connections"], 1);
}
