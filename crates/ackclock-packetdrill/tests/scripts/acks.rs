//! When data is acknowledged.

use crate::player::check;

/// RFC 9293 section 3.8.6.3 over IPv6, with its smaller MSS.
#[test]
fn every_second_segment_is_acknowledged_over_ipv6() {
    check(
        "
        v6
        established
        < . 1:1441(1440) ack 1
        < . 1441:2881(1440) ack 1
        > . 1:1(0) ack 2881
        < . 2881:4321(1440) ack 1
        +0.04 > . 1:1(0) ack 4321
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

/// RFC 2018 section 4 over IPv6.
#[test]
fn blocks_over_ipv6() {
    check(
        "
        v6
        established
        < . 1441:2881(1440) ack 1
        > . 1:1(0) ack 1 <sack 1441:2881>
        < . 4321:5761(1440) ack 1
        > . 1:1(0) ack 1 <sack 4321:5761 1441:2881>
        < . 1:1441(1440) ack 1
        > . 1:1(0) ack 2881 <sack 4321:5761>
        ",
    );
}

/// FreeBSD's `DELAY_ACK`: an ack that is delayed goes with the next segment, however short that is.
#[test]
fn freebsd_acknowledges_every_second_segment() {
    check(
        "
        flags profile=freebsd
        established
        < P. 1:11(10) ack 1
        +0.01 < P. 11:21(10) ack 1
        > . 1:1(0) ack 21
        +0.01 < P. 21:31(10) ack 1
        +0.04 > . 1:1(0) ack 31
        ",
    );
}
