//! RFC 9293 section 3.10.7.4, fifth check: the ACK field.

use crate::states::*;
use ackclock_testkit::script::check;

#[test]
fn without_it_a_segment_is_dropped() {
    for state in RECEIVING.into_iter().chain(FINISHED).chain([
        TIME_WAIT,
        SYN_RECEIVED,
        SYN_RECEIVED_ACTIVELY,
    ]) {
        state.then(
            "
            < P {peer}:{peer+10}(10)
            < F {peer}:{peer}(0)
            < - {peer}:{peer}(0)
            {same}
            ",
        );
    }
}

#[test]
fn in_syn_received_it_must_acknowledge_the_syn() {
    for state in [SYN_RECEIVED, SYN_RECEIVED_ACTIVELY] {
        state.then(
            "
            < . 1:1(0) ack 0
            > R 0:0(0)
            < . 1:1(0) ack 2
            > R 2:2(0)
            < P. 1:11(10) ack 3
            > R 3:3(0)
            {same}
            ",
        );
    }
    SYN_RECEIVED.then(
        "
        < . 1:1(0) ack 1
        accept
        state ESTABLISHED
        ",
    );
    SYN_RECEIVED_ACTIVELY.then(
        "
        < . 1:1(0) ack 1
        state ESTABLISHED
        ",
    );
}

#[test]
fn in_syn_received_the_ack_sets_the_window() {
    SYN_RECEIVED.then(
        "
        < . 1:1(0) ack 1 win 777
        accept
        info send_window 777
        ",
    );
}

#[test]
fn an_ack_of_what_was_not_sent_is_answered_and_its_text_dropped() {
    for state in RECEIVING.into_iter().chain([CLOSE_WAIT]) {
        state.then(
            "
            < . {peer}:{peer}(0) ack {our+1}
            > . {our}:{our}(0) ack {peer}
            < P. {peer}:{peer+10}(10) ack {our+1}
            > . {our}:{our}(0) ack {peer}
            {same}
            info receive_queue 0
            ",
        );
    }
}

#[test]
fn text_of_an_old_ack_is_taken() {
    check(
        "
        set ack_policy every
        established
        write 1000
        > P. 1:1001(1000) ack 1
        < . 1:1(0) ack 1001
        < P. 1:11(10) ack 1
        > . 1001:1001(0) ack 11
        read 10
        info unacked 0
        ",
    );
}

#[test]
fn an_older_segment_does_not_set_the_window() {
    check(
        "
        set ack_policy every
        established
        < P. 1:11(10) ack 1 win 3000
        > . 1:1(0) ack 11
        info send_window 3000
        < . 1:1(0) ack 1 win 9000           # SEG.SEQ < SND.WL1, and not acceptable
        > . 1:1(0) ack 11
        info send_window 3000
        write 2000
        > . 1:1001(1000) ack 11
        > P. 1001:2001(1000) ack 11
        < . 11:11(0) ack 1001 win 4000
        info send_window 4000
        < . 11:11(0) ack 501 win 9000       # SEG.ACK < SND.WL2
        info send_window 4000
        < . 11:11(0) ack 1001 win 5000      # the same segment numbers
        info send_window 5000
        ",
    );
}

#[test]
fn the_window_counts_from_what_is_acknowledged() {
    check(
        "
        established win 2000
        write 5000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        < . 1:1(0) ack 1001 win 2000
        > . 2001:3001(1000) ack 1
        < . 1:1(0) ack 1001 win 4000
        > . 3001:4001(1000) ack 1
        > P. 4001:5001(1000) ack 1
        ",
    );
}

#[test]
fn in_fin_wait_1_the_ack_of_the_fin_leads_to_fin_wait_2() {
    check(
        "
        established
        write 100
        > P. 1:101(100) ack 1
        shutdown
        > F. 101:101(0) ack 1
        < . 1:1(0) ack 101
        state FIN-WAIT-1
        < . 1:1(0) ack 102
        state FIN-WAIT-2
        info retransmit_timer 0
        ",
    );
}

#[test]
fn in_closing_the_ack_of_the_fin_leads_to_time_wait() {
    CLOSING.then(
        "
        < . {peer}:{peer}(0) ack {our-1}
        state CLOSING
        < . {peer}:{peer}(0) ack {our}
        +59.999 < F. {peer-1}:{peer-1}(0) ack {our}
        > . {our}:{our}(0) ack {peer}
        ",
    );
}

#[test]
fn in_last_ack_the_ack_of_the_fin_closes() {
    LAST_ACK.then(
        "
        < . {peer}:{peer}(0) ack {our-1}
        state LAST-ACK
        < . {peer}:{peer}(0) ack {our}
        state CLOSED
        error none
        ",
    );
}

#[test]
fn what_is_sent_in_close_wait_is_acknowledged_as_ever() {
    CLOSE_WAIT.then(
        "
        write 100
        > P. 1:101(100) ack 2
        < . 2:2(0) ack 101
        info unacked 0
        state CLOSE-WAIT
        ",
    );
}

#[test]
fn in_time_wait_an_acceptable_ack_changes_nothing() {
    TIME_WAIT.then(
        "
        < . {peer}:{peer}(0) ack {our}
        +60 < . {peer}:{peer}(0) ack {our}
        > R {our}:{our}(0)
        ",
    );
}

#[test]
fn an_ack_removes_what_it_covers() {
    check(
        "
        established
        write 3000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > P. 2001:3001(1000) ack 1
        < . 1:1(0) ack 1501
        info send_queue 1500
        < . 1:1(0) ack 3001
        info unacked 0
        info send_queue 0
        info retransmit_timer 0
        ",
    );
}

#[test]
fn when_the_window_shrinks_no_new_data_goes() {
    // SHLD-15, SHLD-17.
    check(
        "
        established
        write 2000
        > . 1:1001(1000) ack 1
        > P. 1001:2001(1000) ack 1
        +0.01 < . 1:1(0) ack 1 win 500
        write 1000
        +0.01 < . 1:1(0) ack 2001 win 500
        < . 1:1(0) ack 2001 win 5000
        > P. 2001:3001(1000) ack 1
        ",
    );
}
