//! RFC 9293 section 3.10.7.4, fourth check: SYN, as RFC 5961 section 4 has it; in TIME-WAIT as RFC
//! 6191 has it.

use crate::states::*;

#[test]
fn in_the_window_it_is_challenged() {
    for state in RECEIVING.into_iter().chain(FINISHED) {
        state.then(
            "
            < S {peer}:{peer}(0) <mss 1000>
            > . {our}:{our}(0) ack {peer}
            < S {peer+500}:{peer+500}(0) <mss 1000>
            > . {our}:{our}(0) ack {peer}
            < S. {peer+500}:{peer+500}(0) ack {our} <mss 1000>
            > . {our}:{our}(0) ack {peer}
            {same}
            ",
        );
    }
}

#[test]
fn outside_the_window_it_is_answered_likewise() {
    for state in RECEIVING.into_iter().chain(FINISHED) {
        state.then(
            "
            < S 0:0(0) <mss 1000>
            > . {our}:{our}(0) ack {peer}
            < S {peer+20000}:{peer+20000}(0) <mss 1000>
            > . {our}:{our}(0) ack {peer}
            < S. 0:0(0) ack 1 <mss 1000>    # our ack of it was lost
            > . {our}:{our}(0) ack {peer}
            {same}
            ",
        );
    }
}

#[test]
fn a_peer_that_has_restarted_resets_by_its_answer_to_the_challenge() {
    ESTABLISHED.then(
        "
        < S 7000:7000(0) <mss 1000>
        > . 1:1(0) ack 1
        < R 1:1(0)                    # SEG.SEQ is our SEG.ACK
        state CLOSED
        error Reset
        ",
    );
}

#[test]
fn a_half_open_passive_connection_challenges_too() {
    // Rather than return to LISTEN at once for a SYN that anyone can forge: a peer that means it
    // answers the challenge with a reset.
    SYN_RECEIVED.then(
        "
        < S 500:500(0) <mss 1000>
        > . 1:1(0) ack 1
        < R 1:1(0)
        < S 500:500(0) <mss 1000>
        > S. 0:0(0) ack 501 <mss 1000>
        ",
    );
}

#[test]
fn after_a_simultaneous_open_only_the_same_syn_is_taken() {
    SYN_RECEIVED_ACTIVELY.then(
        "
        < S 500:500(0) <mss 1000>
        > . 1:1(0) ack 1
        state SYN-RECEIVED
        < S 0:0(0) <mss 1000,sackOK>
        > S. 0:0(0) ack 1 <mss 1000,sackOK>
        ",
    );
}

#[test]
fn in_time_wait_an_old_one_is_acknowledged() {
    TIME_WAIT.then(
        "
        < S {peer}:{peer}(0) <mss 1000>
        > . {our}:{our}(0) ack {peer}
        < S -500:-500(0) <mss 1000>
        > . {our}:{our}(0) ack {peer}
        ",
    );
}

#[test]
fn in_time_wait_a_later_one_opens_nothing_without_a_listener() {
    TIME_WAIT.then(
        "
        < S 9000:9000(0) <mss 1000>
        > . {our}:{our}(0) ack {peer}
        < F. {peer-1}:{peer-1}(0) ack {our}
        > . {our}:{our}(0) ack {peer}
        ",
    );
}

#[test]
fn in_time_wait_a_later_one_reaches_the_listener_and_numbers_go_on_above() {
    TIME_WAIT.then(
        "
        listen
        < S 9000:9000(0) <mss 1000,sackOK>
        > S. {our+65536}:{our+65536}(0) ack 9001 <mss 1000,sackOK>
        < . 9001:9001(0) ack {our+65537}
        accept
        state ESTABLISHED
        ",
    );
}
