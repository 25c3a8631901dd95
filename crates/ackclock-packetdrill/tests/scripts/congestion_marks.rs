//! Explicit congestion notification (RFC 3168).

use crate::player::check;

/// RFC 3168 sections 6.1.1 and 6.1.3.
#[test]
fn congestion_is_echoed_if_the_peer_asked_for_it() {
    check(
        "
        socket = fd s
        bind s
        listen s 1
        < SEW 0:0(0) <mss 1000,sackOK>
        > SE. 0:0(0) ack 1 <mss 1460,sackOK>
        +0.01 < . 1:1(0) ack 1
        accept s = fd c
        info c options = 10
        < [ce] P. 1:1001(1000) ack 1
        > E. 1:1(0) ack 1001
        ",
    );
}

/// RFC 3168 section 6.1.1.
#[test]
fn congestion_is_not_agreed_on_where_it_is_off() {
    check(
        "
        flags ecn=off
        socket = fd s
        bind s
        listen s 1
        < SEW 0:0(0) <mss 1000,sackOK>
        > S. 0:0(0) ack 1 <mss 1460,sackOK>
        ",
    );
}

/// RFC 3168 section 6.1.1.
#[test]
fn a_syn_can_ask_for_congestion_notification() {
    check(
        "
        flags ecn=request
        socket nonblock = fd c
        connect c = EINPROGRESS
        > SEW 0:0(0) <mss 1460,sackOK>
        < SE. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        write c 100
        > [ect0] P. 1:101(100) ack 1
        ",
    );
}
