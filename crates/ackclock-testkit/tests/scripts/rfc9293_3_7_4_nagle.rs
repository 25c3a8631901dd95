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
        set nagle rfc896
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

/// RFC 896: what is written while anything is in flight waits.
#[test]
fn the_end_of_a_larger_write_waits_too() {
    check(
        "
        set nagle rfc896
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
        nagle minshall
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
        +0.199 quiet
        cork off
        > P. 1001:1201(200) ack 1
        ",
    );
}

/// Minshall: only another small segment keeps a small one waiting.
#[test]
fn the_end_of_a_larger_write_goes_with_it() {
    check(
        "
        established
        write 2500
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > P. 2001:2501(500) ack 1
        write 1100
        > . 2501:3501(1000) ack 1
        < . 1:1(0) ack 2001
        +0.010 quiet
        < . 1:1(0) ack 2501
        > P. 3501:3601(100) ack 1
        ",
    );
}

/// Linux: for 200 ms at most, from when nothing is in flight.
#[test]
fn a_cork_gives_way() {
    check(
        "
        established
        cork on
        write 600
        +0.199 quiet
        write 100
        +0.001 > P. 1:701(700) ack 1
        < . 1:1(0) ack 701
        write 10
        +0.2 > P. 701:711(10) ack 1
        ",
    );
}

/// Linux: TCP_NODELAY sends what is queued, also behind a cork, which stays.
#[test]
fn a_push_goes_past_the_cork() {
    check(
        "
        established
        cork on
        write 600
        push
        > P. 1:601(600) ack 1
        write 50
        < . 1:1(0) ack 601
        +0.1 quiet
        push
        > P. 601:651(50) ack 1
        ",
    );
}
