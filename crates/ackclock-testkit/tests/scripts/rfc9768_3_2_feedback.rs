//! RFC 9768 section 3.2: what acks tell of congestion, and what the sender makes of it.

use ackclock_testkit::script::check;

/// A server whose peer counts, with an initial window of ten segments.
const AGREED: &str = "
        set ecn accept-accurate
        set initial_window 10
        listen
        < SAWE 0:0(0) <mss 1000,sackOK>
        > SW. 0:0(0) ack 1 <mss 1000,sackOK,accecn0 1 0 1>
        +0.01 < W. 1:1(0) ack 1 <accecn0 1 0 1>
        accept
";

/// Section 3.2.2.5.1: the first mark, and every second one after that, is worth an ack. Section 3.2.3.3: the
/// option tells each counter that has changed.
#[test]
fn marks_are_counted_and_told() {
    check(&format!(
        "{AGREED}
        < [ect0] AE. 1:1001(1000) ack 1
        < [ce] AE. 1001:2001(1000) ack 1
        > AW. 1:1(0) ack 2001 <accecn0 1001 1000>
        < [ce] AE. 2001:3001(1000) ack 1
        < [ce] AE. 3001:4001(1000) ack 1
        > . 1:1(0) ack 4001 <accecn0 1001 3000>
        < [ect0] AE. 4001:5001(1000) ack 1
        < [ce] AE. 5001:6001(1000) ack 1
        > E. 1:1(0) ack 6001 <accecn0 2001 4000>
        < [ect0] AE. 6001:7001(1000) ack 1
        +0.04 > E. 1:1(0) ack 7001 <accecn0 3001 4000>
        < [ect1] AE. 7001:8001(1000) ack 1
        +0.04 > E. 1:1(0) ack 8001 <accecn0 3001 4000 1001>
        info ce_packets 4
        "
    ));
}

/// Section 3.2: marks on control packets count, and every third one without data is worth an ack.
#[test]
fn marks_on_acks_are_counted() {
    check(&format!(
        "{AGREED}
        < [ce] AE. 1:1(0) ack 1
        < [ce] AE. 1:1(0) ack 1
        < [ce] AE. 1:1(0) ack 1
        > . 1:1(0) ack 1
        info ce_packets 3
        "
    ));
}

/// With ECT(1) alone the other order is shorter.
#[test]
fn the_option_has_the_order_that_takes_less() {
    check(&format!(
        "{AGREED}
        < [ect1] AE. 1:1001(1000) ack 1
        < [ect1] AE. 1001:2001(1000) ack 1
        > AE. 1:1(0) ack 2001 <accecn1 2001>
        < [ce] AE. 2001:3001(1000) ack 1
        > AW. 1:1(0) ack 3001 <accecn1 2001 1000>
        "
    ));
}

/// Section 3.2.3.3: two SACK blocks go before the option.
#[test]
fn the_option_stands_beside_sack_blocks_as_far_as_there_is_room() {
    check(&format!(
        "{AGREED}
        < [ect0] AE. 1001:2001(1000) ack 1
        > AE. 1:1(0) ack 1 <accecn0 1001,sack 1001:2001>
        < [ect0] AE. 3001:4001(1000) ack 1
        > AE. 1:1(0) ack 1 <accecn0 2001,sack 3001:4001 1001:2001>
        < [ect0] AE. 5001:6001(1000) ack 1
        > AE. 1:1(0) ack 1 <accecn0 3001,sack 5001:6001 3001:4001 1001:2001>
        "
    ));
}

/// Data that leave no room go after the ack with the option, and carry the counter.
#[test]
fn an_ack_that_is_due_goes_before_full_segments() {
    check(&format!(
        "{AGREED}
        < [ect0] AE. 1:1001(1000) ack 1
        write 1100
        > [ect0] AE. 1:1001(1000) ack 1001
        > [ect0] PAE. 1001:1101(100) ack 1001 <accecn0 1001>
        < [ce] AE. 1001:2001(1000) ack 1
        > AW. 1101:1101(0) ack 2001 <accecn0 1001 1000>
        "
    ));
}

/// A law of the classic kind reduces its window once in a round trip, and says nothing of it (section 3.1.5).
#[test]
fn a_mark_that_is_told_reduces_the_window_once() {
    check(&format!(
        "{AGREED}
        write 20000 takes 20000
        > [ect0] AE. 1:1001(1000) ack 1
        > [ect0] AE. 1001:2001(1000) ack 1
        > [ect0] AE. 2001:3001(1000) ack 1
        > [ect0] AE. 3001:4001(1000) ack 1
        > [ect0] AE. 4001:5001(1000) ack 1
        > [ect0] AE. 5001:6001(1000) ack 1
        > [ect0] AE. 6001:7001(1000) ack 1
        > [ect0] AE. 7001:8001(1000) ack 1
        > [ect0] AE. 8001:9001(1000) ack 1
        > [ect0] AE. 9001:10001(1000) ack 1
        +0.01 < AW. 1:1(0) ack 2001 <accecn0 1001 1000>
        info cwnd 8000
        info told_ce_packets 1
        +0.001 < AWE. 1:1(0) ack 4001 <accecn0 2001 2000>
        > [ect0] AE. 10001:11001(1000) ack 1
        > [ect0] AE. 11001:12001(1000) ack 1
        info cwnd 8000
        info told_ce_packets 2
        +0.001 < AWE. 1:1(0) ack 6001 <accecn0 4001 2000>
        > [ect0] AE. 12001:13001(1000) ack 1
        > [ect0] AE. 13001:14001(1000) ack 1
        # Three acks were lost: of six segments one was marked.
        +0.01 < . 1:1(0) ack 12001 <accecn0 9001 3000>
        > [ect0] AE. 14001:15001(1000) ack 1
        > [ect0] AE. 15001:16001(1000) ack 1
        > [ect0] AE. 16001:17001(1000) ack 1
        > [ect0] AE. 17001:18001(1000) ack 1
        info told_ce_packets 3
        info told_ce_bytes 3000
        "
    ));
}

/// Section 3.2.2.4: feedback that is zero from the start means nothing, and nothing more is ECN-capable.
#[test]
fn a_counter_that_is_zero_at_first_is_not_believed() {
    check(
        "
        set ecn request-accurate
        set initial_window 10
        connect
        > SAWE 0:0(0) <mss 1000,sackOK>
        +0.01 < SW. 0:0(0) ack 1 <mss 1000,sackOK>
        > W. 1:1(0) ack 1 <accecn0 1 0 1>
        write 100
        > [ect0] PAE. 1:101(100) ack 1 <accecn0 1 0 1>
        +0.01 < . 1:1(0) ack 101
        info cwnd 10000
        write 100
        > [not-ect] PAE. 101:201(100) ack 1
        +0.01 < AE. 1:1(0) ack 201
        info cwnd 10000
        ",
    );
}

/// Two segments and the ack that tells that they were marked, all but so many of the first ones, in the round trip of
/// that number.
fn marked_round(round: u32, unmarked: u32) -> String {
    let (from, middle, to) = (2_000 * round + 1, 2_000 * round + 1_001, 2_000 * round + 2_001);
    let marks = 2 * (round + 1) - unmarked;
    let ace = ["", "E", "W", "WE", "A", "AE", "AW", "AWE"][(5 + marks as usize) % 8];
    let (unmarked, marked) = (1 + 1_000 * unmarked, 1_000 * marks);
    format!(
        "
        write 2000
        > [ect0] AE. {from}:{middle}(1000) ack 1
        > [ect0] PAE. {middle}:{to}(1000) ack 1
        +0.01 < {ace}. 1:1(0) ack {to} <accecn0 {unmarked} {marked}>
        "
    )
}

/// Section 3.2.2.3: where every packet of the first rounds was marked something marks all of them. That says nothing
/// of congestion, and nothing more is sent as ECN-capable.
#[test]
fn marks_without_end_are_not_believed() {
    let rounds = |unmarked| (0..32).map(|at| marked_round(at, unmarked)).collect::<String>();
    let (all, nearly) = (rounds(0), rounds(1));
    check(&format!(
        "{AGREED}
        {all}
        info ecn_ignored 1
        info told_ce_packets 64
        write 2000
        > [not-ect] AE. 64001:65001(1000) ack 1
        > [not-ect] PAE. 65001:66001(1000) ack 1
        +0.01 < AWE. 1:1(0) ack 66001 <accecn0 1 66000>
        info told_ce_packets 66
        # Marks that counted would have kept it at two segments.
        info cwnd 3000
        "
    ));
    check(&format!(
        "{AGREED}
        {nearly}
        info ecn_ignored 0
        write 100
        > [ect0] PAE. 64001:64101(100) ack 1
        "
    ));
}

/// Section 3.2.3.2.5: marked bytes of one segment, and a field that has not moved.
#[test]
fn bytes_that_contradict_the_field_end_the_use_of_ecn() {
    check(&format!(
        "{AGREED}
        write 1000
        > [ect0] PAE. 1:1001(1000) ack 1
        +0.01 < AE. 1:1(0) ack 1001 <accecn0 1 1000>
        info ecn_contradictory 1
        # It is congestion all the same.
        info cwnd 2000
        write 1000
        > [not-ect] PAE. 1001:2001(1000) ack 1
        # What arrives is told as before.
        < [ce] AE. 1:1001(1000) ack 1001
        > AW. 2001:2001(0) ack 1001 <accecn0 1 1000>
        "
    ));
}

/// The same, where there is an explanation: eight segments were marked, or an ack between has told the packet and not
/// its bytes.
#[test]
fn bytes_that_the_field_may_have_told_contradict_nothing() {
    let segments: String = (0..8)
        .map(|at| {
            let (from, to) = (1_000 * at + 1, 1_000 * at + 1_001);
            let push = if at == 7 { "P" } else { "" };
            format!("> [ect0] {push}AE. {from}:{to}(1000) ack 1\n")
        })
        .collect();
    check(&format!(
        "{AGREED}
        write 8000
        {segments}
        +0.01 < AE. 1:1(0) ack 8001 <accecn0 1 8000>
        info ecn_contradictory 0
        info told_ce_packets 8
        write 100
        > [ect0] PAE. 8001:8101(100) ack 1
        "
    ));
    check(&format!(
        "{AGREED}
        write 3000
        > [ect0] AE. 1:1001(1000) ack 1
        > [ect0] AE. 1001:2001(1000) ack 1
        > [ect0] PAE. 2001:3001(1000) ack 1
        +0.01 < AW. 1:1(0) ack 1 <sack 1001:2001>
        +0.001 < AW. 1:1(0) ack 3001 <accecn0 2001 1000>
        info ecn_contradictory 0
        info told_ce_packets 1
        "
    ));
}

/// RFC 3168 section 6.1.5 stands: retransmissions are not ECN-capable; they tell the counter of now.
#[test]
fn a_retransmission_tells_the_counter_of_now() {
    check(&format!(
        "{AGREED}
        write 100
        > [ect0] PAE. 1:101(100) ack 1
        < [ce] AE. 1:1001(1000) ack 1
        > AW. 101:101(0) ack 1001 <accecn0 1 1000>
        +0.2 > [not-ect] PAW. 1:101(100) ack 1001
        "
    ));
}

/// Section 3.2.3.3: beside a signature (RFC 2385) and all else a SYN-ACK has no room for the option, and an ack
/// with timestamps neither.
#[test]
fn where_there_is_no_room_the_option_is_left_out() {
    let signed = "
        set md5_key 000102030405060708090a0b0c0d0e0f
        set ecn request-accurate
        ";
    check(&format!(
        "
        {signed}
        set window_scaling on
        listen
        < SAWE 0:0(0) <md5,mss 1000,sackOK,wscale 7>
        > SW. 0:0(0) ack 1 <md5,mss 1000,sackOK,wscale 0>
        "
    ));
    check(&format!(
        "
        {signed}
        set sack off
        set timestamps on
        connect
        > SAWE 0:0(0) <md5,mss 1000,TS val 1000 ecr 0>
        +0.01 < SW. 0:0(0) ack 1 <md5,mss 1000,TS val 100 ecr 0>
        > W. 1:1(0) ack 1 <md5,TS val 1010 ecr 100>
        "
    ));
}

/// Section 3.2.2.2: "Whenever the Data Receiver sends an ACK with SYN=0", so in TIME-WAIT, too.
#[test]
fn acks_in_time_wait_tell_the_counter() {
    check(&format!(
        "{AGREED}
        close
        > FAE. 1:1(0) ack 1
        < [ce] AEF. 1:1(0) ack 2
        > AW. 2:2(0) ack 2
        < AEF. 1:1(0) ack 2
        > AW. 2:2(0) ack 2
        < [ce] AE. 2:2(0) ack 2
        < AEF. 1:1(0) ack 2
        > AWE. 2:2(0) ack 2
        "
    ));
}
