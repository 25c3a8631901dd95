//! ECN, timestamps, window scaling.

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

/// RFC 7323 sections 2.2 and 2.3: a SYN's window is never scaled.
#[test]
fn windows_are_scaled_as_the_buffer_needs() {
    check(
        "
        flags wscale=on,rmem=200000
        socket nonblock = fd c
        connect c = EINPROGRESS
        > S 0:0(0) win 65535 <mss 1460,sackOK,nop,wscale 2>
        < S. 0:0(0) ack 1 win 100 <mss 1000,sackOK,nop,wscale 7>
        > . 1:1(0) ack 1 win 50000
        info c snd_wnd = 100
        < . 1:1(0) ack 1 win 100
        info c snd_wnd = 12800
        ",
    );
}

/// RFC 7323 section 5.3 (PAWS).
#[test]
fn a_segment_with_an_old_timestamp_is_answered_and_dropped() {
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
        < P. 1:11(10) ack 1 <TS val 99 ecr 1000>
        > . 1:1(0) ack 1
        read c 10 dontwait = EAGAIN
        ",
    );
}
