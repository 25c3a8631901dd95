//! RFC 9293 section 3.10.7.4, sixth check: URG. The pointer names the byte after the urgent data
//! (MUST-62).

use crate::states::*;
use ackclock_testkit::script::check;

#[test]
fn the_pointer_tells_how_far_urgent_data_reaches() {
    for state in RECEIVING {
        state.then(
            "
            urgent_ahead none
            < PU. 1:11(10) ack {our} urg 5
            urgent_ahead 5
            read 3
            urgent_ahead 2
            read 2
            urgent_ahead none
            read 5
            +0.040 > . {our}:{our}(0) ack 11
            ",
        );
    }
}

#[test]
fn it_may_lie_beyond_what_has_arrived_and_moves_forward_only() {
    check(
        "
        established
        < U. 1:1(0) ack 1 urg 2000
        urgent_ahead 2000
        < U. 1:1(0) ack 1 urg 1500
        urgent_ahead 2000
        < U. 1:1(0) ack 1 urg 2500
        urgent_ahead 2500
        ",
    );
}

#[test]
fn it_is_ignored_once_the_peer_has_finished() {
    for state in FINISHED {
        state.then(
            "
            < U. {peer}:{peer}(0) ack 1 urg 100
            urgent_ahead none
            {same}
            ",
        );
    }
}

#[test]
fn it_counts_with_a_closed_window() {
    // MUST-66.
    check(
        "
        established
        < . 1:10001(10000) ack 1
        > . 1:1(0) ack 10001 win 0
        < U. 10001:10001(0) ack 1 urg 1
        urgent_ahead 10001
        ",
    );
}

#[test]
fn ours_points_behind_the_last_urgent_byte_until_that_is_acknowledged() {
    check(
        "
        established
        write 1000
        > P. 1:1001(1000) ack 1
        urgent 1500
        > U. 1001:2001(1000) ack 1 urg 1500
        > PU. 2001:2501(500) ack 1 urg 500
        < . 1:1(0) ack 2501
        write 10
        > P. 2501:2511(10) ack 1
        ",
    );
}
