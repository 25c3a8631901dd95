//! RFC 9768 section 3.1: which kind of ECN the SYNs agree on, and what they feed back.

use ackclock_testkit::script::check;

/// What our client answers to a SYN-ACK with these flags: the ack, and then data.
fn client(syn_ack: &str, ack: &str, data: &str) {
    check(&format!(
        "
        set ecn request-accurate
        connect
        > [not-ect] SAWE 0:0(0) <mss 1000,sackOK>
        +0.01 < {syn_ack} 0:0(0) ack 1 <mss 1000,sackOK>
        > [not-ect] {ack}
        write 100
        > {data}
        "
    ));
}

const AGREED_ACK: &str = "W. 1:1(0) ack 1 <accecn0 1 0 1>";
const PLAIN_ACK: &str = ". 1:1(0) ack 1";

/// Table 2, first block: the server feeds back how the SYN has come. It was not ECN-capable: if it came so, some
/// box rewrites the codepoint, and nothing of ours is ECN-capable (section 3.2.2.3).
#[test]
fn table_2_a_server_with_accecn_agrees_and_tells_how_the_syn_came() {
    client("SW.", AGREED_ACK, "[ect0] PAE. 1:101(100) ack 1 <accecn0 1 0 1>");
    let mangled = "[not-ect] PAE. 1:101(100) ack 1 <accecn0 1 0 1>";
    client("SWE.", AGREED_ACK, mangled);
    client("SA.", AGREED_ACK, mangled);
    client("SAW.", AGREED_ACK, mangled);
}

/// Table 2, second block, and section 3.1.3: the combination without a meaning agrees, and the SYN has come as it was.
#[test]
fn table_2_a_server_with_less_gets_less() {
    client("SAE.", AGREED_ACK, "[ect0] PAE. 1:101(100) ack 1 <accecn0 1 0 1>");
    client("SE.", PLAIN_ACK, "[ect0] P. 1:101(100) ack 1");
    client("S.", PLAIN_ACK, "[not-ect] P. 1:101(100) ack 1");
}

/// Table 2, fourth block.
#[test]
fn table_2_a_server_that_sends_back_what_it_got_gets_no_ecn() {
    client("SAWE.", PLAIN_ACK, "[not-ect] P. 1:101(100) ack 1");
}

/// What our server with `ecn` answers to a SYN.
fn server(ecn: &str, syn: &str, syn_ack: &str) {
    check(&format!(
        "
        set ecn {ecn}
        listen
        < {syn} 0:0(0) <mss 1000,sackOK>
        > [not-ect] {syn_ack} <mss 1000,sackOK>
        "
    ));
}

/// The same, where it agrees to AccECN.
fn server_agrees(syn: &str, syn_ack: &str) {
    for ecn in ["accept-accurate", "request-accurate"] {
        check(&format!(
            "
            set ecn {ecn}
            listen
            < {syn} 0:0(0) <mss 1000,sackOK>
            > [not-ect] {syn_ack} 0:0(0) ack 1 <mss 1000,sackOK,accecn0 1 0 1>
            "
        ));
    }
}

/// Table 2, first block, and section 3.1.3: combinations without a meaning ask for AccECN.
#[test]
fn table_2_our_server_agrees_and_tells_how_the_syn_came() {
    let codepoints =
        [("[not-ect]", "SW."), ("[ect1]", "SWE."), ("[ect0]", "SA."), ("[ce]", "SAW.")];
    for (codepoint, answer) in codepoints {
        for flags in ["SAWE", "SE", "SW", "SA", "SAE", "SAW"] {
            server_agrees(&format!("{codepoint} {flags}"), answer);
        }
    }
}

/// Table 2, third block.
#[test]
fn table_2_our_server_does_with_less() {
    for ecn in ["accept-accurate", "request-accurate"] {
        server(ecn, "SWE", "SE. 0:0(0) ack 1");
        server(ecn, "S", "S. 0:0(0) ack 1");
    }
    // Who knows nothing of it takes the first two flags for what they were.
    server("accept", "SAWE", "SE. 0:0(0) ack 1");
    server("off", "SAWE", "S. 0:0(0) ack 1");
}

/// Section 3.1.4.1: asked for twice, then no more.
#[test]
fn a_syn_without_an_answer_asks_once_more() {
    check(
        "
        set ecn request-accurate
        connect
        > SAWE 0:0(0) <mss 1000,sackOK>
        +1 > SAWE 0:0(0) <mss 1000,sackOK>
        +2 > S 0:0(0) <mss 1000,sackOK>
        +0.01 < SW. 0:0(0) ack 1 <mss 1000,sackOK>
        # Section 3.1.4.1: the mode is that of the first SYN-ACK.
        > W. 1:1(0) ack 1 <accecn0 1 0 1>
        write 100
        > [ect0] PAE. 1:101(100) ack 1 <accecn0 1 0 1>
        ",
    );
}

/// RFC 3168 section 6.1.1.1: classic ECN is not used after a SYN that did not ask for it.
#[test]
fn a_classic_answer_counts_unless_a_syn_without_ecn_went() {
    for (waits, data) in [(1, "[ect0] P."), (3, "[not-ect] P.")] {
        let syns = ["+1 > SAWE 0:0(0) <mss 1000,sackOK>", "+2 > S 0:0(0) <mss 1000,sackOK>"];
        let syns = syns[..usize::from(waits > 1) + 1].join("\n");
        check(&format!(
            "
            set ecn request-accurate
            connect
            > SAWE 0:0(0) <mss 1000,sackOK>
            {syns}
            +0.01 < SE. 0:0(0) ack 1 <mss 1000,sackOK>
            > . 1:1(0) ack 1
            write 100
            > {data} 1:101(100) ack 1
            "
        ));
    }
}

/// Section 3.2.3.2.2: first without the option, then without AccECN; but the mode stays, and nothing of ours is
/// ECN-capable (section 3.1.5).
#[test]
fn a_syn_ack_without_an_answer_asks_for_less_and_less() {
    check(
        "
        set ecn accept-accurate
        listen
        < SAWE 0:0(0) <mss 1000,sackOK>
        > SW. 0:0(0) ack 1 <mss 1000,sackOK,accecn0 1 0 1>
        +1 > SW. 0:0(0) ack 1 <mss 1000,sackOK>
        +2 > S. 0:0(0) ack 1 <mss 1000,sackOK>
        +0.01 < W. 1:1(0) ack 1
        accept
        write 100
        > [not-ect] PAE. 1:101(100) ack 1
        +0.01 < [ce] AE. 1:101(100) ack 101
        > AW. 101:101(0) ack 101
        info ce_packets 1
        ",
    );
}

/// Section 3.1.5: the codepoint of the latest SYN is fed back.
#[test]
fn a_syn_that_comes_again_is_answered_by_how_that_came() {
    check(
        "
        set ecn accept-accurate
        listen
        < SAWE 0:0(0) <mss 1000,sackOK>
        > SW. 0:0(0) ack 1 <mss 1000,sackOK,accecn0 1 0 1>
        +0.6 < [ce] SAWE 0:0(0) <mss 1000,sackOK>
        > SAW. 0:0(0) ack 1 <mss 1000,sackOK>
        +0.01 < [ect0] AE. 1:1001(1000) ack 1
        accept
        info ecn 1
        ",
    );
}

/// A server that has sent two SYN-ACKs, of which the first is answered: it came without ECN.
const ANSWERED_ONCE: &str = "
        set ecn accept-accurate
        set timestamps on
        listen
        < SAWE 0:0(0) <mss 1000,sackOK,TS val 100 ecr 0>
        > SW. 0:0(0) ack 1 <mss 1000,sackOK,TS val 1000 ecr 100,accecn0 1 0 1>
        +1 > SW. 0:0(0) ack 1 <mss 1000,sackOK,TS val 2000 ecr 100>
        +0.01 < W. 1:1(0) ack 1 <TS val 1100 ecr 1000>
        accept
        ";

/// Section 3.2.2.1: each SYN-ACK is answered by how it came. Of several answers the later ones are no counters: 2 (no ECN)
/// would be five marks.
#[test]
fn answers_to_several_syn_acks_tell_no_marks() {
    check(&format!(
        "{ANSWERED_ONCE}
        write 988
        > [ect0] PAE. 1:989(988) ack 1 <TS val 2010 ecr 1100>
        +0.01 < W. 1:1(0) ack 1 <TS val 1110 ecr 2000>
        info told_ce_packets 0
        +0.01 < AE. 1:1(0) ack 989 <TS val 1120 ecr 2010>
        info told_ce_packets 0
        write 100
        > [ect0] PAE. 989:1089(100) ack 1 <TS val 2030 ecr 1120>
        +0.01 < AW. 1:1(0) ack 1089 <TS val 1130 ecr 2030>
        info told_ce_packets 1
        "
    ));
}

/// The same where data of the peer has come before the second answer.
#[test]
fn an_answer_to_a_second_syn_ack_behind_data_tells_no_marks() {
    check(&format!(
        "{ANSWERED_ONCE}
        < AE. 1:101(100) ack 1 <TS val 1100 ecr 1000>
        read 100
        write 988
        > [ect0] PAE. 1:989(988) ack 101 <TS val 2010 ecr 1100>
        +0.01 < W. 101:101(0) ack 1 <TS val 1110 ecr 2000>
        info told_ce_packets 0
        +0.01 < AE. 101:101(0) ack 989 <TS val 1120 ecr 2010>
        info told_ce_packets 0
        "
    ));
}

/// Section 3.1.2: both answer as if they had not asked.
#[test]
fn a_simultaneous_open_agrees() {
    check(
        "
        set ecn request-accurate
        connect
        > SAWE 0:0(0) <mss 1000,sackOK>
        < [ect1] SAWE 0:0(0) <mss 1000,sackOK>
        > SWE. 0:0(0) ack 1 <mss 1000,sackOK,accecn0 1 0 1>
        +0.01 < SW. 0:0(0) ack 1 <mss 1000,sackOK>
        > AE. 1:1(0) ack 1
        write 100
        > [ect0] PAE. 1:101(100) ack 1
        ",
    );
}

/// What our server, whose SYN-ACK was answered by an ack with these flags, sends.
fn after_ack(ack: &str, data: &str, window: u32) {
    check(&format!(
        "
        set ecn accept-accurate
        set initial_window 10
        listen
        < SAWE 0:0(0) <mss 1000,sackOK>
        > SW. 0:0(0) ack 1 <mss 1000,sackOK,accecn0 1 0 1>
        +0.01 < {ack} 1:1(0) ack 1
        accept
        info cwnd {window}
        write 100
        > {data} PAE. 1:101(100) ack 1
        # Section 3.2.2.3: marks count all the same, but for a field that is zero (section 3.2.2.1).
        +0.01 < AE. 1:1(0) ack 101
        "
    ));
}

/// Section 3.2.2.1, table 4.
#[test]
fn table_4_the_ack_of_the_syn_ack_tells_how_that_came() {
    after_ack(".", "[not-ect]", 10_000);
    for unused in ["E.", "AE.", "AWE."] {
        after_ack(unused, "[ect0]", 10_000);
    }
    after_ack("W.", "[ect0]", 10_000);
    for mangled in ["WE.", "A."] {
        after_ack(mangled, "[not-ect]", 10_000);
    }
    // Nothing was in flight.
    after_ack("AW.", "[not-ect]", 2_000);
}

/// Section 3.2.2.1, table 3: how the SYN-ACK came goes on an ack without data, though data are queued.
#[test]
fn table_3_the_ack_of_the_syn_ack_goes_alone() {
    let codepoints = [("[not-ect]", "W."), ("[ect1]", "WE."), ("[ect0]", "A."), ("[ce]", "AW.")];
    for (codepoint, ack) in codepoints {
        let counter = if codepoint == "[ce]" { "AW." } else { "AE." };
        check(&format!(
            "
            set ecn request-accurate
            connect
            > SAWE 0:0(0) <mss 1000,sackOK>
            write 100
            +0.01 < {codepoint} SW. 0:0(0) ack 1 <mss 1000,sackOK>
            > {ack} 1:1(0) ack 1 <accecn0 1 0 1>
            > [ect0] P{counter} 1:101(100) ack 1 <accecn0 1 0 1>
            # It comes again, unmarked: r.cep stays.
            +0.1 < SW. 0:0(0) ack 1 <mss 1000,sackOK>
            > W. 101:101(0) ack 1
            "
        ));
    }
}
