//! RFC 9331 section 4.3: what a scalable sender makes of marks and losses.

use ackclock_testkit::script::check;

/// A server under Prague whose peer counts marks, with ten segments on their way. Pacing off: the windows alone
/// decide what goes.
const SENDING: &str = "
        set law prague
        set ecn accept-accurate
        set pacing off
        set recovery rfc6675
        set initial_window 10
        listen
        < SAWE 0:0(0) <mss 1000,sackOK>
        > SW. 0:0(0) ack 1 <mss 1000,sackOK,accecn0 1 0 1>
        +0.01 < W. 1:1(0) ack 1 <accecn0 1 0 1>
        accept
        write 40000 takes 40000
        > [ect1] AE. 1:1001(1000) ack 1
        > [ect1] AE. 1001:2001(1000) ack 1
        > [ect1] AE. 2001:3001(1000) ack 1
        > [ect1] AE. 3001:4001(1000) ack 1
        > [ect1] AE. 4001:5001(1000) ack 1
        > [ect1] AE. 5001:6001(1000) ack 1
        > [ect1] AE. 6001:7001(1000) ack 1
        > [ect1] AE. 7001:8001(1000) ack 1
        > [ect1] AE. 8001:9001(1000) ack 1
        > [ect1] AE. 9001:10001(1000) ack 1
";

/// The first mark counts as if all were marked, and ends slow start; those of the same round trip are answered with
/// it. No mark is answered with CWR.
#[test]
fn the_first_mark_halves_the_window_and_others_of_its_round_trip_do_not() {
    check(&format!(
        "{SENDING}
        +0.01 < AW. 1:1(0) ack 2001 <accecn1 1001 1000>
        info cwnd 5000
        +0.001 < AWE. 1:1(0) ack 4001 <accecn1 2001 2000>
        info cwnd 5000
        +0.001 < AWE. 1:1(0) ack 6001 <accecn1 4001 2000>
        > [ect1] AE. 10001:11001(1000) ack 1
        info cwnd 5000
        info told_ce_packets 2
        "
    ));
}

/// Item 2: a loss is answered as Reno answers it.
#[test]
fn a_loss_halves_the_flight() {
    check(&format!(
        "{SENDING}
        +0.01 < AE. 1:1(0) ack 1 <sack 1001:4001>
        > [not-ect] AE. 1:1001(1000) ack 1
        info ssthresh 5000
        "
    ));
}
