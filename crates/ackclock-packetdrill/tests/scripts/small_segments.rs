//! Nagle, corks and what lets small segments go.

use crate::player::check;

/// Linux: TCP_NODELAY lets go what has waited.
#[test]
fn no_delay_lets_go_what_has_waited() {
    check(
        "
        established
        write c 10
        > P. 1:11(10) ack 1
        write c 20
        +0.01 set c TCP_NODELAY 1
        > P. 11:31(20) ack 1
        ",
    );
}

/// Linux: a cork holds back what is not full even if nothing is in flight; full segments pass.
#[test]
fn a_cork_lets_full_segments_pass() {
    check(
        "
        established
        set c TCP_CORK 1
        write c 2300
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        +0.01 < . 1:1(0) ack 2001
        +0.01 set c TCP_CORK 0
        > P. 2001:2301(300) ack 1
        ",
    );
}

/// Linux: closing pulls the cork.
#[test]
fn closing_pulls_the_cork() {
    check(
        "
        established
        set c TCP_CORK 1
        write c 300
        close c
        > FP. 1:301(300) ack 1
        ",
    );
}
