//! What Linux does besides what the standards ask (`habits=linux`).

use crate::player::check;

/// `tcp_cwnd_test`, `tcp_tso_autosize`: what is handed to the link at once, at most half the window, ends with PSH.
#[test]
fn pieces_end_with_push() {
    check(
        "
        flags habits=linux,min_tso_segs=10
        established
        write c 12000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > P. 4001:5001(1000) ack 1
        > . 5001:6001(1000) ack 1
        > . 6001:7001(1000) ack 1
        > . 7001:8001(1000) ack 1
        > . 8001:9001(1000) ack 1
        > P. 9001:10001(1000) ack 1
        ",
    );
}

/// The flags of a piece are not those of its segments when one of them is sent again.
#[test]
fn a_segment_that_is_sent_again_alone_has_no_push() {
    check(
        "
        flags habits=linux,recovery=rack
        established
        write c 4000
        > . 1:1001(1000) ack 1
        > P. 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > P. 3001:4001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001 <sack 2001:4001>
        +0.0025 > . 1001:2001(1000) ack 1
        ",
    );
}

/// `tcp_push`: what was written with MSG_MORE ends nothing.
#[test]
fn more_to_come_is_not_pushed() {
    check(
        "
        flags habits=linux
        established
        write c 100 more
        set c TCP_NODELAY 1
        > . 1:101(100) ack 1
        write c 100
        > P. 101:201(100) ack 1
        ",
    );
}

/// `tcp_cleanup_rbuf`: that data was read is told when the window has doubled.
#[test]
fn a_reader_tells_of_a_window_that_doubles() {
    check(
        "
        flags habits=linux
        established
        < . 1:1461(1460) ack 1
        < . 1461:2921(1460) ack 1
        > . 1:1(0) ack 2921 win 57080
        read c 2920
        +0.1 < . 2921:4381(1460) ack 1
        < . 4381:5841(1460) ack 1
        > . 1:1(0) ack 5841 win 57080
        ",
    );
}

/// `sk_stream_memory_free`: a write goes on to the end of a piece, and no new one is begun while as much is unsent as
/// TCP_NOTSENT_LOWAT says.
#[test]
fn what_may_be_unsent_bounds_a_write() {
    check(
        "
        flags habits=linux
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) win 32792 <mss 1000,sackOK>
        > S. 0:0(0) ack 1 <mss 1460,sackOK>
        +0.01 < . 1:1(0) ack 1 win 32792
        accept s = fd c
        get c TCP_NOTSENT_LOWAT = 0
        set c TCP_NOTSENT_LOWAT 4000
        write c 59000 dontwait = 26000
        > . 1:1001(1000) ack 1
        > P. 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > P. 3001:4001(1000) ack 1
        > . 4001:5001(1000) ack 1
        > P. 5001:6001(1000) ack 1
        > . 6001:7001(1000) ack 1
        > P. 7001:8001(1000) ack 1
        > . 8001:9001(1000) ack 1
        > P. 9001:10001(1000) ack 1
        ",
    );
}

/// The limit can be everybody's (net.ipv4.tcp_notsent_lowat), and is told only where it was set.
#[test]
fn what_may_be_unsent_can_be_said_for_all() {
    check(
        "
        flags notsent_lowat=4000
        established
        get c TCP_NOTSENT_LOWAT = 0
        poll c out 0 = out
        write c 16000
        poll c out 0 = 0
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
        ",
    );
}

/// `sk_stream_write_space`: who waits for room waits until a third of the buffer is free.
#[test]
fn a_write_waits_until_a_third_is_free() {
    check(
        "
        flags habits=linux,recovery=rack
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) win 32792 <mss 1000,sackOK>
        > S. 0:0(0) ack 1 <mss 1460,sackOK>
        +0.05 < . 1:1(0) ack 1 win 32792
        accept s = fd c
        set c SO_SNDBUF 9000
        start write c 27000
        > . 1:1001(1000) ack 1
        > P. 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > P. 3001:4001(1000) ack 1
        > . 4001:5001(1000) ack 1
        > P. 5001:6001(1000) ack 1
        > . 6001:7001(1000) ack 1
        > P. 7001:8001(1000) ack 1
        > . 8001:9001(1000) ack 1
        > P. 9001:10001(1000) ack 1
        +0.05 < . 1:1(0) ack 10001 win 32792
        > . 10001:11001(1000) ack 1
        > P. 11001:12001(1000) ack 1
        > . 12001:13001(1000) ack 1
        > P. 13001:14001(1000) ack 1
        > . 14001:15001(1000) ack 1
        > P. 15001:16001(1000) ack 1
        > . 16001:17001(1000) ack 1
        > P. 17001:18001(1000) ack 1
        > . 18001:19001(1000) ack 1
        > P. 19001:20001(1000) ack 1
        > . 20001:21001(1000) ack 1
        > P. 21001:22001(1000) ack 1
        > . 22001:23001(1000) ack 1
        > P. 23001:24001(1000) ack 1
        > . 24001:25001(1000) ack 1
        > P. 25001:26001(1000) ack 1
        +0.05 < . 1:1(0) ack 14001 win 32792
        +0.05 < . 1:1(0) ack 16001 win 32792
        > P. 26001:27001(1000) ack 1
        done
        ",
    );
}

/// Linux's `tcp_fast_parse_options`: a segment without the timestamps that were agreed on is taken. (RFC 7323 section 3.2 SHOULD drop it, as without the habits.)
#[test]
fn a_segment_without_timestamps_is_taken() {
    let script = |flags, answer| {
        format!(
            "
            flags timestamps=on,{flags}
            socket = fd s
            bind s
            listen s 1
            < S 0:0(0) <mss 1000,sackOK,TS val 100 ecr 0>
            > S. 0:0(0) ack 1 <mss 1460,sackOK,TS val 1000 ecr 100>
            +0.01 < . 1:1(0) ack 1 <TS val 110 ecr 1000>
            accept s = fd c
            < P. 1:11(10) ack 1
            {answer}
            +0.1 quiet
            "
        )
    };
    check(&script("habits=linux", "+0.04 > . 1:1(0) ack 11 <TS val 1050 ecr 110>"));
    check(&script("habits=none", ""));
}

/// RFC 9293 section 3.10.7.4, and Linux's `tcp_rcv_established`: an ack of what was not sent is answered and nothing of its
/// segment is taken, its timestamp neither.
#[test]
fn an_ack_of_what_was_not_sent_is_answered() {
    check(
        "
        flags habits=linux
        established
        < F. 1:1(0) ack 999
        > . 1:1(0) ack 1
        +0.1 < P. 1:11(10) ack 1
        +0.04 > . 1:1(0) ack 11
        < . 11:11(0) ack 2
        > . 1:1(0) ack 11
        ",
    );
    check(
        "
        flags habits=linux,timestamps=on
        socket = fd s
        bind s
        listen s 5
        < S 0:0(0) <mss 1000,sackOK,TS val 100 ecr 0>
        > S. 0:0(0) ack 1 <mss 1460,sackOK,TS val 1000 ecr 100>
        +0.01 < . 1:1(0) ack 1 <TS val 110 ecr 1000>
        accept s = fd c
        < F. 1:1(0) ack 999 <TS val 90000 ecr 1000>
        > . 1:1(0) ack 1 <TS val 1010 ecr 110>
        +0.1 < P. 1:11(10) ack 1 <TS val 210 ecr 1010>
        +0.04 > . 1:1(0) ack 11 <TS val 1150 ecr 210>
        ",
    );
}

/// Linux's `tcp_check_sack_reordering`: TCP_INFO tells by how many segments the order differed, and how often.
#[test]
fn info_says_how_far_segments_were_reordered() {
    check(
        "
        flags habits=linux,recovery=rack,min_tso_segs=10
        established
        write c 10000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > P. 4001:5001(1000) ack 1
        > . 5001:6001(1000) ack 1
        > . 6001:7001(1000) ack 1
        > . 7001:8001(1000) ack 1
        > . 8001:9001(1000) ack 1
        > P. 9001:10001(1000) ack 1
        +0.01 < . 1:1(0) ack 1 <sack 8001:9001>
        info c reordering = 3
        < . 1:1(0) ack 1 <sack 3001:4001 8001:9001>
        info c reordering = 6          # 3001 after 9001
        < . 1:1(0) ack 10001
        info c reordering = 10         # 1 after 10001
        info c reord_seen = 2
        ",
    );
}

/// Linux's `tcp_write_queue_purge`: of a connection that was reset nothing is in flight.
#[test]
fn info_says_that_nothing_is_in_flight_after_a_reset() {
    check(
        "
        flags habits=linux
        established
        write c 2000
        > . 1:1001(1000) ack 1
        > P. 1001:2001(1000) ack 1
        info c unacked = 2
        +0.01 < R. 1:1(0) ack 1
        info c unacked = 0
        ",
    );
}

/// They are counted in segments of the MSS, however long the first of them is.
#[test]
fn info_counts_the_order_in_full_segments() {
    check(
        "
        flags habits=linux,recovery=rack,min_tso_segs=10
        established
        write c 1
        > P. 1:2(1) ack 1
        write c 5000
        > . 2:1002(1000) ack 1
        > . 1002:2002(1000) ack 1
        > . 2002:3002(1000) ack 1
        > . 3002:4002(1000) ack 1
        > P. 4002:5002(1000) ack 1
        +0.01 < . 1:1(0) ack 1 <sack 4002:5002>
        < . 1:1(0) ack 1 <sack 2:1002 4002:5002>
        info c reordering = 5          # 2 after 5002
        ",
    );
}

/// Linux's `tcp_advertise_mss`: a SYN that goes again announces no more than the path was told to take. (By RFC 9293
/// section 3.7.1 it is what the host can receive.)
#[test]
fn a_syn_announces_what_the_path_takes() {
    check(
        "
        flags habits=linux
        socket = fd c
        start connect c
        > S 0:0(0) <mss 1460,sackOK>
        icmp frag_needed 0 mtu 800
        +1 > S 0:0(0) <mss 760,sackOK>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        done
        ",
    );
}

/// What was sent with PSH is sent again with it, though more is behind it by now.
#[test]
fn psh_is_kept_when_a_segment_goes_again() {
    for end in ["", " eor"] {
        check(&format!(
            "
            flags habits=linux,recovery=rack
            established
            write c 1000{end}
            > P. 1:1001(1000) ack 1
            +0.01 write c 1000
            > P. 1001:2001(1000) ack 1
            +0.02 > P. 1001:2001(1000) ack 1
            +0.21 > P. 1:1001(1000) ack 1
            "
        ));
    }
}
