//! RFC 9293 section 3.7.4: Nagle's algorithm.

use ackclock_testkit::script::check;

#[test]
fn less_than_a_segment_waits_while_something_is_in_flight() {
    check(
        "
        established
        write 1
        > P. 1:2(1) ack 1
        write 2
        write 3
        +0.050 < . 1:1(0) ack 2
        > P. 2:7(5) ack 1
        ",
    );
}

#[test]
fn a_full_segment_does_not_wait() {
    check(
        "
        established
        write 1
        > P. 1:2(1) ack 1
        write 999
        write 1
        > P. 2:1002(1000) ack 1
        write 1
        < . 1:1(0) ack 2              # not everything
        < . 1:1(0) ack 1002
        > P. 1002:1003(1) ack 1
        ",
    );
}

#[test]
fn the_end_of_a_larger_write_waits_too() {
    check(
        "
        established
        write 2500
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        < . 1:1(0) ack 2001
        > P. 2001:2501(500) ack 1
        ",
    );
}

#[test]
fn a_fin_does_not_wait() {
    check(
        "
        established
        write 1
        > P. 1:2(1) ack 1
        write 5
        shutdown
        > FP. 2:7(5) ack 1
        ",
    );
}

#[test]
fn it_can_be_switched_off_and_on() {
    // MUST-17.
    check(
        "
        set nagle off
        established
        write 1
        > P. 1:2(1) ack 1
        write 2
        > P. 2:4(2) ack 1
        nagle on
        write 3
        nagle off
        > P. 4:7(3) ack 1
        ",
    );
}

#[test]
fn a_cork_lets_full_segments_out_only() {
    check(
        "
        established
        cork on
        write 600
        write 600
        > . 1:1001(1000) ack 1
        < . 1:1(0) ack 1001
        +5 quiet
        cork off
        > P. 1001:1201(200) ack 1
        ",
    );
}
