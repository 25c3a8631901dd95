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

/// Linux: the end of a write goes at once; what is smaller than a segment behind it waits.
#[test]
fn the_end_of_a_write_goes_at_once() {
    check(
        "
        established
        write c 2500
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > P. 2001:2501(500) ack 1
        write c 100
        +0.01 < . 1:1(0) ack 2501
        > P. 2501:2601(100) ack 1
        ",
    );
}

/// FreeBSD: whatever is in flight keeps it waiting.
#[test]
fn by_nagles_rule_the_end_of_a_write_waits() {
    check(
        "
        flags profile=freebsd
        established
        write c 2500
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        +0.01 < . 1:1(0) ack 2001
        > P. 2001:2501(500) ack 1
        ",
    );
}

/// Linux: TCP_NODELAY sends what is corked, and the cork stays.
#[test]
fn no_delay_flushes_what_is_corked() {
    check(
        "
        established
        set c TCP_CORK 1
        write c 300
        +0.01 set c TCP_NODELAY 1
        > P. 1:301(300) ack 1
        write c 200
        +0.01 < . 1:1(0) ack 301
        +0.01 set c TCP_NODELAY 1
        > P. 301:501(200) ack 1
        ",
    );
}

/// Linux: a cork holds for 200 ms.
#[test]
fn a_cork_gives_way() {
    check(
        "
        established
        set c TCP_CORK 1
        write c 300
        +0.2 > P. 1:301(300) ack 1
        ",
    );
}

/// MSG_EOR: no segment has parts of two records, also where they have to wait.
#[test]
fn records_are_kept_apart() {
    check(
        "
        flags iw=1
        established
        write c 1400 eor
        write c 300
        write c 300 eor
        write c 100
        > . 1:1001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001
        > P. 1001:1401(400) ack 1
        > P. 1401:2001(600) ack 1
        +0.01 < . 1:1(0) ack 2001
        > P. 2001:2101(100) ack 1
        ",
    );
}

#[test]
fn a_record_that_waits_is_sent_before_the_end() {
    check(
        "
        flags iw=1
        established
        write c 1400 eor
        write c 300
        > . 1:1001(1000) ack 1
        shutdown c wr
        close c
        +0.01 < . 1:1(0) ack 1001
        > P. 1001:1401(400) ack 1
        > FP. 1401:1701(300) ack 1
        +0.01 < F. 1:1(0) ack 1702
        > . 1702:1702(0) ack 2
        ",
    );
}

/// RFC 9293 section 3.6.1 (SHLD-3), RFC 2525 section 2.17: data that nobody will read resets the connection, also while
/// records of it wait to be sent. By Linux's habit the reset has the number of what it answers.
#[test]
fn data_behind_a_close_resets_what_waits() {
    let begin = "
        flags iw=1,habits=linux
        established
        write c 1400 eor
        write c 300
        > . 1:1001(1000) ack 1
    ";
    check(&format!("{begin} close c\n+0.01 < P. 1:101(100) ack 1\n> R 1:1(0)\n+1 quiet"));
    check(&format!(
        "{begin}
        shutdown c wr
        close c
        +0.01 < P. 1:101(100) ack 1
        > R 1:1(0)
        +1 quiet
        "
    ));
}

/// A reset leaves nothing to wait for, nor does a close with data unread (RFC 9293 section 3.6.1, SHLD-3).
#[test]
fn a_record_that_waits_goes_down_with_its_connection() {
    let begin = "
        flags iw=1
        established
        write c 1400 eor
        write c 300
        > . 1:1001(1000) ack 1
    ";
    check(&format!("{begin} shutdown c wr\n< R. 1:1(0) ack 1\nclose c\n+1 quiet"));
    check(&format!(
        "{begin}
        < P. 1:101(100) ack 1
        +0.04 > . 1001:1001(0) ack 101
        close c
        > R. 1001:1001(0) ack 101
        +1 quiet
        "
    ));
}
