//! RFC 3168 section 6.1: explicit congestion notification.

use ackclock_testkit::script::check;

const AGREED: &str = "
        listen
        < SEW 0:0(0) <mss 1000,sackOK>
        > SE. 0:0(0) ack 1 <mss 1000,sackOK>
        +0.01 < . 1:1(0) ack 1
        accept
";

/// RFC 3168 section 6.1.3: the echo goes on until CWR comes, and begins anew with the next mark. As
/// in Linux CWR is acknowledged at once, for its sender's window may be a single segment now.
#[test]
fn a_mark_is_echoed_until_the_peer_has_reduced_its_window() {
    check(&format!(
        "{AGREED}
        < [ce] . 1:1001(1000) ack 1
        > E. 1:1(0) ack 1001
        < [ect0] . 1001:2001(1000) ack 1
        < [ect0] . 2001:3001(1000) ack 1
        > E. 1:1(0) ack 3001
        < [ect0] W. 3001:4001(1000) ack 1
        > . 1:1(0) ack 4001
        < [ect0] . 4001:5001(1000) ack 1
        < [ect0] . 5001:6001(1000) ack 1
        > . 1:1(0) ack 6001
        < [ce] W. 6001:7001(1000) ack 1
        > E. 1:1(0) ack 7001
        "
    ));
}

/// RFC 3168 section 6.1.3: "that TCP receiver continues to set the ECN-Echo flag in all the ACK packets it sends", so in
/// TIME-WAIT, too: no CWR comes any more.
#[test]
fn acks_in_time_wait_go_on_with_the_echo() {
    for (mark, delay, echo) in [("ce", "0", "E"), ("ect0", "0.04", "")] {
        check(&format!(
            "{AGREED}
            < [{mark}] . 1:1001(1000) ack 1
            +{delay} > {echo}. 1:1(0) ack 1001
            read 1000
            close
            > F{echo}. 1:1(0) ack 1001
            < F. 1001:1001(0) ack 2
            > {echo}. 2:2(0) ack 1002
            < F. 1001:1001(0) ack 2
            > {echo}. 2:2(0) ack 1002
            "
        ));
    }
}

/// RFC 5681 section 4.2: "A TCP receiver MUST NOT generate more than one ACK for every incoming segment".
/// Without SACK the second one would count as one more duplicate ack.
#[test]
fn a_mark_or_cwr_behind_a_hole_gets_one_ack() {
    check(
        "
        listen
        < SEW 0:0(0) <mss 1000>
        > SE. 0:0(0) ack 1 <mss 1000>
        +0.01 < . 1:1(0) ack 1
        accept
        < [ce] . 1001:2001(1000) ack 1
        > E. 1:1(0) ack 1
        < [ect0] W. 2001:3001(1000) ack 1
        > . 1:1(0) ack 1
        < [ce] . 3001:4001(1000) ack 1
        > E. 1:1(0) ack 1
        ",
    );
}

/// RFC 3168 section 6.1.2: an echo reduces the window once per round trip; the next new segment
/// says so with CWR. (RFC 8511: to 80 %.)
#[test]
fn an_echo_reduces_the_window_once() {
    check(&format!(
        "{AGREED}
        write 20000
        > [ect0] . 1:1001(1000) ack 1
        > [ect0] . 1001:2001(1000) ack 1
        > [ect0] . 2001:3001(1000) ack 1
        > [ect0] . 3001:4001(1000) ack 1
        > [ect0] . 4001:5001(1000) ack 1
        > [ect0] . 5001:6001(1000) ack 1
        > [ect0] . 6001:7001(1000) ack 1
        > [ect0] . 7001:8001(1000) ack 1
        > [ect0] . 8001:9001(1000) ack 1
        > [ect0] . 9001:10001(1000) ack 1
        +0.01 < E. 1:1(0) ack 2001
        info cwnd 8000
        info ssthresh 8000
        < E. 1:1(0) ack 4001
        > [ect0] W. 10001:11001(1000) ack 1
        > [ect0] . 11001:12001(1000) ack 1
        info cwnd 8000
        info retransmitted 0
        "
    ));
}

/// RFC 3168 section 6.1.5: what is sent again is not ECN-capable.
#[test]
fn retransmissions_are_not_ecn_capable() {
    check(&format!(
        "{AGREED}
        write 1000
        > [ect0] P. 1:1001(1000) ack 1
        +0.2 > [not-ect] P. 1:1001(1000) ack 1
        "
    ));
}

/// RFC 3168 section 6.1.4: neither are acks, nor SYNs (section 6.1.1).
#[test]
fn acks_are_not_ecn_capable() {
    check(
        "
        set ecn request
        connect
        > [not-ect] SEW 0:0(0) <mss 1000,sackOK>
        +0.01 < SE. 0:0(0) ack 1 <mss 1000,sackOK>
        > [not-ect] . 1:1(0) ack 1
        ",
    );
}

/// RFC 3168 section 6.1.1.1: a SYN that is not answered may have been dropped for its flags.
#[test]
fn a_repeated_syn_does_not_ask_again() {
    check(
        "
        set ecn request
        connect
        > SEW 0:0(0) <mss 1000,sackOK>
        +1 > S 0:0(0) <mss 1000,sackOK>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        write 100
        > [not-ect] P. 1:101(100) ack 1
        ",
    );
}

/// RFC 3168 section 6.1.1: a SYN-ACK with both flags comes from a peer that reflects what it gets.
#[test]
fn a_reflected_syn_agrees_to_nothing() {
    check(
        "
        set ecn request
        connect
        > SEW 0:0(0) <mss 1000,sackOK>
        +0.01 < SEW. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        write 100
        > [not-ect] P. 1:101(100) ack 1
        ",
    );
}

/// RFC 3168 section 6.1.1: where it was not agreed on, marks and echoes mean nothing.
#[test]
fn without_agreement_nothing_is_echoed() {
    check(
        "
        established
        < [ce] . 1:1001(1000) ack 1
        < [ce] . 1001:2001(1000) ack 1
        > . 1:1(0) ack 2001
        write 1000
        > [not-ect] P. 1:1001(1000) ack 2001
        +0.01 < E. 2001:2001(0) ack 1001
        info ssthresh 4294967295
        ",
    );
}

/// RFC 3168 section 6.1.2: "If that data packet is dropped in the network, then the sending TCP will have to
/// reduce the congestion window again and retransmit the dropped packet": the one with CWR is meant.
#[test]
fn the_loss_of_the_segment_that_told_of_a_reduction_reduces_again() {
    check(&format!(
        "{AGREED}
        write 20000
        > [ect0] . 1:1001(1000) ack 1
        > [ect0] . 1001:2001(1000) ack 1
        > [ect0] . 2001:3001(1000) ack 1
        > [ect0] . 3001:4001(1000) ack 1
        > [ect0] . 4001:5001(1000) ack 1
        > [ect0] . 5001:6001(1000) ack 1
        > [ect0] . 6001:7001(1000) ack 1
        > [ect0] . 7001:8001(1000) ack 1
        > [ect0] . 8001:9001(1000) ack 1
        > [ect0] . 9001:10001(1000) ack 1
        +0.01 < E. 1:1(0) ack 4001
        > [ect0] W. 10001:11001(1000) ack 1
        > [ect0] . 11001:12001(1000) ack 1
        info ssthresh 8000
        +0.01 < . 1:1(0) ack 10001
        > [ect0] . 12001:13001(1000) ack 1
        > [ect0] . 13001:14001(1000) ack 1
        > [ect0] . 14001:15001(1000) ack 1
        > [ect0] . 15001:16001(1000) ack 1
        > [ect0] . 16001:17001(1000) ack 1
        > [ect0] . 17001:18001(1000) ack 1
        < . 1:1(0) ack 10001 <sack 11001:12001>
        > [ect0] . 18001:19001(1000) ack 1
        < . 1:1(0) ack 10001 <sack 11001:13001>
        > [ect0] P. 19001:20001(1000) ack 1
        < . 1:1(0) ack 10001 <sack 11001:14001>
        > [not-ect] . 10001:11001(1000) ack 1
        # Half of what was in flight before the two of limited transmit (RFC 3042).
        info ssthresh 4000
        "
    ));
}

/// RFC 3168 section 6.1.2: the first new data after a reduction has CWR, also where a small window has held it up; section
/// 6.1.6 is of probes, which a closed window gets.
#[test]
fn what_is_sent_into_a_small_window_says_that_the_window_is_reduced() {
    check(
        "
        listen
        < SEW 0:0(0) win 1600 <mss 1000,sackOK>
        > SE. 0:0(0) ack 1 <mss 1000,sackOK>
        +0.01 < . 1:1(0) ack 1 win 1600
        accept
        write 5000
        > [ect0] . 1:1001(1000) ack 1
        +0.01 < E. 1:1(0) ack 1001 win 700
        +0.2 > [ect0] W. 1001:1701(700) ack 1
        +0.01 < . 1:1(0) ack 1701 win 0
        +0.2 > . 1701:1702(1) ack 1
        ",
    );
}
