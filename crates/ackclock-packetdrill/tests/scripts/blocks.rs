//! Segments out of order, overlapping and twice: the exact SACK blocks, and one stream.
//!
//! Only what has arrived counts for the blocks, so that these scripts need no time.

use crate::player::check;

/// RFC 2018 section 3: at most four blocks, the newest first and the oldest left out.
#[test]
fn four_blocks_are_all_that_fit() {
    check(
        "
        established
        < . 1001:1501(500) ack 1
        > . 1:1(0) ack 1 <sack 1001:1501>
        < . 2001:2501(500) ack 1
        > . 1:1(0) ack 1 <sack 2001:2501 1001:1501>
        < . 3001:3501(500) ack 1
        > . 1:1(0) ack 1 <sack 3001:3501 2001:2501 1001:1501>
        < . 4001:4501(500) ack 1
        > . 1:1(0) ack 1 <sack 4001:4501 3001:3501 2001:2501 1001:1501>
        < . 5001:5501(500) ack 1
        > . 1:1(0) ack 1 <sack 5001:5501 4001:4501 3001:3501 2001:2501>
        ",
    );
}

/// RFC 2018 section 3: with timestamps three.
#[test]
fn three_blocks_fit_beside_timestamps() {
    check(
        "
        flags timestamps=on
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000,sackOK,TS val 100 ecr 0>
        > S. 0:0(0) ack 1 <mss 1460,sackOK,TS val 1000 ecr 100>
        < . 1:1(0) ack 1 <TS val 100 ecr 1000>
        < . 1001:1501(500) ack 1 <TS val 100 ecr 1000>
        > . 1:1(0) ack 1 <TS val 1000 ecr 100,sack 1001:1501>
        < . 2001:2501(500) ack 1 <TS val 100 ecr 1000>
        > . 1:1(0) ack 1 <TS val 1000 ecr 100,sack 2001:2501 1001:1501>
        < . 3001:3501(500) ack 1 <TS val 100 ecr 1000>
        > . 1:1(0) ack 1 <TS val 1000 ecr 100,sack 3001:3501 2001:2501 1001:1501>
        < . 4001:4501(500) ack 1 <TS val 100 ecr 1000>
        > . 1:1(0) ack 1 <TS val 1000 ecr 100,sack 4001:4501 3001:3501 2001:2501>
        ",
    );
}

/// RFC 2018 section 4: the first block is the whole one that holds the newest segment.
#[test]
fn what_joins_two_blocks_makes_one() {
    check(
        "
        established
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 1 <sack 1001:2001>
        < . 5001:6001(1000) ack 1
        > . 1:1(0) ack 1 <sack 5001:6001 1001:2001>
        < . 3001:4001(1000) ack 1
        > . 1:1(0) ack 1 <sack 3001:4001 5001:6001 1001:2001>
        < . 2001:3001(1000) ack 1
        > . 1:1(0) ack 1 <sack 1001:4001 5001:6001>
        < . 1:1001(1000) ack 1
        > . 1:1(0) ack 4001 <sack 5001:6001>
        read c 4000
        > . 1:1(0) ack 4001 win 60000 <sack 5001:6001>
        ",
    );
}

/// RFC 2018 section 4: an older block that grows becomes the first again.
#[test]
fn a_block_that_grows_stands_first() {
    check(
        "
        established
        < . 1001:1501(500) ack 1
        > . 1:1(0) ack 1 <sack 1001:1501>
        < . 3001:3501(500) ack 1
        > . 1:1(0) ack 1 <sack 3001:3501 1001:1501>
        < . 1501:2001(500) ack 1
        > . 1:1(0) ack 1 <sack 1001:2001 3001:3501>
        ",
    );
}

/// RFC 2883 section 4.1: the first block tells the part that came twice, the second the block that
/// holds it.
#[test]
fn an_overlap_behind_a_gap_is_told_with_its_block() {
    check(
        "
        established
        < . 1501:2501(1000) ack 1
        > . 1:1(0) ack 1 <sack 1501:2501>
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 1 <sack 1501:2001 1001:2501>
        < . 1:1001(1000) ack 1
        > . 1:1(0) ack 2501
        read c 2500
        ",
    );
}

/// RFC 2883 section 4.2.2: a segment behind a gap that comes twice, whole.
#[test]
fn a_segment_that_waits_and_comes_again_is_told_twice() {
    check(
        "
        established
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 1 <sack 1001:2001>
        < . 3001:4001(1000) ack 1
        > . 1:1(0) ack 1 <sack 3001:4001 1001:2001>
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 1 <sack 1001:2001 1001:2001 3001:4001>
        ",
    );
}

/// RFC 2883 section 4 (2): each duplicate is told once.
#[test]
fn a_duplicate_is_told_once() {
    check(
        "
        established
        < . 1:1001(1000) ack 1
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 2001
        < . 1:1001(1000) ack 1
        > . 1:1(0) ack 2001 <sack 1:1001>
        < . 3001:4001(1000) ack 1
        > . 1:1(0) ack 2001 <sack 3001:4001>
        ",
    );
}

/// RFC 2883 section 4.1: below the cumulative ack and with a gap above: the duplicate first, then
/// what RFC 2018 says.
#[test]
fn an_old_duplicate_stands_before_the_blocks() {
    check(
        "
        established
        < . 1:1001(1000) ack 1
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 2001
        < . 3001:4001(1000) ack 1
        > . 1:1(0) ack 2001 <sack 3001:4001>
        < . 501:1501(1000) ack 1
        > . 1:1(0) ack 2001 <sack 501:1501 3001:4001>
        ",
    );
}

/// RFC 9293 section 3.10.7.4: a segment that holds what was there already and more on both sides
/// gives one stream.
#[test]
fn a_segment_around_another_gives_one_stream() {
    check(
        "
        established
        < . 501:1001(500) ack 1
        > . 1:1(0) ack 1 <sack 501:1001>
        < . 1:1461(1460) ack 1
        > . 1:1(0) ack 1461 <sack 501:1001>
        read c 1460
        ",
    );
}

/// RFC 9293 section 3.10.7.4: a retransmission with new data at its end moves the stream on.
#[test]
fn a_repetition_with_more_at_its_end_is_taken_from_there() {
    check(
        "
        established
        < P. 1:501(500) ack 1
        +0.04 > . 1:1(0) ack 501
        < P. 1:1001(1000) ack 1
        > . 1:1(0) ack 1001 <sack 1:501>
        read c 1000
        ",
    );
}

/// RFC 9293 section 3.10.7.4, seventh: what lies beyond the right edge of the window is cut off.
#[test]
fn a_segment_across_the_right_edge_is_trimmed() {
    check(
        "
        flags rmem=4000
        established
        < . 3001:4461(1460) ack 1
        > . 1:1(0) ack 1 <sack 3001:4001>
        < . 1:1001(1000) ack 1
        > . 1:1(0) ack 1001 <sack 3001:4001>
        < . 1001:3001(2000) ack 1
        > . 1:1(0) ack 4001 win 0
        read c 4000
        > . 1:1(0) ack 4001 win 4000
        ",
    );
}

/// RFC 9293 section 3.10.7.4, first: wholly before or beyond the window, nothing is taken, and the
/// answer says what is expected.
#[test]
fn segments_outside_the_window_are_answered() {
    check(
        "
        flags rmem=4000
        established
        < . 4001:5001(1000) ack 1
        > . 1:1(0) ack 1
        < . 100000:101000(1000) ack 1
        > . 1:1(0) ack 1
        < . -999:1(1000) ack 1
        > . 1:1(0) ack 1 <sack -999:1>
        read c 1 dontwait = EAGAIN
        ",
    );
}

/// RFC 9293 section 3.10.7.4, eighth: a FIN that comes before its data waits for them.
#[test]
fn a_fin_before_its_data_waits() {
    check(
        "
        established
        < F. 1001:1001(0) ack 1
        > . 1:1(0) ack 1
        read c 1 dontwait = EAGAIN
        < P. 1:1001(1000) ack 1
        > . 1:1(0) ack 1002
        read c 1000
        read c 1 = 0
        ",
    );
}

/// RFC 2018 section 2: no blocks for a peer that has not permitted them.
#[test]
fn no_blocks_without_permission() {
    check(
        "
        flags sack=off
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000,sackOK>
        > S. 0:0(0) ack 1 <mss 1460>
        < . 1:1(0) ack 1
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 1
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 1
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
