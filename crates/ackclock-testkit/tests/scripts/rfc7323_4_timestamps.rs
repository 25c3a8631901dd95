//! RFC 7323 sections 3 and 4: the timestamps option. Ours reads 1000 when a script begins; the
//! peer's SYN of `established` carries 100.

use ackclock_testkit::script::check;

#[test]
fn it_is_in_every_segment_once_both_syns_had_it() {
    check(
        "
        set timestamps on
        connect
        > S 0:0(0) <mss 1000,sackOK,TS val 1000 ecr 0>
        +0.010 < S. 0:0(0) ack 1 <mss 1000,TS val 100 ecr 1000>
        > . 1:1(0) ack 1 <TS val 1010 ecr 100>
        write 10
        > P. 1:11(10) ack 1 <TS val 1010 ecr 100>
        +0.005 < . 1:1(0) ack 11 <TS val 105 ecr 1010>
        shutdown
        > F. 11:11(0) ack 1 <TS val 1015 ecr 105>
        abort
        > R. 12:12(0) ack 1 <TS val 1015 ecr 105>
        ",
    );
}

#[test]
fn it_is_not_used_if_one_side_does_not_offer_it() {
    check(
        "
        set timestamps on
        connect
        > S 0:0(0) <mss 1000,sackOK,TS val 1000 ecr 0>
        < S. 0:0(0) ack 1 <mss 1000>
        > . 1:1(0) ack 1 <>
        info mss 1000
        ",
    );
    check(
        "
        listen
        < S 0:0(0) <mss 1000,TS val 7 ecr 0>
        > S. 0:0(0) ack 1 <mss 1000>
        < P. 1:11(10) ack 1 <TS val 3 ecr 0>  # means nothing, not even that it is old
        accept
        read 10
        +0.040 > . 1:1(0) ack 11 <>
        ",
    );
}

#[test]
fn it_takes_twelve_bytes_of_a_full_segment() {
    check(
        "
        set timestamps on
        established
        write 1000
        > . 1:989(988) ack 1
        > P. 989:1001(12) ack 1
        ",
    );
}

#[test]
fn a_delayed_ack_echoes_the_first_segment_that_it_answers() {
    // Section 4.3, case A.
    check(
        "
        set timestamps on
        established
        +0.100 < . 1:989(988) ack 1 <TS val 200 ecr 1010>
        +0.010 < . 989:1977(988) ack 1 <TS val 210 ecr 1010>
        > . 1:1(0) ack 1977 <TS val 1120 ecr 200>
        ",
    );
}

#[test]
fn behind_a_hole_the_last_segment_in_order_is_echoed_and_then_the_one_that_fills_it() {
    // Section 4.3, cases B and C.
    check(
        "
        set timestamps on
        set sack off
        set ack_policy every
        established
        < . 1:101(100) ack 1 <TS val 201 ecr 1010>
        > . 1:1(0) ack 101 <TS val 1010 ecr 201>
        < . 201:301(100) ack 1 <TS val 203 ecr 1010>
        > . 1:1(0) ack 101 <TS val 1010 ecr 201>
        < . 101:201(100) ack 1 <TS val 202 ecr 1010>
        > . 1:1(0) ack 301 <TS val 1010 ecr 202>
        < . 301:401(100) ack 1 <TS val 204 ecr 1010>
        > . 1:1(0) ack 401 <TS val 1010 ecr 204>
        ",
    );
}

#[test]
fn an_echo_measures_the_round_trip_of_what_was_retransmitted() {
    // Section 4.1; Karn's rule does not apply.
    check(
        "
        set timestamps on
        established
        write 100
        > P. 1:101(100) ack 1 <TS val 1010 ecr 100>
        +0.2 > P. 1:101(100) ack 1 <TS val 1210 ecr 100>
        +0.03 < . 1:1(0) ack 101 <TS val 330 ecr 1210>
        info rtt_samples 2
        info backoff 0
        ",
    );
}

#[test]
fn blocks_and_timestamps_share_the_option_area() {
    // Three blocks fit beside timestamps (RFC 2018 section 3).
    check(
        "
        set timestamps on
        established
        < . 101:201(100) ack 1 <TS val 101 ecr 1010>
        > . 1:1(0) ack 1 <TS val 1010 ecr 100,sack 101:201>
        < . 301:401(100) ack 1 <TS val 101 ecr 1010>
        > . 1:1(0) ack 1 <TS val 1010 ecr 100,sack 301:401 101:201>
        < . 501:601(100) ack 1 <TS val 101 ecr 1010>
        > . 1:1(0) ack 1 <TS val 1010 ecr 100,sack 501:601 301:401 101:201>
        < . 701:801(100) ack 1 <TS val 101 ecr 1010>
        > . 1:1(0) ack 1 <TS val 1010 ecr 100,sack 701:801 501:601 301:401>
        ",
    );
}

/// RFC 6298 section 3: what was sent again several times has no round trip, however soon the ack comes; its
/// echo may be as old as the first of them.
#[test]
fn an_old_echo_after_several_timeouts_is_no_measurement() {
    check(
        "
        set timestamps on
        set mss 1012
        listen
        < S 0:0(0) <mss 1012,sackOK,TS val 100 ecr 0>
        > S. 0:0(0) ack 1 <mss 1012,sackOK,TS val 1000 ecr 100>
        +0.01 < . 1:1(0) ack 1 <TS val 110 ecr 1000>
        accept
        write 1000
        > P. 1:1001(1000) ack 1 <TS val 1010 ecr 110>
        +0.2 > P. 1:1001(1000) ack 1 <TS val 1210 ecr 110>
        +0.4 > P. 1:1001(1000) ack 1 <TS val 1610 ecr 110>
        +0.002 < . 1:1(0) ack 1001 <TS val 712 ecr 1010>
        info rtt 10
        ",
    );
}
