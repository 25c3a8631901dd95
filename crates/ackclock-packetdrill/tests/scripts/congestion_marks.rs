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

/// tcp(7): TCP_CA_CWR, from the echo of a mark on until something sent since then is acknowledged.
#[test]
fn info_tells_of_a_window_that_a_mark_has_reduced() {
    check(
        "
        flags ecn=request
        socket nonblock = fd c
        connect c = EINPROGRESS
        > SEW 0:0(0) <mss 1460,sackOK>
        +0.01 < SE. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        write c 2000
        > [ect0] . 1:1001(1000) ack 1
        > [ect0] P. 1001:2001(1000) ack 1
        info c ca_state = 0
        +0.01 < E. 1:1(0) ack 1001
        info c ca_state = 2
        +0.01 < E. 1:1(0) ack 2001
        info c ca_state = 2
        write c 1000
        > [ect0] PW. 2001:3001(1000) ack 1
        +0.01 < . 1:1(0) ack 3001
        info c ca_state = 0
        ",
    );
}

/// Linux's `tcp_fastretrans_alert`: a retransmission that is lost too is sent again, and the window stays as it is in
/// this recovery. RFC 5681 section 4.3 and RFC 8985 section 9.3 have it reduced once more.
#[test]
fn a_lost_retransmission_reduces_once_more_or_not() {
    let script = |flag, more, threshold| {
        format!(
            "
            flags recovery=rack,{flag}
            established
            write c 20000
            > . 1:1001(1000) ack 1
            > . 1001:2001(1000) ack 1
            > . 2001:3001(1000) ack 1
            > . 3001:4001(1000) ack 1
            > . 4001:5001(1000) ack 1
            > . 5001:6001(1000) ack 1
            > . 6001:7001(1000) ack 1
            > . 7001:8001(1000) ack 1
            > . 8001:9001(1000) ack 1
            > . 9001:10001(1000) ack 1
            +0.01 < . 1:1(0) ack 1 <sack 1001:4001>
            > . 1:1001(1000) ack 1
            info c snd_ssthresh = 5
            +0.001 < . 1:1(0) ack 1 <sack 1001:10001>
            > . 10001:11001(1000) ack 1
            > . 11001:12001(1000) ack 1
            > . 12001:13001(1000) ack 1
            > . 13001:14001(1000) ack 1
            +0.02 < . 1:1(0) ack 1 <sack 1001:14001>
            > . 1:1001(1000) ack 1
            {more}
            info c snd_ssthresh = {threshold}
            "
        )
    };
    let more = "> . 14001:15001(1000) ack 1
            > . 15001:16001(1000) ack 1
            > . 16001:17001(1000) ack 1
            > . 17001:18001(1000) ack 1";
    check(&script("lost_retransmission=repair", more, 5));
    check(&script("lost_retransmission=reduce", "> . 14001:15001(1000) ack 1", 2));
}
