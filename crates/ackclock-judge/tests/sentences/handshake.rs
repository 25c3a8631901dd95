//! The SYNs and what they settle.

use crate::player::{breaks, keeps};

#[test]
fn a_syn_ack_acknowledges_the_syn() {
    keeps(
        "
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1000>
        +0.01 < . 1:1(0) ack 1
        ",
    );
    breaks(
        "syn-ack-number",
        "
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 0 <mss 1000>
        ",
    );
}

#[test]
fn a_syn_ack_offers_only_what_the_syn_offered() {
    breaks(
        "window-scale-not-offered",
        "
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1000,wscale 2>
        ",
    );
    breaks(
        "timestamps-not-agreed",
        "
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1000,TS val 7 ecr 0>
        ",
    );
}

#[test]
fn timestamps_that_are_agreed_on_are_in_every_segment_but_a_rst() {
    let opening = "
        > S 0:0(0) <mss 1000,TS val 7 ecr 0>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,TS val 100 ecr 7>
        ";
    keeps(&format!("{opening} > . 1:1(0) ack 1 <TS val 17 ecr 100>"));
    keeps(&format!("{opening} > . 1:1(0) ack 1 <TS val 17 ecr 100>\nabort\n> R. 1:1(0) ack 1"));
    breaks("timestamps-missing", &format!("{opening} > . 1:1(0) ack 1"));
    breaks(
        "timestamps-not-agreed",
        "
        > S 0:0(0) <mss 1000>
        +0.01 < S. 0:0(0) ack 1 <mss 1000>
        > . 1:1(0) ack 1 <TS val 17 ecr 0>
        ",
    );
}

#[test]
fn every_segment_of_an_open_connection_has_an_ack() {
    breaks(
        "ack-missing",
        "
        > S 0:0(0) <mss 1000>
        +0.01 < S. 0:0(0) ack 1 <mss 1000>
        > . 1:1(0) ack 1
        write 10
        > P 1:11(10)
        +0.01 < . 1:1(0) ack 11
        ",
    );
}

#[test]
fn text_waits_until_the_syn_is_acknowledged() {
    breaks(
        "text-before-established",
        "
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1000>
        write 10
        > P. 1:11(10) ack 1
        +0.01 < . 1:1(0) ack 11
        ",
    );
    // With a cookie it need not (RFC 7413 section 4.2.2), also where no text came along.
    keeps(
        "
        < S 0:0(0) <mss 1000,FO 9c7acf0d9a44ab52>
        > S. 0:0(0) ack 1 <mss 1000>
        write 10
        > P. 1:11(10) ack 1
        +0.01 < . 1:1(0) ack 11
        ",
    );
}

#[test]
fn a_syn_ack_that_goes_again_takes_no_window_back() {
    let told = "
        < S 0:400(400) <mss 1000,wscale 0,FO 9c7acf0d9a44ab52>
        > S. 0:0(0) ack 401 win 65135 <mss 1000,wscale 3>
        write 100
        > P. 1:101(100) ack 401 win 32768
        ";
    let again = |window| format!("{told}+1 > S. 0:0(0) ack 401 win {window} <mss 1000,wscale 3>");
    keeps(&again(65_535));
    breaks("window-shrunk", &again(0));
}

#[test]
fn a_syn_that_crosses_the_hosts_own_is_answered_at_once() {
    let crossing = "
        > S 0:0(0) win 10000 <mss 1000>
        +0.01 < S 0:0(0) <mss 1000>
        ";
    keeps(&format!("{crossing}> S. 0:0(0) ack 1 <mss 1000>"));
    broken_by(crossing);
    // The SYN once more, when its timer fires, is no answer; and a SYN-ACK is late then.
    broken_by(&format!("{crossing}+1 > S 0:0(0) win 10000 <mss 1000>"));
    broken_by(&format!("{crossing}+1 > S. 0:0(0) ack 1 <mss 1000>"));
    // Who has given up the attempt may answer with a RST, or not at all.
    keeps(&format!("{crossing}> R. 0:0(0) ack 1"));
    keeps("> S 0:0(0) win 10000 <mss 1000>\nclose\n+0.01 < S 0:0(0) <mss 1000>");

    #[track_caller]
    fn broken_by(script: &str) {
        breaks("answer-to-crossing-syn-missing", script);
    }
}

#[test]
fn the_number_of_one_connection_does_not_tell_that_of_the_next() {
    let syn = "> S 0:0(0) win 10000 <mss 1000>";
    // 4 microseconds are a tick of the clock, and another connection has another start.
    breaks(
        "isn-foretold",
        &format!("{syn}\nother port\n+0.004 > S 1000:1000(0) win 10000 <mss 1000>"),
    );
    breaks("isn-foretold", &format!("{syn}\nother port\n+0.004 {syn}"));
    keeps(&format!("{syn}\nother port\n+0.004 > S 5000:5000(0) win 10000 <mss 1000>"));
    // The same connection again goes on from where it was.
    keeps(&format!("{syn}\n+0.004 > S 1000:1000(0) win 10000 <mss 1000>"));
}
