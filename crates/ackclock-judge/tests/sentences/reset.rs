//! RSTs that are sent, owed and received.

use crate::player::{PLAIN, after};

after!("{PLAIN}");

#[test]
fn a_rst_in_the_right_place_ends_the_connection() {
    kept("< R 1:1(0)\n+0.01 quiet");
    broken("alive-after-reset", "< R 1:1(0)\nwrite 10\n+0.01 > P. 1:11(10) ack 1");
}

#[test]
fn a_rst_elsewhere_in_the_window_is_challenged_and_does_nothing() {
    kept("< R 500:500(0)\n> . 1:1(0) ack 1\n+0.01 < . 1:1(0) ack 1");
    broken(
        "reset-by-blind-rst",
        "
        < R 500:500(0)
        > . 1:1(0) ack 1
        +0.01 < P. 1:11(10) ack 1
        > R 1:1(0)
        ",
    );
    broken("rst-for-rst", "< R 500:500(0)\n> R 1:1(0)");
    broken("challenge-ack-missing", "< R 500:500(0)\n+0.01 quiet");
}

#[test]
fn a_syn_in_the_middle_is_challenged() {
    kept("< S 500:500(0)\n> . 1:1(0) ack 1");
    broken("reset-by-syn", "< S 500:500(0)\n> R. 1:1(0) ack 1");
    broken("challenge-ack-missing", "< S 500:500(0)\n+0.01 quiet");
}

#[test]
fn a_rst_stands_where_the_peer_expects_the_next_segment() {
    kept("abort\n> R. 1:1(0) ack 1");
    broken("rst-number", "abort\n> R. 100:100(0) ack 1");
}

#[test]
fn data_that_nobody_will_read_are_answered_with_a_rst() {
    let unread = "< P. 1:101(100) ack 1\n> . 1:1(0) ack 101 win 9900\n";
    kept(&format!("{unread}close both\n> R. 1:1(0) ack 101"));
    kept(&format!("{unread}read 100\nclose both\n> F. 1:1(0) ack 101\n+0.01 < . 101:101(0) ack 2"));
    broken("rst-after-close-missing", &format!("{unread}close both\n+0.01 quiet"));
    broken(
        "rst-after-close-missing",
        "
        close both
        > F. 1:1(0) ack 1
        +0.01 < P. 1:101(100) ack 2
        > . 2:2(0) ack 101 win 9900
        ",
    );
}

#[test]
fn who_closes_first_answers_for_some_time() {
    let closed = "
        close
        > F. 1:1(0) ack 1
        +0.01 < F. 1:1(0) ack 2
        > . 2:2(0) ack 2
        ";
    kept(&format!("{closed}+0.3 < F. 1:1(0) ack 2\n> . 2:2(0) ack 2"));
    broken("time-wait-cut-short", &format!("{closed}+0.3 < F. 1:1(0) ack 2\n> R 2:2(0)"));
}

#[test]
fn a_rst_in_time_wait_may_be_ignored() {
    kept(
        "
        close
        > F. 1:1(0) ack 1
        +0.01 < F. 1:1(0) ack 2
        > . 2:2(0) ack 2
        +0.01 < R 2:2(0)
        +0.01 < F. 1:1(0) ack 2
        > . 2:2(0) ack 2
        ",
    );
}
