//! RFC 2385: MD5 signatures. In each script the stack's segments are checked to have the right digest.

use ackclock_testkit::script::check;

const KEY: &str = "set md5_key 000102030405060708090a0b0c0d0e0f";

/// Section 2, and section 4.3: the options are those of Linux, without timestamps beside SACK.
#[test]
fn section_2_every_segment_of_an_active_open_is_signed() {
    check(&format!(
        "
        {KEY}
        set timestamps on
        set window_scaling on
        connect
        > S 0:0(0) <md5,mss 1000,sackOK,wscale 0>
        +0.02 < S. 0:0(0) ack 1 <md5,mss 1000,sackOK,wscale 0>
        > . 1:1(0) ack 1 <md5>
        write 1000
        > . 1:981(980) ack 1 <md5>
        > P. 981:1001(20) ack 1 <md5>
        < . 1:1(0) ack 1001 <md5>
        close
        > F. 1001:1001(0) ack 1 <md5>
        < F. 1:1(0) ack 1002 <md5>
        > . 1002:1002(0) ack 2 <md5>
        "
    ));
}

/// Section 2: "a failing comparison must result in the segment being dropped and must not produce any
/// response", and so does a segment without a signature.
#[test]
fn section_2_what_is_not_signed_is_dropped_without_a_response() {
    check(&format!(
        "
        {KEY}
        listen
        < S 0:0(0) <mss 1000>
        +0.01 < S 0:0(0) <md5,mss 1000>
        > S. 0:0(0) ack 1 <md5,mss 1000>
        < . 1:1(0) ack 1
        < R 1:1(0)
        +0.01 < . 1:1(0) ack 1 <md5>
        accept
        < P. 1:101(100) ack 1
        < R. 1:1(0) ack 1
        < S 1:1(0)
        info bytes_received 0
        state ESTABLISHED
        +0.01 < P. 1:101(100) ack 1 <md5>
        read 100
        +0.04 > . 1:1(0) ack 101 <md5>
        "
    ));
}

/// Section 4.3: 16 bytes are left for two SACK blocks.
#[test]
fn section_4_3_sack_blocks_have_the_room_that_is_left() {
    check(&format!(
        "
        {KEY}
        listen
        < S 0:0(0) <md5,mss 1000,sackOK>
        > S. 0:0(0) ack 1 <md5,mss 1000,sackOK>
        < . 1:1(0) ack 1 <md5>
        accept
        < . 981:1961(980) ack 1 <md5>
        > . 1:1(0) ack 1 <md5,sack 981:1961>
        < . 2941:3921(980) ack 1 <md5>
        > . 1:1(0) ack 1 <md5,sack 2941:3921 981:1961>
        "
    ));
}

/// Section 4.1: who has the key hears that nobody listens.
#[test]
fn section_4_1_a_reset_is_signed() {
    check(&format!(
        "
        {KEY}
        < S 0:0(0) <md5,mss 1000>
        > R. 0:0(0) ack 1 <md5>
        "
    ));
}
