//! Keepalive.

use crate::player::check;

/// RFC 9293 section 3.8.4 (MUST-24, MUST-25): unless asked for, an idle connection is left alone.
#[test]
fn an_idle_connection_is_left_alone() {
    check(
        "
        established
        +4000 quiet
        +4000 quiet
        info c state = 1
        ",
    );
}

/// RFC 9293 section 3.8.4 (MUST-28): two hours by default.
#[test]
fn the_first_probe_comes_after_two_hours() {
    check(
        "
        established
        set c SO_KEEPALIVE 1
        +4000 quiet
        7200.01 > . 0:0(0) ack 1
        +75 > . 0:0(0) ack 1
        ",
    );
}

/// RFC 9293 section 3.8.4 (MUST-26): any segment shows that the peer lives, and the idle time begins
/// anew.
#[test]
fn an_answer_begins_the_idle_time_anew() {
    check(
        "
        established
        set c TCP_KEEPIDLE 10
        set c TCP_KEEPINTVL 2
        set c TCP_KEEPCNT 2
        set c SO_KEEPALIVE 1
        10.01 > . 0:0(0) ack 1
        +2 > . 0:0(0) ack 1
        +0.1 < . 1:1(0) ack 1
        +10 > . 0:0(0) ack 1
        +0.1 < P. 1:11(10) ack 1
        +0.04 > . 1:1(0) ack 11
        +9.96 > . 0:0(0) ack 11
        ",
    );
}

/// RFC 9293 section 3.8.4: while data is in flight its retransmission finds out more than a probe.
#[test]
fn with_data_in_flight_there_are_no_probes() {
    check(
        "
        established
        set c TCP_KEEPIDLE 1
        set c TCP_KEEPINTVL 1
        set c SO_KEEPALIVE 1
        write c 100
        > P. 1:101(100) ack 1
        +0.2 > P. 1:101(100) ack 1
        +0.4 > P. 1:101(100) ack 1
        +0.8 > P. 1:101(100) ack 1
        +1.6 > P. 1:101(100) ack 1
        +0.1 < . 1:1(0) ack 101
        +1 > . 100:100(0) ack 1
        ",
    );
}

/// RFC 9293 section 3.8.4: a peer that has forgotten the connection resets it.
#[test]
fn a_probe_finds_out_that_the_peer_has_restarted() {
    check(
        "
        established
        set c TCP_KEEPIDLE 10
        set c SO_KEEPALIVE 1
        start read c 1
        10.01 > . 0:0(0) ack 1
        +0.01 < R 1:1(0)
        done = ECONNRESET
        ",
    );
}

/// RFC 5482 section 4.2 and Linux's TCP_USER_TIMEOUT: a peer that keeps its window closed and stays
/// silent is given up after that time. The RST has the number that its window takes.
#[test]
fn the_user_timeout_counts_for_a_closed_window() {
    check(
        "
        socket = fd c
        set c TCP_USER_TIMEOUT 1000
        start connect c
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        done
        +0.01 < . 1:1(0) ack 1 win 0
        write c 10
        +0.2 > . 1:2(1) ack 1
        +0.4 > . 1:2(1) ack 1
        +0.4 > R. 1:1(0) ack 1
        write c 10 = ETIMEDOUT
        ",
    );
}
