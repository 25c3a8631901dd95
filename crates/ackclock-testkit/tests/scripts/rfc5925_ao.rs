//! RFC 5925: TCP's authentication option. In each script the stack's segments are checked to have the right code;
//! the peer's sequence numbers wrap after 5000 bytes.

use ackclock_testkit::script::check;

/// Our SendID is 1, the peer's is 2.
const KEY: &str = "set ao_key 1/2=two-routers-share-this";
const SECOND: &str = "set ao_key 3/4:AES128:no-options=and-this-in-a-year";

/// Sections 7.4 and 7.6: the option is in every segment, beside timestamps and SACK-permitted.
#[test]
fn section_7_4_every_segment_of_an_active_open_is_signed() {
    check(
        "
        set ao_key 1/2=secret
        set timestamps on
        set window_scaling on
        connect
        > S 0:0(0) <ao 1 2,mss 1000,sackOK,TS val 1000 ecr 0,wscale 0>
        +0.02 < S. 0:0(0) ack 1 <ao 2 1,mss 1000,sackOK,TS val 100 ecr 1000,wscale 0>
        > . 1:1(0) ack 1 <ao 1 2,TS val 1020 ecr 100>
        write 1000
        > . 1:973(972) ack 1 <ao 1 2,TS val 1020 ecr 100>
        > P. 973:1001(28) ack 1 <ao 1 2,TS val 1020 ecr 100>
        < . 1:1(0) ack 1001 <ao 2 1,TS val 110 ecr 1020>
        close
        > F. 1001:1001(0) ack 1 <ao 1 2,TS val 1020 ecr 110>
        < F. 1:1(0) ack 1002 <ao 2 1,TS val 120 ecr 1020>
        > . 1002:1002(0) ack 2 <ao 1 2,TS val 1020 ecr 120>
        ",
    );
}

/// Sections 7.3 and 7.5: "TCP segments whose TCP-AO does not validate MUST be silently discarded", and so is one
/// without, or with the number of a key that there is not.
#[test]
fn section_7_3_what_is_not_signed_is_dropped_without_a_response() {
    check(&format!(
        "
        {KEY}
        listen
        < S 0:0(0) <mss 1000>
        +0.01 < S 0:0(0) <ao,mss 1000>
        > S. 0:0(0) ack 1 <ao 1 2,mss 1000>
        < . 1:1(0) ack 1
        < R 1:1(0)
        +0.01 < . 1:1(0) ack 1 <ao>
        accept
        < P. 1:101(100) ack 1
        < R. 1:1(0) ack 1
        < S 1:1(0)
        info bytes_received 0
        state ESTABLISHED
        +0.01 < P. 1:101(100) ack 1 <ao>
        read 100
        +0.04 > . 1:1(0) ack 101 <ao 1 2>
        "
    ));
}

/// Section 6.2: the peer's numbers wrap, and its segments after that have an extension of 1.
#[test]
fn section_6_2_a_stream_goes_on_across_the_wrap() {
    check(&format!(
        "
        {KEY}
        set ack_policy every
        listen
        < S 0:0(0) <ao,mss 1000>
        > S. 0:0(0) ack 1 <ao,mss 1000>
        < . 1:1(0) ack 1 <ao>
        accept
        < . 1:3001(3000) ack 1 <ao>
        > . 1:1(0) ack 3001 <ao>
        < . 3001:6001(3000) ack 1 <ao>
        > . 1:1(0) ack 6001 <ao>
        < . 6001:9001(3000) ack 1 <ao>
        > . 1:1(0) ack 9001 <ao>
        read 9000
        > . 1:1(0) ack 9001 <ao>
        "
    ));
}

/// Sections 6.1 and 7.5, 2e: the peer wishes for the second key, and gets it from the next segment on; ours is asked
/// for by rnext_key.
#[test]
fn section_7_5_the_peers_wish_changes_the_key() {
    check(&format!(
        "
        {KEY}
        {SECOND}
        listen
        < S 0:0(0) <ao 2 1,mss 1000>
        > S. 0:0(0) ack 1 <ao 1 2,mss 1000>
        < . 1:1(0) ack 1 <ao 2 1>
        accept
        write 100
        > P. 1:101(100) ack 1 <ao 1 2>
        < . 1:1(0) ack 101 <ao 2 3>
        write 100
        > P. 101:201(100) ack 1 <ao 3 2>
        ao_rnext_key 4
        < . 1:1(0) ack 201 <ao 2 3>
        write 100
        > P. 201:301(100) ack 1 <ao 3 4>
        < . 1:1(0) ack 301 <ao 4 3>
        write 100
        > P. 301:401(100) ack 1 <ao 3 4>
        < . 1:1(0) ack 401 <ao 2 9>
        write 100
        > P. 401:501(100) ack 1 <ao 3 4>
        "
    ));
}

/// Section 7.6: beside timestamps 12 bytes are left, for one SACK block.
#[test]
fn section_7_6_a_sack_block_has_the_room_that_is_left() {
    check(&format!(
        "
        {KEY}
        set timestamps on
        listen
        < S 0:0(0) <ao,mss 1000,sackOK,TS val 100 ecr 0>
        > S. 0:0(0) ack 1 <ao,mss 1000,sackOK,TS val 1000 ecr 100>
        < . 1:1(0) ack 1 <ao,TS val 100 ecr 1000>
        accept
        < . 973:1945(972) ack 1 <ao,TS val 100 ecr 1000>
        > . 1:1(0) ack 1 <ao,TS val 1000 ecr 100,sack 973:1945>
        < . 2917:3889(972) ack 1 <ao,TS val 100 ecr 1000>
        > . 1:1(0) ack 1 <ao,TS val 1000 ecr 100,sack 2917:3889>
        "
    ));
}

/// Section 7.7: a reset is signed while there is a connection whose keys can be made.
#[test]
fn section_7_7_a_reset_is_signed() {
    check(&format!(
        "
        {KEY}
        listen
        < S 0:0(0) <ao,mss 1000>
        > S. 0:0(0) ack 1 <ao,mss 1000>
        < . 1:1(0) ack 1 <ao>
        accept
        abort
        > R. 1:1(0) ack 1 <ao 1 2>
        "
    ));
}

/// Section 7.8: hard errors are ignored once the connection is synchronized, and end one that is not.
#[test]
fn section_7_8_hard_icmp_errors_are_ignored_in_synchronized_states() {
    check(&format!(
        "
        {KEY}
        connect
        > S 0:0(0) <ao,mss 1000,sackOK>
        +0.02 < S. 0:0(0) ack 1 <ao,mss 1000>
        > . 1:1(0) ack 1 <ao>
        write 1000
        > . 1:985(984) ack 1 <ao>
        > P. 985:1001(16) ack 1 <ao>
        icmp frag_needed 1 mtu 600
        icmp port_unreachable 1
        state ESTABLISHED
        error none
        "
    ));
    check(&format!(
        "
        {KEY}
        connect
        > S 0:0(0) <ao,mss 1000,sackOK>
        icmp port_unreachable 0
        state CLOSED
        "
    ));
}
