//! RFC 1191: the path MTU, as routers tell it.

use ackclock_testkit::script::check;

/// An open whose segments are as large as an Ethernet carries.
const LARGE_SEGMENTS: &str = "set mss link
        connect
        > S 0:0(0) <mss 1460,sackOK>
        < S. 0:0(0) ack 1 <mss 1460,sackOK>
        > . 1:1(0) ack 1
        info pmtu 1500";

#[track_caller]
fn with_large_segments(script: &str) {
    check(&format!("{LARGE_SEGMENTS}\n {script}"));
}

#[test]
fn what_was_too_long_goes_again_at_once_which_is_no_sign_of_congestion() {
    // Section 6.4.
    check(
        "
        established
        write 2000
        > . 1:1001(1000) ack 1
        > P. 1001:2001(1000) ack 1
        +0.01 icmp frag_needed 1 mtu 800
        > . 1:761(760) ack 1
        > . 761:1521(760) ack 1
        > P. 1521:2001(480) ack 1
        info mss 760
        info pmtu 800
        info cwnd 10000
        info ssthresh 4294967295      # as at the beginning
        +0.01 < . 1:1(0) ack 2001
        write 800
        > . 2001:2761(760) ack 1
        > P. 2761:2801(40) ack 1
        ",
    );
}

#[test]
fn options_of_every_segment_count_against_it() {
    // Section 5.
    check(
        "
        set timestamps on
        established
        write 988
        > P. 1:989(988) ack 1
        icmp frag_needed 1 mtu 800
        > . 1:749(748) ack 1
        > P. 749:989(240) ack 1
        ",
    );
}

#[test]
fn an_absurd_one_is_not_believed() {
    // Section 3; Linux's least is 552 bytes, too.
    check(
        "
        established
        write 1000
        > P. 1:1001(1000) ack 1
        icmp frag_needed 1 mtu 68
        > . 1:513(512) ack 1
        > P. 513:1001(488) ack 1
        info pmtu 552
        ",
    );
}

#[test]
fn a_router_that_tells_none_means_the_next_plateau() {
    // Sections 5 and 7.1.
    with_large_segments(
        "
        write 1460
        > P. 1:1461(1460) ack 1
        icmp frag_needed 1
        > . 1:1453(1452) ack 1
        > P. 1453:1461(8) ack 1
        icmp frag_needed 1
        +0.2 > . 1:967(966) ack 1     # all goes again at once for one error only
        info pmtu 1006
        +0.01 < . 1:1(0) ack 967
        > P. 967:1461(494) ack 1
        ",
    );
}

#[test]
fn one_that_is_no_smaller_changes_nothing() {
    // Section 3: an error never makes the path wider.
    with_large_segments(
        "
        write 1460
        > P. 1:1461(1460) ack 1
        icmp frag_needed 1 mtu 1500
        icmp frag_needed 1 mtu 9000
        info mss 1460
        info pmtu 1500
        ",
    );
}

#[test]
fn an_error_about_what_has_arrived_changes_nothing() {
    // RFC 5927 sections 4.1 and 7.2.
    check(
        "
        established
        write 1000
        > P. 1:1001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001
        icmp frag_needed 1 mtu 800
        info mss 1000
        info pmtu 1500
        ",
    );
}
