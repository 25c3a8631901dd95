//! Segments that somebody makes up who does not see the connection (RFC 5961), and others that do
//! not belong.

use crate::player::check;

/// RFC 5961 section 3.2: a RST beyond the window is dropped without an answer.
#[test]
fn a_reset_outside_the_window_is_dropped() {
    check(
        "
        established
        < R 60001:60001(0)
        < R 0:0(0)
        < R. 100000:100000(0) ack 1
        info c state = 1
        < P. 1:11(10) ack 1
        read c 10
        ",
    );
}

/// RFC 5961 section 3.2: the last number in the window is in the window.
#[test]
fn a_reset_at_the_far_end_of_the_window_is_challenged() {
    check(
        "
        established
        < R 60000:60000(0)
        > . 1:1(0) ack 1
        info c state = 1
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

/// RFC 9293 section 3.4.1 (MUST-66): with a closed window the exact number still counts.
#[test]
fn a_reset_into_a_closed_window_is_believed() {
    check(
        "
        flags rmem=4000
        established
        < . 1:2001(2000) ack 1
        < . 2001:4001(2000) ack 1
        > . 1:1(0) ack 4001 win 0
        < R 4001:4001(0)
        poll c in|out 0 = in|out|err|hup
        ",
    );
}

/// RFC 5961 section 4.2: a SYN with any number, with or without ACK, is challenged and no more.
#[test]
fn a_syn_with_any_number_is_challenged() {
    check(
        "
        established
        < S 1:1(0)
        > . 1:1(0) ack 1
        < S 99999999:99999999(0)
        > . 1:1(0) ack 1
        < S. 5:5(0) ack 1
        > . 1:1(0) ack 1
        info c state = 1
        ",
    );
}

/// RFC 5961 section 7: ten challenges in five seconds are enough.
#[test]
fn challenges_are_limited() {
    check(
        "
        established
        < R 100:100(0)
        > . 1:1(0) ack 1
        < R 100:100(0)
        > . 1:1(0) ack 1
        < R 100:100(0)
        > . 1:1(0) ack 1
        < R 100:100(0)
        > . 1:1(0) ack 1
        < R 100:100(0)
        > . 1:1(0) ack 1
        < R 100:100(0)
        > . 1:1(0) ack 1
        < R 100:100(0)
        > . 1:1(0) ack 1
        < R 100:100(0)
        > . 1:1(0) ack 1
        < R 100:100(0)
        > . 1:1(0) ack 1
        < R 100:100(0)
        > . 1:1(0) ack 1
        < R 100:100(0)
        < R 100:100(0)
        +5 < R 100:100(0)
        > . 1:1(0) ack 1
        ",
    );
}

/// RFC 5961 section 5.2: data with an ack older than the largest window was made up.
#[test]
fn data_with_an_impossibly_old_ack_is_not_taken() {
    check(
        "
        established
        < P. 1:11(10) ack -70000
        > . 1:1(0) ack 1
        read c 1 dontwait = EAGAIN
        ",
    );
}

/// RFC 5961 section 5.2: within the largest window an old ack is only old; the data counts.
#[test]
fn data_with_a_merely_old_ack_is_taken() {
    check(
        "
        established
        write c 1000
        > P. 1:1001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001
        < P. 1:11(10) ack 1
        read c 10
        ",
    );
}

/// RFC 9293 section 3.10.7.4, fifth: data with an ack for what was never sent is not taken.
#[test]
fn data_that_acknowledges_the_future_is_not_taken() {
    check(
        "
        established
        < P. 1:11(10) ack 2
        > . 1:1(0) ack 1
        read c 1 dontwait = EAGAIN
        ",
    );
}

/// RFC 9293 section 3.10.7.4, fifth: without ACK a segment is dropped.
#[test]
fn data_without_an_ack_is_dropped() {
    check(
        "
        established
        < P 1:11(10)
        < - 1:11(10)
        < F 1:1(0)
        read c 1 dontwait = EAGAIN
        +0.5 quiet
        ",
    );
}

/// RFC 9293 section 3.10.7.3, first: in SYN-SENT an ack of anything but the SYN is answered with a
/// RST, and the SYN goes on.
#[test]
fn a_wrong_ack_while_opening_is_reset() {
    check(
        "
        socket nonblock = fd c
        connect c = EINPROGRESS
        > S 0:0(0) <mss 1460,sackOK>
        < S. 0:0(0) ack 0 <mss 1000>
        > R 0:0(0)
        < . 0:0(0) ack 7
        > R 7:7(0)
        poll c out 0 = 0
        +1 > S 0:0(0) <mss 1460,sackOK>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        ",
    );
}

/// RFC 9293 section 3.10.7.3, second: a RST ends an open only if it acknowledges the SYN.
#[test]
fn a_reset_without_the_ack_of_the_syn_is_dropped() {
    check(
        "
        socket nonblock = fd c
        connect c = EINPROGRESS
        > S 0:0(0) <mss 1460,sackOK>
        < R 0:0(0)
        < R. 0:0(0) ack 2
        poll c out 0 = 0
        < R. 0:0(0) ack 1
        get c SO_ERROR = 111
        ",
    );
}

/// RFC 9293 section 3.10.7.4, fifth, in SYN-RECEIVED: a wrong ack is reset with its number; the
/// handshake can still be finished.
#[test]
fn a_wrong_ack_of_a_syn_ack_is_reset() {
    check(
        "
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        < . 1:1(0) ack 1000
        > R 1000:1000(0)
        < . 1:1(0) ack 1
        accept s = fd c
        ",
    );
}

/// RFC 9293 section 3.10.7.4, second, with RFC 5961 section 3.2: the exact RST ends a half-open
/// connection without a word; another one is challenged.
#[test]
fn a_reset_of_a_half_open_connection_must_be_exact() {
    check(
        "
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        < R 50:50(0)
        > . 1:1(0) ack 1
        < R 1:1(0)
        +5 < . 1:1(0) ack 1
        > R 1:1(0)
        ",
    );
}

/// RFC 9293 section 3.10.7.2: a listener resets acks and drops resets, FINs and what has no flag.
#[test]
fn a_listener_takes_nothing_but_a_syn() {
    check(
        "
        socket = fd s
        bind s
        listen s 1
        < . 1:1(0) ack 1
        > R 1:1(0)
        < P. 1:11(10) ack 500
        > R 500:500(0)
        < R 1:1(0)
        < F 1:1(0)
        < - 1:1(0)
        +1 quiet
        ",
    );
}

/// RFC 9293 section 3.10.7.1: where nothing listens, a RST says what was received, and a RST gets no
/// answer.
#[test]
fn a_closed_port_answers_with_a_reset() {
    check(
        "
        socket = fd s
        bind s
        < S 0:5(5) <mss 1000>
        > R. 0:0(0) ack 6
        < F 7:7(0)
        > R. 0:0(0) ack 8
        < P. 7:17(10) ack 99
        > R 99:99(0)
        < R 7:7(0)
        +1 quiet
        ",
    );
}

/// RFC 7323 section 5.3: a RST counts whatever its timestamp is, if its number is exact.
#[test]
fn a_reset_needs_no_timestamp() {
    check(
        "
        flags timestamps=on
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000,TS val 100 ecr 0>
        > S. 0:0(0) ack 1 <mss 1460,TS val 1000 ecr 100>
        < . 1:1(0) ack 1 <TS val 101 ecr 1000>
        accept s = fd c
        < R 1:1(0)
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
