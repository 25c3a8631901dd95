//! ICMP errors and the path MTU.

use crate::player::check;

/// A passive open by a peer that takes as much as an Ethernet carries.
const LARGE_SEGMENTS: &str = "
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1460,sackOK>
        > S. 0:0(0) ack 1 <mss 1460,sackOK>
        +0.01 < . 1:1(0) ack 1
        accept s = fd c
";
const LARGE_SEGMENTS_V6: &str = "
        v6
        socket v6 = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1440,sackOK>
        > S. 0:0(0) ack 1 <mss 1440,sackOK>
        +0.01 < . 1:1(0) ack 1
        accept s = fd c
";

/// RFC 9293 section 3.9.2.2 (SHLD-26) with RFC 5927 section 5.2: a hard error ends an open.
#[test]
fn a_closed_port_refuses_an_open() {
    check(
        "
        socket nonblock = fd c
        connect c = EINPROGRESS
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 icmp port_unreachable 0
        poll c out 0 = out|err|hup
        get c SO_ERROR = 111
        +2 quiet
        ",
    );
}

/// RFC 9293 section 3.9.2.2: "protocol unreachable" is hard, too; the call that waits hears of it.
#[test]
fn a_missing_protocol_refuses_a_call_that_waits() {
    check(
        "
        socket = fd c
        start connect c
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 icmp protocol_unreachable 0
        done = ECONNREFUSED
        ",
    );
}

/// RFC 1812 section 5.2.7.1, as Linux reads it: code 13 is as hard as a closed port.
#[test]
fn an_administrator_refuses_an_open() {
    check(
        "
        socket = fd c
        start connect c
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 icmp admin_prohibited 0
        done = ECONNREFUSED
        ",
    );
}

/// RFC 9293 section 3.9.2.2 (MUST-56): no route, source route failed, time exceeded and a parameter
/// problem are soft; the SYN goes on.
#[test]
fn soft_errors_do_not_end_an_open() {
    check(
        "
        socket = fd c
        start connect c
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 icmp net_unreachable 0
        icmp host_unreachable 0
        icmp source_route_failed 0
        icmp time_exceeded 0
        icmp parameter_problem 0
        +0.99 > S 0:0(0) <mss 1460,sackOK>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        done
        ",
    );
}

/// RFC 9293 section 3.9.2.2 (SHLD-25): the soft error is what the caller hears in the end, as in
/// Linux, rather than that time was up.
#[test]
fn a_soft_error_explains_why_an_open_was_given_up() {
    check(
        "
        socket = fd c
        set c TCP_SYNCNT 1
        start connect c
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 icmp host_unreachable 0
        +0.99 > S 0:0(0) <mss 1460,sackOK>
        +2 done = EHOSTUNREACH
        ",
    );
}

/// RFC 5927 section 4.1: an error that quotes what is not in flight was made up.
#[test]
fn an_error_about_a_number_that_was_not_sent_is_ignored() {
    check(
        "
        socket nonblock = fd c
        connect c = EINPROGRESS
        > S 0:0(0) <mss 1460,sackOK>
        icmp port_unreachable 1
        icmp port_unreachable -1
        icmp port_unreachable 1000000
        poll c out 0 = 0
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        get c SO_ERROR = 0
        ",
    );
}

/// RFC 5927 section 5.2: on a connection that is open, hard errors are soft, whatever they say.
#[test]
fn no_error_ends_an_open_connection() {
    check(
        "
        established
        write c 1000
        > P. 1:1001(1000) ack 1
        icmp port_unreachable 1
        icmp protocol_unreachable 1
        icmp admin_prohibited 1
        poll c in|out 0 = out
        info c state = 1
        +0.01 < . 1:1(0) ack 1001
        write c 1000
        > P. 1001:2001(1000) ack 1
        ",
    );
}

/// RFC 9293 section 3.9.2.2 (MUST-55) and RFC 6633: source quench is discarded.
#[test]
fn a_source_quench_changes_nothing() {
    check(
        "
        established
        write c 1000
        > P. 1:1001(1000) ack 1
        icmp source_quench 1
        info c snd_cwnd = 10
        info c snd_ssthresh = 2147483647
        ",
    );
}

/// RFC 9293 section 3.9.2.2: a SYN-ACK that nobody can take ends the half-open connection, and the
/// listener listens again.
#[test]
fn a_hard_error_about_a_syn_ack_forgets_the_opening() {
    check(
        "
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        icmp port_unreachable 0
        +2 < . 1:1(0) ack 1
        > R 1:1(0)
        ",
    );
}

/// RFC 5927 section 4.1 for SYN-RECEIVED; soft errors leave it alone anyway (MUST-56).
#[test]
fn other_errors_about_a_syn_ack_leave_the_opening_alone() {
    check(
        "
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        icmp host_unreachable 0
        icmp port_unreachable 77
        < . 1:1(0) ack 1
        accept s = fd c
        ",
    );
}

/// RFC 1191 section 6.4: what was too long goes again at once in segments that fit, which is no
/// sign of congestion.
#[test]
fn a_narrow_path_makes_segments_smaller_at_once() {
    check(
        "
        established
        write c 2000
        > . 1:1001(1000) ack 1
        > P. 1001:2001(1000) ack 1
        +0.01 icmp frag_needed 1 mtu 800
        > . 1:761(760) ack 1
        > . 761:1521(760) ack 1
        > P. 1521:2001(480) ack 1
        info c snd_mss = 760
        info c pmtu = 800
        info c snd_ssthresh = 2147483647
        +0.01 < . 1:1(0) ack 2001
        write c 800
        > . 2001:2761(760) ack 1
        ",
    );
}

/// RFC 1191 section 5: the options of every segment count against the MTU.
#[test]
fn timestamps_count_against_the_path_mtu() {
    check(
        "
        flags timestamps=on
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1460,sackOK,TS val 100 ecr 0>
        > S. 0:0(0) ack 1 <mss 1460,sackOK,TS val 1000 ecr 100>
        +0.01 < . 1:1(0) ack 1 <TS val 110 ecr 1000>
        accept s = fd c
        write c 1448
        > P. 1:1449(1448) ack 1
        icmp frag_needed 1 mtu 1000
        > . 1:949(948) ack 1
        > P. 949:1449(500) ack 1
        ",
    );
}

/// RFC 1191 section 3: nobody believes in a path that is absurdly narrow; Linux's least MTU is 552.
#[test]
fn an_absurd_mtu_is_not_believed() {
    check(
        "
        established
        write c 1000
        > P. 1:1001(1000) ack 1
        icmp frag_needed 1 mtu 68
        > . 1:513(512) ack 1
        > P. 513:1001(488) ack 1
        info c pmtu = 552
        ",
    );
}

/// RFC 1191 section 5: a router of old does not tell its MTU; the next lower plateau of section 7.1
/// is tried.
#[test]
fn a_router_that_tells_no_mtu_means_the_next_plateau() {
    check(&format!(
        "{LARGE_SEGMENTS}
        write c 1460
        > P. 1:1461(1460) ack 1
        icmp frag_needed 1
        > . 1:1453(1452) ack 1
        > P. 1453:1461(8) ack 1
        icmp frag_needed 1
        > . 1:967(966) ack 1
        > P. 967:1461(494) ack 1
        info c pmtu = 1006
        "
    ));
}

/// RFC 1191 section 3: an error never makes the path wider.
#[test]
fn an_mtu_that_is_no_smaller_changes_nothing() {
    check(&format!(
        "{LARGE_SEGMENTS}
        write c 1460
        > P. 1:1461(1460) ack 1
        icmp frag_needed 1 mtu 1500
        icmp frag_needed 1 mtu 9000
        info c snd_mss = 1460
        info c pmtu = 1500
        "
    ));
}

/// RFC 5927 section 7.2 (and 4.1): what is acknowledged was not too long.
#[test]
fn an_error_about_what_has_arrived_changes_no_mtu() {
    check(
        "
        established
        write c 1000
        > P. 1:1001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001
        icmp frag_needed 1 mtu 800
        info c snd_mss = 1000
        ",
    );
}

/// RFC 8201 section 4 with RFC 4443 section 3.2.
#[test]
fn too_big_makes_segments_of_ipv6_smaller() {
    check(&format!(
        "{LARGE_SEGMENTS_V6}
        write c 2880
        > . 1:1441(1440) ack 1
        > P. 1441:2881(1440) ack 1
        +0.01 icmp too_big 1 mtu 1280
        > . 1:1221(1220) ack 1
        > . 1221:2441(1220) ack 1
        > P. 2441:2881(440) ack 1
        info c pmtu = 1280
        "
    ));
}

/// RFC 8201 section 4: every link of IPv6 carries 1,280 bytes; an error that tells less is
/// discarded.
#[test]
fn too_big_below_what_ipv6_promises_is_discarded() {
    check(&format!(
        "{LARGE_SEGMENTS_V6}
        write c 1440
        > P. 1:1441(1440) ack 1
        icmp too_big 1 mtu 1279
        icmp too_big 1
        info c snd_mss = 1440
        info c pmtu = 1500
        "
    ));
}

/// RFC 4443 section 3.1: over IPv6 the port is code 4, and prohibited is code 1.
#[test]
fn a_closed_port_refuses_an_open_over_ipv6() {
    check(
        "
        v6
        socket v6 = fd c
        start connect c
        > S 0:0(0) <mss 1440,sackOK>
        +0.01 icmp port_unreachable 0
        done = ECONNREFUSED
        socket v6 = fd d
        ",
    );
}

/// RFC 4443 section 3 with RFC 9293 section 3.9.2.2: no route, no such address, the hop limit and a
/// parameter problem are soft over IPv6 as well.
#[test]
fn soft_errors_over_ipv6_do_not_end_an_open() {
    check(
        "
        v6
        socket v6 = fd c
        start connect c
        > S 0:0(0) <mss 1440,sackOK>
        +0.01 icmp no_route 0
        icmp address_unreachable 0
        icmp time_exceeded 0
        icmp parameter_problem 0
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        done
        ",
    );
}
