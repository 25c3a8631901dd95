//! RFC 9293 section 3.8.6.2: no silly windows, of sender and receiver.

use ackclock_testkit::script::check;

#[test]
fn the_sender_does_not_use_a_small_part_of_the_largest_window() {
    // Section 3.8.6.2.1.
    check(
        "
        established win 1600
        write 5000
        > . 1:1001(1000) ack 1
        < . 1:1(0) ack 1001 win 700       # less than a segment, and than half of 1600
        +0.1 < . 1:1(0) ack 1001 win 800  # half of it
        > . 1001:1801(800) ack 1
        ",
    );
}

#[test]
fn the_sender_uses_a_window_that_was_never_larger() {
    check(
        "
        established win 300
        write 1000
        > . 1:301(300) ack 1
        < . 1:1(0) ack 301 win 300
        > . 301:601(300) ack 1
        ",
    );
}

#[test]
fn the_sender_waits_a_timeout_and_then_uses_what_there_is() {
    // Rule 4, the override timeout.
    check(
        "
        established win 1600
        write 5000
        > . 1:1001(1000) ack 1
        < . 1:1(0) ack 1001 win 700
        +0.2 > . 1001:1701(700) ack 1
        ",
    );
}

/// RFC 6298 rule 5.1: what the window took is text like any other, and its timer is not backed off.
#[test]
fn what_the_sender_has_sent_into_a_small_window_goes_again_after_one_timeout() {
    check(
        "
        established win 1600
        write 5000
        > . 1:1001(1000) ack 1
        < . 1:1(0) ack 1001 win 700
        +0.2 > . 1001:1701(700) ack 1
        +0.2 > . 1001:1701(700) ack 1
        +0.4 > . 1001:1701(700) ack 1
        ",
    );
}

#[test]
fn the_sender_sends_all_it_has_if_it_fits() {
    check(
        "
        established win 1600
        write 1500
        > . 1:1001(1000) ack 1
        > P. 1001:1501(500) ack 1
        < . 1:1(0) ack 1501 win 700
        write 700
        > P. 1501:2201(700) ack 1
        ",
    );
}

#[test]
fn the_receiver_moves_the_edge_by_a_segment_at_least() {
    // Section 3.8.6.2.2: min(Fr * RCV.BUFF, Eff.snd.MSS) with Fr = 1/2.
    check(
        "
        set receive_buffer 4000
        set ack_policy every
        established
        < . 1:1001(1000) ack 1
        > . 1:1(0) ack 1001 win 3000
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 2001 win 2000
        read 999                          # one byte too few
        < . 2001:2101(100) ack 1
        > . 1:1(0) ack 2101 win 1900
        read 1                            # moves it, with the next ack
        < . 2101:2201(100) ack 1
        > . 1:1(0) ack 2201 win 2800
        ",
    );
}

#[test]
fn the_receiver_moves_the_edge_of_a_small_buffer_by_half_of_it() {
    check(
        "
        set receive_buffer 600
        set ack_policy every
        established
        < . 1:601(600) ack 1
        > . 1:1(0) ack 601 win 0
        read 299
        < . 601:602(1) ack 1              # a probe
        > . 1:1(0) ack 601 win 0
        read 1
        > . 1:1(0) ack 601 win 300
        ",
    );
}

#[test]
fn an_update_is_sent_when_it_is_worth_a_segment() {
    // Two full segments, or one after there was no room for any.
    check(
        "
        established
        < . 1:1001(1000) ack 1
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 2001 win 8000
        read 1999
        read 1
        > . 1:1(0) ack 2001 win 10000
        ",
    );
    check(
        "
        established
        < . 1:9501(9500) ack 1
        > . 1:1(0) ack 9501 win 500
        read 999
        read 1
        > . 1:1(0) ack 9501 win 1500
        ",
    );
}
