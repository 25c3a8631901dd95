//! RFC 9293 section 3.8.6.3 and RFC 5681 section 4.2: when to acknowledge.

use ackclock_testkit::script::check;

#[test]
fn a_single_segment_waits_for_the_timeout() {
    check(
        "
        established
        < . 1:1001(1000) ack 1
        +0.040 > . 1:1(0) ack 1001
        ",
    );
}

#[test]
fn every_second_full_segment_is_acknowledged_at_once() {
    // SHLD-19.
    check(
        "
        established
        < . 1:1001(1000) ack 1
        +0.030 < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 2001
        < . 2001:3001(1000) ack 1
        +0.040 > . 1:1(0) ack 3001
        ",
    );
}

#[test]
fn small_segments_wait_for_two_full_ones_worth_of_data() {
    check(
        "
        established
        < . 1:1001(1000) ack 1
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 2001
        < P. 2001:2501(500) ack 1
        < P. 2501:3001(500) ack 1
        < P. 3001:3501(500) ack 1
        < P. 3501:4001(500) ack 1
        > . 1:1(0) ack 4001
        ",
    );
}

#[test]
fn the_delay_counts_from_the_first_segment() {
    check(
        "
        established
        < P. 1:11(10) ack 1
        +0.030 < P. 11:21(10) ack 1
        +0.010 > . 1:1(0) ack 21
        ",
    );
}

#[test]
fn no_ack_is_delayed_by_half_a_second() {
    // MUST-40.
    check(
        "
        set ack_policy delayed 0.5 0
        established
        < P. 1:11(10) ack 1
        +0.499 > . 1:1(0) ack 11
        ",
    );
}

#[test]
fn the_first_segments_may_be_acknowledged_one_by_one() {
    check(
        "
        set ack_policy delayed 0.04 2
        established
        < P. 1:11(10) ack 1
        > . 1:1(0) ack 11
        < P. 11:21(10) ack 1
        > . 1:1(0) ack 21
        < P. 21:31(10) ack 1
        +0.040 > . 1:1(0) ack 31
        ",
    );
}

#[test]
fn what_is_out_of_order_or_fills_a_hole_is_acknowledged_at_once() {
    check(
        "
        set sack off
        established
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 1
        < . 2001:2101(100) ack 1
        > . 1:1(0) ack 1
        < . 501:1001(500) ack 1
        > . 1:1(0) ack 1
        < . 1:101(100) ack 1              # a part of the hole
        > . 1:1(0) ack 101
        < . 101:501(400) ack 1
        > . 1:1(0) ack 2101
        < . 2101:2201(100) ack 1          # in order again
        +0.040 > . 1:1(0) ack 2201
        ",
    );
}

#[test]
fn a_duplicate_and_a_fin_are_acknowledged_at_once() {
    check(
        "
        set sack off
        established
        < . 1:101(100) ack 1
        +0.040 > . 1:1(0) ack 101
        < . 1:101(100) ack 1
        > . 1:1(0) ack 101
        < F. 101:101(0) ack 1
        > . 1:1(0) ack 102
        ",
    );
}

#[test]
fn an_ack_waiting_goes_with_data() {
    check(
        "
        established
        < P. 1:101(100) ack 1
        +0.020 write 10
        > P. 1:11(10) ack 101
        < . 101:101(0) ack 11
        +1 quiet
        ",
    );
}

#[test]
fn an_ack_for_every_segment_can_be_had() {
    check(
        "
        set ack_policy every
        established
        < P. 1:2(1) ack 1
        > . 1:1(0) ack 2
        < P. 2:3(1) ack 1
        > . 1:1(0) ack 3
        ",
    );
}

#[test]
fn as_4_3bsd_acknowledged_when_35_percent_of_the_window_were_filled_or_after_200_ms() {
    check(
        "
        set ack_policy bsd43
        established
        < . 1:1001(1000) ack 1
        < . 1001:2001(1000) ack 1
        < . 2001:3001(1000) ack 1
        < . 3001:3500(499) ack 1
        < . 3500:3501(1) ack 1
        > . 1:1(0) ack 3501
        < . 3501:3601(100) ack 1
        +0.2 > . 1:1(0) ack 3601
        ",
    );
}

#[test]
fn acks_are_not_acknowledged() {
    check(
        "
        established
        < . 1:1(0) ack 1
        < . 1:1(0) ack 1 win 3000
        +1 quiet
        ",
    );
}

/// RFC 5681 section 4.2: a peer may send less than the MSS that we announced (here 1,460); every
/// second segment is acknowledged all the same.
#[test]
fn every_second_segment_of_a_peer_with_a_smaller_mss_is_acknowledged() {
    check(
        "
        set mss 1460
        established
        < . 1:1001(1000) ack 1
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 2001
        < . 2001:3001(1000) ack 1
        < . 3001:4001(1000) ack 1
        > . 1:1(0) ack 4001
        ",
    );
}

/// RFC 5681 section 4.2: what a full-sized segment is may change with the path MTU. Two shorter
/// ones in succession show it, as in Linux.
#[test]
fn a_peer_whose_segments_become_smaller_is_acknowledged_as_often() {
    check(
        "
        set mss 1460
        established
        < . 1:1461(1460) ack 1
        < . 1461:2921(1460) ack 1
        > . 1:1(0) ack 2921
        < . 2921:3921(1000) ack 1
        < . 3921:4921(1000) ack 1
        > . 1:1(0) ack 4921
        < . 4921:5921(1000) ack 1
        < . 5921:6921(1000) ack 1
        > . 1:1(0) ack 6921
        ",
    );
}

/// RFC 9293 section 3.8.6.3 (SHLD-19): one that becomes longer counts as one segment.
#[test]
fn a_peer_whose_segments_become_longer_is_acknowledged_every_second() {
    check(
        "
        set mss 1460
        established
        < . 1:601(600) ack 1
        < . 601:1201(600) ack 1
        > . 1:1(0) ack 1201
        < . 1201:2661(1460) ack 1
        < . 2661:4121(1460) ack 1
        > . 1:1(0) ack 4121
        ",
    );
}
