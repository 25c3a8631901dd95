//! RFC 9331 sections 4.1 and 4.2: which packets ask for the treatment of L4S.

use ackclock_testkit::script::check;

/// A server under Prague whose peer counts marks.
const COUNTED: &str = "
        set law prague
        set ecn accept-accurate
        set initial_window 10
        listen
        < SAWE 0:0(0) <mss 1000,sackOK>
        > [not-ect] SW. 0:0(0) ack 1 <mss 1000,sackOK,accecn0 1 0 1>
        +0.01 < W. 1:1(0) ack 1 <accecn0 1 0 1>
        accept
";

/// Section 4.1: new data are ECT(1). RFC 3168 stands for the rest: acks without data (section 6.1.4) and
/// retransmissions (section 6.1.5) are not ECN-capable.
#[test]
fn new_data_is_ect1_and_acks_and_retransmissions_are_not_capable() {
    check(&format!(
        "{COUNTED}
        < [ect0] AE. 1:1001(1000) ack 1
        < [ect0] AE. 1001:2001(1000) ack 1
        > [not-ect] AE. 1:1(0) ack 2001 <accecn0 2001>
        write 100
        > [ect1] PAE. 1:101(100) ack 2001
        +0.2 > [not-ect] PAE. 1:101(100) ack 2001
        +0.01 < AE. 2001:2001(0) ack 101
        write 100
        > [ect1] PAE. 101:201(100) ack 2001
        "
    ));
}

/// Each end chooses for itself (section 4.3): a classic law beside it stays with ECT(0).
#[test]
fn a_classic_law_stays_with_ect0_where_marks_are_counted() {
    check(&format!(
        "{}
        write 100
        > [ect0] PAE. 1:101(100) ack 1
        ",
        COUNTED.replace("prague", "cubic")
    ));
}

/// Section 4.2: without feedback of the extent of marking nothing is ECT(1), and the law is a classic one: after
/// a mark CUBIC goes on with 0.85 of the flight (RFC 8511).
#[test]
fn where_marks_are_not_counted_data_is_ect0_and_prague_is_cubic() {
    check(
        "
        set law prague
        set ecn request-accurate
        set initial_window 10
        connect
        > SAWE 0:0(0) <mss 1000,sackOK>
        +0.01 < SE. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        write 2000 takes 2000
        > [ect0] . 1:1001(1000) ack 1
        > [ect0] P. 1001:2001(1000) ack 1
        +0.01 < E. 1:1(0) ack 1001
        info cwnd 1700
        write 500
        > [ect0] PW. 2001:2501(500) ack 1
        ",
    );
}

#[test]
fn without_ecn_nothing_is_capable() {
    check(
        "
        set law prague
        set ecn request-accurate
        connect
        > SAWE 0:0(0) <mss 1000,sackOK>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        write 100
        > [not-ect] P. 1:101(100) ack 1
        ",
    );
}

/// RFC 9768 section 3.2.2.4: feedback that means nothing ends the use of ECT(1) too.
#[test]
fn feedback_that_is_not_believed_ends_ect1() {
    check(
        "
        set law prague
        set ecn request-accurate
        connect
        > SAWE 0:0(0) <mss 1000,sackOK>
        +0.01 < SW. 0:0(0) ack 1 <mss 1000,sackOK>
        > W. 1:1(0) ack 1 <accecn0 1 0 1>
        write 100
        > [ect1] PAE. 1:101(100) ack 1 <accecn0 1 0 1>
        +0.01 < . 1:1(0) ack 101
        write 100
        > [not-ect] PAE. 101:201(100) ack 1
        ",
    );
}
