//! RFC 9293 section 3.10.7.4, eighth: the FIN bit. TIME-WAIT lasts 60 s by default.

use crate::states::*;
use ackclock_testkit::script::check;

#[test]
fn it_is_not_processed_in_closed_listen_and_syn_sent() {
    check("< F 1:1(0)\n > R. 0:0(0) ack 2");
    check("listen\n < F 1:1(0)");
    check("connect\n > S 0:0(0) <mss 1000,sackOK>\n < F. 1:1(0) ack 1\n state SYN-SENT");
}

#[test]
fn in_syn_received_and_established_it_leads_to_close_wait() {
    SYN_RECEIVED.then(
        "
        < F. 1:1(0) ack 1
        > . 1:1(0) ack 2
        accept
        state CLOSE-WAIT
        read end
        ",
    );
    SYN_RECEIVED_ACTIVELY.then(
        "
        < F. 1:1(0) ack 1
        > . 1:1(0) ack 2
        state CLOSE-WAIT
        ",
    );
    ESTABLISHED.then(
        "
        < FP. 1:11(10) ack 1
        > . 1:1(0) ack 12
        state CLOSE-WAIT
        read 10
        read end
        ",
    );
}

#[test]
fn in_fin_wait_1_it_leads_to_closing_or_time_wait() {
    FIN_WAIT_1.then(
        "
        < F. 1:1(0) ack 1
        > . 2:2(0) ack 2
        state CLOSING
        ",
    );
    FIN_WAIT_1.then(
        "
        < F. 1:1(0) ack 2
        > . 2:2(0) ack 2
        +60 < F. 1:1(0) ack 2         # TIME-WAIT is over
        > R 2:2(0)
        ",
    );
}

#[test]
fn in_fin_wait_2_it_leads_to_time_wait() {
    FIN_WAIT_2.then(
        "
        < FP. 1:11(10) ack 2
        > . 2:2(0) ack 12
        read 10
        read end
        +59.999 < F. 11:11(0) ack 2
        > . 2:2(0) ack 12
        ",
    );
}

#[test]
fn again_it_is_acknowledged_again() {
    for state in FINISHED {
        state.then(
            "
            < F. 1:1(0) ack 1
            > . {our}:{our}(0) ack 2
            {same}
            ",
        );
    }
}

#[test]
fn in_time_wait_it_restarts_the_clock() {
    TIME_WAIT.then(
        "
        +59 < F. 1:1(0) ack 2
        > . 2:2(0) ack 2
        +59 < F. 1:1(0) ack 2
        > . 2:2(0) ack 2
        +60 < F. 1:1(0) ack 2
        > R 2:2(0)
        ",
    );
}

#[test]
fn behind_a_hole_it_waits() {
    for state in RECEIVING {
        state.then(
            "
            < FP. 101:201(100) ack 1
            > . {our}:{our}(0) ack 1 <sack 101:201>
            {same}
            < P. 1:101(100) ack 1
            > . {our}:{our}(0) ack 202
            read 200
            read end
            ",
        );
    }
}

#[test]
fn both_fins_cross() {
    check(
        "
        established
        shutdown
        > F. 1:1(0) ack 1
        < F. 1:1(0) ack 1
        > . 2:2(0) ack 2
        < . 2:2(0) ack 2
        +60 < . 2:2(0) ack 2
        > R 2:2(0)
        ",
    );
}

#[test]
fn ours_is_repeated_until_it_is_acknowledged() {
    check(
        "
        established
        shutdown
        > F. 1:1(0) ack 1
        +0.2 > F. 1:1(0) ack 1
        +0.4 > F. 1:1(0) ack 1
        < . 1:1(0) ack 2
        state FIN-WAIT-2
        +100 quiet
        ",
    );
}

#[test]
fn ours_follows_everything_that_is_queued() {
    check(
        "
        established win 1500
        write 2000
        > . 1:1001(1000) ack 1
        shutdown
        state ESTABLISHED
        < . 1:1(0) ack 1001 win 1500
        > FP. 1001:2001(1000) ack 1
        state FIN-WAIT-1
        ",
    );
}

#[test]
fn behind_a_hole_it_waits_also_without_text() {
    for state in RECEIVING {
        state.then(
            "
            < F. 101:101(0) ack 1
            > . {our}:{our}(0) ack 1
            {same}
            < P. 1:101(100) ack 1
            > . {our}:{our}(0) ack 102
            read 100
            read end
            ",
        );
    }
}

#[test]
fn in_closing_ours_is_repeated_with_the_ack_of_the_peers() {
    CLOSING.then(
        "
        +0.2 > F. 1:1(0) ack 2
        < . 2:2(0) ack 2
        +1 < F. 1:1(0) ack 2
        > . 2:2(0) ack 2
        ",
    );
}
