//! RFC 9293 section 3.8.4: keepalive.

use ackclock_testkit::script::check;

/// Ten idle seconds, then three probes two seconds apart.
#[track_caller]
fn with_keepalive(script: &str) {
    check(&format!("set keepalive 10 2 3\n established\n {script}"));
}

#[test]
fn a_silent_peer_is_probed_and_given_up_with_a_reset() {
    with_keepalive(
        "
        +10 > . 0:0(0) ack 1
        +2 > . 0:0(0) ack 1
        +2 > . 0:0(0) ack 1
        +2 > R. 1:1(0) ack 1
        error KeepaliveTimeout
        ",
    );
}

#[test]
fn an_answer_begins_a_new_idle_time() {
    with_keepalive(
        "
        +10 > . 0:0(0) ack 1
        +2 > . 0:0(0) ack 1
        +0.5 < . 1:1(0) ack 1
        +10 > . 0:0(0) ack 1
        +0.5 < . 1:1(0) ack 1
        state ESTABLISHED
        info probes_sent 3
        ",
    );
}

/// "data or acknowledgment packets have been received": also those that repeat what is known, where probes and their
/// answers are lost.
#[test]
fn what_a_peer_repeats_begins_a_new_idle_time() {
    with_keepalive(
        "
        +9 < P. 1:11(10) ack 1
        +0.040 > . 1:1(0) ack 11
        +9.96 > . 0:0(0) ack 11
        +1 < P. 1:11(10) ack 1
        > . 1:1(0) ack 11 <sack 1:11>
        +10 > . 0:0(0) ack 11
        +1 < . 1:1(0) ack 1001        # forged: it acknowledges what was never sent
        > . 1:1(0) ack 11
        +1 > . 0:0(0) ack 11
        ",
    );
}

#[test]
fn data_of_either_side_begins_a_new_idle_time() {
    with_keepalive(
        "
        +9 < P. 1:11(10) ack 1
        +0.040 > . 1:1(0) ack 11
        +9 write 10                   # an idle time is one without a word of the peer
        > P. 1:11(10) ack 11
        +0.1 < . 11:11(0) ack 11
        +10 > . 10:10(0) ack 11
        ",
    );
}

#[test]
fn while_data_is_in_flight_retransmission_asks() {
    with_keepalive(
        "
        +9.9 write 10
        > P. 1:11(10) ack 1
        +0.2 > P. 1:11(10) ack 1
        +0.4 > P. 1:11(10) ack 1
        ",
    );
}

#[test]
fn it_is_off_by_default() {
    // MUST-25.
    check("established\n +10000 quiet");
}

#[test]
fn probes_of_the_peer_are_answered() {
    check(
        "
        established
        < . 0:0(0) ack 1
        > . 1:1(0) ack 1 <>
        < . 0:1(1) ack 1              # with a byte of garbage, which is no part of the stream
        > . 1:1(0) ack 1 <sack 0:1>
        info receive_queue 0
        ",
    );
}

#[test]
fn a_peer_that_has_forgotten_the_connection_ends_it() {
    with_keepalive(
        "
        +10 > . 0:0(0) ack 1
        < R 1:1(0)
        error Reset
        ",
    );
}
