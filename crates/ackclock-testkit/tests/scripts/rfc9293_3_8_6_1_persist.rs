//! RFC 9293 section 3.8.6.1: probing a closed window. With a round-trip time of 10 ms the
//! retransmission timeout is its minimum of 200 ms.

use ackclock_testkit::script::check;

/// 2,000 bytes are acknowledged, 3,000 more are queued, and the window is closed.
const CLOSED: &str = "established win 2000
        write 5000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        < . 1:1(0) ack 2001 win 0";

#[track_caller]
fn with_closed_window(script: &str) {
    check(&format!("{CLOSED}\n {script}"));
}

#[test]
fn probes_carry_one_byte_and_go_further_and_further_apart() {
    // SHLD-29 and SHLD-30.
    with_closed_window(
        "
        +0.2 > . 2001:2002(1) ack 1
        +0.4 > . 2001:2002(1) ack 1
        +0.8 > . 2001:2002(1) ack 1
        +1.6 > . 2001:2002(1) ack 1
        ",
    );
}

#[test]
fn answers_keep_the_connection_but_do_not_hurry_the_probes() {
    // MUST-37.
    with_closed_window(
        "
        +0.2 > . 2001:2002(1) ack 1
        < . 1:1(0) ack 2001 win 0
        +0.4 > . 2001:2002(1) ack 1
        < . 1:1(0) ack 2001 win 0
        +0.8 > . 2001:2002(1) ack 1
        < . 1:1(0) ack 2001 win 0
        info retransmitted 2
        info timeouts 0
        info cwnd 10000
        ",
    );
}

#[test]
fn a_probe_that_is_taken_counts() {
    with_closed_window(
        "
        +0.2 > . 2001:2002(1) ack 1
        < . 1:1(0) ack 2002 win 0
        info send_queue 2999
        +0.4 > . 2002:2003(1) ack 1
        ",
    );
}

#[test]
fn when_the_window_opens_everything_follows_at_once() {
    with_closed_window(
        "
        +0.2 > . 2001:2002(1) ack 1
        < . 1:1(0) ack 2001 win 0
        +0.1 < . 1:1(0) ack 2001 win 5000
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > P. 4001:5001(1000) ack 1
        ",
    );
}

#[test]
fn what_is_in_flight_when_the_window_closes_is_probed_with_its_first_byte() {
    check(
        "
        established
        write 1000
        > P. 1:1001(1000) ack 1
        < . 1:1(0) ack 1 win 0
        +0.2 > . 1:2(1) ack 1
        < . 1:1(0) ack 1 win 9000
        > P. 1:1001(1000) ack 1
        ",
    );
}

#[test]
fn a_fin_probes_too() {
    check(
        "
        established win 1000
        write 1000
        > P. 1:1001(1000) ack 1
        < . 1:1(0) ack 1001 win 0
        shutdown
        +0.2 > F. 1001:1001(0) ack 1
        +0.4 > F. 1001:1001(0) ack 1
        < . 1:1(0) ack 1002 win 0
        state FIN-WAIT-2
        ",
    );
}

#[test]
fn acks_and_resets_into_a_closed_window_lie_at_its_edge() {
    with_closed_window(
        "
        +0.2 > . 2001:2002(1) ack 1
        < P. 1:11(10) ack 2001 win 0
        +0.040 > . 2001:2001(0) ack 11
        abort
        > R. 2001:2001(0) ack 11
        ",
    );
}

#[test]
fn the_user_timeout_ends_an_unanswered_series() {
    check(&format!(
        "set user_timeout 1
        {CLOSED}
        +0.2 > . 2001:2002(1) ack 1
        +0.4 > . 2001:2002(1) ack 1
        +0.4 > R. 2001:2001(0) ack 1
        error UserTimeout
        "
    ));
}

#[test]
fn a_peer_that_answers_is_not_given_up() {
    // MUST-37; more than a quarter of an hour, with probes two minutes apart in the end.
    let answered = "
        > . 2001:2002(1) ack 1
        < . 1:1(0) ack 2001 win 0";
    let gaps = [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4];
    let gaps = gaps.into_iter().chain([120.0; 7]);
    let probes: String = gaps.map(|gap| answered.replacen('>', &format!("+{gap} >"), 1)).collect();
    with_closed_window(&[&probes, "\n state ESTABLISHED"].concat());
}
