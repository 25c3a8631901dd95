//! RFC 9293 section 3.10.7.3: segments in SYN-SENT.

use ackclock_testkit::script::check;

const SYN_SENT: &str = "connect
        > S 0:0(0) win 10000 <mss 1000,sackOK>";

#[track_caller]
fn in_syn_sent(script: &str) {
    check(&format!("{SYN_SENT}\n{script}"));
}

#[test]
fn first_an_ack_of_nothing_sent_is_answered_with_a_reset() {
    in_syn_sent(
        "
        < . 1:1(0) ack 0
        > R 0:0(0)
        < . 1:1(0) ack 2
        > R 2:2(0)
        < S. 0:0(0) ack 2 <mss 1000>
        > R 2:2(0)
        < R. 0:0(0) ack 2           # but not a reset
        state SYN-SENT
        ",
    );
}

#[test]
fn second_a_reset_counts_only_if_it_acknowledges_the_syn() {
    in_syn_sent(
        "
        < R 0:0(0)
        < R 1:1(0)
        state SYN-SENT
        < R. 0:0(0) ack 1
        state CLOSED
        error Refused
        ",
    );
}

#[test]
fn fourth_a_syn_with_ack_establishes() {
    in_syn_sent(
        "
        +0.030 < S. 0:0(0) ack 1 win 3000 <mss 700,sackOK>
        > . 1:1(0) ack 1 win 10000
        state ESTABLISHED
        info mss 700
        info send_window 3000
        info rtt 30
        ",
    );
}

#[test]
fn text_and_fin_of_the_syn_ack_are_taken() {
    in_syn_sent(
        "
        < SFP. 0:5(5) ack 1 <mss 1000>
        > . 1:1(0) ack 7
        state CLOSE-WAIT
        read 5
        read end
        ",
    );
}

#[test]
fn what_was_queued_follows_the_handshake_with_its_ack() {
    in_syn_sent(
        "
        write 300
        shutdown
        < S. 0:0(0) ack 1 <mss 1000>
        > FP. 1:301(300) ack 1
        state FIN-WAIT-1
        ",
    );
}

#[test]
fn a_syn_alone_opens_simultaneously() {
    in_syn_sent(
        "
        < S 0:0(0) win 3000 <mss 1000,sackOK>
        > S. 0:0(0) ack 1 win 10000 <mss 1000,sackOK>
        state SYN-RECEIVED
        < S. 0:0(0) ack 1 win 3000 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        state ESTABLISHED
        ",
    );
    in_syn_sent(
        "
        < S 0:0(0)                  # without options
        > S. 0:0(0) ack 1 win 10000 <mss 1000>
        < . 1:1(0) ack 1
        state ESTABLISHED
        info mss 536
        ",
    );
}

#[test]
fn fifth_anything_else_is_dropped() {
    in_syn_sent(
        "
        < . 1:1(0) ack 1
        < P. 1:5(4) ack 1
        < F. 1:1(0) ack 1
        < - 1:5(4)
        < F 1:1(0)
        state SYN-SENT
        1 > S 0:0(0) <mss 1000,sackOK>
        ",
    );
}

#[test]
fn urgent_data_of_the_syn_ack_is_told() {
    in_syn_sent(
        "
        < SU. 0:5(5) ack 1 urg 3 <mss 1000>
        > . 1:1(0) ack 6
        urgent_ahead 2              # the pointer counts from the SYN on
        ",
    );
}
