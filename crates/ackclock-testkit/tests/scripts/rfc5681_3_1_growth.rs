//! RFC 5681 sections 3.1 and 4.1: slow start, congestion avoidance and idle times, with the initial
//! window of RFC 6928, the limit of RFC 3465 and the validation of RFC 7661.

use ackclock_testkit::script::check;

/// RFC 6928 section 2: ten segments.
#[test]
fn ten_segments_are_the_first_flight() {
    check(
        "
        established
        write 20000
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
        +0.1 info unacked 10000
        ",
    );
}

/// RFC 6928 section 2: of segments of 8,960 bytes only two, for ten would be too many bytes.
#[test]
fn two_large_segments_are_the_first_flight() {
    check(
        "
        set mtu 9000
        set mss link
        listen
        < S 0:0(0) <mss 8960,sackOK>
        > S. 0:0(0) ack 1 <mss 8960,sackOK>
        +0.01 < . 1:1(0) ack 1
        accept
        write 40000
        > . 1:8961(8960) ack 1
        > . 8961:17921(8960) ack 1
        +0.1 info cwnd 17920
        ",
    );
}

/// RFC 5681 section 3.1.
#[test]
fn slow_start_sends_two_segments_for_each_that_is_acknowledged() {
    check(
        "
        set initial_window 2
        established
        write 10000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        +0.05 < . 1:1(0) ack 1001
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        info cwnd 3000
        < . 1:1(0) ack 2001
        > . 4001:5001(1000) ack 1
        > . 5001:6001(1000) ack 1
        info cwnd 4000
        ",
    );
}

/// RFC 3465 section 2.2: an ack of two segments opens the window by two, one of four by no more.
#[test]
fn one_ack_opens_the_window_by_two_segments_at_most() {
    check(
        "
        set initial_window 6
        established
        write 30000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > . 4001:5001(1000) ack 1
        > . 5001:6001(1000) ack 1
        +0.01 < . 1:1(0) ack 2001
        > . 6001:7001(1000) ack 1
        > . 7001:8001(1000) ack 1
        > . 8001:9001(1000) ack 1
        > . 9001:10001(1000) ack 1
        info cwnd 8000
        < . 1:1(0) ack 6001
        > . 10001:11001(1000) ack 1
        > . 11001:12001(1000) ack 1
        > . 12001:13001(1000) ack 1
        > . 13001:14001(1000) ack 1
        > . 14001:15001(1000) ack 1
        > . 15001:16001(1000) ack 1
        info cwnd 10000
        ",
    );
}

/// RFC 7661 section 4.1, as Linux does it: a window that is not used does not grow.
#[test]
fn a_window_that_is_not_used_does_not_grow() {
    check(
        "
        established
        write 1000
        > P. 1:1001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001
        write 1000
        > P. 1001:2001(1000) ack 1
        +0.01 < . 1:1(0) ack 2001
        write 1000
        > P. 2001:3001(1000) ack 1
        +0.01 < . 1:1(0) ack 3001
        info cwnd 10000
        ",
    );
}

/// RFC 5681 section 4.1: after an idle time of an RTO the window is the initial one again.
#[test]
fn after_an_idle_time_the_window_is_the_initial_one() {
    check(
        "
        set initial_window 2
        established
        write 2000
        > . 1:1001(1000) ack 1
        > P. 1001:2001(1000) ack 1
        +0.01 < . 1:1(0) ack 2001
        info cwnd 4000
        +0.1 write 4000
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > . 4001:5001(1000) ack 1
        > P. 5001:6001(1000) ack 1
        +0.01 < . 1:1(0) ack 6001
        info cwnd 6000
        +1 write 4000
        > . 6001:7001(1000) ack 1
        > . 7001:8001(1000) ack 1
        +0.1 info cwnd 2000
        ",
    );
}

/// RFC 5681 section 3.1 equation 3: above the threshold the window grows by one segment for each
/// window that is acknowledged.
#[test]
fn above_the_threshold_the_window_grows_by_one_each_round() {
    check(
        "
        set initial_window 4
        set recovery rfc6675
        established
        write 4000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > P. 3001:4001(1000) ack 1
        +0.01 < . 1:1(0) ack 1 <sack 1001:4001>
        > . 1:1001(1000) ack 1
        +0.01 < . 1:1(0) ack 4001
        info ssthresh 2000
        info cwnd 2000
        write 4000
        > . 4001:5001(1000) ack 1
        > . 5001:6001(1000) ack 1
        +0.01 < . 1:1(0) ack 6001
        > . 6001:7001(1000) ack 1
        > P. 7001:8001(1000) ack 1
        +0.01 < . 1:1(0) ack 8001
        info cwnd 3000
        ",
    );
}
