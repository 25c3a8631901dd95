//! How much may be on the path, and explicit notification of congestion.

use crate::player::{SACK, after, breaks, keeps};

after!(
    "law reno
{SACK}"
);

/// Segments of 1,000 bytes, numbered from 0.
fn segments(from: u32, to: u32) -> String {
    let line = |n: u32| format!("> . {}:{}(1000) ack 1\n", n * 1000 + 1, n * 1000 + 1001);
    (from..to).map(line).collect()
}

/// An ack of all segments before `n`.
fn ack(n: u32) -> String {
    format!("< . 1:1(0) ack {}\n", n * 1000 + 1)
}

/// Acks of all segments before `to`, of two at a time.
fn acks(from: u32, to: u32) -> String {
    (from + 2..=to).step_by(2).map(ack).collect()
}

/// SACKs that report one segment more each, behind a hole of one.
fn sacks(hole: u32, to: u32) -> String {
    let line = |n: u32| {
        format!(
            "< . 1:1(0) ack {} <sack {}:{}>\n",
            hole * 1000 + 1,
            hole * 1000 + 1001,
            n * 1000 + 1
        )
    };
    (hole + 2..=to).map(line).collect()
}

#[test]
fn the_initial_window_is_ten_segments() {
    kept(&format!("{}+0.01 {}", segments(0, 10), ack(10)));
    broken("initial-window", &format!("{}+0.01 {}", segments(0, 11), ack(11)));
}

#[test]
fn the_initial_window_is_one_segment_after_two_lost_syns() {
    let open = "
        law reno
        > S 0:0(0) win 10000 <mss 1000>
        +1 > S 0:0(0) win 10000 <mss 1000>
        +2 > S 0:0(0) win 10000 <mss 1000>
        +0.01 < S. 0:0(0) ack 1 win 60000 <mss 1000>
        > . 1:1(0) ack 1
        ";
    keeps(&format!("{open}{}+0.01 {}", segments(0, 1), ack(1)));
    breaks("initial-window-after-lost-syn", &format!("{open}{}+0.01 {}", segments(0, 2), ack(2)));
}

/// What a server has sent before its SYN-ACK was acknowledged (RFC 7413 section 4.2.2) is lost with that, and on the path no more.
#[test]
fn what_was_sent_before_the_handshake_counts_once() {
    let early = "
        law reno
        < S 0:0(0) <mss 1000,sackOK,FO 9c7acf0d9a44ab52>
        > S. 0:0(0) ack 1 win 10000 <mss 1000,sackOK>
        ";
    let lost = "
        +1 > S. 0:0(0) ack 1 win 10000 <mss 1000,sackOK>
        +2 > S. 0:0(0) ack 1 win 10000 <mss 1000,sackOK>
        +0.01 < . 1:1(0) ack 1
        > . 9001:10001(1000) ack 1
        +0.01 < . 1:1(0) ack 1 <sack 9001:10001>
        ";
    let open = format!(
        "{early}{}{lost}{}+0.01 {}{}+0.01 {}",
        segments(0, 10),
        segments(0, 1),
        ack(1),
        segments(1, 3),
        ack(3)
    );
    keeps(&format!("{open}{}+0.01 {}", segments(3, 7), ack(10)));
    breaks("loss-response", &format!("{open}{}+0.01 {}", segments(3, 9), ack(10)));
}

#[test]
fn slow_start_doubles_the_window_at_most() {
    let first = segments(0, 10);
    let answered = format!("{first}+0.01 {}", acks(0, 10));
    kept(&format!("{answered}{}+0.01 {}", segments(10, 30), ack(30)));
    broken("slow-start", &format!("{answered}{}+0.01 {}", segments(10, 31), ack(31)));
}

#[test]
fn a_loss_halves_the_window() {
    // Twenty on the path, of which the first is lost.
    let before = format!("{}+0.01 {}{}", segments(0, 10), acks(0, 10), segments(10, 30));
    let lost = format!("{before}+0.01 {}{}", sacks(10, 13), segments(10, 11));
    let repaired = format!("{lost}{}+0.01 {}", sacks(10, 30), ack(30));
    kept(&format!("{repaired}{}+0.01 {}", segments(30, 40), ack(40)));
    let too_many = format!("{repaired}{}+0.01 {}", segments(30, 45), ack(45));
    broken("loss-response", &too_many);
    // CWR tells of a reduction only where classic ECN is agreed on: elsewhere it is reserved, or part of a counter.
    broken("loss-response", &too_many.replace("> . ", "> W. "));
    // While it is repaired one segment may go for two that arrive.
    let one_for_one: String = (14..26)
        .map(|n| {
            format!(
                "{}{}",
                sacks(10, n).lines().last().expect("a line"),
                format_args!("\n{}", segments(n + 16, n + 17))
            )
        })
        .collect();
    broken("loss-response", &format!("{lost}{one_for_one}+0.01 {}", ack(42)));
}

/// RFC 9937 section 6.2. Of forty on the path the first 28 are lost, and those behind them arrive one by one.
#[test]
fn no_more_goes_out_than_arrives_until_an_ack_advances() {
    let grown = format!("{}+0.01 {}{}", segments(0, 10), acks(0, 10), segments(10, 30));
    let before = format!("{grown}+0.01 {}{}", acks(10, 30), segments(30, 70));
    let sack = |n: u32| format!("< . 1:1(0) ack 30001 <sack 58001:{}>\n", n * 1000 + 1001);
    let known: String = (58..61).map(sack).collect();
    let lost = format!("{before}+0.01 {known}{}", segments(30, 31));
    // So many go again for each that arrives.
    let repaired = |rate: u32| {
        let next = |n: u32| 31 + (n - 61) * rate;
        let answer = |n: u32| format!("{}{}", sack(n), segments(next(n), next(n + 1)));
        let again: String = (61..69).map(answer).collect();
        format!("law reno\nset conserves_packets 1\n{SACK}{lost}{again}+0.01 {}", ack(70))
    };
    keeps(&repaired(1));
    breaks("sent-more-than-delivered", &repaired(2));
    // Others let one more go for each ack (RFC 6675 section 5).
    keeps(&repaired(2).replace("set conserves_packets 1\n", ""));
    // An ack that advances lets one more go (SafeACK).
    let safe = |n: u32| format!("< . 1:1(0) ack 31001 <sack 58001:{}>\n", n * 1000 + 1001);
    keeps(&repaired(2).replace(&sack(62), &safe(62)));
}

/// RFC 4821 section 4. A segment of 600 bytes goes between those of 300, and is lost.
#[test]
fn the_loss_of_a_probe_of_the_path_alone_halves_nothing() {
    let line =
        |n: u32, len: u32| format!("> . {}:{}({len}) ack 1\n", n * 300 + 1, n * 300 + len + 1);
    let parts = |from: u32, to: u32| (from..to).map(|n| line(n, 300)).collect::<String>();
    let acks = |until: u32| format!("< . 1:1(0) ack {}\n", until * 300 + 1);
    let grown: String = (1..=10).map(acks).collect();
    let before = format!("{}+0.01 {grown}{}{}", parts(0, 10), line(10, 600), parts(12, 30));
    let holes = |first: u32| -> String {
        (first + 1..=first + 3)
            .map(|n| format!("< . 1:1(0) ack 3001 <sack {}:{}>\n", first * 300 + 1, n * 300 + 1))
            .collect()
    };
    let end =
        |script: &str| format!("{script}+0.01 {}{}+0.01 {}", acks(30), parts(30, 48), acks(48));
    let probes = "set probes_path 1\n";
    let alone = end(&format!("{before}+0.01 {}{}", holes(12), parts(10, 12)));
    keeps(&format!("{probes}law reno\n{SACK}{alone}"));
    broken("loss-response", &alone);
    // A longer probe before it changes nothing.
    let longer = alone.replace(&parts(0, 10), &format!("{}{}", line(0, 900), parts(3, 10)));
    keeps(&format!("{probes}law reno\n{SACK}{longer}"));
    let another = end(&format!("{before}+0.01 {}{}", holes(13), parts(10, 13)));
    breaks("loss-response", &format!("{probes}law reno\n{SACK}{another}"));
    // A length of which another segment was sent long before is that of a probe; of one just before it is the usual one.
    let again = |first: &str| {
        let before = format!("{first}+0.01 {}{}", acks(10), parts(10, 30));
        let flight = format!("{}{}", line(30, 600), parts(32, 50));
        let hole = |n: u32| format!("< . 1:1(0) ack 9001 <sack 9601:{}>\n", n * 300 + 1);
        let holes: String = (33..=35).map(hole).collect();
        let lost = format!("{before}+0.01 {}{flight}+0.01 {holes}{}", acks(30), parts(30, 32));
        format!(
            "{probes}law reno\n{SACK}{lost}+0.01 {}{}+0.01 {}",
            acks(50),
            parts(50, 68),
            acks(68)
        )
    };
    keeps(&again(&format!("{}{}", line(0, 600), parts(2, 10))));
    breaks("loss-response", &again(&parts(0, 10)).replace(&parts(26, 28), &line(26, 600)));
}

#[test]
fn congestion_avoidance_adds_a_segment_per_round_trip() {
    let before = format!("{}+0.01 {}{}", segments(0, 10), acks(0, 10), segments(10, 30));
    let lost = format!("{before}+0.01 {}{}", sacks(10, 13), segments(10, 11));
    let repaired = format!("{lost}{}+0.01 {}", sacks(10, 30), ack(30));
    let round = format!("{repaired}{}+0.01 {}", segments(30, 40), acks(30, 40));
    kept(&format!("{round}{}+0.01 {}", segments(40, 51), ack(51)));
    broken("congestion-avoidance", &format!("{round}{}+0.01 {}", segments(40, 56), ack(56)));
}

#[test]
fn a_timeout_leaves_one_segment() {
    let lost = format!("{}+0.3 {}", segments(0, 10), segments(0, 1));
    kept(&format!("{lost}+0.01 {}{}+0.01 {}", ack(1), segments(1, 3), ack(10)));
    broken("loss-window", &format!("{lost}{}+0.01 {}", segments(1, 2), ack(10)));
    // Slow start afterwards goes to half of what was on the path.
    broken("loss-window", &format!("{lost}+0.01 {}{}+0.01 {}", ack(1), segments(1, 5), ack(10)));
}

#[test]
fn a_false_alarm_gives_the_window_back() {
    let before = format!("{}+0.01 {}{}", segments(0, 10), acks(0, 10), segments(10, 30));
    let lost = format!("{before}+0.01 {}{}", sacks(10, 13), segments(10, 11));
    let late = format!("{lost}+0.01 {}+0.01 ", ack(30));
    let dsack = "< . 1:1(0) ack 30001 <sack 10001:11001>\n";
    kept(&format!("{late}{dsack}{}+0.01 {}", segments(30, 50), ack(50)));
    broken("loss-response", &format!("{late}{}+0.01 {}", segments(30, 50), ack(50)));
}

/// A connection with ECN.
const ECN: &str = "
    law reno
    > SEW 0:0(0) win 10000 <mss 1000,sackOK>
    +0.01 < SE. 0:0(0) ack 1 win 60000 <mss 1000,sackOK>
    > . 1:1(0) ack 1
    +0.01 quiet
    ";

#[track_caller]
fn marks_kept(script: &str) {
    keeps(&format!("{ECN}{script}"));
}

#[track_caller]
fn marks_broken(name: &str, script: &str) {
    breaks(name, &format!("{ECN}{script}"));
}

/// RFC 3168 section 6.1.2: with a window of one segment a mark is answered by waiting for the timer.
#[test]
fn data_may_wait_for_the_timer_after_a_mark() {
    let later = |ack: &str, time: &str| {
        let cwr = if ack == "E." { "W" } else { "" };
        let first = "write 100\n> [ect0] P. 1:101(100) ack 1\n";
        let second = format!("> [ect0] P{cwr}. 101:201(100) ack 1\n+0.01 < . 1:1(0) ack 201");
        format!("{first}+0.01 < {ack} 1:1(0) ack 101\nwrite 100\n+{time} {second}")
    };
    marks_kept(&later("E.", "3"));
    marks_broken("data-not-sent", &later(".", "3"));
    marks_broken("data-not-sent", &later("E.", "4"));
}

#[test]
fn only_new_data_is_ecn_capable() {
    marks_kept("> [ect0] . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 1001");
    broken("ect-not-agreed", "> [ect0] . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 1001");
    marks_broken("ect-on-ack", "< P. 1:101(100) ack 1\n> [ect0] . 1:1(0) ack 101");
    let again = "> [ect0] . 1:1001(1000) ack 1\n+0.3 ";
    marks_kept(&format!("{again}> . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 1001"));
    marks_broken(
        "ect-on-retransmission",
        &format!("{again}> [ect0] . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 1001"),
    );
    breaks("ect-on-syn", "> [ect0] SEW 0:0(0) <mss 1000>");
    marks_broken(
        "ect-on-window-probe",
        "< . 1:1(0) ack 1 win 0\n+0.3 > [ect0] . 1:2(1) ack 1\n+0.01 < . 1:1(0) ack 2 win 60000",
    );
}

/// A connection of Prague on which the peer counts marks (RFC 9768), if it agrees.
fn prague(agrees: bool) -> String {
    let (flags, ack) = if agrees { ("SW.", "W.") } else { ("S.", ".") };
    format!(
        "
        law prague
        > SEWA 0:0(0) win 10000 <mss 1000,sackOK>
        +0.01 < {flags} 0:0(0) ack 1 win 60000 <mss 1000,sackOK>
        > {ack} 1:1(0) ack 1
        +0.01 quiet
        "
    )
}

/// What a host sends on a connection on which AccECN is agreed on, and no mark has come.
fn counting(script: &str) -> String {
    script.replace("> . ", "> AE. ")
}

/// RFC 9331 section 4.2.
#[test]
fn only_where_marks_are_counted_is_data_ect1() {
    let data = "> [ect1] . 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 1001";
    marks_broken("ect1-without-counts", data);
    breaks("ect-not-agreed", &format!("{}{data}", prague(false)));
    keeps(&format!("{}{}", prague(true), data.replace(" . 1:1001", " AE. 1:1001")));
}

/// Where marks are not counted Prague is CUBIC, where they are it answers a loss as Reno does.
#[test]
fn prague_is_bound_as_the_law_that_it_is() {
    let before = format!("{}+0.01 {}{}", segments(0, 10), acks(0, 10), segments(10, 30));
    let lost = format!("{before}+0.01 {}{}", sacks(10, 13), segments(10, 11));
    let repaired = format!("{lost}{}+0.01 {}", sacks(10, 30), ack(30));
    // Twenty were on the path: half of them, and seven tenths.
    let half = format!("{repaired}{}+0.01 {}", segments(30, 40), ack(40));
    let more = format!("{repaired}{}+0.01 {}", segments(30, 44), ack(44));
    keeps(&format!("{}{}", prague(true), counting(&half)));
    breaks("loss-response", &format!("{}{}", prague(true), counting(&more)));
    keeps(&format!("{}{more}", prague(false)));
}

#[test]
fn a_mark_is_answered_with_cwr() {
    let marked = "> [ect0] . 1:1001(1000) ack 1\n+0.01 < E. 1:1(0) ack 1001\n+0.01 ";
    marks_kept(&format!("{marked}> [ect0] W. 1001:2001(1000) ack 1\n+0.01 < . 1:1(0) ack 2001"));
    marks_broken(
        "cwr-missing",
        &format!("{marked}> [ect0] . 1001:2001(1000) ack 1\n+0.01 < . 1:1(0) ack 2001"),
    );
    marks_broken(
        "cwr-on-retransmission",
        "> [ect0] . 1:1001(1000) ack 1\n+0.3 > W. 1:1001(1000) ack 1\n+0.01 < . 1:1(0) ack 1001",
    );
}

#[test]
fn a_mark_is_echoed_until_cwr_comes() {
    let marked = "< [ce] P. 1:101(100) ack 1\n+0.01 ";
    marks_kept(&format!("{marked}> E. 1:1(0) ack 101 win 9900"));
    marks_broken("ece-missing", &format!("{marked}> . 1:1(0) ack 101 win 9900"));
    let echoed =
        format!("{marked}> E. 1:1(0) ack 101 win 9900\n+0.01 < WP. 101:201(100) ack 1\n+0.01 ");
    marks_kept(&format!("{echoed}> . 1:1(0) ack 201 win 9800"));
    marks_broken("ece-without-ce", &format!("{echoed}> E. 1:1(0) ack 201 win 9800"));
    marks_broken("ece-without-ce", "< P. 1:101(100) ack 1\n+0.01 > E. 1:1(0) ack 101 win 9900");
}

#[test]
fn a_mark_reduces_the_window() {
    let ect = |from: u32, to: u32| segments(from, to).replace("> .", "> [ect0] .");
    let cwr = |from: u32, to: u32| ect(from, from + 1).replace(" . ", " W. ") + &ect(from + 1, to);
    let before = format!("{}+0.01 {}{}", ect(0, 10), acks(0, 10), ect(10, 30));
    let marked =
        format!("{before}+0.01 {}+0.01 {}", "< E. 1:1(0) ack 12001\n", "< . 1:1(0) ack 30001\n");
    marks_kept(&format!("{marked}{}+0.01 {}", cwr(30, 46), ack(46)));
    marks_broken("mark-response", &format!("{marked}{}+0.01 {}", cwr(30, 52), ack(52)));
}

/// A loss in a window that a mark has reduced is part of the same congestion (RFC 3168 section 6.1.2). That it was none gives
/// nothing back: the mark stays.
#[test]
fn a_false_alarm_does_not_take_a_mark_back() {
    let ect = |from: u32, to: u32| segments(from, to).replace("> .", "> [ect0] .");
    let cwr = |from: u32, to: u32| ect(from, from + 1).replace(" . ", " W. ") + &ect(from + 1, to);
    let before = format!("{}+0.01 {}{}", ect(0, 10), acks(0, 10), ect(10, 30));
    let alarm = |echoed: &str| {
        let lost = format!("{}{}", sacks(16, 20), segments(16, 17));
        format!("{before}+0.01 {echoed}+0.01 {lost}+0.01 < . 1:1(0) ack 32001 <sack 16001:17001>\n")
    };
    let marked =
        alarm(&format!("< E. 1:1(0) ack 12001\n+0.01 < E. 1:1(0) ack 16001\n{}", cwr(30, 32)));
    let unmarked = alarm(&format!("< . 1:1(0) ack 16001\n{}", ect(30, 32)));
    marks_kept(&format!("{marked}{}+0.01 {}", ect(32, 48), ack(48)));
    marks_broken("congestion-avoidance", &format!("{marked}{}+0.01 {}", ect(32, 54), ack(54)));
    marks_kept(&format!("{unmarked}{}+0.01 {}", ect(32, 54), ack(54)));
}

#[test]
fn a_syn_that_was_answered_was_not_lost() {
    let syn_ack = |ms: u32| format!("> S. 0:0(0) ack 1 win 10000 <mss 1000,TS val {ms} ecr 100>\n");
    let (first, second, third) = (syn_ack(7), syn_ack(1007), syn_ack(3007));
    let open = |echo: u32| {
        format!(
            "law reno\n< S 0:0(0) win 60000 <mss 1000,TS val 100 ecr 0>\n{first}+1 {second}+2 {third}\
             +0.1 < . 1:1(0) ack 1 <TS val 3200 ecr {echo}>\n\
             > . 1:901(900) ack 1 <TS val 3107 ecr 3200>\n> . 901:1801(900) ack 1 <TS val 3107 ecr 3200>\n\
             +0.1 < . 1:1(0) ack 1801 <TS val 3300 ecr 3107>"
        )
    };
    keeps(&open(7));
    breaks("initial-window-after-lost-syn", &open(3007));
}

#[test]
fn veno_reduces_its_window_and_not_the_flight() {
    let script = |law: &str| {
        let narrow = format!("{law}{}", SACK.replace("win 60000", "win 10000"));
        let wide = ack(20).replace("ack 20001", "ack 20001 win 60000");
        let (ten, more) = (segments(0, 10), segments(10, 20));
        let again = format!("> . 10001:11001(1000) ack 1\n+0.01 {wide}");
        let burst = segments(20, 35);
        format!(
            "{narrow}{ten}+0.01 {}{more}+0.01 {}{again}{burst}+0.01 {}",
            acks(0, 10),
            sacks(10, 14),
            ack(35)
        )
    };
    keeps(&script("law veno"));
    breaks("loss-response", &script("law reno"));
}

#[test]
fn the_window_grows_at_once_where_the_timer_may_have_sent_again() {
    let sent = format!("{}+0.01 < . 1:1(0) ack 1\n", segments(0, 4));
    let again = format!("+0.3 {}+0.01 {}", segments(0, 1), ack(4));
    kept(&format!("{sent}{again}{}+0.01 {}", segments(4, 8), ack(8)));
}

/// The timer sends again what a timeout before has left over; it may have expired once more.
#[test]
fn what_was_sent_between_two_timeouts_belongs_to_the_second() {
    let timeouts = [
        &segments(0, 3),
        "+1 ",
        &segments(0, 1),
        "+0.01 ",
        &ack(1),
        &segments(3, 5),
        "+1 ",
        &segments(1, 2),
        "+0.01 ",
        &ack(3),
        &segments(3, 5),
        "+0.01 ",
        &ack(5),
        &segments(5, 8),
    ]
    .concat();
    kept(&format!("{timeouts}+0.01 {}", ack(8)));
    let lost = format!("{timeouts}+0.01 {}{}+0.01 {}", sacks(5, 8), segments(5, 6), ack(8));
    kept(&format!("{lost}{}+0.01 {}", segments(8, 10), ack(10)));
    broken("loss-response", &format!("{lost}{}+0.01 {}", segments(8, 13), ack(13)));
}

#[test]
fn what_was_sent_into_a_closed_window_was_not_lost_by_congestion() {
    let closed =
        "write 10000\n< . 1:1(0) ack 1 win 0\n+0.3 > . 1:2(1) ack 1\n< . 1:1(0) ack 1 win 0\n";
    let opens = "+0.1 < . 1:1(0) ack 1 win 60000\n";
    let (nine, last) = (segments(0, 9), "> P. 9001:10001(1000) ack 1\n");
    kept(&format!("{closed}{opens}{nine}{last}+0.01 {}", ack(10)));
}
