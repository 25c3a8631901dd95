//! FIN, RST and what calls say of them.

use crate::player::check;

/// RFC 9293 section 3.6, case 2; tcp(7) and poll(2) for what calls say.
#[test]
fn the_peer_closes_first() {
    check(
        "
        established
        < FP. 1:11(10) ack 1
        > . 1:1(0) ack 12
        info c state = 8
        read c 100 = 10
        read c 100 = 0
        poll c in|out|rdhup 0 = in|out|rdhup
        close c
        > F. 1:1(0) ack 12
        < . 12:12(0) ack 2
        ",
    );
}

/// RFC 9293 section 3.6, case 3.
#[test]
fn both_close_at_once() {
    check(
        "
        established
        shutdown c wr
        > F. 1:1(0) ack 1
        < F. 1:1(0) ack 1
        > . 2:2(0) ack 2
        info c state = 11
        < . 2:2(0) ack 2
        read c 1 = 0
        ",
    );
}

/// RFC 9293 section 3.6.1 (half-close).
#[test]
fn half_closed_data_still_comes_in() {
    check(
        "
        established
        shutdown c wr
        > F. 1:1(0) ack 1
        < . 1:1(0) ack 2
        info c state = 5
        write c 1 = EPIPE
        < P. 1:101(100) ack 2
        read c 100
        +0.04 > . 2:2(0) ack 101
        poll c in|out 0 = out
        ",
    );
}

/// shutdown(2): a call that waits wakes up.
#[test]
fn shut_for_reading_a_read_returns_nothing() {
    check(
        "
        established
        start read c 1
        shutdown c rd
        done = 0
        poll c in|rdhup 0 = in|rdhup
        ",
    );
}

/// RFC 9293 section 3.10.7.4, second; POSIX: the error is told once.
#[test]
fn a_reset_ends_calls_once_with_an_error() {
    check(
        "
        established
        start read c 1
        < R 1:1(0)
        done = ECONNRESET
        read c 1 = 0
        write c 1 = EPIPE
        ",
    );
}

/// poll(2) and SO_ERROR of socket(7).
#[test]
fn a_reset_is_polled_as_an_error() {
    check(
        "
        established
        < R. 1:1(0) ack 1
        poll c in|out 0 = in|out|err|hup
        get c SO_ERROR = 104
        poll c in|out 0 = in|out|hup
        ",
    );
}

/// Linux's tcp_reset: EPIPE in CLOSE-WAIT.
#[test]
fn after_the_peers_fin_a_reset_breaks_the_pipe() {
    check(
        "
        established
        < F. 1:1(0) ack 1
        > . 1:1(0) ack 2
        write c 10
        > P. 1:11(10) ack 2
        < R 2:2(0)
        write c 10 = EPIPE
        ",
    );
}

/// RFC 9293 section 3.6.1 (SHLD-3), RFC 2525 section 2.17.
#[test]
fn closing_with_data_unread_resets() {
    check(
        "
        established
        < P. 1:11(10) ack 1
        close c
        > R. 1:1(0) ack 11
        ",
    );
}

/// RFC 9293 section 3.10.7.1.
#[test]
fn a_segment_for_nobody_is_reset() {
    check(
        "
        socket = fd s
        bind s
        < . 1:1(0) ack 1
        > R 1:1(0)
        < S 0:0(0) <mss 1000>
        > R. 0:0(0) ack 1
        ",
    );
}

/// Linux: nobody can accept them any more.
#[test]
fn closing_a_listener_resets_who_waits() {
    check(
        "
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        < . 1:1(0) ack 1
        close s
        > R. 1:1(0) ack 1
        ",
    );
}

/// RFC 5961 section 3.2: the challenge makes a real peer, which has lost its connection, send a RST
/// with the exact number.
#[test]
fn a_reset_that_answers_the_challenge_is_believed() {
    check(
        "
        established
        < R 100:100(0)
        > . 1:1(0) ack 1
        +0.01 < R 1:1(0)
        read c 1 = ECONNRESET
        ",
    );
}

/// RFC 5961 sections 3.2 and 4.2 over IPv6.
#[test]
fn challenges_over_ipv6() {
    check(
        "
        v6
        established
        < R 100:100(0)
        > . 1:1(0) ack 1
        < S 100:100(0)
        > . 1:1(0) ack 1
        < R 1:1(0)
        read c 1 = ECONNRESET
        ",
    );
}
