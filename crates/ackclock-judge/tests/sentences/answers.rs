//! Segments that are refused, and what has to answer them.

use crate::player::{SACK, STAMPED, after, breaks, keeps};

/// Both have closed, the host first.
const TIME_WAIT: &str = "
    close
    > F. 1:1(0) ack 1
    +0.01 < . 1:1(0) ack 2
    +0.01 < F. 1:1(0) ack 2
    > . 2:2(0) ack 2
    ";

after!("{SACK}");

#[test]
fn an_ack_of_what_was_not_sent_is_answered() {
    kept("< . 1:1(0) ack 500\n> . 1:1(0) ack 1\n+0.01 quiet");
    broken("ack-of-unacceptable-ack-missing", "< . 1:1(0) ack 500\n+0.01 quiet");
}

#[test]
fn text_that_was_acknowledged_long_ago_is_answered() {
    let old = "
        < . 1:101(100) ack 1
        > . 1:1(0) ack 101 win 9900
        +0.01 < . 101:201(100) ack 1
        > . 1:1(0) ack 201 win 9800
        +0.01 < . 1:101(100) ack 1
        ";
    kept(&format!("{old}> . 1:1(0) ack 201 win 9800\n+0.1 quiet"));
    broken("ack-of-old-segment-missing", &format!("{old}+0.1 quiet"));
}

#[test]
fn text_with_an_old_timestamp_is_answered() {
    let stale = "
        < P. 1:101(100) ack 1 <TS val 110 ecr 17>
        > . 1:1(0) ack 101 win 9900 <TS val 27 ecr 110>
        +0.01 < P. 101:201(100) ack 1 <TS val 99 ecr 27>
        ";
    keeps(&format!("{STAMPED}{stale}> . 1:1(0) ack 101 win 9900 <TS val 37 ecr 110>\n+0.01 quiet"));
    breaks("ack-of-old-timestamp-missing", &format!("{STAMPED}{stale}+0.01 quiet"));
}

#[test]
fn the_clock_of_timestamps_does_not_stand_still() {
    breaks(
        "timestamp-clock-stands",
        &format!(
            "{STAMPED}
            +3 < P. 1:101(100) ack 1 <TS val 3110 ecr 17>
            > . 1:1(0) ack 101 win 9900 <TS val 17 ecr 3110>
            "
        ),
    );
}

#[test]
fn text_behind_the_fin_is_owed_nothing() {
    kept("< F. 1:1(0) ack 1\n> . 1:1(0) ack 2\n+0.01 < P. 2:12(10) ack 1\n+1 quiet");
}

#[test]
fn a_host_that_has_closed_its_direction_takes_what_comes() {
    kept("close\n> F. 1:1(0) ack 1\n+0.01 < P. 1:11(10) ack 2\n> . 2:2(0) ack 11 win 9990");
    broken("ack-too-late", "close\n> F. 1:1(0) ack 1\n+0.01 < P. 1:11(10) ack 2\n+1 quiet");
}

#[test]
fn beside_text_one_block_is_enough_once_all_were_told() {
    let told = "
        < . 101:201(100) ack 1
        > . 1:1(0) ack 1 <sack 101:201>
        +0.01 < . 301:401(100) ack 1
        > . 1:1(0) ack 1 <sack 301:401 101:201>
        ";
    let text = |options: &str| {
        format!("{told}write 10\n> P. 1:11(10) ack 1{options}\n+0.01 < . 1:1(0) ack 11")
    };
    kept(&text(" <sack 301:401>"));
    broken("sack-missing", &text(""));
    broken("sack-missing", &format!("{told}close\n> F. 1:1(0) ack 1\n+0.01 < . 1:1(0) ack 2"));
}

#[test]
fn an_abort_sends_a_rst() {
    broken("rst-after-abort-missing", "abort\n+0.01 quiet");
}

#[test]
fn a_fin_that_comes_again_in_time_wait_is_acknowledged_again() {
    let again = "+0.5 < F. 1:1(0) ack 2\n";
    kept(&format!("{TIME_WAIT}{again}> . 2:2(0) ack 2\n+0.01 quiet"));
    broken("ack-in-time-wait-missing", &format!("{TIME_WAIT}{again}+0.01 quiet"));
}

#[test]
fn an_unacceptable_ack_is_reset_while_the_connection_is_opened() {
    let active = "> S 0:0(0) win 10000 <mss 1000>\n+0.01 < S. 0:0(0) ack 7 win 60000 <mss 1000>\n";
    keeps(&format!("{active}> R 7:7(0)"));
    breaks("rst-for-unacceptable-ack-missing", active);
    let passive = "< S 0:0(0) <mss 1000>\n> S. 0:0(0) ack 1 <mss 1000>\n+0.01 < . 1:1(0) ack 9\n";
    keeps(&format!("{passive}> R 9:9(0)"));
    breaks("rst-for-unacceptable-ack-missing", passive);
}

#[test]
fn a_stranger_is_reset_where_it_expects_that() {
    keeps("< . 5:15(10) ack 9\n> R 9:9(0)");
    breaks("rst-number", "< . 5:15(10) ack 9\n> R 10:10(0)");
    breaks("rst-for-rst", "< R 5:5(0)\n> R 9:9(0)");
}

/// Acknowledgments of what was not sent, in SYN-RECEIVED, and the RSTs that answer them.
fn refused(acks: std::ops::Range<u32>) -> [String; 2] {
    let lines = |line: fn(u32) -> String| acks.clone().map(line).collect();
    [lines(|ack| format!("< . 1:1(0) ack {ack}\n")), lines(|ack| format!("> R {ack}:{ack}(0)\n"))]
}

#[test]
fn a_host_that_looks_at_its_packets_now_and_then_answers_the_first_after_many_others() {
    let passive = "< S 0:0(0) <mss 1000>\n> S. 0:0(0) ack 1 <mss 1000>\n";
    let [few, resets] = refused(9..41);
    keeps(&format!("{passive}{few}{resets}"));
    let [many, resets] = refused(9..109);
    keeps(&format!("set reaction 5000\n{passive}{many}+4 {resets}"));
}

#[test]
fn what_a_host_has_had_time_to_answer_is_no_number_of_a_reset() {
    let old = format!("set reaction 5000\n{SACK}< . 1:1(0) ack 9\n> . 1:1(0) ack 1\n");
    let reset = "abort\n> R 9:9(0)";
    // The last 32 count after whatever time, and of more those that are young.
    let [after, _] = refused(10..41);
    keeps(&format!("{old}+6 {after}{reset}"));
    let [after, _] = refused(10..42);
    keeps(&format!("{old}+4 {after}{reset}"));
    breaks("rst-number", &format!("{old}+6 {after}{reset}"));
}

#[test]
fn a_closed_window_is_not_given_up_while_probes_are_answered() {
    let probed = "
        set least_rto 200
        write 100
        > P. 1:101(100) ack 1
        +0.01 < . 1:1(0) ack 101 win 0
        write 10
        +0.3 > . 101:102(1) ack 1
        +0.01 < . 1:1(0) ack 101 win 0
        ";
    broken("answered-window-probes-given-up", &format!("{probed}+1.1 > R 101:101(0)"));
}

#[test]
fn a_stranger_is_answered_by_a_host_that_is_said_to() {
    keeps("< . 5:15(10) ack 9\n+1 quiet");
    keeps("set answers_strangers 1\n< . 5:15(10) ack 9\n> R 9:9(0)\n+1 quiet");
    // A SYN may have found no room, and a RST is never answered.
    keeps("set answers_strangers 1\n< S 5:5(0)\n+1 quiet");
    keeps("set answers_strangers 1\n< R 5:5(0)\n+1 quiet");
    breaks("rst-for-stranger-missing", "set answers_strangers 1\n< . 5:15(10) ack 9\n+1 quiet");
}
