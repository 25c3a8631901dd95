//! Data, acks, windows.

use crate::player::check;

/// RFC 9293 section 3.8.6.3 (SHLD-18, SHLD-19).
#[test]
fn every_second_full_segment_is_acknowledged() {
    check(
        "
        established
        < . 1:1461(1460) ack 1
        < . 1461:2921(1460) ack 1
        > . 1:1(0) ack 2921
        < . 2921:4381(1460) ack 1
        +0.04 > . 1:1(0) ack 4381
        ",
    );
}

/// Linux's quick acks, which RFC 5681 section 4.2 allows.
#[test]
fn first_segments_are_acknowledged_one_by_one() {
    check(
        "
        flags quickack=2
        established
        < . 1:1001(1000) ack 1
        > . 1:1(0) ack 1001
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 2001
        < . 2001:3001(1000) ack 1
        +0.04 > . 1:1(0) ack 3001
        ",
    );
}

/// RFC 9293 section 3.8.6.3: any delay below half a second.
#[test]
fn the_delay_of_acks_can_be_set() {
    check(
        "
        flags delack=100
        established
        < . 1:1001(1000) ack 1
        +0.1 > . 1:1(0) ack 1001
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

/// RFC 2018 section 4.
#[test]
fn the_newest_block_of_what_is_out_of_order_stands_first() {
    check(
        "
        established
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 1 <sack 1001:2001>
        < . 3001:4001(1000) ack 1
        > . 1:1(0) ack 1 <sack 3001:4001 1001:2001>
        < . 5001:6001(1000) ack 1
        > . 1:1(0) ack 1 <sack 5001:6001 3001:4001 1001:2001>
        < . 1:1001(1000) ack 1
        > . 1:1(0) ack 2001 <sack 5001:6001 3001:4001>
        read c 2000
        ",
    );
}

/// RFC 2883 section 4.
#[test]
fn what_arrives_twice_is_told_first() {
    check(
        "
        established
        < P. 1:1001(1000) ack 1
        +0.04 > . 1:1(0) ack 1001
        < P. 1:1001(1000) ack 1
        > . 1:1(0) ack 1001 <sack 1:1001>
        ",
    );
}

/// RFC 9293 section 3.10.7.4 and RFC 2883 section 4.1.
#[test]
fn overlapping_segments_give_one_stream() {
    check(
        "
        established
        < . 501:1501(1000) ack 1
        > . 1:1(0) ack 1 <sack 501:1501>
        < . 1:1001(1000) ack 1
        > . 1:1(0) ack 1501 <sack 501:1001>
        read c 1500
        ",
    );
}

/// RFC 9293 section 3.10.7.4, first.
#[test]
fn data_outside_the_window_is_answered_and_dropped() {
    check(
        "
        established
        < . 60002:60102(100) ack 1
        > . 1:1(0) ack 1
        read c 1 dontwait = EAGAIN
        ",
    );
}

/// RFC 9293 section 3.10.7.4, fifth.
#[test]
fn an_ack_for_what_was_never_sent_is_answered() {
    check(
        "
        established
        < . 1:1(0) ack 1000
        > . 1:1(0) ack 1
        ",
    );
}

/// RFC 9293 section 3.8.6.1 (MUST-36); what was thrown away goes again as soon as there is room.
#[test]
fn a_closed_window_is_probed() {
    check(
        "
        established
        < . 1:1(0) ack 1 win 0
        write c 100
        poll c out 0 = out
        +0.2 > . 1:2(1) ack 1
        < . 1:1(0) ack 1 win 0
        +0.01 < . 1:1(0) ack 1 win 5000
        > . 1:2(1) ack 1
        +0.01 < . 1:1(0) ack 2
        > P. 2:101(99) ack 1
        ",
    );
}

/// RFC 9293 section 3.8.6.2.2.
#[test]
fn a_window_that_was_closed_opens_when_data_is_read() {
    check(
        "
        flags rmem=4000
        established
        < . 1:2001(2000) ack 1
        < . 2001:4001(2000) ack 1
        > . 1:1(0) ack 4001 win 0
        +1 read c 4000
        > . 1:1(0) ack 4001 win 4000
        ",
    );
}

/// RFC 9293 section 3.7.4 (SHLD-7).
#[test]
fn small_writes_wait_for_the_ack() {
    check(
        "
        established
        write c 10
        > P. 1:11(10) ack 1
        write c 10
        write c 10
        +0.02 < . 1:1(0) ack 11
        > P. 11:31(20) ack 1
        ",
    );
}
