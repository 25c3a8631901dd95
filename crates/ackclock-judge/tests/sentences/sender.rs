//! What a sender of data sends, and when again.

use crate::player::{PLAIN, SACK, after, breaks, keeps};

after!("{PLAIN}");

#[test]
fn bytes_sent_again_are_the_same_bytes() {
    let sent = "> P. 1:101(100) ack 1\n+0.3 ";
    kept(&format!("{sent}> P. 1:101(100) ack 1\n+0.01 < . 1:1(0) ack 101"));
    // In other pieces, and with more behind it.
    kept(&format!("{sent}> P. 1:201(200) ack 1\n+0.01 < . 1:1(0) ack 201"));
    broken(
        "inconsistent-retransmission",
        &format!("{sent}other bytes\n> P. 1:101(100) ack 1\n+0.01 < . 1:1(0) ack 101"),
    );
}

#[test]
fn nothing_stands_behind_the_fin_which_stays_where_it_is() {
    let closed = "> F. 1:101(100) ack 1\n+0.3 ";
    kept(&format!("{closed}> F. 1:101(100) ack 1\n+0.01 < . 1:1(0) ack 102"));
    broken("data-behind-fin", &format!("{closed}> . 1:201(200) ack 1\n+0.01 < . 1:1(0) ack 102"));
    broken("fin-moved", &format!("{closed}> F. 1:51(50) ack 1\n+0.01 < . 1:1(0) ack 102"));
}

#[test]
fn payload_and_options_are_at_most_the_mss() {
    kept("> . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 1001");
    broken("segment-above-peer-mss", "> . 1:1002(1001) ack 1\n+0.01 < . 1:1(0) ack 1002");
    let stamped = "
        > S 0:0(0) win 10000 <mss 1000,TS val 7 ecr 0>
        +0.01 < S. 0:0(0) ack 1 win 60000 <mss 1000,TS val 100 ecr 7>
        > . 1:1(0) ack 1 <TS val 17 ecr 100>
        ";
    let answer = "+0.01 < . 1:1(0) ack 990 <TS val 110 ecr 17>";
    keeps(&format!(
        "{stamped}> . 1:989(988) ack 1 <TS val 17 ecr 100>\n+0.01 < . 1:1(0) ack 989 <TS val 110 ecr 17>"
    ));
    breaks(
        "segment-above-peer-mss",
        &format!("{stamped}> . 1:990(989) ack 1 <TS val 17 ecr 100>\n{answer}"),
    );
}

#[test]
fn nothing_new_goes_beyond_the_window() {
    let small = "< . 1:1(0) ack 1 win 1500\n> . 1:1001(1000) ack 1\n";
    kept(&format!("{small}> P. 1001:1501(500) ack 1\n+0.01 < . 1:1(0) ack 1501 win 1500"));
    // The edge of an older segment may have been further; this one is of a connection that began with 1,500.
    let open = PLAIN.replace("60000", "1500");
    keeps(&format!("{open}> . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 1001"));
    breaks(
        "beyond-window",
        &format!(
            "{open}> . 1:1001(1000) ack 1\n> . 1001:2001(1000) ack 1\n+0.01 < . 1:1(0) ack 2001"
        ),
    );
}

#[test]
fn nothing_new_goes_where_the_window_has_shrunk() {
    let shrunk = "< . 1:1(0) ack 1 win 1500\n+0.01 > . 1:1001(1000) ack 1\n";
    kept(&format!("{shrunk}+0.01 < . 1:1(0) ack 1001 win 1500"));
    broken(
        "beyond-shrunk-window",
        &format!("{shrunk}> . 1001:2001(1000) ack 1\n+0.01 < . 1:1(0) ack 2001 win 1500"),
    );
    // What is older than the segment that shrank the window does not open it again.
    let told = "
        < P. 1:101(100) ack 1
        < P. 101:201(100) ack 1 win 1500
        > . 1:1(0) ack 201 win 9800
        +0.01 < . 1:1(0) ack 1 win 60000
        ";
    broken(
        "beyond-shrunk-window",
        &format!(
            "{told}> . 1:1(0) ack 201\n+0.01 > . 1:1001(1000) ack 201\n> . 1001:2001(1000) ack 201\n+0.01 < . 201:201(0) ack 2001 win 1500"
        ),
    );
}

#[test]
fn what_the_window_leaves_is_not_nibbled_at() {
    let open = PLAIN.replace("60000", "2400");
    let first = "write 5000\n> . 1:1001(1000) ack 1\n> . 1001:2001(1000) ack 1\n";
    let rest = "+0.01 < . 1:1(0) ack 2001 win 60000\n> . 2001:3001(1000) ack 1\n> . 3001:4001(1000) ack 1\n> P. 4001:5001(1000) ack 1\n+0.01 < . 1:1(0) ack 5001";
    keeps(&format!("{open}{first}{rest}"));
    breaks(
        "silly-window",
        &format!(
            "{open}{first}> . 2001:2401(400) ack 1\n+0.01 < . 1:1(0) ack 2401 win 60000\n> . 2401:3401(1000) ack 1\n> . 3401:4401(1000) ack 1\n> P. 4401:5001(600) ack 1\n+0.01 < . 1:1(0) ack 5001"
        ),
    );
}

/// What a SYN carried in vain is sent but once when it goes again, and measures a round trip.
#[test]
fn the_text_of_a_refused_syn_measures() {
    let opened = "> S 0:400(400) win 10000 <mss 1000,FO 0123456789abcdef>\n+1 > S 0:0(0) win 10000 <mss 1000>\n\
                  +0.04 < S. 0:0(0) ack 1 <mss 1000>\n> P. 1:401(400) ack 1\n+0.04 < . 1:1(0) ack 401\n\
                  > P. 401:801(400) ack 1\n";
    let again = |millis: u32| {
        format!("{opened}+0.{millis:03} > P. 401:801(400) ack 1\n+0.04 < . 1:1(0) ack 801")
    };
    keeps(&again(200));
    breaks("retransmission-too-early", &again(100));
}

/// Half of the largest window, rounded down, is worth a segment (RFC 9293 section 3.8.6.2.1).
#[test]
fn half_an_odd_window_is_worth_a_segment() {
    let open = PLAIN.replace("60000", "1501");
    let filled = |window: u32| {
        let end = 1_001 + window;
        format!(
            "{open}write 2000\n> . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 1001 win {window}\n> . 1001:{end}({window}) ack 1\n\
             +0.01 < . 1:1(0) ack {end} win 1500\n> P. {end}:2001({}) ack 1\n+0.01 < . 1:1(0) ack 2001",
            2_001 - end
        )
    };
    keeps(&filled(750));
    breaks("silly-window", &filled(749));
}

/// An ack of all of a segment but its FIN tells that this was not taken; of a FIN that went alone it tells nothing.
#[test]
fn a_fin_that_was_left_out_goes_again_at_once() {
    let rest = "+0.02 < . 1:1(0) ack 101\n+0.01 > F. 101:101(0) ack 1\n+0.02 < . 1:1(0) ack 102";
    keeps(&format!("{PLAIN}write 100\nclose\n> FP. 1:101(100) ack 1\n{rest}"));
    breaks(
        "retransmission-too-early",
        &format!("{PLAIN}write 100\nclose\n> P. 1:101(100) ack 1\n> F. 101:101(0) ack 1\n{rest}"),
    );
}

#[test]
fn small_segments_wait_for_acks_where_nagle_is_told() {
    let first = "> P. 1:101(100) ack 1\n";
    let second = "> P. 101:201(100) ack 1\n+0.01 < . 1:1(0) ack 201";
    keeps(&format!("nagle minshall\n{PLAIN}{first}+0.01 < . 1:1(0) ack 101\n{second}"));
    kept(&format!("{first}{second}"));
    breaks("nagle", &format!("nagle minshall\n{PLAIN}{first}{second}"));
    // RFC 896 lets a small segment wait for full ones too.
    let full = "> . 1:1001(1000) ack 1\n> P. 1001:1101(100) ack 1\n+0.01 < . 1:1(0) ack 1101";
    keeps(&format!("nagle minshall\n{PLAIN}{full}"));
    breaks("nagle", &format!("nagle rfc896\n{PLAIN}{full}"));
    keeps(&format!("nagle rfc896\n{PLAIN}{first}+0.01 < . 1:1(0) ack 101\n{second}"));
    // The byte of a probe goes again with what follows it.
    let probe = "< . 1:1(0) ack 1 win 0\n+0.3 > . 1:2(1) ack 1\n+0.01 < . 1:1(0) ack 1 win 60000\n";
    let write = "> . 1:1001(1000) ack 1\n> P. 1001:1101(100) ack 1\n+0.01 < . 1:1(0) ack 1101";
    keeps(&format!("nagle minshall\n{PLAIN}{probe}{write}"));
}

/// A probe of the tail is new data first, small or not (RFC 8985 section 7.3); there is one at a time.
#[test]
fn a_probe_of_the_tail_waits_for_no_ack() {
    let first = "> P. 1:101(100) ack 1\n";
    let second = "> P. 101:201(100) ack 1\n";
    let later = "> P. 101:201(100) ack 101\n";
    let third = "+0.03 > P. 201:301(100) ack 1\n";
    let acked = "+0.01 < . 1:1(0) ack 201\n";
    let told = format!("nagle minshall\n{SACK}{first}");
    keeps(&format!("{told}+0.03 {second}{acked}"));
    // What the peer sends in between does not put the probe off.
    keeps(&format!(
        "{told}+0.015 < . 1:101(100) ack 1\n+0.015 {later}+0.01 < . 101:101(0) ack 201"
    ));
    breaks("nagle", &format!("{told}+0.01 {second}{acked}"));
    breaks("nagle", &format!("{told}+0.03 {second}{third}+0.01 < . 1:1(0) ack 301"));
    breaks("nagle", &format!("nagle minshall\n{PLAIN}{first}+0.03 {second}{acked}"));
}

/// A receiver may leave a FIN out of its SACK block: the segment is measured all the same.
#[test]
fn a_segment_that_is_sacked_without_its_fin_is_a_measurement() {
    let slow = format!("set waits_for_reordering 1\n{}", SACK.replace("+0.01 <", "+0.04 <"));
    let sent = "> . 1:1001(1000) ack 1\n> FP. 1001:1101(100) ack 1\n";
    let sacked = "+0.03 < . 1:1(0) ack 1 <sack 1001:1101>\n";
    let again = "> . 1:1001(1000) ack 1\n+0.03 < . 1:1(0) ack 1102";
    keeps(&format!("{slow}{sent}{sacked}+0.008 {again}"));
    breaks("retransmission-too-early", &format!("{slow}{sent}{sacked}+0.003 {again}"));
    // Where the SYN went twice there is no measurement yet that would be waited a quarter of.
    let twice = slow.replacen(
        "    +0.04 <",
        "    +1 > S 0:0(0) win 10000 <mss 1000,sackOK>\n    +0.04 <",
        1,
    );
    keeps(&format!("{twice}{sent}{sacked}+0.003 {again}"));
}

/// A host may measure by an ack of a part, whatever the handshake took, and begins its timer anew with it.
#[test]
fn an_ack_of_a_part_is_a_measurement() {
    let slow = PLAIN.replace("+0.01 <", "+0.4 <");
    let sent = "> . 1:1001(1000) ack 1\n> . 1001:2001(1000) ack 1\n";
    let again = "> . 501:1001(500) ack 1\n+0.01 < . 1:1(0) ack 2001";
    keeps(&format!("{slow}{sent}+0.05 < . 1:1(0) ack 501\n+0.22 {again}"));
    breaks(
        "retransmission-too-early",
        &format!("{slow}{sent}+0.05 < . 1:1(0) ack 501\n+0.12 {again}"),
    );
}

#[test]
fn nothing_is_sent_again_without_a_cause() {
    let sent = "> . 1:1001(1000) ack 1\n> . 1001:2001(1000) ack 1\n";
    kept(&format!("{sent}+0.3 > . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 2001"));
    broken(
        "retransmission-too-early",
        &format!("{sent}+0.1 > . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 2001"),
    );
    // Three acks that repeat what is known are a cause.
    let four = "> . 1:1001(1000) ack 1\n> . 1001:2001(1000) ack 1\n> . 2001:3001(1000) ack 1\n> . 3001:4001(1000) ack 1\n";
    let dups = "+0.01 < . 1:1(0) ack 1\n< . 1:1(0) ack 1\n< . 1:1(0) ack 1\n";
    kept(&format!("{four}{dups}> . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 4001"));
}

#[test]
fn two_duplicate_acks_are_no_cause_in_a_large_flight() {
    let six: String =
        (0..6).map(|n| format!("> . {}:{}(1000) ack 1\n", n * 1000 + 1, n * 1000 + 1001)).collect();
    let dup = "< . 1:1(0) ack 1\n";
    let again = "> . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 6001";
    kept(&format!("{six}+0.01 {dup}{dup}{dup}{again}"));
    broken("retransmission-too-early", &format!("{six}+0.01 {dup}{dup}{again}"));
}

#[test]
fn what_is_acknowledged_is_not_sent_again() {
    broken(
        "acknowledged-data-again",
        "> . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 1001\n+0.3 > . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 1001",
    );
}

/// A later ack has overtaken it, of a part of what it reports or of what is before that.
#[test]
fn a_block_that_begins_with_what_is_acknowledged_may_be_left_out() {
    let seven: String =
        (0..7).map(|n| format!("> . {}:{}(1000) ack 1\n", n * 1000 + 1, n * 1000 + 1001)).collect();
    let overtaken = "+0.01 < . 1:1(0) ack 1501\n+0.001 < . 1:1(0) ack 1 ";
    let again = "+0.005 < . 1:1(0) ack 1501 <sack 4001:7001>\n> . 2001:3001(1000) ack 1\n\
                 +0.01 < . 1:1(0) ack 7001";
    keeps(&format!("{SACK}{seven}{overtaken}<sack 1001:3001>\n{again}"));
    breaks("sacked-data-again", &format!("{SACK}{seven}{overtaken}<sack 2001:3001>\n{again}"));
}

#[test]
fn what_is_sacked_is_not_sent_again() {
    let four = "> . 1:1001(1000) ack 1\n> . 1001:2001(1000) ack 1\n> . 2001:3001(1000) ack 1\n> . 3001:4001(1000) ack 1\n";
    let sacks = "+0.01 < . 1:1(0) ack 1 <sack 1001:4001>\n+0.002 > . 1:1001(1000) ack 1\n";
    keeps(&format!("{SACK}{four}{sacks}+0.01 < . 1:1(0) ack 4001"));
    breaks(
        "sacked-data-again",
        &format!("{SACK}{four}{sacks}> . 1001:2001(1000) ack 1\n+0.01 < . 1:1(0) ack 4001"),
    );
}

#[test]
fn timeouts_double() {
    let sent = "> . 1:1001(1000) ack 1\n";
    let again = "> . 1:1001(1000) ack 1\n";
    kept(&format!("{sent}+0.3 {again}+0.6 {again}+1.2 {again}+0.01 < . 1:1(0) ack 1001"));
    broken(
        "no-backoff",
        &format!("{sent}+0.3 {again}+0.3 {again}+0.3 {again}+0.01 < . 1:1(0) ack 1001"),
    );
}

#[test]
fn a_syn_is_sent_again_after_a_second_and_then_after_twice_as_long() {
    let answer = "+0.01 < S. 0:0(0) ack 1 win 60000 <mss 1000>\n> . 1:1(0) ack 1";
    let syn = "> S 0:0(0) win 10000 <mss 1000>\n";
    keeps(&format!("{syn}+1 {syn}+2 {syn}{answer}"));
    breaks("initial-rto-too-low", &format!("{syn}+0.2 {syn}{answer}"));
    breaks("no-backoff", &format!("{syn}+1 {syn}+1 {syn}{answer}"));
    breaks("syn-not-retransmitted", &format!("{syn}+5 quiet"));
}

#[test]
fn the_rto_of_data_is_long_after_a_lost_syn() {
    let open = "
        > S 0:0(0) win 10000 <mss 1000>
        +1 > S 0:0(0) win 10000 <mss 1000>
        +0.01 < S. 0:0(0) ack 1 win 60000 <mss 1000>
        > . 1:1(0) ack 1
        > . 1:1001(1000) ack 1
        ";
    keeps(&format!("{open}+3 > . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 1001"));
    breaks(
        "rto-after-lost-syn",
        &format!("{open}+1 > . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 1001"),
    );
}

#[test]
fn what_is_outstanding_is_sent_again_in_time() {
    let sent = "> . 1:1001(1000) ack 1\n";
    kept(&format!("{sent}+1.2 > . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 1001"));
    broken(
        "not-retransmitted",
        &format!("{sent}+3 > . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 1001"),
    );
    broken("not-retransmitted", &format!("{sent}+3 quiet"));
}

#[test]
fn what_three_acks_ask_for_is_sent_again() {
    let five = "> . 1:1001(1000) ack 1\n> . 1001:2001(1000) ack 1\n> . 2001:3001(1000) ack 1\n> . 3001:4001(1000) ack 1\n";
    let dups = "+0.01 < . 1:1(0) ack 1\n< . 1:1(0) ack 1\n< . 1:1(0) ack 1\n";
    // New data goes on, so that no timer is silent.
    let goes_on =
        "> . 4001:5001(1000) ack 1\n+1 > . 5001:6001(1000) ack 1\n+1 > . 6001:7001(1000) ack 1\n";
    kept(&format!("{five}{dups}> . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 4001"));
    broken("no-fast-retransmit", &format!("{five}{dups}{goes_on}+0.01 < . 1:1(0) ack 7001"));
    // Acks that data carries are no duplicates.
    let carried =
        "+0.01 < . 1:1001(1000) ack 1\n< . 1001:2001(1000) ack 1\n< . 2001:3001(1000) ack 1\n";
    let goes_on = goes_on.replace("ack 1\n", "ack 3001\n");
    kept(&format!("{five}{carried}{goes_on}+0.01 < . 3001:3001(0) ack 7001"));
}

#[test]
fn a_connection_is_not_given_up_before_100_seconds() {
    let sent = "> . 1:1001(1000) ack 1\n+1 > . 1:1001(1000) ack 1\n+2 > . 1:1001(1000) ack 1\n";
    broken("gave-up-too-early", &format!("{sent}+4 > R. 1001:1001(0) ack 1"));
    kept(&format!("{sent}+4 abort\n> R. 1001:1001(0) ack 1"));
}

#[test]
fn a_closed_window_is_probed_ever_more_rarely() {
    let closed = "< . 1:1(0) ack 1 win 0\nwrite 100\n";
    let probe = "> . 1:2(1) ack 1\n< . 1:1(0) ack 1 win 0\n";
    let opens = "+0.1 < . 1:1(0) ack 1 win 60000\n> P. 1:101(100) ack 1\n+0.01 < . 1:1(0) ack 101";
    kept(&format!("{closed}+0.3 {probe}+0.6 {probe}+1.2 {probe}{opens}"));
    broken("zero-window-not-probed", &format!("{closed}+3 quiet"));
    broken(
        "zero-window-probes-without-backoff",
        &format!("{closed}+0.3 {probe}+0.3 {probe}+0.3 {probe}{opens}"),
    );
    broken("zero-window-probe-too-early", &format!("{closed}+0.05 {probe}{opens}"));
}

#[test]
fn a_fin_follows_the_last_data() {
    let sent = "write 100\n> P. 1:101(100) ack 1\n+0.01 < . 1:1(0) ack 101\nclose\n";
    kept(&format!("{sent}> F. 101:101(0) ack 1\n+0.01 < . 1:1(0) ack 102"));
    broken("fin-not-prompt", &format!("{sent}+3 quiet"));
}

#[test]
fn data_is_sent_where_nothing_holds_it_back() {
    kept("write 100\n> P. 1:101(100) ack 1\n+0.01 < . 1:1(0) ack 101");
    broken("data-not-sent", "write 100\n+5 quiet");
}

#[test]
fn keepalives_wait_for_two_hours_of_silence() {
    let probe = "> . 0:0(0) ack 1\n+0.01 < . 1:1(0) ack 1";
    kept(&format!("+7200 {probe}"));
    broken("keepalive-too-early", &format!("+60 {probe}"));
    broken(
        "keepalive-while-data-is-outstanding",
        "> . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 1\n> . 1000:1000(0) ack 1\n+0.01 < . 1:1(0) ack 1001",
    );
}

#[test]
fn what_two_blocks_cover_between_them_may_be_missed() {
    let four = "> . 1:1001(1000) ack 1\n> . 1001:2001(1000) ack 1\n> . 2001:3001(1000) ack 1\n> . 3001:4001(1000) ack 1\n";
    let sacks = "+0.01 < . 1:1(0) ack 1 <sack 1001:1501>\n< . 1:1(0) ack 1 <sack 1501:4001>\n";
    let again = "+0.002 > . 1:1001(1000) ack 1\n> . 1001:2001(1000) ack 1\n";
    keeps(&format!("{SACK}{four}{sacks}{again}+0.01 < . 1:1(0) ack 4001"));
}

#[test]
fn the_ack_of_a_segment_that_cannot_be_accepted_counts_for_nothing() {
    kept(
        "
        < P. 1:101(100) ack 1
        > . 1:1001(1000) ack 101 win 9900
        +0.01 < P. 1:101(100) ack 1001
        > . 1001:1001(0) ack 101
        +0.3 > . 1:1001(1000) ack 101
        +0.01 < . 101:101(0) ack 1001
        ",
    );
}

#[test]
fn a_timestamp_measures_what_was_sent_again() {
    keeps(
        "
        > S 0:0(0) win 10000 <mss 1000,TS val 7 ecr 0>
        +1 > S 0:0(0) win 10000 <mss 1000,TS val 1007 ecr 0>
        +1 < S. 0:0(0) ack 1 win 60000 <mss 1000,TS val 100 ecr 1007>
        > . 1:901(900) ack 1 <TS val 2007 ecr 100>
        +3 > . 1:901(900) ack 1 <TS val 5007 ecr 100>
        +0.02 < . 1:1(0) ack 901 <TS val 3120 ecr 5007>
        > . 901:1801(900) ack 1 <TS val 5027 ecr 3120>
        +0.2 > . 901:1801(900) ack 1 <TS val 5227 ecr 3120>
        +0.02 < . 1:1(0) ack 1801 <TS val 3340 ecr 5227>
        ",
    );
}

#[test]
fn the_tail_may_be_probed_before_the_rto_after_a_lost_syn() {
    keeps(
        "
        > S 0:0(0) win 10000 <mss 1000,sackOK>
        +1 > S 0:0(0) win 10000 <mss 1000,sackOK>
        +0.01 < S. 0:0(0) ack 1 win 60000 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        > . 1:1001(1000) ack 1
        +1 > . 1:1001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001
        ",
    );
}

/// A SYN-ACK sent twice, the first of which was answered, late.
const LATE: &str = "
    law reno
    < S 0:0(0) win 60000 <mss 1000,TS val 100 ecr 0>
    > S. 0:0(0) ack 1 win 10000 <mss 1000,TS val 7 ecr 100>
    +0.01 < S 0:0(0) win 60000 <mss 1000,TS val 100 ecr 0>
    +1 > S. 0:0(0) ack 1 win 10000 <mss 1000,TS val 1017 ecr 100>
    +0.06 < . 1:1(0) ack 1 <TS val 180 ecr 7>
    ";

#[test]
fn the_rto_follows_the_round_trip_that_the_timestamp_of_a_syn_tells() {
    keeps(&format!(
        "{LATE}
        > . 1:901(900) ack 1 <TS val 1077 ecr 180>
        +3 > . 1:901(900) ack 1 <TS val 4077 ecr 180>
        +0.01 < . 1:1(0) ack 901 <TS val 4200 ecr 1077>
        "
    ));
}

#[test]
fn the_host_gives_up_when_it_is_to() {
    let again = "
        write 10
        > P. 1:11(10) ack 1
        +1 > P. 1:11(10) ack 1
        +2 > P. 1:11(10) ack 1
        ";
    kept(again);
    keeps(&format!("set longest_wait 3000\n{PLAIN}{again}"));
    breaks("not-given-up", &format!("set longest_wait 2900\n{PLAIN}{again}"));
    broken("not-given-up", &format!("user_timeout 2900\n{again}"));
    // Who is heard is not given up.
    kept(&format!("user_timeout 2900\n{}", again.replace("+2", "+0.1 < . 1:1(0) ack 1\n+1.9")));
}
