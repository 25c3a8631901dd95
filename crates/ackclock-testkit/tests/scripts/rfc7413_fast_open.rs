//! RFC 7413: TCP Fast Open.

use ackclock_testkit::script::check;

// ---- the client ----

#[test]
fn a_client_without_a_cookie_asks_for_one() {
    // Section 4.1.3: no data go with the request.
    check(
        "
        set fast_open on
        connect with 400
        > S 0:0(0) <mss 1000,sackOK,FO>
        +0.02 < S. 0:0(0) ack 1 <mss 1000,sackOK,FO 0123456789abcdef>
        > P. 1:401(400) ack 1
        ",
    );
}

/// Appendix A: the answer to the request comes a round trip earlier than below.
#[test]
fn data_with_the_syn_are_answered_after_one_round_trip() {
    check(
        "
        set fast_open without-cookie
        connect with 400
        > S 0:400(400) <mss 1000,sackOK>
        +0.02 < S. 0:0(0) ack 401 <mss 1000,sackOK>
        > . 401:401(0) ack 1
        < P. 1:301(300) ack 401
        0.02 read 300
        info syn_data 400
        ",
    );
}

#[test]
fn without_it_they_are_answered_after_two() {
    check(
        "
        connect with 400
        > S 0:0(0) <mss 1000,sackOK>
        +0.02 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > P. 1:401(400) ack 1
        +0.02 < P. 1:301(300) ack 401
        0.04 read 300
        info syn_data 0
        ",
    );
}

/// Section 4.2.1: no more than fits into a SYN of 536 bytes where the peer's MSS is not known.
#[test]
fn what_does_not_fit_follows_the_handshake() {
    check(
        "
        set fast_open without-cookie
        connect with 1000
        > S 0:496(496) <mss 1000,sackOK>
        +0.02 < S. 0:0(0) ack 497 <mss 1000,sackOK>
        > P. 497:1001(504) ack 1
        ",
    );
}

#[test]
fn data_that_the_syn_ack_does_not_acknowledge_go_again_at_once() {
    // Section 4.2.2: that is no loss.
    check(
        "
        set fast_open without-cookie
        connect with 400
        > S 0:400(400) <mss 1000,sackOK>
        +0.02 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > P. 1:401(400) ack 1
        info cwnd 10000
        info syn_data 0
        ",
    );
}

#[test]
fn a_server_may_take_a_part_of_the_data() {
    check(
        "
        set fast_open without-cookie
        connect with 400
        > S 0:400(400) <mss 1000,sackOK>
        +0.02 < S. 0:0(0) ack 101 <mss 1000,sackOK>
        > P. 101:401(300) ack 1
        info syn_data 100
        ",
    );
}

#[test]
fn a_syn_that_got_lost_goes_again_without_data_and_cookie() {
    // Section 4.2.1: some boxes drop such SYNs.
    check(
        "
        set fast_open on
        connect with 400
        > S 0:0(0) <mss 1000,sackOK,FO>
        +1 > S 0:0(0) <mss 1000,sackOK>
        +0.02 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > P. 1:401(400) ack 1
        ",
    );
}

#[test]
fn data_of_a_syn_that_got_lost_follow_the_next_handshake() {
    check(
        "
        set fast_open without-cookie
        connect with 400
        > S 0:400(400) <mss 1000,sackOK>
        +1 > S 0:0(0) <mss 1000,sackOK>
        +0.02 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > P. 1:401(400) ack 1
        ",
    );
}

/// The first SYN was not lost: its SYN-ACK was slow.
#[test]
fn a_late_syn_ack_may_acknowledge_the_data_of_the_first_syn() {
    check(
        "
        set fast_open without-cookie
        connect with 400
        > S 0:400(400) <mss 1000,sackOK>
        +1 > S 0:0(0) <mss 1000,sackOK>
        +0.02 < S. 0:0(0) ack 401 <mss 1000,sackOK>
        > . 401:401(0) ack 1
        ",
    );
}

#[test]
fn an_ack_of_more_than_was_sent_is_refused() {
    // RFC 9293 section 3.10.7.3, first check.
    check(
        "
        set fast_open without-cookie
        connect with 400
        > S 0:400(400) <mss 1000,sackOK>
        +0.02 < S. 0:0(0) ack 402 <mss 1000,sackOK>
        > R 402:402(0)
        state SYN-SENT
        ",
    );
}

// ---- the server ----

/// Plays a script with a listener that gives cookies, as Linux does with this key.
#[track_caller]
fn with_listener(script: &str) {
    let key = "a1a1a1a1b2b2b2b2c3c3c3c3d4d4d4d4";
    check(&format!("set fast_open on\nset fast_open_key {key}\nlisten\n{script}"));
}

#[test]
fn a_listener_gives_a_cookie_to_who_asks() {
    // Section 4.1.2.
    with_listener(
        "
        < S 0:0(0) <mss 1000,sackOK,FO>
        > S. 0:0(0) ack 1 <mss 1000,sackOK,FO 9c7acf0d9a44ab52>
        ",
    );
}

#[test]
fn a_server_reads_and_answers_before_the_handshake_is_finished() {
    // Section 4.2.2.
    with_listener(
        "
        < S 0:400(400) <mss 1000,sackOK,FO 9c7acf0d9a44ab52>
        > S. 0:0(0) ack 401 <mss 1000,sackOK>
        accept
        state SYN-RECEIVED
        read 400
        write 300
        > P. 1:301(300) ack 401
        +0.02 < . 401:401(0) ack 301
        state ESTABLISHED
        ",
    );
}

/// RFC 1191 section 6.4, also for what is sent before the handshake is finished.
#[test]
fn a_router_is_believed_before_the_handshake_is_finished() {
    with_listener(
        "
        < S 0:400(400) <mss 1000,sackOK,FO 9c7acf0d9a44ab52>
        > S. 0:0(0) ack 401 <mss 1000,sackOK>
        accept
        read 400
        write 1000
        > P. 1:1001(1000) ack 401
        +0.01 icmp frag_needed 1 mtu 800
        > . 1:761(760) ack 401
        > P. 761:1001(240) ack 401
        +0.01 < . 401:401(0) ack 1001
        write 1000
        > . 1001:1761(760) ack 401
        > P. 1761:2001(240) ack 401
        ",
    );
}

#[test]
fn a_spoofed_cookie_opens_nothing() {
    // Section 4.2.2, step 3.
    with_listener(
        "
        < S 0:400(400) <mss 1000,sackOK,FO 0011223344556677>
        > S. 0:0(0) ack 1 <mss 1000,sackOK,FO 9c7acf0d9a44ab52>
        +0.02 < P. 1:401(400) ack 1
        accept
        read 400
        ",
    );
}

/// Section 6.1: while the server knows of the connection its application gets the data once.
#[test]
fn a_repeated_syn_brings_its_data_once() {
    with_listener(
        "
        < S 0:400(400) <mss 1000,sackOK,FO 9c7acf0d9a44ab52>
        > S. 0:0(0) ack 401 <mss 1000,sackOK>
        accept
        read 400
        +0.1 < S 0:400(400) <mss 1000,sackOK,FO 9c7acf0d9a44ab52>
        > S. 0:0(0) ack 401 <mss 1000,sackOK>
        +0.02 < . 401:401(0) ack 1
        state ESTABLISHED
        info receive_queue 0
        ",
    );
}

/// The path has lost the SYN-ACK, and the client sends its SYN without data.
#[test]
fn a_syn_that_comes_again_without_its_data_finds_them_taken() {
    with_listener(
        "
        < S 0:400(400) <mss 1000,sackOK,FO 9c7acf0d9a44ab52>
        > S. 0:0(0) ack 401 <mss 1000,sackOK>
        +0.5 < S 0:0(0) <mss 1000,sackOK>
        > S. 0:0(0) ack 401 <mss 1000,sackOK>
        +0.02 < . 401:401(0) ack 1
        accept
        read 400
        ",
    );
}

/// RFC 6298: it is sent until it is acknowledged.
#[test]
fn a_syn_ack_that_got_lost_goes_again() {
    with_listener(
        "
        < S 0:400(400) <mss 1000,sackOK,FO 9c7acf0d9a44ab52>
        > S. 0:0(0) ack 401 <mss 1000,sackOK>
        +1 > S. 0:0(0) ack 401 <mss 1000,sackOK>
        +2 > S. 0:0(0) ack 401 <mss 1000,sackOK>
        ",
    );
}

/// RFC 7323 section 2.2: a SYN's window is not scaled. With text behind the first one a larger window was told, of which the
/// lower half went into the next: found by the swarm.
#[test]
fn a_syn_ack_that_goes_again_tells_the_largest_window_that_it_can() {
    check(
        "
        set fast_open without-cookie
        set window_scaling on
        set receive_buffer 262144
        listen
        < S 0:400(400) <mss 1000,sackOK,wscale 0>
        > S. 0:0(0) ack 401 win 65135 <mss 1000,sackOK,wscale 3>
        accept
        read 400
        write 100
        > P. 1:101(100) ack 401
        +1 > S. 0:0(0) ack 401 win 65535 <mss 1000,sackOK,wscale 3>
        ",
    );
}

/// RFC 3168 section 6.1.5: found by the swarm.
#[test]
fn text_of_the_syn_that_goes_again_is_not_ecn_capable() {
    check(
        "
        set ecn request
        set fast_open without-cookie
        connect with 400
        > SEW 0:400(400) <mss 1000,sackOK>
        +0.02 < SE. 0:0(0) ack 1 <mss 1000,sackOK>
        > [not-ect] P. 1:401(400) ack 1
        +0.02 < . 1:1(0) ack 401
        write 100
        > [ect0] P. 401:501(100) ack 1
        ",
    );
}
