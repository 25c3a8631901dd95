//! `ackclock emulate` between the kernels of two network namespaces.
#![cfg(target_os = "linux")]

mod namespace;

use namespace::{in_namespace, reports};
use serde_json::Value;
use std::process::{Command, Output};

/// Two namespaces, and `emulate NAME ARGUMENT...` to join an interface in each in the background.
const TWO_NAMESPACES: &str = r#"
    mkdir /run/netns
    ip netns add a
    ip netns add b
    left=ns:a/tun0=10.9.0.1/24,fd09::1/64
    right=ns:b/tun0=10.9.0.2/24,fd09::2/64
    emulate() {
        name=$1
        shift
        begin "$name" emulating "$A" emulate "$@"
    }
    # failed COMMAND...: its exit status and what it said.
    failed() {
        status=0
        "$@" 2>&1 || status=$?
        echo "exit status $status"
    }
"#;

/// Runs a script beside two namespaces.
fn between_namespaces(script: &str) -> Option<Output> {
    in_namespace(&format!("{TWO_NAMESPACES}\n{script}"))
}

/// Checks that the script printed one line: an error with these parts, and this exit status.
#[track_caller]
fn assert_failed(output: &Output, status: u8, parts: &[&str]) {
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<_> = text.lines().collect();
    let [message, last] = lines[..] else {
        panic!("not one line and an exit status: {output:?}");
    };
    assert_eq!(last, format!("exit status {status}"), "{output:?}");
    assert!(message.starts_with("ackclock: "), "{message}");
    for part in parts {
        assert!(message.contains(part), "no '{part}' in: {message}");
    }
}

#[test]
fn two_kernels_ping_each_other_across_the_path() {
    let script = r#"
        emulate path --left $left --right $right --path delay=5ms,loss=0 --json
        path=$!
        ip netns exec a ping -q -c 5 -i 0.01 -w 60 10.9.0.2 | grep 'packets transmitted' >&2
        ip netns exec b ping -q -c 5 -i 0.01 -w 60 fd09::1 | grep 'packets transmitted' >&2
        kill -INT $path
        wait $path
        cat "$work/path"
    "#;
    let Some(output) = between_namespaces(script) else {
        return;
    };
    let reports = reports(&output);
    let pings = String::from_utf8_lossy(&output.stderr);
    // It waits for five answers, however late they are, and asks on meanwhile: a sixth may come.
    let received = |line: &str| {
        let words = line.split(", ").nth(1)?;
        words.strip_suffix(" received")?.parse::<u32>().ok()
    };
    let answered: Vec<_> = pings.lines().filter_map(received).collect();
    assert!(answered.len() == 2 && answered.iter().all(|&received| received >= 5), "{pings}");
    let report = &reports[0];
    assert_eq!(report["parameters"]["left"], "ns:a/tun0");
    assert_eq!(report["parameters"]["path_back"], "rate=10mbit,delay=5ms,loss=0%,queue=64");
    assert_eq!(report["interrupted"], true);
    assert_eq!(report["error"], Value::Null);
    for direction in ["to_right", "to_left"] {
        // The script's packets have 84 and 104 bytes; the kernel may send some of its own.
        assert!(report[direction]["carried_packets"].as_u64() >= Some(10), "{report}");
        assert!(report[direction]["carried_bytes"].as_u64() >= Some(940), "{report}");
        assert_eq!(report[direction]["refused_packets"], 0);
    }
}

#[test]
fn two_kernels_repair_what_the_path_does_to_their_stream() {
    let script = r#"
        emulate path --left $left --right $right --json --pcap "$work/pcap" \
            --path rate=200mbit,delay=1ms,loss=every:50,queue=100,duplicate=1%,reorder=1%:3 \
            --path-back loss=every:20
        path=$!
        begin echo serving ip netns exec b "$A" serve echo --via kernel --port 7 --once
        echo=$!
        head -c 3000000 /dev/urandom >"$work/data"
        ip netns exec a bash -c '
            exec 3<>/dev/tcp/10.9.0.2/7
            cat "$0" >&3 &
            head -c 3000000 <&3 | cmp - "$0"
        ' "$work/data"
        wait $echo
        kill -TERM $path
        wait $path
        cat "$work/path"
        wc -c <"$work/pcap"
    "#;
    let Some(output) = between_namespaces(script) else {
        return;
    };
    let reports = reports(&output);
    let there = &reports[0]["to_right"];
    let count = |key: &str| there[key].as_u64().expect("a count");
    // Duplicates count as carried; packets that wait in the queue do not.
    let left_the_line =
        count("carried_packets") - count("duplicated_packets") + count("lost_packets");
    assert!(count("carried_bytes") > 3_000_000, "{there}");
    assert!((left_the_line / 50).abs_diff(count("lost_packets")) <= 1, "{there}");
    assert!(count("duplicated_packets") > 0 && count("reordered_packets") > 0, "{there}");
    assert!(reports[0]["to_left"]["lost_packets"].as_u64() > Some(0));
    assert!(reports[1].as_u64() > Some(2 * 3_000_000), "the capture holds both directions");
}

#[test]
fn it_ends_in_time_with_the_intervals_asked_for() {
    let script = r#"
        "$A" emulate --left $left --right $right --time 100ms -i 50ms --json
        "$A" emulate --left $left --right $right --time 100ms -i 50ms
    "#;
    let Some(output) = between_namespaces(script) else {
        return;
    };
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let mut objects = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Value>();
    let report = objects.next().expect("an object").expect("which is sound");
    assert_eq!(report["duration_seconds"], 0.1);
    assert_eq!(report["interrupted"], false);
    let ends: Vec<_> = report["intervals"].as_array().expect("intervals").iter().collect();
    assert_eq!(ends.len(), 2);
    assert_eq!((&ends[0]["end_seconds"], &ends[1]["start_seconds"]), (&0.05.into(), &0.05.into()));
    assert_eq!(ends[1]["end_seconds"], 0.1);
    let text = String::from_utf8_lossy(&output.stdout[objects.byte_offset()..]).into_owned();
    let spans = ["  0.00-0.05   sec  to right", "  0.05-0.10   sec  to left", "  0.00-0.10   sec"];
    for span in spans {
        assert!(text.contains(span), "{text}");
    }
}

#[test]
fn the_interfaces_know_the_mtu_of_the_path() {
    let script = r#"
        emulate path --left $left --right $right --path mtu=1400,loss=0 --path-back mtu=70000
        for namespace in a b; do
            ip -n $namespace -o link show dev tun0 | grep -o 'mtu [0-9]*'
        done
    "#;
    let Some(output) = between_namespaces(script) else {
        return;
    };
    assert_eq!(String::from_utf8_lossy(&output.stdout), "mtu 1400\nmtu 65535\n", "{output:?}");
}

#[test]
fn interfaces_are_left_as_they_were_found() {
    let script = r#"
        ip -n a tuntap add dev kept mode tun
        ip -n a address add 10.9.0.1/24 dev kept
        ip -n a link set dev kept up mtu 1400
        show() { ip -n a -o -4 address show; ip -n a -o link show | grep -o 'kept.*mtu [0-9]*\|qlen .*'; }
        show >"$work/before"
        for signal in INT TERM; do
            emulate path --left ns:a/kept --right $right
            path=$!
            ip -n b -o -4 address show dev tun0 | grep -o 'inet [^ ]*'
            kill -$signal $path
            wait $path
            show >"$work/after"
            diff <(sed 's/<.*>//' "$work/before") <(sed 's/<.*>//' "$work/after")
            ip -n b link show dev tun0 2>/dev/null && exit 9
        done
        true
    "#;
    let Some(output) = between_namespaces(script) else {
        return;
    };
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "inet 10.9.0.2/24\n".repeat(2));
}

#[test]
fn a_namespace_that_is_not_there_is_made_with_the_command_named() {
    let script = "failed \"$A\" emulate --left ns:nowhere/tun0 --right $right";
    if let Some(output) = between_namespaces(script) {
        assert_failed(&output, 3, &["'nowhere'", "'sudo ip netns add nowhere'"]);
    }
}

#[test]
fn an_interface_in_use_is_named_with_its_namespace() {
    let script = r#"
        emulate path --left $left --right $right
        failed "$A" emulate --left ns:a/tun0 --right ns:b/tun1
    "#;
    if let Some(output) = between_namespaces(script) {
        assert_failed(&output, 3, &["in namespace a", "another program is attached", "tun0"]);
    }
}

#[test]
fn an_interface_that_exists_keeps_its_addresses() {
    let script = r#"
        ip -n a tuntap add dev tun0 mode tun
        failed "$A" emulate --left $left --right $right
    "#;
    if let Some(output) = between_namespaces(script) {
        let says = ["exists already", "'=10.9.0.1/24'", "'sudo ip link delete tun0'"];
        assert_failed(&output, 3, &says);
    }
}

#[test]
fn an_interface_that_is_down_is_to_be_taken_up() {
    let script = r#"
        ip -n b tuntap add dev tun0 mode tun
        failed "$A" emulate --left $left --right ns:b/tun0
    "#;
    if let Some(output) = between_namespaces(script) {
        assert_failed(&output, 3, &["in namespace b", "'sudo ip link set dev tun0 up'"]);
    }
}

#[test]
fn an_interface_of_another_kind_is_refused() {
    let script = r#"
        failed "$A" emulate --left ns:a/lo --right $right
    "#;
    if let Some(output) = between_namespaces(script) {
        assert_failed(&output, 3, &["lo exists and is not a plain TUN interface"]);
    }
}

#[test]
fn without_privilege_it_says_how_to_get_it() {
    let script = r#"
        chmod 755 "$work"
        # A copy that another user may run, wherever the program was built.
        cp "$A" "$work/program"
        nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$work/program" "$@"; }
        failed nobody emulate --left $left --right $right
    "#;
    if let Some(output) = between_namespaces(script) {
        assert_failed(&output, 3, &["'a'", "as root", "'sudo'"]);
    }
}

#[test]
fn an_interface_deleted_under_the_path_ends_it_with_its_summary() {
    let script = r#"
        emulate path --left $left --right $right --json
        path=$!
        ip -n b link delete tun0
        failed wait $path
        cat "$work/path"
    "#;
    let Some(output) = between_namespaces(script) else {
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let (status, report) = text.split_once('\n').expect("a status and a report");
    assert_eq!(status, "exit status 3", "{output:?}");
    let report: Value = serde_json::from_str(report).expect("a JSON object");
    let error = report["error"].as_str().expect("an error");
    assert!(error.contains("in namespace b") && error.contains("deleted"), "{error}");
}

#[test]
fn what_cannot_be_meant_is_refused_before_anything_is_opened() {
    for (arguments, says) in [
        (&["--left", "ns:a/tun0", "--right", "ns:a/tun0=10.9.0.1/24"][..], "two ends"),
        (&["--left", "a b", "--right", "tun1"], "--left 'a b': an interface name has"),
        (&["--left", "tun0", "--right", "ns:b"], "--right 'ns:b': write NAME, or ns:NAMESPACE"),
        (&["--left", "tun0", "--right", "tun1", "--path-back", "rate"], "--path-back: 'rate'"),
        (&["--left", "tun0", "--right", "tun1", "--asymmetric", "loss=2"], "at most 100%"),
        (&["--left", "tun0"], "--right <TUN>"),
    ] {
        let program = Command::new(env!("CARGO_BIN_EXE_ackclock"))
            .arg("emulate")
            .args(arguments)
            .output()
            .expect("the program starts");
        let text = String::from_utf8_lossy(&program.stderr);
        assert_eq!(program.status.code(), Some(2), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains(says), "{text}");
    }
}
