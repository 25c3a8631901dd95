//! RFC 9293 section 3.10.7.2: segments that come to a listener.

use ackclock_testkit::script::check;

#[test]
fn first_a_reset_is_ignored() {
    check(
        "
        listen
        < R 0:0(0)
        < R. 0:0(0) ack 1
        ",
    );
}

#[test]
fn second_an_ack_is_answered_with_a_reset() {
    check(
        "
        listen
        < . 1:1(0) ack 7
        > R 7:7(0)
        < S. 0:0(0) ack 8
        > R 8:8(0)
        < FP. 1:5(4) ack 9
        > R 9:9(0)
        ",
    );
}

#[test]
fn third_a_syn_is_answered_and_the_handshake_completes() {
    check(
        "
        listen
        < S 0:0(0) win 5000 <mss 900,sackOK,wscale 2>
        > S. 0:0(0) ack 1 win 10000 <mss 1000,sackOK>
        +0.010 < . 1:1(0) ack 1
        accept
        state ESTABLISHED
        info mss 900
        info send_window 5000
        ",
    );
}

#[test]
fn options_are_answered_if_they_were_offered() {
    check(
        "
        set timestamps on
        set window_scaling on
        set receive_buffer 300000
        listen
        < S 0:0(0) <mss 1460,sackOK,TS val 7 ecr 0,wscale 9>
        > S. 0:0(0) ack 1 win 65535 <mss 1000,sackOK,TS val 1000 ecr 7,wscale 3>
        ",
    );
    check(
        "
        set timestamps on
        set window_scaling on
        listen
        < S 0:0(0)
        > S. 0:0(0) ack 1 win 10000 <mss 1000>
        < . 1:1(0) ack 1
        accept
        info peer_mss 536
        info sack 0
        info timestamps 0
        ",
    );
}

#[test]
fn text_beside_a_syn_comes_again_after_the_handshake() {
    check(
        "
        listen
        < S 0:5(5) <mss 1000,sackOK>
        > S. 0:0(0) ack 1 <mss 1000,sackOK>
        +0.010 < P. 1:6(5) ack 1
        accept
        read 5
        +0.040 > . 1:1(0) ack 6
        ",
    );
}

#[test]
fn text_may_come_with_the_ack_of_the_handshake_and_a_fin_too() {
    check(
        "
        listen
        < S 0:0(0) <mss 1000,sackOK>
        > S. 0:0(0) ack 1 <mss 1000,sackOK>
        < FP. 1:6(5) ack 1
        > . 1:1(0) ack 7
        accept
        state CLOSE-WAIT
        read 5
        read end
        ",
    );
}

#[test]
fn the_syn_ack_is_repeated_with_backoff_and_then_given_up() {
    check(
        "
        set syn_give_up 10
        listen
        < S 0:0(0) <mss 1000,sackOK>
        > S. 0:0(0) ack 1 <mss 1000,sackOK>
        1 > S. 0:0(0) ack 1 <mss 1000,sackOK>
        3 > S. 0:0(0) ack 1 <mss 1000,sackOK>
        7 > S. 0:0(0) ack 1 <mss 1000,sackOK>
        10 < . 1:1(0) ack 1           # LISTEN again
        > R 1:1(0)
        ",
    );
}

#[test]
fn a_repeated_syn_is_answered_again_with_the_same_number() {
    check(
        "
        listen
        < S 0:0(0) <mss 1000,sackOK>
        > S. 0:0(0) ack 1 <mss 1000,sackOK>
        +0.5 < S 0:0(0) <mss 1000,sackOK>
        > S. 0:0(0) ack 1 <mss 1000,sackOK>
        ",
    );
}

#[test]
fn anything_else_is_dropped() {
    check(
        "
        listen
        < - 1:1(0)
        < F 1:1(0)
        < PU 1:9(8) urg 3
        ",
    );
}

/// RFC 9293 section 3.7.1 (MUST-15): no option means 536 bytes.
#[test]
fn without_an_mss_option_segments_have_536_bytes() {
    check(
        "
        listen
        < S 0:0(0)
        > S. 0:0(0) ack 1 <mss 1000>
        +0.01 < . 1:1(0) ack 1
        accept
        write 1000
        > . 1:537(536) ack 1
        > P. 537:1001(464) ack 1
        ",
    );
}
