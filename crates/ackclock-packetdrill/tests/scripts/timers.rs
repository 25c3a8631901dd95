//! Time limits.

use crate::player::check;

/// RFC 5482 section 4.2; tcp(7) for TCP_USER_TIMEOUT.
#[test]
fn the_user_timeout_ends_a_connection() {
    check(
        "
        socket = fd c
        set c TCP_USER_TIMEOUT 1000
        start connect c
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        done
        write c 10
        > P. 1:11(10) ack 1
        +0.21 > P. 1:11(10) ack 1
        +0.42 > P. 1:11(10) ack 1
        +0.37 > R. 11:11(0) ack 1
        write c 10 = ETIMEDOUT
        ",
    );
}

/// Linux's tcp_fin_timeout: FIN-WAIT-2 ends for a socket that was closed.
#[test]
fn a_fin_that_never_comes_is_not_waited_for() {
    // A kernel's timers of seconds may be an eighth late.
    check(
        "
        flags fin_timeout=5000
        established
        close c
        > F. 1:1(0) ack 1
        < . 1:1(0) ack 2
        +6 < F. 1:1(0) ack 2
        > R 2:2(0)
        ",
    );
}

/// RFC 9293 section 3.6.1 (MUST-13); a FIN begins it anew (section 3.10.7.4).
#[test]
fn time_wait_lasts_twice_the_lifetime_of_a_segment() {
    check(
        "
        flags msl=1000
        established
        close c
        > F. 1:1(0) ack 1
        < F. 1:1(0) ack 2
        > . 2:2(0) ack 2
        +1.9 < F. 1:1(0) ack 2
        > . 2:2(0) ack 2
        +2.1 < F. 1:1(0) ack 2
        > R 2:2(0)
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
        +0.21 > . 1:2(1) ack 1
        +0.42 > . 1:2(1) ack 1
        +0.37 > R. 1:1(0) ack 1
        write c 10 = ETIMEDOUT
        ",
    );
}

/// Linux's `tcp_rtt_estimator` and `__tcp_set_rto`: SRTT + max(200 ms, 4 RTTVAR), so that a steady round trip of
/// 100 ms has 300 ms, whatever RTTVAR has come down to. (RFC 6298 rule 2.4 would have 200 ms.)
#[test]
fn linux_adds_200_ms_to_the_round_trip() {
    check(
        "
        socket = fd c
        start connect c
        > S 0:0(0) <mss 1460,sackOK>
        +0.1 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        done
        write c 100
        > P. 1:101(100) ack 1
        +0.1 < . 1:1(0) ack 101
        write c 100
        > P. 101:201(100) ack 1
        +0.1 < . 1:1(0) ack 201
        write c 100
        > P. 201:301(100) ack 1
        +0.3 > P. 201:301(100) ack 1
        ",
    );
}

/// FreeBSD's `TCPT_RANGESET`: 200 ms are added to each computed timeout before its minimum of 30 ms, so that a
/// peer that delays its ack by 40 ms is waited for.
#[test]
fn freebsd_adds_200_ms_before_the_minimum() {
    check(
        "
        flags profile=freebsd
        established
        write c 100
        > P. 1:101(100) ack 1
        +0.04 < . 1:1(0) ack 101       # a delayed ack
        write c 100
        > P. 101:201(100) ack 1
        +0.25875 > P. 101:201(100) ack 1       # 13.75 + 4 * 11.25 + 200 ms
        ",
    );
}
