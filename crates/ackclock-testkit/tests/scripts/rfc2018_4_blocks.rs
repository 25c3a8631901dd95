//! RFC 2018 section 4: which blocks an ack reports, and in which order. The numbers of the RFC's
//! examples, which begin at 5000, are here 4999 less.

use ackclock_testkit::script::check;

#[test]
fn example_1_the_last_four_segments_are_lost() {
    check(
        "
        established
        < . 1:501(500) ack 1
        < . 501:1001(500) ack 1
        > . 1:1(0) ack 1001 <>
        < . 1001:1501(500) ack 1
        < . 1501:2001(500) ack 1
        > . 1:1(0) ack 2001 <>
        ",
    );
}

#[test]
fn example_2_the_first_of_eight_segments_is_lost() {
    check(
        "
        established
        < . 501:1001(500) ack 1
        > . 1:1(0) ack 1 <sack 501:1001>
        < . 1001:1501(500) ack 1
        > . 1:1(0) ack 1 <sack 501:1501>
        < . 1501:2001(500) ack 1
        > . 1:1(0) ack 1 <sack 501:2001>
        < . 2001:2501(500) ack 1
        > . 1:1(0) ack 1 <sack 501:2501>
        < . 2501:3001(500) ack 1
        > . 1:1(0) ack 1 <sack 501:3001>
        < . 3001:3501(500) ack 1
        > . 1:1(0) ack 1 <sack 501:3501>
        < . 3501:4001(500) ack 1
        > . 1:1(0) ack 1 <sack 501:4001>
        ",
    );
}

#[test]
fn example_3_every_second_segment_is_lost() {
    check(
        "
        set ack_policy every
        established
        < . 1:501(500) ack 1
        > . 1:1(0) ack 501
        < . 1001:1501(500) ack 1
        > . 1:1(0) ack 501 <sack 1001:1501>
        < . 2001:2501(500) ack 1
        > . 1:1(0) ack 501 <sack 2001:2501 1001:1501>
        < . 3001:3501(500) ack 1
        > . 1:1(0) ack 501 <sack 3001:3501 2001:2501 1001:1501>
        < . 1501:2001(500) ack 1              # the fourth arrives late
        > . 1:1(0) ack 501 <sack 1001:2501 3001:3501>
        < . 501:1001(500) ack 1               # and the second
        > . 1:1(0) ack 2501 <sack 3001:3501>
        ",
    );
}

#[test]
fn the_first_block_holds_the_segment_that_arrived_last() {
    check(
        "
        established
        < . 3001:3101(100) ack 1
        > . 1:1(0) ack 1 <sack 3001:3101>
        < . 1001:1101(100) ack 1
        > . 1:1(0) ack 1 <sack 1001:1101 3001:3101>
        < . 3101:3201(100) ack 1              # the older block grows: it comes first again
        > . 1:1(0) ack 1 <sack 3001:3201 1001:1101>
        < . 2001:2101(100) ack 1
        > . 1:1(0) ack 1 <sack 2001:2101 3001:3201 1001:1101>
        ",
    );
}

#[test]
fn four_blocks_are_reported_and_older_ones_again_when_there_is_room() {
    check(
        "
        established
        < . 101:201(100) ack 1
        > . 1:1(0) ack 1 <sack 101:201>
        < . 301:401(100) ack 1
        > . 1:1(0) ack 1 <sack 301:401 101:201>
        < . 501:601(100) ack 1
        > . 1:1(0) ack 1 <sack 501:601 301:401 101:201>
        < . 701:801(100) ack 1
        > . 1:1(0) ack 1 <sack 701:801 501:601 301:401 101:201>
        < . 901:1001(100) ack 1
        > . 1:1(0) ack 1 <sack 901:1001 701:801 501:601 301:401>
        < . 801:901(100) ack 1
        > . 1:1(0) ack 1 <sack 701:1001 501:601 301:401 101:201>
        ",
    );
}

#[test]
fn a_segment_may_join_several_blocks() {
    check(
        "
        established
        < . 101:201(100) ack 1
        > . 1:1(0) ack 1 <sack 101:201>
        < . 301:401(100) ack 1
        > . 1:1(0) ack 1 <sack 301:401 101:201>
        < . 501:601(100) ack 1
        > . 1:1(0) ack 1 <sack 501:601 301:401 101:201>
        < . 201:301(100) ack 1
        > . 1:1(0) ack 1 <sack 101:401 501:601>
        < . 1:101(100) ack 1
        > . 1:1(0) ack 401 <sack 501:601>
        < . 401:501(100) ack 1
        > . 1:1(0) ack 601 <>
        read 600
        ",
    );
}

/// "SACK options SHOULD be included in all ACKs which do not ACK the highest sequence number."
#[test]
fn reports_go_on_beside_our_own_data() {
    check(
        "
        established
        < . 101:201(100) ack 1
        > . 1:1(0) ack 1 <sack 101:201>
        write 500
        > P. 1:501(500) ack 1 <sack 101:201>
        < . 301:401(100) ack 1
        > . 501:501(0) ack 1 <sack 301:401 101:201>
        < . 401:401(0) ack 501 win 10000
        write 500
        > P. 501:1001(500) ack 1 <sack 301:401 101:201>
        < . 1:101(100) ack 1001
        > . 1001:1001(0) ack 201 <sack 301:401>
        < . 201:301(100) ack 1001
        > . 1001:1001(0) ack 401 <>
        write 500
        > P. 1001:1501(500) ack 401 <>
        ",
    );
}

/// A full segment is as much shorter as the option is long (RFC 9293 section 3.7.1).
#[test]
fn blocks_take_their_place_from_the_text_of_a_segment() {
    check(
        "
        established
        < . 101:201(100) ack 1
        > . 1:1(0) ack 1 <sack 101:201>
        < . 301:401(100) ack 1
        > . 1:1(0) ack 1 <sack 301:401 101:201>
        write 1500
        > . 1:981(980) ack 1 <sack 301:401 101:201>
        > P. 981:1501(520) ack 1 <sack 301:401 101:201>
        < . 1:101(100) ack 1501
        > . 1501:1501(0) ack 201 <sack 301:401>
        < . 201:301(100) ack 1501
        > . 1501:1501(0) ack 401 <>
        write 2000
        > . 1501:2501(1000) ack 401 <>
        > P. 2501:3501(1000) ack 401 <>
        ",
    );
}

/// What goes again goes in as many segments as it takes beside the blocks.
#[test]
fn a_retransmission_bears_them_too() {
    check(
        "
        set recovery rfc6675
        established
        write 1000
        > P. 1:1001(1000) ack 1 <>
        < . 101:201(100) ack 1
        > . 1001:1001(0) ack 1 <sack 101:201>
        +0.2 > . 1:989(988) ack 1 <sack 101:201>
        > P. 989:1001(12) ack 1 <sack 101:201>
        ",
    );
}

/// A part of a segment goes again as a whole, beside as many blocks as it leaves room for: of a part of that it would be
/// unknown whether it has arrived.
#[test]
fn a_part_of_a_segment_is_not_cut_by_more_blocks() {
    check(
        "
        set recovery rfc6675
        established
        write 1000
        > P. 1:1001(1000) ack 1 <>
        < . 101:201(100) ack 1
        > . 1001:1001(0) ack 1 <sack 101:201>
        +0.2 > . 1:989(988) ack 1 <sack 101:201>
        > P. 989:1001(12) ack 1 <sack 101:201>
        < . 301:401(100) ack 1
        > . 1001:1001(0) ack 1 <sack 301:401 101:201>
        +0.4 > . 1:989(988) ack 1 <sack 301:401>
        > P. 989:1001(12) ack 1 <sack 301:401 101:201>
        +0.01 < . 401:401(0) ack 1001
        ",
    );
}

#[test]
fn a_fin_bears_them_too() {
    check(
        "
        established
        < . 101:201(100) ack 1
        > . 1:1(0) ack 1 <sack 101:201>
        shutdown
        > F. 1:1(0) ack 1 <sack 101:201>
        ",
    );
}

#[test]
fn no_block_is_sent_to_a_peer_that_did_not_permit_it() {
    check(
        "
        connect
        > S 0:0(0) <mss 1000,sackOK>
        < S. 0:0(0) ack 1 <mss 1000>
        > . 1:1(0) ack 1
        < . 101:201(100) ack 1
        > . 1:1(0) ack 1 <>
        < . 101:201(100) ack 1
        > . 1:1(0) ack 1 <>
        ",
    );
}

#[test]
fn an_update_of_the_window_reports_them_too() {
    check(
        "
        established
        < . 3001:4001(1000) ack 1
        > . 1:1(0) ack 1 <sack 3001:4001>
        < . 1:2001(2000) ack 1
        > . 1:1(0) ack 2001 win 8000 <sack 3001:4001>
        read 2000
        > . 1:1(0) ack 2001 win 10000 <sack 3001:4001>
        ",
    );
}

/// "SACK options SHOULD be included in all ACKs which do not ACK the highest sequence number."
#[test]
fn a_keepalive_reports_them_too() {
    check(
        "
        set keepalive 10 2 3
        established
        < . 101:201(100) ack 1
        > . 1:1(0) ack 1 <sack 101:201>
        +10 > . 0:0(0) ack 1 <sack 101:201>
        ",
    );
}
