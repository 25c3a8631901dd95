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

/// RFC 9293 section 3.8.6.3 (MUST-40): the delay counts from the first segment that waits.
#[test]
fn small_messages_are_acknowledged_together() {
    check(
        "
        established
        < P. 1:101(100) ack 1
        +0.01 < P. 101:201(100) ack 1
        +0.01 < P. 201:301(100) ack 1
        +0.02 > . 1:1(0) ack 301
        ",
    );
}

/// RFC 9293 section 3.8.6.3 (MUST-40): never half a second, whatever the setting.
#[test]
fn no_ack_is_delayed_by_half_a_second() {
    check(
        "
        flags delack=500
        established
        < P. 1:101(100) ack 1
        +0.499 > . 1:1(0) ack 101
        ",
    );
}

/// RFC 9293 section 3.10.7.4: an ack rides on data, and does not go again by itself.
#[test]
fn data_carries_the_ack() {
    check(
        "
        established
        < P. 1:101(100) ack 1
        +0.01 write c 10
        > P. 1:11(10) ack 101
        +0.15 quiet
        ",
    );
}

/// RFC 5681 section 4.2: what fills a gap is acknowledged at once.
#[test]
fn a_filled_gap_is_acknowledged_at_once() {
    check(
        "
        established
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 1 <sack 1001:2001>
        < . 1:501(500) ack 1
        > . 1:1(0) ack 501 <sack 1001:2001>
        < . 501:1001(500) ack 1
        > . 1:1(0) ack 2001
        read c 2000
        ",
    );
}

/// RFC 5681 section 4.2: without SACK each segment behind a gap has its own duplicate ack, for the
/// peer counts them.
#[test]
fn without_sack_each_segment_behind_a_gap_has_its_ack() {
    check(
        "
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        +0.01 < . 1:1(0) ack 1
        accept s = fd c
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 1
        < . 2001:3001(1000) ack 1
        > . 1:1(0) ack 1
        < . 3001:4001(1000) ack 1
        > . 1:1(0) ack 1
        < . 1:1001(1000) ack 1
        > . 1:1(0) ack 4001
        ",
    );
}

/// RFC 9293 section 3.8.4: a peer's keepalive probe, one before what is expected, is answered.
#[test]
fn a_peers_keepalive_probe_is_answered() {
    check(
        "
        established
        +10 < . 0:0(0) ack 1
        > . 1:1(0) ack 1
        ",
    );
}

/// RFC 9293 section 3.8.6.1 (MUST-66 for the rest): a peer's probe of our closed window is answered
/// with the window, and its byte is not taken.
#[test]
fn a_peers_window_probe_is_answered() {
    check(
        "
        flags rmem=4000
        established
        < . 1:2001(2000) ack 1
        < . 2001:4001(2000) ack 1
        > . 1:1(0) ack 4001 win 0
        +0.2 < . 4001:4002(1) ack 1
        > . 1:1(0) ack 4001 win 0
        +0.4 < . 4001:4002(1) ack 1
        > . 1:1(0) ack 4001 win 0
        read c 4000
        > . 1:1(0) ack 4001 win 4000
        < P. 4001:4002(1) ack 1
        read c 1
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
