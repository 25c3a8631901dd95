//! RFC 5482: the user timeout option.

use ackclock_testkit::script::check;

#[test]
fn the_syn_and_the_first_segment_after_it_have_the_option() {
    // Section 3.
    check(
        "
        set advertised_user_timeout 300
        connect
        > S 0:0(0) <mss 1000,sackOK,uto 300>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK,uto 200>
        > . 1:1(0) ack 1 <uto 300>
        info user_timeout 300000
        info peer_user_timeout 200000
        write 100
        > P. 1:101(100) ack 1
        +0.01 < . 1:1(0) ack 101
        ",
    );
}

#[test]
fn so_do_the_syn_ack_and_the_first_segment_of_the_other_side() {
    check(
        "
        set advertised_user_timeout 300
        listen
        < S 0:0(0) <mss 1000,uto 500>
        > S. 0:0(0) ack 1 <mss 1000,uto 300>
        +0.01 < . 1:1(0) ack 1
        accept
        info peer_user_timeout 0
        < P. 1:101(100) ack 1 <uto 500>
        +0.04 > . 1:1(0) ack 101 <uto 300>
        info user_timeout 500000
        < P. 101:201(100) ack 1
        +0.04 > . 1:1(0) ack 201
        ",
    );
}

#[test]
fn a_syn_that_is_sent_again_does_without_in_case_the_option_was_its_end() {
    // Section 4.1.
    check(
        "
        set advertised_user_timeout 300
        connect
        > S 0:0(0) <mss 1000,sackOK,uto 300>
        1 > S 0:0(0) <mss 1000,sackOK>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1 <uto 300>
        ",
    );
}

#[test]
fn a_syn_ack_that_is_sent_again_does_too() {
    check(
        "
        set advertised_user_timeout 300
        listen
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1000,uto 300>
        1 > S. 0:0(0) ack 1 <mss 1000>
        +0.01 < . 1:1(0) ack 1
        accept
        write 996
        > P. 1:997(996) ack 1 <uto 300>
        ",
    );
}

#[test]
fn it_is_neither_sent_nor_heard_where_it_is_not_asked_for() {
    check(
        "
        connect
        > S 0:0(0) <mss 1000,sackOK>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK,uto 200>
        > . 1:1(0) ack 1
        < P. 1:101(100) ack 1 <uto 200>
        +0.04 > . 1:1(0) ack 101
        info user_timeout 0
        info peer_user_timeout 0
        ",
    );
}

// ---- section 3.1: USER_TIMEOUT = min(U_LIMIT, max(ADV_UTO, REMOTE_UTO, L_LIMIT)) ----

/// The user timeout in milliseconds, where we advertise `ours` and the peer `theirs`, in seconds.
fn agreed(ours: u32, theirs: u32, expected: u32) {
    check(&format!(
        "
        set advertised_user_timeout {ours}
        connect
        > S 0:0(0) <mss 1000,sackOK,uto {ours}>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK,uto {theirs}>
        > . 1:1(0) ack 1 <uto {ours}>
        info user_timeout {expected}
        info peer_user_timeout {}
        ",
        theirs * 1_000
    ));
}

#[test]
fn the_longer_of_the_two_counts() {
    agreed(200, 300, 300_000);
    agreed(300, 200, 300_000);
}

#[test]
fn a_short_one_is_longer_than_100_seconds_and_than_any_retransmission_timeout() {
    agreed(5, 7, 121_000);
}

#[test]
fn a_peer_asks_for_an_hour_at_most_unless_we_do_for_more() {
    agreed(200, 30_000, 3_600_000);
    agreed(10_000, 30_000, 10_000_000);
    // In minutes, rounded up.
    agreed(36_000, 1, 36_000_000);
}

#[test]
fn a_timeout_of_the_applications_own_is_not_changed_but_told_of() {
    check(
        "
        set user_timeout 50
        set advertised_user_timeout 300
        connect
        > S 0:0(0) <mss 1000,sackOK,uto 300>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK,uto 400>
        > . 1:1(0) ack 1 <uto 300>
        info user_timeout 50000
        info peer_user_timeout 400000
        ",
    );
}

#[test]
fn nor_is_one_that_was_set_later() {
    check(
        "
        set advertised_user_timeout 300
        connect
        > S 0:0(0) <mss 1000,sackOK,uto 300>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK,uto 400>
        > . 1:1(0) ack 1 <uto 300>
        info user_timeout 400000
        user_timeout 20
        info user_timeout 20000
        < P. 1:101(100) ack 1 <uto 500>
        +0.04 > . 1:1(0) ack 101 <uto 300>
        info user_timeout 20000
        info peer_user_timeout 500000
        ",
    );
}

#[test]
fn what_is_advertised_anew_goes_with_the_next_segment_that_has_room() {
    check(
        "
        set advertised_user_timeout 300
        connect
        > S 0:0(0) <mss 1000,sackOK,uto 300>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK,uto 200>
        > . 1:1(0) ack 1 <uto 300>
        advertise_user_timeout 600
        info user_timeout 600000
        write 1996
        > . 1:1001(1000) ack 1
        > P. 1001:1997(996) ack 1 <uto 600>
        +0.01 < . 1:1(0) ack 1997
        write 997
        > P. 1997:2994(997) ack 1
        advertise_user_timeout 700
        +0.01 < . 1:1(0) ack 2994
        write 997
        > P. 2994:3991(997) ack 1
        +0.01 < . 1:1(0) ack 3991
        ",
    );
}

#[test]
fn the_peer_is_borne_with_for_longer_than_the_give_up_time() {
    check(
        "
        set rto 1 1 120
        set give_up 130
        set advertised_user_timeout 200
        connect
        > S 0:0(0) <mss 1000,sackOK,uto 200>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK,uto 150>
        > . 1:1(0) ack 1 <uto 200>
        0.01 write 100
        > P. 1:101(100) ack 1
        1.01 > P. 1:101(100) ack 1
        3.01 > P. 1:101(100) ack 1
        7.01 > P. 1:101(100) ack 1
        15.01 > P. 1:101(100) ack 1
        31.01 > P. 1:101(100) ack 1
        63.01 > P. 1:101(100) ack 1
        127.01 > P. 1:101(100) ack 1
        200.005 error none
        200.01 > R. 101:101(0) ack 1
        error UserTimeout
        ",
    );
}

#[test]
fn keepalive_asks_later_than_the_user_timeout() {
    // Section 4.2.
    check(
        "
        set keepalive 10 10 3
        set advertised_user_timeout 300
        connect
        > S 0:0(0) <mss 1000,sackOK,uto 300>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK,uto 200>
        > . 1:1(0) ack 1 <uto 300>
        info keepalive_timer 301000
        ",
    );
}

#[test]
fn a_segment_with_the_option_is_taken_beside_data_and_sack_blocks() {
    check(
        "
        set sack on
        set advertised_user_timeout 300
        connect
        > S 0:0(0) <mss 1000,sackOK,uto 300>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK,uto 200>
        > . 1:1(0) ack 1 <uto 300>
        < P. 1001:1101(100) ack 1 <uto 700>
        > . 1:1(0) ack 1 <sack 1001:1101>
        advertise_user_timeout 800
        < P. 2001:2101(100) ack 1
        > . 1:1(0) ack 1 <sack 2001:2101 1001:1101,uto 800>
        info user_timeout 800000
        info peer_user_timeout 700000
        ",
    );
}
