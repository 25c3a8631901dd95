//! Opening, passively and actively.

use crate::player::check;

/// RFC 9293 section 3.5, figure 6, from the listener's side.
#[test]
fn a_passive_open() {
    check(
        "
        flags rmem=58400
        socket = fd s
        set s SO_REUSEADDR 1
        bind s
        listen s 1
        < S 0:0(0) win 32792 <mss 1000,sackOK>
        > S. 0:0(0) ack 1 win 58400 <mss 1460,sackOK>
        +0.1 < . 1:1(0) ack 1
        accept s = fd c
        write c 1000
        > P. 1:1001(1000) ack 1
        ",
    );
}

/// RFC 9293 section 3.5, figure 6, from the opener's side; connect(2) for what the calls say.
#[test]
fn an_active_open_that_does_not_wait() {
    check(
        "
        flags rmem=58400
        socket nonblock = fd c
        connect c = EINPROGRESS
        > S 0:0(0) win 58400 <mss 1460,sackOK>
        connect c = EALREADY
        poll c in|out 0 = 0
        +0.01 < S. 0:0(0) ack 1 win 5000 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        poll c in|out 0 = out
        get c SO_ERROR = 0
        connect c
        connect c = EISCONN
        ",
    );
}

/// RFC 9293 section 3.10.7.3, second: a RST that acknowledges the SYN.
#[test]
fn a_refused_open() {
    check(
        "
        socket nonblock = fd c
        connect c = EINPROGRESS
        > S 0:0(0) <mss 1460,sackOK>
        < R. 0:0(0) ack 1
        poll c out 0 = out|err|hup
        get c SO_ERROR = 111
        get c SO_ERROR = 0
        ",
    );
}

/// RFC 9293 section 3.8.3 (R2 for SYNs, MUST-23) and RFC 6298 rule 5.5; tcp(7) for TCP_SYNCNT.
#[test]
fn a_syn_is_repeated_and_given_up() {
    check(
        "
        socket = fd c
        set c TCP_SYNCNT 2
        start connect c
        > S 0:0(0) <mss 1460,sackOK>
        +1 > S 0:0(0) <mss 1460,sackOK>
        +2 > S 0:0(0) <mss 1460,sackOK>
        +4 done = ETIMEDOUT
        ",
    );
}

/// RFC 9293 section 3.5, figure 7 (MUST-10).
#[test]
fn a_simultaneous_open() {
    check(
        "
        socket nonblock = fd c
        connect c = EINPROGRESS
        > S 0:0(0) <mss 1460,sackOK>
        < S 0:0(0) <mss 1000,sackOK>
        > S. 0:0(0) ack 1 <mss 1460,sackOK>
        < . 1:1(0) ack 1
        connect c
        write c 10
        > P. 1:11(10) ack 1
        ",
    );
}

/// RFC 9293 section 3.7.1: over IPv6 a packet has 20 bytes less for the segment.
#[test]
fn over_ipv6() {
    check(
        "
        v6
        socket v6 = fd c
        start connect c
        > S 0:0(0) <mss 1440,sackOK>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        done
        write c 10
        > P. 1:11(10) ack 1
        ",
    );
}

/// As Linux: with a full accept queue a SYN is dropped, so that the peer tries again later.
#[test]
fn a_full_accept_queue_drops_syns() {
    check(
        "
        socket nonblock = fd s
        bind s
        listen s 0
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        < . 1:1(0) ack 1
        peer 1
        < S 0:0(0) <mss 1000>
        +0.5 accept s = fd c
        accept s = EAGAIN
        +0.5 < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        < . 1:1(0) ack 1
        accept s = fd d
        ",
    );
}

/// As Linux: of those whose SYN came while there was room, the one whose ack comes too late is
/// finished when its SYN-ACK was sent again.
#[test]
fn a_full_accept_queue_drops_the_last_ack_of_a_handshake() {
    check(
        "
        socket nonblock = fd s
        bind s
        listen s 0
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        peer 1
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        peer 0
        < . 1:1(0) ack 1
        peer 1
        < . 1:1(0) ack 1
        accept s = fd c
        accept s = EAGAIN
        +1 > S. 0:0(0) ack 1 <mss 1460>
        < . 1:1(0) ack 1
        accept s = fd d
        ",
    );
}
