//! What the host acknowledges, when, and in what words.

use crate::player::{SACK, STAMPED, after, breaks, keeps};

after!("{SACK}");

#[test]
fn only_what_has_arrived_is_acknowledged() {
    kept("< P. 1:101(100) ack 1\n> . 1:1(0) ack 101 win 9900");
    broken("ack-beyond-received", "< P. 1:101(100) ack 1\n> . 1:1(0) ack 102 win 9899");
    // What lies behind a hole does not count.
    broken("ack-beyond-received", "< P. 101:201(100) ack 1\n> . 1:1(0) ack 201 win 9800");
    // A FIN takes one number.
    kept("< F. 1:101(100) ack 1\n> . 1:1(0) ack 102 win 9899");
    broken("ack-beyond-received", "< F. 1:101(100) ack 1\n> . 1:1(0) ack 103 win 9898");
}

#[test]
fn the_ack_never_goes_back() {
    broken(
        "ack-goes-back",
        "
        < P. 1:101(100) ack 1
        > . 1:1(0) ack 101 win 9900
        +0.01 < P. 101:201(100) ack 1
        > . 1:1(0) ack 51 win 9950
        > . 1:1(0) ack 201 win 9800
        ",
    );
}

#[test]
fn the_ack_is_of_all_that_has_arrived() {
    broken(
        "ack-not-current",
        "
        < . 1:101(100) ack 1
        < P. 101:201(100) ack 1
        +0.01 > . 1:1(0) ack 101 win 9900
        > . 1:1(0) ack 201 win 9800
        ",
    );
    // What lay behind a hole was to be kept.
    broken(
        "ack-not-current",
        "
        < . 101:201(100) ack 1
        > . 1:1(0) ack 1 <sack 101:201>
        +0.01 < . 1:101(100) ack 1
        > . 1:1(0) ack 101 win 9900
        +0.01 < . 301:401(100) ack 1
        > . 1:1(0) ack 101 win 9900 <sack 301:401>
        +0.0001 < . 201:301(100) ack 1
        > . 1:1(0) ack 401 win 9600
        ",
    );
}

/// A SYN's text that the peer has refused counts as not sent until it goes again (RFC 7413 section 4.2.2).
#[test]
fn an_ack_of_what_a_refused_syn_carried_may_be_of_nothing_sent() {
    let refused = |ack| {
        format!(
            "
            > S 0:500(500) win 10000 <mss 1000,FO 9c7acf0d9a44ab52>
            < S. 0:0(0) ack 1 <mss 1000>
            > . 1:401(400) ack 1
            +0.01 < P. 1:101(100) ack {ack}
            +0.6 quiet
            "
        )
    };
    keeps(&refused(402));
    breaks("ack-too-late", &refused(401));
}

#[test]
fn an_ack_waits_for_half_a_second_at_most() {
    kept("< P. 1:101(100) ack 1\n+0.49 > . 1:1(0) ack 101 win 9900");
    broken("ack-too-late", "< P. 1:101(100) ack 1\n+0.6 > . 1:1(0) ack 101 win 9900");
    broken("ack-too-late", "< P. 1:101(100) ack 1\n+0.3 quiet");
}

#[test]
fn every_second_full_segment_is_acknowledged() {
    kept("< . 1:1001(1000) ack 1\n+0.1 < . 1001:2001(1000) ack 1\n> . 1:1(0) ack 2001 win 8000");
    broken(
        "stretch-ack",
        "
        < . 1:1001(1000) ack 1
        < . 1001:2001(1000) ack 1
        < . 2001:3001(1000) ack 1
        < . 3001:4001(1000) ack 1
        +0.01 > . 1:1(0) ack 4001 win 6000
        ",
    );
}

#[test]
fn what_is_out_of_order_is_answered_at_once() {
    broken(
        "ack-of-out-of-order-late",
        "< . 101:201(100) ack 1\n+0.1 > . 1:1(0) ack 1 <sack 101:201>",
    );
    broken(
        "ack-of-filled-gap-late",
        "
        < . 101:201(100) ack 1
        > . 1:1(0) ack 1 <sack 101:201>
        +0.01 < . 1:101(100) ack 1
        +0.1 > . 1:1(0) ack 201 win 9800
        ",
    );
    broken(
        "ack-of-old-segment-missing",
        "
        < . 1:101(100) ack 1
        > . 1:1(0) ack 101 win 9900
        +0.01 < . 1:101(100) ack 1
        +0.1 quiet
        ",
    );
}

#[test]
fn one_segment_brings_one_ack() {
    broken(
        "more-than-one-ack",
        "
        < . 1:1001(1000) ack 1
        > . 1:1(0) ack 1001 win 9000
        > . 1:1(0) ack 1001 win 9000
        ",
    );
    // To open the window is another matter.
    kept(
        "< . 1:1001(1000) ack 1\n> . 1:1(0) ack 1001 win 9000\nread 1000\n> . 1:1(0) ack 1001 win 10000",
    );
}

#[test]
fn the_right_edge_never_moves_back() {
    broken("window-shrunk", "< . 1:1001(1000) ack 1\n> . 1:1(0) ack 1001 win 8999");
    kept("< . 1:1001(1000) ack 1\n> . 1:1(0) ack 1001 win 9000");
}

#[test]
fn the_window_opens_by_whole_segments() {
    broken(
        "silly-window-told",
        "
        < . 1:1001(1000) ack 1
        > . 1:1(0) ack 1001 win 9000
        read 100
        +0.01 > . 1:1(0) ack 1001 win 9100
        ",
    );
}

#[test]
fn blocks_are_of_what_has_arrived() {
    kept("< . 101:201(100) ack 1\n> . 1:1(0) ack 1 <sack 101:201>");
    broken(
        "sack-of-what-has-not-arrived",
        "< . 101:201(100) ack 1\n> . 1:1(0) ack 1 <sack 101:202>",
    );
    broken(
        "sack-block-not-whole",
        "
        < . 101:201(100) ack 1
        > . 1:1(0) ack 1 <sack 101:201>
        +0.01 < . 201:301(100) ack 1
        > . 1:1(0) ack 1 <sack 201:301>
        ",
    );
}

#[test]
fn the_first_block_has_what_came_last() {
    broken(
        "sack-first-block",
        "
        < . 101:201(100) ack 1
        > . 1:1(0) ack 1 <sack 101:201>
        +0.01 < . 301:401(100) ack 1
        > . 1:1(0) ack 1 <sack 101:201 301:401>
        ",
    );
}

/// RFC 9768 section 3.2.3.3: two blocks go before the AccECN option, a third one does not.
#[test]
fn two_blocks_are_enough_beside_the_counters_of_accecn() {
    let told = |last: &str| {
        format!(
            "
            > SEWA 0:0(0) win 10000 <mss 1000,sackOK>
            +0.01 < SW. 0:0(0) ack 1 win 60000 <mss 1000,sackOK>
            > W. 1:1(0) ack 1
            < AE. 101:201(100) ack 1
            > AE. 1:1(0) ack 1 <sack 101:201>
            +0.01 < AE. 301:401(100) ack 1
            > AE. 1:1(0) ack 1 <sack 301:401 101:201>
            +0.01 < AE. 501:601(100) ack 1
            > AE. 1:1(0) ack 1 <sack 501:601 301:401 101:201>
            +0.01 < AE. 701:801(100) ack 1
            > AE. 1:1(0) ack 1 <{last}>
            "
        )
    };
    keeps(&told("sack 701:801 501:601,accecn0 1 0 1"));
    keeps(&told("sack 701:801 501:601 301:401 101:201"));
    breaks("sack-few-blocks", &told("sack 701:801,accecn0 1 0 1"));
}

#[test]
fn blocks_are_told_as_far_as_there_is_room() {
    broken(
        "sack-missing",
        "
        < . 101:201(100) ack 1
        > . 1:1(0) ack 1 <sack 101:201>
        +0.01 < . 301:401(100) ack 1
        > . 1:1(0) ack 1
        ",
    );
    broken(
        "sack-few-blocks",
        "
        < . 101:201(100) ack 1
        > . 1:1(0) ack 1 <sack 101:201>
        +0.01 < . 301:401(100) ack 1
        > . 1:1(0) ack 1 <sack 301:401 101:201>
        +0.01 < . 501:601(100) ack 1
        > . 1:1(0) ack 1 <sack 501:601>
        ",
    );
}

#[test]
fn no_blocks_without_permission() {
    breaks(
        "sack-not-permitted",
        "
        > S 0:0(0) win 10000 <mss 1000,sackOK>
        +0.01 < S. 0:0(0) ack 1 win 60000 <mss 1000>
        > . 1:1(0) ack 1
        +0.01 < . 101:201(100) ack 1
        > . 1:1(0) ack 1 <sack 101:201>
        ",
    );
}

#[test]
fn a_duplicate_is_reported_once() {
    let twice = "
        < . 1:101(100) ack 1
        > . 1:1(0) ack 101 win 9900
        +0.01 < . 1:101(100) ack 1
        > . 1:1(0) ack 101 <sack 1:101>
        ";
    kept(twice);
    // What is cut into segments by a device has the same options in each.
    let cut = "> . 1:901(900) ack 101 <sack 1:101>\n> P. 901:1801(900) ack 101 <sack 1:101>";
    let cut = twice.replace("> . 1:1(0) ack 101 <sack 1:101>", cut);
    kept(&format!("write 1800\n{cut}\n+0.01 < . 101:101(0) ack 1801"));
    // The number of a FIN may be in it.
    let fin = "< F. 1:101(100) ack 1\n> . 1:1(0) ack 102 win 9899\n+0.01 < F. 1:101(100) ack 1\n";
    kept(&format!("{fin}> . 1:1(0) ack 102 <sack 1:102>"));
    kept(&format!("{fin}> . 1:1(0) ack 102 <sack 1:101>"));
    broken(
        "d-sack-of-no-duplicate",
        &format!("{twice}\n+0.01 < . 101:201(100) ack 1\n> . 1:1(0) ack 201 win 9800 <sack 1:101>"),
    );
}

#[test]
fn a_timestamp_is_echoed_that_came_last_in_order() {
    let keep = "
        < P. 1:101(100) ack 1 <TS val 110 ecr 17>
        > . 1:1(0) ack 101 win 9900 <TS val 27 ecr 110>
        +0.01 < P. 101:201(100) ack 1 <TS val 120 ecr 27>
        ";
    keeps(&format!("{STAMPED}{keep}> . 1:1(0) ack 201 win 9800 <TS val 37 ecr 120>"));
    breaks(
        "timestamp-echo",
        &format!("{STAMPED}{keep}> . 1:1(0) ack 201 win 9800 <TS val 37 ecr 121>"),
    );
    breaks(
        "timestamp-echo-stale",
        &format!("{STAMPED}{keep}+0.01 > . 1:1(0) ack 201 win 9800 <TS val 47 ecr 110>"),
    );
    breaks(
        "timestamp-goes-back",
        &format!("{STAMPED}{keep}> . 1:1(0) ack 201 win 9800 <TS val 16 ecr 120>"),
    );
}

#[test]
fn text_with_an_old_timestamp_is_not_taken() {
    breaks(
        "ack-beyond-received",
        &format!(
            "{STAMPED}
            < P. 1:101(100) ack 1 <TS val 110 ecr 17>
            > . 1:1(0) ack 101 win 9900 <TS val 27 ecr 110>
            +0.01 < P. 101:201(100) ack 1 <TS val 99 ecr 27>
            > . 1:1(0) ack 201 win 9800 <TS val 37 ecr 110>
            "
        ),
    );
}

#[test]
fn what_finds_no_place_behind_a_hole_may_be_dropped() {
    let dropped = "
        < . 101:201(100) ack 1
        > . 1:1(0) ack 1 <sack 101:201>
        +0.01 < . 301:401(100) ack 1
        > . 1:1(0) ack 1 <sack 101:201>
        +0.01 < . 1:101(100) ack 1
        > . 1:1(0) ack 201 win 9800
        +0.01 < . 201:301(100) ack 1
        +0.04 > . 1:1(0) ack 301 win 9700
        ";
    keeps(&format!("set reassembly_ranges 1\n{SACK}{dropped}"));
    let kept = dropped.lines().take(5).collect::<Vec<_>>().join("\n");
    breaks(
        "sack-first-block",
        &format!("set reassembly_ranges 2\n{SACK}{kept}\n+0.01 < . 1:1(0) ack 1"),
    );
}

#[test]
fn what_moves_the_ack_is_in_no_first_block() {
    kept(
        "
        < . 501:601(100) ack 1
        > . 1:1(0) ack 1 <sack 501:601>
        +0.01 < . 101:201(100) ack 1
        > . 1:1(0) ack 1 <sack 101:201 501:601>
        +0.0005 < . 1:101(100) ack 1
        > . 1:1(0) ack 201 win 9800 <sack 501:601>
        ",
    );
}

#[test]
fn duplicates_that_a_host_takes_together_are_reported_as_one() {
    kept(
        "
        < . 1:101(100) ack 1
        < . 101:201(100) ack 1
        > . 1:1(0) ack 201 win 9800
        +0.01 < . 1:101(100) ack 1
        < . 101:201(100) ack 1
        > . 1:1(0) ack 201 <sack 1:201>
        ",
    );
}

#[test]
fn what_comes_twice_is_reported_by_a_host_that_is_said_to() {
    let settings = "set reports_duplicates 1\nset reaction 0\n";
    let twice = "
        < . 1:101(100) ack 1
        +0.001 > . 1:1(0) ack 101 win 9900
        +0.01 < . 1:101(100) ack 1
        ";
    kept(&format!("{twice}> . 1:1(0) ack 101 win 9900"));
    keeps(&format!("{settings}{SACK}{twice}> . 1:1(0) ack 101 win 9900 <sack 1:101>"));
    breaks("d-sack-missing", &format!("{settings}{SACK}{twice}> . 1:1(0) ack 101 win 9900"));
    // Behind a hole, within a larger block.
    let behind = "
        < . 101:301(200) ack 1
        > . 1:1(0) ack 1 <sack 101:301>
        +0.01 < . 101:201(100) ack 1
        ";
    keeps(&format!("{settings}{SACK}{behind}> . 1:1(0) ack 1 <sack 101:201 101:301>"));
    breaks("d-sack-missing", &format!("{settings}{SACK}{behind}> . 1:1(0) ack 1 <sack 101:301>"));
}
