//! RFC 7323 section 5: protection against wrapped sequences. The peer's SYN of `established`
//! carries the timestamp 100.

use ackclock_testkit::script::check;

/// In ESTABLISHED with timestamps.
#[track_caller]
fn with_timestamps(script: &str) {
    check(&format!("set timestamps on\n set ack_policy every\n established\n {script}"));
}

#[test]
fn an_old_timestamp_is_answered_and_the_segment_dropped() {
    // Section 5.3, R1.
    with_timestamps(
        "
        < P. 1:11(10) ack 1 <TS val 99 ecr 1010>
        > . 1:1(0) ack 1 <TS val 1010 ecr 100>
        < . 1:1(0) ack 1 <TS val 99 ecr 1010>
        > . 1:1(0) ack 1 <TS val 1010 ecr 100>
        < F. 1:1(0) ack 1 <TS val 99 ecr 1010>
        > . 1:1(0) ack 1 <TS val 1010 ecr 100>
        info paws_dropped 3
        info receive_queue 0
        state ESTABLISHED
        ",
    );
}

#[test]
fn the_same_timestamp_is_not_old() {
    with_timestamps(
        "
        < P. 1:11(10) ack 1 <TS val 100 ecr 1010>
        > . 1:1(0) ack 11 <TS val 1010 ecr 100>
        < P. 11:21(10) ack 1 <TS val 100 ecr 1010>
        > . 1:1(0) ack 21 <TS val 1010 ecr 100>
        ",
    );
}

#[test]
fn before_and_after_are_told_by_half_the_circle() {
    with_timestamps(
        "
        < P. 1:11(10) ack 1 <TS val 2147483748 ecr 1010>      # 2^31 ahead: behind
        > . 1:1(0) ack 1 <TS val 1010 ecr 100>
        < P. 1:11(10) ack 1 <TS val 2147483747 ecr 1010>
        > . 1:1(0) ack 11 <TS val 1010 ecr 2147483747>
        < P. 11:21(10) ack 1 <TS val 4294967295 ecr 1010>
        > . 1:1(0) ack 21 <TS val 1010 ecr 4294967295>
        < P. 21:31(10) ack 1 <TS val 5 ecr 1010>              # it has wrapped
        > . 1:1(0) ack 31 <TS val 1010 ecr 5>
        ",
    );
}

#[test]
fn what_waits_behind_a_hole_is_not_checked_again() {
    // Section 5.3: only when a segment arrives.
    with_timestamps(
        "
        < P. 101:201(100) ack 1 <TS val 500 ecr 1010>
        > . 1:1(0) ack 1 <TS val 1010 ecr 100,sack 101:201>
        < P. 1:101(100) ack 1 <TS val 900 ecr 1010>
        > . 1:1(0) ack 201 <TS val 1010 ecr 900>
        read 200
        ",
    );
}

#[test]
fn a_reset_needs_no_timestamp_and_may_have_an_old_one() {
    for timestamp in ["", "<TS val 3 ecr 0>"] {
        with_timestamps(&format!(
            "
            < R. 1:1(0) ack 1 {timestamp}
            state CLOSED
            error Reset
            "
        ));
    }
}

#[test]
fn what_is_not_next_does_not_set_ts_recent() {
    // Section 5.3, R3: SEG.SEQ <= Last.ACK.sent.
    with_timestamps(
        "
        < P. 101:201(100) ack 1 <TS val 900 ecr 1010>
        > . 1:1(0) ack 1 <TS val 1010 ecr 100,sack 101:201>
        < P. 1:101(100) ack 1 <TS val 500 ecr 1010>
        > . 1:1(0) ack 201 <TS val 1010 ecr 500>
        ",
    );
}

#[test]
fn what_lies_outside_the_window_does_not_set_ts_recent() {
    with_timestamps(
        "
        < P. 20001:20101(100) ack 1 <TS val 900 ecr 1010>
        > . 1:1(0) ack 1 <TS val 1010 ecr 100>
        < . -1:-1(0) ack 1 <TS val 901 ecr 1010>
        > . 1:1(0) ack 1 <TS val 1010 ecr 100>
        < P. 1:101(100) ack 1 <TS val 500 ecr 1010>
        > . 1:1(0) ack 101 <TS val 1010 ecr 500>
        ",
    );
}

#[test]
fn after_24_days_of_silence_any_timestamp_is_taken() {
    // Section 5.5.
    with_timestamps(
        "
        +2073600 < P. 1:11(10) ack 1 <TS val 3 ecr 1010>
        > . 1:1(0) ack 1
        +1 < P. 1:11(10) ack 1 <TS val 3 ecr 1010>
        > . 1:1(0) ack 11
        ",
    );
}

#[test]
fn a_half_open_connection_checks_too() {
    check(
        "
        set timestamps on
        listen
        < S 0:0(0) <mss 1000,sackOK,TS val 100 ecr 0>
        > S. 0:0(0) ack 1 <mss 1000,sackOK,TS val 1000 ecr 100>
        < . 1:1(0) ack 1 <TS val 99 ecr 1000>
        > . 1:1(0) ack 1 <TS val 1000 ecr 100>
        < . 1:1(0) ack 1 <TS val 100 ecr 1000>
        accept
        state ESTABLISHED
        ",
    );
}

#[test]
fn time_wait_checks_too() {
    with_timestamps(
        "
        shutdown
        > F. 1:1(0) ack 1
        < F. 1:1(0) ack 2 <TS val 101 ecr 1010>
        > . 2:2(0) ack 2 <TS val 1010 ecr 101>
        < F. 1:1(0) ack 2 <TS val 100 ecr 1010>
        > . 2:2(0) ack 2 <TS val 1010 ecr 101>
        +59.9 < F. 1:1(0) ack 2 <TS val 100 ecr 1010>   # old: the clock does not begin anew
        > . 2:2(0) ack 2
        +0.1 < F. 1:1(0) ack 2 <TS val 101 ecr 1010>
        > R 2:2(0)
        ",
    );
}

#[test]
fn a_segment_without_timestamp_is_dropped_silently() {
    // Section 3.2.
    with_timestamps(
        "
        < P. 1:11(10) ack 1
        < . 1:1(0) ack 1
        < F. 1:1(0) ack 1
        info paws_dropped 3
        state ESTABLISHED
        info receive_queue 0
        < P. 1:11(10) ack 1 <TS val 101 ecr 1010>
        > . 1:1(0) ack 11 <TS val 1010 ecr 101>
        < S 500:500(0) <mss 1000>         # of a peer that has restarted
        > . 1:1(0) ack 11
        ",
    );
}

#[test]
fn half_open_connections_and_time_wait_drop_a_segment_without_timestamp_too() {
    check(
        "
        set timestamps on
        listen
        < S 0:0(0) <mss 1000,sackOK,TS val 100 ecr 0>
        > S. 0:0(0) ack 1 <mss 1000,sackOK,TS val 1000 ecr 100>
        < . 1:1(0) ack 1
        < . 1:1(0) ack 1 <TS val 100 ecr 1000>
        accept
        shutdown
        > F. 1:1(0) ack 1
        < F. 1:1(0) ack 2 <TS val 101 ecr 1000>
        > . 2:2(0) ack 2
        < F. 1:1(0) ack 2
        < F. 1:1(0) ack 2 <TS val 101 ecr 1000>
        > . 2:2(0) ack 2
        ",
    );
}
