//! RFC 9293 section 3.10.7.4, seventh: the segment text.

use crate::states::*;
use ackclock_testkit::script::check;

#[test]
fn it_is_delivered_and_acknowledged() {
    for state in RECEIVING {
        state.then(
            "
            < . 1:1001(1000) ack {our}
            < P. 1001:2001(1000) ack {our}
            > . {our}:{our}(0) ack 2001 win 8000
            read 2000
            > . {our}:{our}(0) ack 2001 win 10000
            ",
        );
    }
}

#[test]
fn the_ack_travels_with_data() {
    ESTABLISHED.then(
        "
        < P. 1:101(100) ack 1
        write 50
        > P. 1:51(50) ack 101
        < . 101:101(0) ack 51
        +1 quiet
        ",
    );
}

#[test]
fn after_the_peers_fin_text_is_ignored() {
    for state in FINISHED {
        state.then(
            "
            < P. {peer}:{peer+10}(10) ack 1
            > . {our}:{our}(0) ack {peer}
            {same}
            info receive_queue 0
            ",
        );
    }
    TIME_WAIT.then(
        "
        < P. {peer}:{peer+10}(10) ack {our}
        > . {our}:{our}(0) ack {peer}
        ",
    );
}

#[test]
fn the_right_edge_of_the_window_does_not_move_back() {
    check(
        "
        set ack_policy every
        established
        < . 1:1001(1000) ack 1
        > . 1:1(0) ack 1001 win 9000
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 2001 win 8000
        read 500                      # not worth an update
        < . 2001:3001(1000) ack 1
        > . 1:1(0) ack 3001 win 7000  # and not a step of the edge either
        read 2500
        > . 1:1(0) ack 3001 win 10000
        ",
    );
}

#[test]
fn text_that_arrives_after_close_is_answered_with_a_reset() {
    // SHLD-3.
    check(
        "
        established
        close
        > F. 1:1(0) ack 1
        < P. 1:11(10) ack 1
        > R. 1:1(0) ack 1
        < . 11:11(0) ack 2
        > R 2:2(0)
        ",
    );
}
