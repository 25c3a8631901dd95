//! RFC 9293 section 3.10.7.1: segments that belong to no connection.

use ackclock_testkit::script::check;

#[test]
fn a_reset_is_dropped() {
    check(
        "
        < R 0:0(0)
        < R. 5:5(0) ack 9
        ",
    );
}

#[test]
fn without_ack_the_reset_begins_at_zero_and_acknowledges_the_whole_segment() {
    check(
        "
        < S 10:10(0)
        > R. 0:0(0) ack 11 win 0
        < S 10:15(5)
        > R. 0:0(0) ack 16
        < - 10:17(7)
        > R. 0:0(0) ack 17
        < FP 10:17(7)
        > R. 0:0(0) ack 18
        ",
    );
}

#[test]
fn with_ack_the_reset_has_the_number_that_the_peer_expects() {
    check(
        "
        < . 10:10(0) ack 77
        > R 77:77(0) win 0
        < FP. 10:30(20) ack 78
        > R 78:78(0)
        < S. 0:0(0) ack 79 <mss 1000>
        > R 79:79(0)
        ",
    );
}

#[test]
fn what_comes_after_the_end_of_a_connection_is_reset() {
    check(
        "
        established
        < F. 1:1(0) ack 1
        > . 1:1(0) ack 2
        shutdown
        > F. 1:1(0) ack 2
        < . 2:2(0) ack 2
        state CLOSED
        < . 2:2(0) ack 2
        > R 2:2(0)
        ",
    );
}
