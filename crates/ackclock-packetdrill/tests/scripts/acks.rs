//! When data is acknowledged.

use crate::player::check;

/// RFC 5681 section 4.2: a peer may send less than the MSS that we announced (here 1,460); every
/// second segment is acknowledged all the same.
#[test]
fn every_second_segment_of_a_peer_with_a_smaller_mss_is_acknowledged() {
    check(
        "
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
