//! How much goes out: the initial window, slow start, idle times, fast recovery.

use crate::player::check;

/// RFC 6928 section 2: ten segments.
#[test]
fn ten_segments_are_the_first_flight() {
    check(
        "
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
        +0.1 info c unacked = 10
        ",
    );
}

/// RFC 6928 section 2: of segments of 8,960 bytes only two, for ten would be too many bytes.
#[test]
fn two_large_segments_are_the_first_flight() {
    check(
        "
        flags mtu=9000
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 8960,sackOK>
        > S. 0:0(0) ack 1 <mss 8960,sackOK>
        +0.01 < . 1:1(0) ack 1
        accept s = fd c
        write c 40000
        > . 1:8961(8960) ack 1
        > . 8961:17921(8960) ack 1
        +0.1 info c snd_cwnd = 2
        ",
    );
}

/// RFC 3465 section 2.2: an ack of two segments opens the window by two, one of four by no more.
#[test]
fn one_ack_opens_the_window_by_two_segments_at_most() {
    check(
        "
        flags iw=6
        established
        write c 30000
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
        info c snd_cwnd = 8
        < . 1:1(0) ack 6001
        > . 10001:11001(1000) ack 1
        > . 11001:12001(1000) ack 1
        > . 12001:13001(1000) ack 1
        > . 13001:14001(1000) ack 1
        > . 14001:15001(1000) ack 1
        > . 15001:16001(1000) ack 1
        info c snd_cwnd = 10
        ",
    );
}

/// RFC 7661 section 4.1, as Linux does it: a window that is not used does not grow.
#[test]
fn a_window_that_is_not_used_does_not_grow() {
    check(
        "
        established
        write c 1000
        > P. 1:1001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001
        write c 1000
        > P. 1001:2001(1000) ack 1
        +0.01 < . 1:1(0) ack 2001
        write c 1000
        > P. 2001:3001(1000) ack 1
        +0.01 < . 1:1(0) ack 3001
        info c snd_cwnd = 10
        ",
    );
}

/// RFC 5681 section 4.1: after an idle time of an RTO the window is the initial one again.
#[test]
fn after_an_idle_time_the_window_is_the_initial_one() {
    check(
        "
        flags iw=2
        established
        write c 2000
        > . 1:1001(1000) ack 1
        > P. 1001:2001(1000) ack 1
        +0.01 < . 1:1(0) ack 2001
        info c snd_cwnd = 4
        +0.1 write c 4000
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > . 4001:5001(1000) ack 1
        > P. 5001:6001(1000) ack 1
        +0.01 < . 1:1(0) ack 6001
        info c snd_cwnd = 6
        +1 write c 4000
        > . 6001:7001(1000) ack 1
        > . 7001:8001(1000) ack 1
        +0.1 info c snd_cwnd = 2
        ",
    );
}

/// RFC 5681 section 3.1 equation 3: above the threshold the window grows by one segment for each
/// window that is acknowledged.
#[test]
fn above_the_threshold_the_window_grows_by_one_each_round() {
    check(
        "
        flags iw=4,recovery=rfc6675
        established
        write c 4000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > P. 3001:4001(1000) ack 1
        +0.01 < . 1:1(0) ack 1 <sack 1001:4001>
        > . 1:1001(1000) ack 1
        +0.01 < . 1:1(0) ack 4001
        info c snd_ssthresh = 2
        info c snd_cwnd = 2
        write c 4000
        > . 4001:5001(1000) ack 1
        > . 5001:6001(1000) ack 1
        +0.01 < . 1:1(0) ack 6001
        > . 6001:7001(1000) ack 1
        > P. 7001:8001(1000) ack 1
        +0.01 < . 1:1(0) ack 8001
        info c snd_cwnd = 3
        ",
    );
}

/// RFC 3042: the first two duplicate acks each send a new segment beyond the window, the third
/// repeats what is missing (RFC 5681 section 3.2).
#[test]
fn limited_transmit_precedes_the_fast_retransmit() {
    check(
        "
        flags iw=4
        established
        write c 10000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        +0.01 < . 1:1(0) ack 1 <sack 1001:2001>
        > . 4001:5001(1000) ack 1
        < . 1:1(0) ack 1 <sack 1001:3001>
        > . 5001:6001(1000) ack 1
        < . 1:1(0) ack 1 <sack 1001:4001>
        > . 1:1001(1000) ack 1
        info c snd_ssthresh = 2
        ",
    );
}

/// RFC 5681 section 2: an ack that moves the window is no duplicate ack.
#[test]
fn acks_that_move_the_window_are_no_duplicates() {
    check(
        "
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        +0.01 < . 1:1(0) ack 1
        accept s = fd c
        write c 1000
        > P. 1:1001(1000) ack 1
        +0.01 < . 1:1(0) ack 1 win 50000
        < . 1:1(0) ack 1 win 40000
        < . 1:1(0) ack 1 win 30000
        < . 1:1(0) ack 1 win 20000
        info c total_retrans = 0
        ",
    );
}

/// RFC 5681 section 2: data that carries the same ack number is no duplicate ack either.
#[test]
fn data_is_no_duplicate_ack() {
    check(
        "
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        +0.01 < . 1:1(0) ack 1
        accept s = fd c
        write c 1000
        > P. 1:1001(1000) ack 1
        +0.01 < P. 1:11(10) ack 1
        < P. 11:21(10) ack 1
        < P. 21:31(10) ack 1
        < P. 31:41(10) ack 1
        info c total_retrans = 0
        ",
    );
}

/// RFC 6582 section 3.2: in fast recovery without SACK a partial ack shows the next hole, which
/// goes again at once; the full ack ends it with the window at the threshold.
#[test]
fn without_sack_a_partial_ack_repeats_the_next_hole() {
    check(
        "
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        +0.01 < . 1:1(0) ack 1
        accept s = fd c
        write c 6000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > . 4001:5001(1000) ack 1
        > P. 5001:6001(1000) ack 1
        +0.01 < . 1:1(0) ack 1
        < . 1:1(0) ack 1
        < . 1:1(0) ack 1
        > . 1:1001(1000) ack 1
        info c snd_ssthresh = 3
        < . 1:1(0) ack 1
        +0.01 < . 1:1(0) ack 3001
        > . 3001:4001(1000) ack 1
        +0.01 < . 1:1(0) ack 6001
        info c snd_ssthresh = 3
        info c ca_state = 0
        ",
    );
}

/// RFC 6675 section 5 (A), (C): holes with three segments above them go first; the pipe bounds what
/// goes with each ack.
#[test]
fn the_pipe_bounds_recovery() {
    check(
        "
        flags recovery=rfc6675
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
        +0.01 < . 1:1(0) ack 1 <sack 1001:2001>
        > . 10001:11001(1000) ack 1
        < . 1:1(0) ack 1 <sack 1001:3001>
        > . 11001:12001(1000) ack 1
        < . 1:1(0) ack 1 <sack 1001:4001>
        > . 1:1001(1000) ack 1
        info c snd_ssthresh = 5
        < . 1:1(0) ack 1 <sack 1001:5001>
        < . 1:1(0) ack 1 <sack 1001:6001>
        < . 1:1(0) ack 1 <sack 1001:7001>
        < . 1:1(0) ack 1 <sack 1001:8001>
        < . 1:1(0) ack 1 <sack 1001:9001>
        > . 12001:13001(1000) ack 1
        +0.01 < . 1:1(0) ack 13001
        > . 13001:14001(1000) ack 1
        > . 14001:15001(1000) ack 1
        > . 15001:16001(1000) ack 1
        > . 16001:17001(1000) ack 1
        > . 17001:18001(1000) ack 1
        info c snd_cwnd = 5
        ",
    );
}

/// RFC 5681 section 3.1.
#[test]
fn slow_start_sends_two_segments_for_each_that_is_acknowledged() {
    check(
        "
        flags iw=2
        established
        write c 10000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        +0.05 < . 1:1(0) ack 1001
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        info c snd_cwnd = 3
        < . 1:1(0) ack 2001
        > . 4001:5001(1000) ack 1
        > . 5001:6001(1000) ack 1
        info c snd_cwnd = 4
        ",
    );
}
