//! Scripts that must fail, and how they say so.

use super::{IcmpError, Packet, run};

/// What a script that does not hold says.
fn complaint(script: &str) -> String {
    run(script).expect_err("the script must not hold").to_string()
}

#[test]
fn segments_are_shown_as_they_are_written() {
    for text in [
        "- 1:1(0)",
        "S 0:0(0) win 65535 <mss 1460,sackOK,TS val 1000 ecr 0,wscale 7>",
        "SEW 0:0(0)",
        "SE. 0:0(0) ack 1",
        "FP. -7:3(10) ack -1",
        "[ce] U. 1:3(2) ack 9 win 7 urg 2 <sack 1:2 3:4>",
    ] {
        let packet: Packet = text.parse().expect(text);
        assert_eq!(packet.to_string(), text);
    }
}

#[test]
fn icmp_errors_are_shown_as_they_are_written() {
    for text in ["port_unreachable 0", "frag_needed -7 mtu 800", "too_big 1 mtu 1280"] {
        let error: IcmpError = text.parse().expect(text);
        assert_eq!(error.to_string(), format!("icmp {text}"));
    }
}

#[test]
fn what_cannot_be_read_is_named() {
    let cases = [
        ("> Q 0:0(0)", "`Q` in `Q` is no flag"),
        ("> S 0:1(0)", "`0:1(0)`: the length is not END - FIRST"),
        ("> S 0-1", "`0-1` is not FIRST:END(LENGTH)"),
        ("> . 1:1(0)", "the flag `.` and `ack N` go together"),
        ("> S 0:0(0) win", "`win` needs a number"),
        ("> S 0:0(0) win 70000", "`70000` is no number that fits here"),
        ("> S 0:0(0) <mss>", "`mss` is no option"),
        ("> S 0:0(0) <mss 1", "`>` is missing at the end"),
        ("+0.x quiet", "`0.x` is no time in seconds"),
        ("0.0000000001 quiet", "`0.0000000001` is no time in seconds"),
        ("set colour blue", "`set colour blue` is no setting"),
        ("set mss 0", "mss must be 1 to 65495 bytes"),
        ("icmp colour 1", "`colour` is no ICMP error"),
        ("icmp frag_needed 1 800", "`icmp frag_needed 1 800` is not icmp NAME SEQ [mtu N]"),
        ("icmp too_big 1 mtu 1280", "`too_big` is no error of this version of IP"),
        ("jump", "`jump` is no step"),
        ("write 1", "there is no open connection"),
    ];
    for (line, problem) in cases {
        let failure = run(line).expect_err(line);
        assert_eq!(failure.problem, problem, "{line}");
    }
}

#[test]
fn another_packet_is_shown_beside_the_expected_one() {
    let script = "
        connect
        > S 0:0(0) win 1 <mss 1000>";
    assert_eq!(
        complaint(script),
        "script line 3: > S 0:0(0) win 1 <mss 1000>
expected 0.000 > S 0:0(0) win 1 <mss 1000>
came     0.000 > S 0:0(0) win 10000 <mss 1000,sackOK>
packets so far:
  0.000 > S 0:0(0) win 10000 <mss 1000,sackOK>"
    );
}

#[test]
fn a_packet_that_comes_too_early_or_not_at_all_fails() {
    let early = run("connect\n > S 0:0(0) <mss 1000,sackOK>\n +1.5 > S 0:0(0)").unwrap_err();
    assert_eq!(
        (early.line, early.problem.as_str()),
        (3, "expected 1.500 > S 0:0(0)\ncame     1.000 > S 0:0(0) win 10000 <mss 1000,sackOK>")
    );
    let missing = run("connect\n > S 0:0(0) <mss 1000,sackOK>\n +0.5 > S 0:0(0)").unwrap_err();
    assert_eq!(
        missing.problem,
        "expected 0.500 > S 0:0(0)\ncame     nothing; the next timer is due at 1.000"
    );
}

#[test]
fn what_no_line_expects_fails() {
    let problem = "no line expects 0.000 > S 0:0(0) win 10000 <mss 1000,sackOK>";
    assert_eq!(run("connect").unwrap_err().problem, problem);
    assert_eq!(run("connect\nstate SYN-SENT").unwrap_err().problem, problem);
}

#[test]
fn packets_of_the_peer_and_of_routers_are_told() {
    let script = "established\n < P. 1:11(10) ack 1\n icmp host_unreachable 1\n write 1 takes 0";
    let failure = run(script).unwrap_err();
    let told = ["0.010 < P. 1:11(10) ack 1 win 60000", "0.010 icmp host_unreachable 1"];
    assert!(failure.packets.ends_with(&told.map(String::from)), "{failure}");
}

#[test]
fn values_are_compared() {
    let script = "established\n info mss 999";
    assert_eq!(run(script).unwrap_err().problem, "expected 999\nfound    1000");
    assert_eq!(run("established\n 0 quiet").unwrap_err().problem, "it is 0.010 already");
    assert_eq!(
        run("established\n set mss 3").unwrap_err().problem,
        "settings come before everything else"
    );
    assert_eq!(
        run("established\n info colour 3").unwrap_err().problem,
        "Info has no number `colour` that scripts know"
    );
    assert_eq!(run("established\n read 1").unwrap_err().problem, "expected 1\nfound    0");
}
