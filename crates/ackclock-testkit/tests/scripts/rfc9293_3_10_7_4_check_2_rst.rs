//! RFC 9293 section 3.10.7.4, second check: RST, with the three cases of RFC 5961 section 3.

use crate::states::*;

#[test]
fn a_passive_open_returns_to_listen() {
    SYN_RECEIVED.then(
        "
        < R 1:1(0)
        < . 1:1(0) ack 1              # to the listener
        > R 1:1(0)
        < S 0:0(0) <mss 1000,sackOK>
        > S. 0:0(0) ack 1 <mss 1000,sackOK>
        ",
    );
}

#[test]
fn an_active_open_is_refused() {
    SYN_RECEIVED_ACTIVELY.then(
        "
        < R 1:1(0)
        state CLOSED
        error Refused
        ",
    );
}

#[test]
fn with_the_exact_number_it_resets() {
    for state in RECEIVING.into_iter().chain([CLOSE_WAIT]) {
        state.then(
            "
            < R. {peer}:{peer}(0) ack {our}
            state CLOSED
            error Reset
            < . {peer}:{peer}(0) ack {our}
            > R {our}:{our}(0)
            ",
        );
    }
}

#[test]
fn after_both_have_finished_it_closes_without_an_error() {
    for state in [CLOSING, LAST_ACK] {
        state.then(
            "
            < R {peer}:{peer}(0)
            state CLOSED
            error none
            ",
        );
    }
}

#[test]
fn it_does_not_shorten_time_wait() {
    // RFC 1337 section 3, fix F1.
    TIME_WAIT.then(
        "
        < R {peer}:{peer}(0)
        < R. {peer}:{peer}(0) ack {our}
        < F. {peer-1}:{peer-1}(0) ack {our}
        > . {our}:{our}(0) ack {peer}
        ",
    );
}

#[test]
fn elsewhere_in_the_window_it_is_challenged() {
    for state in RECEIVING.into_iter().chain(FINISHED).chain([SYN_RECEIVED, SYN_RECEIVED_ACTIVELY])
    {
        state.then(
            "
            < R {peer+1}:{peer+1}(0)
            > . {our}:{our}(0) ack {peer}
            < R. {peer+9000}:{peer+9000}(0) ack 1
            > . {our}:{our}(0) ack {peer}
            {same}
            ",
        );
    }
}

#[test]
fn text_of_a_reset_is_not_received() {
    // SHLD-2: it may say why.
    ESTABLISHED.then(
        "
        < R. 1:10(9) ack 1
        state CLOSED
        error Reset
        ",
    );
}

#[test]
fn with_a_closed_window_the_exact_number_still_resets() {
    // MUST-66.
    ESTABLISHED.then(
        "
        < . 1:10001(10000) ack 1
        > . 1:1(0) ack 10001 win 0
        < R 10002:10002(0)
        state ESTABLISHED
        < R 10001:10001(0)
        state CLOSED
        error Reset
        ",
    );
}

#[test]
fn no_timer_runs_after_it() {
    ESTABLISHED.then(
        "
        write 100
        > P. 1:101(100) ack 1
        < R 1:1(0)
        info retransmit_timer 0
        +1000 quiet
        ",
    );
}

#[test]
fn the_last_number_in_the_window_is_in_it() {
    ESTABLISHED.then(
        "
        < R 10000:10000(0)
        > . 1:1(0) ack 1
        < R 10001:10001(0)
        {same}
        ",
    );
}
