//! `ackclock setup` and its undoing, in a network namespace.

use crate::namespace::in_namespace;

/// Shell function `state`, which prints everything that the commands could have changed.
const STATE: &str = r#"
    iptables -t nat -S >/dev/null
    ip6tables -t nat -S >/dev/null
    state() {
        # The queue of an interface that was up once is not that of a new one.
        ip -o link show | cut -d: -f2- | sed 's/qdisc [a-z_]*//'
        # The kernel gives link-local addresses in its own time.
        ip -o address show | tr -s ' ' | cut -d' ' -f2-4 | grep -v ' fe80:'
        ip route show
        sysctl net.ipv4.ip_forward net.ipv6.conf.all.forwarding
        for program in iptables ip6tables; do
            $program -S
            $program -t nat -S
        done
        find /run/ackclock -type f || true
    } 2>/dev/null
    both="--address 10.7.0.2/24 --address fd07::2/64"
"#;

/// Runs a script after [`STATE`], which must succeed, and returns its output.
fn run(script: &str) -> Option<String> {
    let output = in_namespace(&(STATE.to_owned() + script))?;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn what_is_applied_works_and_is_undone_to_the_last_rule() {
    let script = r#"
        state >"$work/before"
        "$A" setup tun ack0 $both --apply
        state >"$work/applied"
        "$A" setup tun ack0 $both --apply
        state | diff "$work/applied" -
        iptables -t nat -S | grep MASQUERADE
        cat /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv6/conf/all/forwarding
        ip -o -4 address show dev ack0 | grep -o 'inet [^ ]*'
        "$A" setup tun ack0 --undo
        state | diff "$work/before" -
        "$A" setup tun ack0 --undo
    "#;
    let Some(printed) = run(script) else {
        return;
    };
    let ready = "ack0 is ready for 'ackclock ... --tun ack0 --address 10.7.0.2/24 --address \
                 fd07::2/64', and routed; 'ackclock setup tun ack0 --undo' undoes it\n";
    assert_eq!(
        printed,
        format!(
            "{ready}{ready}-A POSTROUTING -s 10.7.0.0/24 ! -o ack0 -j MASQUERADE\n1\n1\ninet \
             10.7.0.1/24\nthe changes for ack0 are undone\nthere are no changes for ack0 to \
             undo\n"
        )
    );
}

#[test]
fn what_was_there_before_stays() {
    let script = r#"
        ip tuntap add dev ack0 mode tun
        ip address add 10.7.0.1/24 dev ack0
        ip link set dev ack0 mtu 1400
        sysctl -qw net.ipv4.ip_forward=1
        iptables -A FORWARD -i ack0 -j ACCEPT
        state >"$work/before"
        "$A" setup tun ack0 $both --mtu 1300 --apply >/dev/null
        ip link show dev ack0 | grep -o 'mtu [0-9]*'
        iptables -S FORWARD | grep -c ACCEPT
        "$A" setup tun ack0 --undo
        state | diff "$work/before" -
    "#;
    let Some(printed) = run(script) else {
        return;
    };
    // 3: the policy and two rules.
    assert_eq!(printed, "mtu 1300\n3\nthe changes for ack0 are undone\n");
}

#[test]
fn what_somebody_else_has_undone_is_told() {
    let script = r#"
        "$A" setup tun ack0 --apply >/dev/null
        ip link delete ack0
        "$A" setup tun ack0 --undo
    "#;
    let Some(printed) = run(script) else {
        return;
    };
    let lines: Vec<_> = printed.lines().collect();
    assert_eq!(lines[0], "the changes for ack0 are undone");
    assert!(lines[1].contains("ip link delete dev ack0"), "{printed}");
    assert_eq!(lines.len(), 2);
}
