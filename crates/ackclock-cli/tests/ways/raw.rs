//! The program with raw sockets on the host's own address, against the kernel of another namespace.

use crate::namespace::{in_namespace, reports};
use serde_json::Value;

/// Neighbour that counts the RSTs that arrive over the link; `resets` prints their number.
const COUNT_RESETS: &str = r#"
    neighbour
    at_peer nft add table ip seen '{
        chain input { type filter hook input priority 0; iifname v1 tcp flags rst counter; };
    }'
    resets() { at_peer nft list table ip seen | grep -o 'packets [0-9]*' | grep -o '[0-9]*'; }
"#;

#[test]
fn transfers_both_ways_complete_and_the_kernel_sends_no_reset() {
    let script = COUNT_RESETS.to_owned()
        + r#"
        for service in discard echo; do
            begin far serving at_peer "$A" serve $service --via kernel --port 9 --once --json
            "$A" $service 10.1.0.2:9 --via raw --guard --bytes 3M --json
            wait $!
            cat "$work/far"
        done
        serve near discard --via raw --guard --once --json
        at_peer bash -c 'head -c 1000000 /dev/zero >/dev/tcp/10.1.0.1/9'
        wait $!
        cat "$work/near"
        serve near echo --via raw --guard --once --json
        at_peer "$A" echo 10.1.0.1:7 --via raw --guard --bytes 3M --json
        wait $!
        cat "$work/near"
        resets
        nft -j list tables
    "#;
    let Some(output) = in_namespace(&script) else {
        return;
    };
    let reports = reports(&output);
    let [sent, discarded, echoed, echo, served, client, server, resets, tables] = &reports[..]
    else {
        panic!("nine reports: {reports:?}");
    };
    assert_eq!(sent["parameters"]["via"], "raw");
    assert_eq!(sent["totals"]["acked_bytes"], 3 << 20);
    assert_eq!(discarded["received_bytes"], 3 << 20);
    assert_eq!(echoed["totals"]["received_bytes"], 3 << 20);
    assert_eq!(echo["sent_bytes"], 3 << 20);
    assert_eq!(served["via"], "raw");
    assert_eq!(served["listened_on"], "10.1.0.1:9");
    assert_eq!(served["received_bytes"], 1_000_000);
    assert_eq!(client["totals"]["received_bytes"], 3 << 20);
    assert_eq!(server["sent_bytes"], 3 << 20);
    assert_eq!(*resets, 0, "RSTs seen by the neighbour");
    assert_eq!(tables["nftables"].as_array().map(Vec::len), Some(1), "{tables}");
}

#[test]
fn without_a_rule_it_refuses_with_the_command_that_makes_one() {
    let script = r#"
        neighbour
        begin far serving at_peer "$A" serve discard --via kernel --json
        status=0
        "$A" discard 10.1.0.2:9 --via raw 2>"$work/refusal" || status=$?
        echo $status
        sed -n 's/.*with "sudo \(.*\)", or.*/\1/p' "$work/refusal" >"$work/command"
        . "$work/command"
        "$A" discard 10.1.0.2:9 --via raw --bytes 3M --json
        wc -l <"$work/refusal"
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    let reports = reports(&output);
    assert_eq!(reports[0], 3, "exit status");
    assert_eq!(reports[1]["totals"]["acked_bytes"], 3 << 20);
    assert_eq!(reports[2], 1, "lines of the refusal");
}

#[test]
fn a_rule_that_drops_more_than_it_should_is_none() {
    let script = r#"
        neighbour
        nft add table ip wide '{ chain out { type filter hook output priority 0; tcp flags rst drop; }; }'
        "$A" discard 10.1.0.2:9 --via raw
    "#;
    let Some(output) = in_namespace(script) else {
        return;
    };
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("none comes from other ports"), "{text}");
}

/// Script in which a transfer goes on behind a guard. `refused PORT` succeeds if the kernel answers a SYN
/// of the neighbour to that port with RST.
const UNDER_WAY: &str = r#"
    neighbour
    begin far serving at_peer "$A" serve discard --via kernel
    under_way() {
        # The background empties the file too, but later than it is looked into.
        : >"$work/client"
        "$A" discard 10.1.0.2:9 --via raw --guard --time 1h -i 10ms >"$work/client" \
            2>"$work/error" &
        client=$!
        until grep -q /sec "$work/client"; do sleep 0.01; done
    }
    refused() { at_peer bash -c "exec 3<>/dev/tcp/10.1.0.1/$1" 2>&1 | grep -q refused; }
"#;

#[test]
fn other_ports_have_their_resets() {
    let script = UNDER_WAY.to_owned()
        + r#"
        under_way
        for port in 1 60999 61064 65535; do
            refused $port
            echo $port
        done
        kill -INT $client
        wait $client || true
        nft list ruleset
    "#;
    let Some(output) = in_namespace(&script) else {
        return;
    };
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n60999\n61064\n65535\n");
}

/// Checks that the rule which a killed run leaves behind is removed by the next run, and that the rule of a
/// running program stays until it ends. `list` is the command that lists the rules.
fn leftovers(list: &str) {
    let script = UNDER_WAY.to_owned()
        + &format!("list() {{ {list}; }}\n")
        + r#"
        list >"$work/before"
        under_way
        kill -KILL $client
        wait $client || true
        list | grep -c 'ackclock_[0-9a-f]*_[0-9a-f]*_'
        under_way
        list | grep -c 'ackclock_[0-9a-f]*_[0-9a-f]*_'
        "$A" discard 10.1.0.2:9 --via raw --guard --bytes 1M --json
        list | grep -c 'ackclock_[0-9a-f]*_[0-9a-f]*_'
        kill -TERM $client
        wait $client || true
        grep -c 'interrupted before the transfer was complete' "$work/error"
        list >"$work/after"
        diff "$work/before" "$work/after"
    "#;
    let Some(output) = in_namespace(&script) else {
        return;
    };
    let reports = reports(&output);
    let [after_kill, with_next, beside, with_neighbour, interrupted] = &reports[..] else {
        panic!("five reports: {reports:?}");
    };
    assert_eq!(after_kill, with_next);
    assert_eq!(with_next, with_neighbour);
    assert_eq!(beside["totals"]["acked_bytes"], 1 << 20);
    assert_eq!(*interrupted, 1);
}

#[test]
fn a_second_interrupt_leaves_no_rule_either() {
    let script = UNDER_WAY.to_owned()
        + r#"
        under_way
        kill -INT $client
        kill -TERM $client
        wait $client || echo $?
        nft list tables
    "#;
    let Some(output) = in_namespace(&script) else {
        return;
    };
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    // 1: the first interrupt had ended the run before the second one was handled; 130: it had not.
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(["1\n", "130\n"].contains(&printed.as_str()), "{printed}");
}

#[test]
fn after_a_kill_the_next_start_removes_the_rule_and_keeps_a_neighbours() {
    leftovers("nft list tables");
}

#[test]
fn without_nftables_iptables_does_the_same() {
    // The PATH has no nft.
    leftovers(
        r#"mkdir -p "$work/bin"
        for program in $(ls /usr/sbin /usr/bin | grep -v '^nft$'); do
            [ -e "$work/bin/$program" ] || ln -s "$(command -v $program)" "$work/bin/" || true
        done 2>/dev/null
        PATH=$work/bin
        iptables -t raw -S | grep -v '^-A ackclock'"#,
    );
}

/// Note on standard error and report of a transfer of this service, after this preparation.
fn note(preparation: &str, service: &str) -> Option<(String, Value)> {
    let script = format!(
        r#"
        neighbour
        {preparation}
        begin far serving at_peer "$A" serve {service} --via kernel --port 9 --once
        "$A" {service} 10.1.0.2:9 --via raw --guard --bytes 3M --json
        "#
    );
    let output = in_namespace(&script)?;
    let report = reports(&output).remove(0);
    Some((String::from_utf8_lossy(&output.stderr).into_owned(), report))
}

#[test]
fn checksums_that_were_never_filled_in_are_accepted_and_told_of_once() {
    let Some((note, report)) = note("at_peer ethtool -K v1 tso off gso off >/dev/null", "discard")
    else {
        return;
    };
    assert_eq!(report["totals"]["acked_bytes"], 3 << 20);
    assert!(note.starts_with("note: packets without TCP checksum"), "{note}");
    assert!(note.contains("'sudo ethtool -K v0 gro off lro off'"), "{note}");
    assert_eq!(note.lines().count(), 1, "{note}");
}

#[test]
fn packets_longer_than_the_mtu_are_accepted_and_told_of_once() {
    // Packets can be too long because they are put together on arrival, or because they were never cut.
    let put_together = "at_peer ethtool -K v1 tx off tso off gso off >/dev/null
                        ethtool -K v0 gro on >/dev/null";
    for preparation in [put_together, "true"] {
        let Some((note, report)) = note(preparation, "echo") else {
            return;
        };
        assert_eq!(report["totals"]["received_bytes"], 3 << 20);
        assert!(note.starts_with("note: packets longer than the MTU"), "{note}");
        assert_eq!(note.lines().count(), 1, "{note}");
    }
}

#[test]
fn nothing_is_told_of_packets_as_networks_carry_them() {
    let Some((note, report)) =
        note("at_peer ethtool -K v1 tx off tso off gso off >/dev/null", "echo")
    else {
        return;
    };
    assert_eq!(report["totals"]["received_bytes"], 3 << 20);
    assert_eq!(note, "");
}
