//! Accurate ECN (RFC 9768).

use crate::player::{breaks, keeps};

/// A client that asks for AccECN, whose SYN-ACK comes with this codepoint, and its answer.
fn client(codepoint: &str, answer: &str) -> String {
    format!(
        "
        > SAWE 0:0(0) win 10000 <mss 1000,sackOK>
        +0.01 < [{codepoint}] SW. 0:0(0) ack 1 win 60000 <mss 1000,sackOK>
        > {answer} 1:1(0) ack 1
        +0.01 quiet
        "
    )
}

/// A server that is asked for AccECN by a SYN with this codepoint, and its SYN-ACK.
fn server(codepoint: &str, syn: &str, syn_ack: &str) -> String {
    format!(
        "
        < [{codepoint}] {syn} 0:0(0) win 60000 <mss 1000,sackOK>
        > {syn_ack} 0:0(0) ack 1 win 10000 <mss 1000,sackOK>
        "
    )
}

#[test]
fn a_syn_asks_for_one_of_three_kinds() {
    for flags in ["S", "SWE", "SAWE"] {
        keeps(&format!("> {flags} 0:0(0) win 10000 <mss 1000>"));
    }
    for flags in ["SE", "SW", "SA", "SAE", "SAW"] {
        breaks("syn-ecn-combination", &format!("> {flags} 0:0(0) win 10000 <mss 1000>"));
    }
    breaks("accecn-option-on-syn", "> SAWE 0:0(0) win 10000 <mss 1000,accecn0 1 0 1>");
}

#[test]
fn a_syn_ack_tells_how_the_syn_came() {
    let codepoints = [("not-ect", "SW."), ("ect1", "SWE."), ("ect0", "SA."), ("ce", "SAW.")];
    for (codepoint, right) in codepoints {
        for (_, answer) in codepoints {
            let script = server(codepoint, "SAWE", answer);
            match answer == right {
                true => keeps(&script),
                false => breaks("syn-ack-tells-other-codepoint", &script),
            }
        }
        // Who knows nothing of it may agree to less.
        keeps(&server(codepoint, "SAWE", "SE."));
        keeps(&server(codepoint, "SAWE", "S."));
    }
    // Of the latest one.
    let again = "+1 < [ce] SAWE 0:0(0) win 60000 <mss 1000,sackOK>\n+0.01 > ";
    let second = |flags| {
        format!("{}{again}{flags} 0:0(0) ack 1 <mss 1000,sackOK>", server("ect0", "SAWE", "SA."))
    };
    keeps(&second("SAW."));
    breaks("syn-ack-tells-other-codepoint", &second("SA."));
}

#[test]
fn a_syn_ack_agrees_to_what_was_asked_for() {
    keeps(&server("not-ect", "SWE", "SE."));
    keeps(&server("not-ect", "SWE", "S."));
    breaks("accecn-not-asked-for", &server("not-ect", "SWE", "SW."));
    keeps(&server("not-ect", "S", "S."));
    breaks("ecn-not-asked-for", &server("not-ect", "S", "SW."));
    breaks("ecn-not-asked-for", &server("not-ect", "S", "SE."));
    breaks("syn-ack-mirrors-ecn", &server("not-ect", "SAWE", "SAWE."));
    breaks("syn-ack-ecn-combination", &server("not-ect", "SAWE", "SAE."));
}

#[test]
fn one_connection_has_one_kind_of_ecn() {
    let again = |flags| {
        format!("{}+1 > {flags} 0:0(0) ack 1 <mss 1000,sackOK>", server("not-ect", "SAWE", "SW."))
    };
    keeps(&again("S."));
    breaks("ecn-modes-mixed", &again("SE."));
    let syns = "> SAWE 0:0(0) win 10000 <mss 1000>\n+1 > ";
    keeps(&format!("{syns}S 0:0(0) win 10000 <mss 1000>"));
    breaks("ecn-modes-mixed", &format!("{syns}SWE 0:0(0) win 10000 <mss 1000>"));
}

#[test]
fn the_ack_of_a_syn_ack_tells_how_that_came() {
    for (codepoint, answer) in [("not-ect", "W."), ("ect1", "WE."), ("ect0", "A."), ("ce", "AW.")] {
        keeps(&client(codepoint, answer));
        breaks("ace-of-syn-ack-missing", &client(codepoint, "AE."));
    }
    // An answer with text has the count.
    let text = client("not-ect", "AE.").replace("1:1(0) ack 1\n", "1:101(100) ack 1\n");
    keeps(&format!("{text}+0.01 < AE. 1:1(0) ack 101"));
    // A SYN-ACK that comes again is answered so again.
    let again = "+1 < SW. 0:0(0) ack 1 <mss 1000,sackOK>\n> W. 1:1(0) ack 1";
    keeps(&format!("{}{again}", client("not-ect", "W.")));
    // A marked one counts.
    let data = |ace| {
        format!("{}> {ace} 1:101(100) ack 1\n+0.01 < AE. 1:1(0) ack 101", client("ce", "AW."))
    };
    keeps(&data("AW."));
    breaks("ace-is-not-the-count", &data("AE."));
}

/// Segments of the peer with 100 bytes each, of these codepoints.
fn data(from: u32, codepoints: &[&str]) -> String {
    let line = |(n, codepoint): (u32, &&str)| {
        let start = (from + n) * 100 + 1;
        format!("< [{codepoint}] AE. {start}:{}(100) ack 1\n", start + 100)
    };
    (0..).zip(codepoints).map(line).collect()
}

#[test]
fn ace_counts_marks() {
    let open = client("not-ect", "W.");
    let acked = |marks: &[&str], flags: &str| {
        let end = marks.len() * 100 + 1;
        format!("{open}{}+0.01 > {flags} 1:1(0) ack {end}", data(0, marks))
    };
    let flags = [".", "E.", "W.", "WE.", "A.", "AE.", "AW.", "AWE."];
    for marks in 0..=6 {
        let came = [&vec!["ce"; marks][..], &["ect0"]].concat();
        for (value, flags) in flags.into_iter().enumerate() {
            let script = acked(&came, flags);
            match value == (5 + marks) % 8 {
                true => keeps(&script),
                false => breaks("ace-is-not-the-count", &script),
            }
        }
    }
}

#[test]
fn ace_goes_on_where_it_was() {
    let open = client("not-ect", "W.");
    let twice = |second| {
        format!(
            "{open}{}+0.01 > AWE. 1:1(0) ack 201\n+0.01 {}+0.01 > {second} 1:1(0) ack 401",
            data(0, &["ce", "ce"]),
            data(2, &["ce", "ect0"])
        )
    };
    keeps(&twice("."));
    breaks("ace-is-not-the-count", &twice("AWE."));
    // What comes twice counts once; what the host may not have seen yet may count.
    let first = data(0, &["ce"]);
    let next = data(1, &["ect0"]);
    keeps(&format!(
        "{open}{first}> AW. 1:1(0) ack 101\n+0.01 {first}> AW. 1:1(0) ack 101\n+0.01 {next}+0.01 > AW. 1:1(0) ack 201"
    ));
    let at_once = |flags| format!("{open}{}> {flags} 1:1(0) ack 101", data(0, &["ce"]));
    keeps(&at_once("AE."));
    keeps(&at_once("AW."));
    breaks("ace-is-not-the-count", &at_once("AWE."));
}

#[test]
fn options_tell_the_bytes_of_each_codepoint() {
    let open = client("not-ect", "W.");
    let came = data(0, &["ect0", "ce", "ect1", "not-ect"]);
    let told = |option| format!("{open}{came}+0.01 > AW. 1:1(0) ack 401 <{option}>");
    for right in ["accecn0 101 100 101", "accecn1 101 100", "accecn0 101", "accecn0"] {
        keeps(&told(right));
    }
    for wrong in ["accecn0 100 100 101", "accecn0 101 101 101", "accecn1 1", "accecn0 101 100 102"]
    {
        breaks("accecn-bytes-are-not-the-count", &told(wrong));
    }
}

#[test]
fn seven_marks_are_acknowledged() {
    let open = client("not-ect", "W.");
    let end = "+0.01 < [ect0] AE. 701:801(100) ack 1\n> . 1:1(0) ack 801 <accecn0 101 700>";
    let script = |marks: usize| {
        let came = [&vec!["ect0"; 7 - marks][..], &vec!["ce"; marks]].concat();
        format!("set segments_per_ack 9\n{open}{}{end}", data(0, &came))
    };
    let findings = crate::player::findings(&script(7));
    assert!(findings.counts.contains_key("ce-marks-not-acknowledged"), "{findings:?}");
    let findings = crate::player::findings(&script(6));
    assert!(!findings.counts.contains_key("ce-marks-not-acknowledged"), "{findings:?}");
}

#[test]
fn after_a_syn_ack_without_ecn_a_server_sends_no_ect() {
    let open = |again| {
        format!(
            "{}{again}+0.01 < W. 1:1(0) ack 1\n+0.01 > [ect0] AE. 1:101(100) ack 1\n+0.01 < AE. 1:1(0) ack 101",
            server("not-ect", "SAWE", "SW.")
        )
    };
    keeps(&open(""));
    breaks("ect-after-syn-without-ecn", &open("+1 > S. 0:0(0) ack 1 <mss 1000,sackOK>\n"));
    let syn = "+1 < S 0:0(0) win 60000 <mss 1000,sackOK>\n> S. 0:0(0) ack 1 <mss 1000,sackOK>\n";
    breaks("ect-after-syn-without-ecn", &open(syn));
    let plain = open("").replace("< W.", "< .");
    breaks("ect-after-syn-without-ecn", &plain);
}
