//! RFC 9293 section 3.10.7.4, first check: the sequence number. SACK is off where the answer's
//! blocks are not the point.

use crate::states::*;
use ackclock_testkit::script::check;

#[test]
fn old_text_is_answered_with_the_numbers_of_both_sides() {
    for state in RECEIVING {
        state.then(
            "
            < P. -9:1(10) ack {our}
            > . {our}:{our}(0) ack {peer} <sack -9:1>     # D-SACK, RFC 2883
            {same}
            info receive_queue 0
            ",
        );
    }
}

#[test]
fn text_beyond_the_window_is_answered_and_dropped() {
    for state in RECEIVING {
        state.then(
            "
            < P. {peer+10000}:{peer+10010}(10) ack {our}
            > . {our}:{our}(0) ack {peer}
            {same}
            info out_of_order 0
            ",
        );
    }
}

#[test]
fn once_the_peer_has_finished_old_text_is_still_answered() {
    for state in FINISHED {
        state.then(
            "
            < P. -9:1(10) ack 1
            > . {our}:{our}(0) ack {peer} <sack -9:1>
            {same}
            ",
        );
    }
    TIME_WAIT.then(
        "
        < P. -9:1(10) ack {our}
        > . {our}:{our}(0) ack {peer}
        ",
    );
}

#[test]
fn empty_segments_outside_the_window_are_answered() {
    for state in RECEIVING.into_iter().chain(FINISHED).chain([TIME_WAIT, SYN_RECEIVED]) {
        state.then(
            "
            < . {peer-2}:{peer-2}(0) ack 1
            > . {our}:{our}(0) ack {peer}
            < . {peer+10001}:{peer+10001}(0) ack 1
            > . {our}:{our}(0) ack {peer}
            {same}
            ",
        );
    }
}

#[test]
fn resets_outside_the_window_are_dropped() {
    for state in RECEIVING.into_iter().chain(FINISHED).chain([
        TIME_WAIT,
        SYN_RECEIVED,
        SYN_RECEIVED_ACTIVELY,
    ]) {
        state.then(
            "
            < R {peer-1}:{peer-1}(0)
            < R. {peer-7}:{peer-7}(0) ack 1
            < R {peer+10001}:{peer+10001}(0)
            {same}
            ",
        );
    }
}

/// Acks of a peer whose data under way fill the window stand where it ends; table 6 refuses them.
#[test]
fn the_last_number_in_the_window_is_acceptable_and_of_the_next_only_an_ack() {
    check(
        "
        set sack off
        established
        < . 10000:10000(0) ack 1
        < . 10001:10001(0) ack 1
        < . 10002:10002(0) ack 1
        > . 1:1(0) ack 1
        < P. 10000:10001(1) ack 1
        > . 1:1(0) ack 1
        info out_of_order 1
        < P. 10001:10002(1) ack 1
        > . 1:1(0) ack 1
        info out_of_order 1
        ",
    );
}

#[test]
fn of_a_segment_that_straddles_the_left_edge_the_new_part_is_taken() {
    check(
        "
        set sack off
        set ack_policy every
        established
        < P. 1:101(100) ack 1
        > . 1:1(0) ack 101
        < P. 51:151(100) ack 1
        > . 1:1(0) ack 151
        read 150
        ",
    );
}

#[test]
fn of_a_segment_that_straddles_the_right_edge_the_part_inside_is_taken() {
    check(
        "
        set receive_buffer 1000
        set sack off
        established
        < FP. 1:1201(1200) ack 1      # with a FIN, which lies outside
        > . 1:1(0) ack 1001 win 0
        state ESTABLISHED
        read 1000
        > . 1:1(0) ack 1001 win 1000  # room for a full segment again
        < FP. 801:1201(400) ack 1
        > . 1:1(0) ack 1202
        read 200
        read end
        ",
    );
}

#[test]
fn with_a_closed_window_text_is_refused_but_acks_count() {
    check(
        "
        set receive_buffer 1000
        set ack_policy every
        set sack off
        established
        < P. 1:1001(1000) ack 1
        > . 1:1(0) ack 1001 win 0
        write 100
        > P. 1:101(100) ack 1001 win 0
        < P. 1001:1011(10) ack 101    # a probe of our window, with an ack
        > . 101:101(0) ack 1001 win 0
        info unacked 0
        info receive_queue 1000
        < . 1001:1001(0) ack 101
        < . 1002:1002(0) ack 101
        > . 101:101(0) ack 1001 win 0
        ",
    );
}

#[test]
fn an_ack_that_begins_one_before_the_window_counts() {
    // Appendix A.2.
    check(
        "
        established
        write 100
        > P. 1:101(100) ack 1
        < . 0:0(0) ack 101
        > . 101:101(0) ack 1
        info unacked 0
        ",
    );
}

#[test]
fn segments_with_higher_numbers_are_held() {
    // SHLD-31.
    check(
        "
        established
        < P. 101:201(100) ack 1
        > . 1:1(0) ack 1 <sack 101:201>
        < P. 1:101(100) ack 1
        > . 1:1(0) ack 201
        read 200
        ",
    );
}

#[test]
fn in_syn_received_what_is_outside_the_window_is_answered() {
    for state in [SYN_RECEIVED, SYN_RECEIVED_ACTIVELY] {
        state.then(
            "
            < P. 10001:10011(10) ack 1
            > . 1:1(0) ack 1
            < P. -9:0(9) ack 1
            > . 1:1(0) ack 1
            {same}
            ",
        );
    }
}

#[test]
fn a_segment_longer_than_the_window_with_both_ends_outside_is_not_acceptable() {
    check(
        "
        set receive_buffer 100
        set sack off
        established
        < P. 0:200(200) ack 1         # neither its first nor its last byte lies inside
        > . 1:1(0) ack 1
        info receive_queue 0
        ",
    );
}

#[test]
fn of_a_segment_behind_a_hole_the_part_inside_is_held() {
    check(
        "
        set receive_buffer 4000
        established
        < . 3001:4461(1460) ack 1
        > . 1:1(0) ack 1 <sack 3001:4001>
        < . 1:3001(3000) ack 1
        > . 1:1(0) ack 4001 win 0
        read 4000
        > . 1:1(0) ack 4001 win 4000
        ",
    );
}
