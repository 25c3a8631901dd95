//! Peers that contradict themselves, hosts that forget, and what is lawful all the same.

use crate::player::{PLAIN, SACK, STAMPED, after, breaks, keeps};

after!("{PLAIN}");

#[test]
fn a_fin_before_what_was_acknowledged_closes_nothing() {
    kept(
        "
        < P. 1:101(100) ack 1
        > . 1:1(0) ack 101 win 9900
        close
        > F. 1:1(0) ack 101
        +0.01 < . 101:101(0) ack 2
        < F. 51:51(0) ack 2
        > . 2:2(0) ack 101
        +0.01 close both
        > R. 2:2(0) ack 101
        ",
    );
}

#[test]
fn what_was_acknowledged_and_what_came_behind_it_is_one_duplicate() {
    let twice = "
        < P. 1:101(100) ack 1
        > . 1:1(0) ack 101 win 9900
        +0.01 < P. 101:201(100) ack 1
        +0.002 < P. 51:251(200) ack 1
        ";
    keeps(&format!("{SACK}{twice}> . 1:1(0) ack 251 win 9750 <sack 51:201>"));
    breaks(
        "d-sack-of-no-duplicate",
        &format!("{SACK}{twice}> . 1:1(0) ack 251 win 9750 <sack 51:251>"),
    );
}

#[test]
fn bbr_has_four_segments_after_the_first_ack() {
    let first = "> . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 1001\n";
    let four: String =
        (1..5).map(|n| format!("> . {}:{}(1000) ack 1\n", n * 1000 + 1, n * 1000 + 1001)).collect();
    let opening = format!("law bbr\nset initial_window 1\n{PLAIN}{first}{four}");
    keeps(&format!("{opening}+0.01 < . 1:1(0) ack 5001"));
    breaks("slow-start", &format!("{opening}> . 5001:6001(1000) ack 1\n+0.01 < . 1:1(0) ack 6001"));
}

#[test]
fn a_rst_may_stand_where_the_window_that_has_shrunk_ends() {
    let shrunk = "> . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 1 win 500\nabort\n";
    kept(&format!("{shrunk}> R. 501:501(0) ack 1"));
    broken("rst-number", &format!("{shrunk}> R. 700:700(0) ack 1"));
}

#[test]
fn a_rst_long_after_a_blind_one_has_another_cause() {
    let blind = "< R 500:500(0)\n> . 1:1(0) ack 1\n";
    keeps(&format!(
        "set keepalive 5000\n{PLAIN}{blind}+5 > . 0:0(0) ack 1\n+1 > . 0:0(0) ack 1\n+1 > R. 1:1(0) ack 1"
    ));
}

#[test]
fn urgent_data_whose_ack_the_host_need_not_take_goes_again() {
    keeps(&format!(
        "{STAMPED}
        write 100
        urgent
        > UP. 1:101(100) ack 1 urg 100 <TS val 17 ecr 100>
        +0.01 < . 1:1(0) ack 101 <TS val 90 ecr 17>
        +0.3 > UP. 1:101(100) ack 1 urg 100 <TS val 327 ecr 100>
        +0.01 < . 1:1(0) ack 101 <TS val 430 ecr 327>
        "
    ));
}

#[test]
fn what_perhaps_updated_the_window_makes_older_segments_old() {
    let shrinks =
        "+0.01 < . 1:1(0) ack 1 win 500\n+0.01 > . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 1001";
    kept(&format!("< . 9001:10501(1500) ack 1\n> . 1:1(0) ack 1\n{shrinks}"));
    broken("beyond-shrunk-window", shrinks);
}

/// Hosts that order segments by their acks take the window of one that lies before what is held.
#[test]
fn an_ack_that_is_news_makes_the_window_of_its_segment_the_latest() {
    let open = |opens: &str| {
        format!(
            "
            > . 1:101(100) ack 1
            < . 9001:9101(100) ack 1 win 0
            > . 101:101(0) ack 1
            +0.01 < . 1:1(0) ack 101 win 0
            +0.01 < . 1:1(0) ack 101 win {opens}
            +0.01 > . 101:1101(1000) ack 1
            +0.01 < . 1:1(0) ack 1101
            "
        )
    };
    kept(&open("60000"));
    broken("beyond-shrunk-window", &open("500"));
}

#[test]
fn what_was_put_together_on_its_way_is_answered_part_by_part() {
    let two = "> . 1:1(0) ack 1\n> . 1:1(0) ack 1";
    kept(&format!("< . 1001:2501(1500) ack 1\n{two}"));
    broken("more-than-one-ack", &format!("< . 1001:2001(1000) ack 1\n{two}"));
}

#[test]
fn nothing_but_a_fin_is_answered_in_time_wait() {
    let closed = "
        close
        > F. 1:1(0) ack 1
        +0.01 < . 1:1(0) ack 2
        +0.01 < F. 1:1(0) ack 2
        > . 2:2(0) ack 2
        ";
    kept(&format!("{closed}+0.01 < . 2:2(0) ack 500\n+0.01 quiet"));
}

#[test]
fn who_answers_one_segment_too_odd_may_be_silent_about_the_next() {
    let odd = "< . 700:700(0) ack 500\n> . 1:1(0) ack 1\n";
    kept(&format!("{odd}+0.01 < R 500:500(0)\n+0.01 quiet"));
    broken("challenge-ack-missing", "< R 500:500(0)\n+0.01 quiet");
}

#[test]
fn a_probe_of_the_tail_reduces_nothing() {
    let sent = "> . 1:1001(1000) ack 1\n> P. 1001:1101(100) ack 1\n";
    let text = "+0.01 < . 1:101(100) ack 1\n> . 1101:1101(0) ack 101 win 9900\n";
    let probe = "+0.02 > P. 1001:1101(100) ack 101\n";
    let more =
        "> . 1101:2101(1000) ack 101\n> . 2101:3101(1000) ack 101\n> . 3101:4101(1000) ack 101\n";
    keeps(&format!("law reno\n{SACK}{sent}{text}{probe}{more}+0.01 < . 101:101(0) ack 4101"));
}

#[test]
fn the_tail_is_probed_when_the_timer_would_expire() {
    let sent = "> P. 1:101(100) ack 1\n+0.19 > P. 101:201(100) ack 1\n";
    let again = "> P. 101:201(100) ack 1\n+0.01 < . 1:1(0) ack 201";
    keeps(&format!("{SACK}{sent}+0.01 {again}"));
    let early = sent.replace("0.19", "0.1");
    breaks("retransmission-too-early", &format!("{SACK}{early}+0.01 {again}"));
}

/// A connection that the peer opens.
const PASSIVE: &str = "
    < S 0:0(0) win 60000 <mss 1000>
    > S. 0:0(0) ack 1 win 1000 <mss 1000>
    ";

#[test]
fn a_half_open_connection_may_have_given_way() {
    let lost = "+0.01 < . 1:1(0) ack 1\n+0.01 < P. 101:201(100) ack 1\n+0.01 quiet";
    keeps(&format!("{PASSIVE}{lost}"));
    breaks("ack-of-out-of-order-late", &format!("set keeps_half_open 1\n{PASSIVE}{lost}"));
    // Nor was a round trip measured of it.
    let sent = "+0.01 < . 1:1(0) ack 1\n> . 1:1001(1000) ack 1\n+2 quiet";
    keeps(&format!("set initial_rto 3000\n{PASSIVE}{sent}"));
    breaks(
        "not-retransmitted",
        &format!("set initial_rto 3000\nset keeps_half_open 1\n{PASSIVE}{sent}"),
    );
}

#[test]
fn a_cookie_may_come_back_after_a_later_syn_ack() {
    keeps(&format!(
        "{PASSIVE}
        +1 < S 0:0(0) win 60000 <mss 1000>
        > S. 70000:70000(0) ack 1 win 1000 <mss 1000>
        +0.1 < P. 1:101(100) ack 1
        > . 1:1(0) ack 101 win 900
        "
    ));
}

#[test]
fn a_buffer_may_be_larger_than_the_window_of_a_syn() {
    let first = "+0.01 < P. 1:401(400) ack 1\n> . 1:1(0) ack 401 win 800\n";
    keeps(&format!("{PASSIVE}{first}"));
    breaks(
        "silly-window-told",
        &format!("{PASSIVE}{first}+0.01 < P. 401:501(100) ack 1\n> . 1:1(0) ack 501 win 850"),
    );
}

#[test]
fn who_goes_back_sends_again_what_was_sacked() {
    let four = "> . 1:1001(1000) ack 1\n> . 1001:2001(1000) ack 1\n> . 2001:3001(1000) ack 1\n> . 3001:4001(1000) ack 1\n";
    let again = "+0.01 < . 1:1(0) ack 1 <sack 1001:4001>\n+0.002 > . 1:1001(1000) ack 1\n> . 1001:2001(1000) ack 1\n+0.01 < . 1:1(0) ack 4001";
    keeps(&format!("set goes_back 1\n{SACK}{four}{again}"));
    breaks("sacked-data-again", &format!("{SACK}{four}{again}"));
}

#[test]
fn a_fin_behind_a_hole_is_no_data_of_which_a_block_tells() {
    keeps(&format!("{SACK}< F. 101:101(0) ack 1\n> . 1:1(0) ack 1\n+0.01 quiet"));
    let text = "< . 101:201(100) ack 1\n> . 1:1(0) ack 1 <sack 101:201>\n+0.01 < F. 201:201(0) ack 1\n> . 1:1(0) ack 1";
    keeps(&format!("{SACK}{text} <sack 101:201>\n+0.01 quiet"));
    breaks("sack-missing", &format!("{SACK}{text}\n+0.01 quiet"));
}

#[test]
fn a_keep_alive_is_no_probe_of_the_window() {
    let closed = "
        < . 1:1(0) ack 1 win 0
        write 100
        +0.3 > . 0:0(0) ack 1
        +0.01 < . 1:1(0) ack 1 win 0
        +0.1 > . 1:2(1) ack 1
        +0.01 < . 1:1(0) ack 1 win 60000
        > P. 1:101(100) ack 1
        +0.01 < . 1:1(0) ack 101
        ";
    keeps(&format!("set keepalive 300\n{PLAIN}{closed}"));
    broken("zero-window-probe-too-early", closed);
}

/// Six segments in flight.
const SIX: &str = "
    > . 1:1001(1000) ack 1
    > . 1001:2001(1000) ack 1
    > . 2001:3001(1000) ack 1
    > . 3001:4001(1000) ack 1
    > . 4001:5001(1000) ack 1
    > . 5001:6001(1000) ack 1
    ";

#[test]
fn rack_waits_for_what_may_only_be_overtaken() {
    let one = "+0.01 < . 1:1(0) ack 1 <sack 1001:2001>\n";
    let three = "+0.01 < . 1:1(0) ack 1 <sack 1001:4001>\n";
    let again = "> . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 6001";
    let rack = format!("set waits_for_reordering 1\n{SACK}{SIX}");
    keeps(&format!("{SACK}{SIX}{one}{again}"));
    keeps(&format!("{rack}{three}{again}"));
    keeps(&format!("{rack}{one}+0.003 {again}"));
    breaks("retransmission-too-early", &format!("{rack}{one}{again}"));
}

#[test]
fn newreno_repairs_the_next_hole_with_a_partial_ack() {
    let dup = "< . 1:1(0) ack 1\n";
    let recovers = format!(
        "law reno\nset heeds_partial_acks 1\n{PLAIN}{SIX}+0.01 {dup}{dup}{dup}> . 1:1001(1000) ack 1\n"
    );
    let partial = "+0.01 < . 1:1(0) ack 3001\n";
    keeps(&format!("{recovers}{partial}> . 3001:4001(1000) ack 1\n+0.01 < . 1:1(0) ack 6001"));
    breaks("partial-ack-not-heeded", &format!("{recovers}{partial}+0.1 < . 1:1(0) ack 6001"));
}
