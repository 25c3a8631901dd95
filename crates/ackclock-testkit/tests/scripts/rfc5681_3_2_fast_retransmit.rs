//! RFC 5681 section 3.2: fast retransmit, with the limited transmit of RFC 3042 and the partial acks
//! of RFC 6582.

use crate::states::FIVE_IN_FLIGHT;
use ackclock_testkit::script::check;

/// RFC 5681 section 3.2.
#[test]
fn three_duplicate_acks_repeat_the_first_segment() {
    check(&format!(
        "{FIVE_IN_FLIGHT}
        +0.05 < . 1:1(0) ack 1 <sack 1001:2001>
        < . 1:1(0) ack 1 <sack 1001:3001>
        < . 1:1(0) ack 1 <sack 1001:4001>
        > . 1:1001(1000) ack 1
        info in_recovery 1
        "
    ));
}

/// RFC 3042: the first two duplicate acks each send a new segment beyond the window, the third
/// repeats what is missing (RFC 5681 section 3.2).
#[test]
fn limited_transmit_precedes_the_fast_retransmit() {
    check(
        "
        set initial_window 4
        established
        write 10000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        +0.01 < . 1:1(0) ack 1 <sack 1001:2001>
        > . 4001:5001(1000) ack 1
        < . 1:1(0) ack 1 <sack 1001:3001>
        > . 5001:6001(1000) ack 1
        < . 1:1(0) ack 1 <sack 1001:4001>
        > . 1:1001(1000) ack 1
        info ssthresh 2000
        ",
    );
}

/// RFC 5681 section 2: an ack that moves the window is no duplicate ack.
#[test]
fn acks_that_move_the_window_are_no_duplicates() {
    check(
        "
        listen
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1000>
        +0.01 < . 1:1(0) ack 1
        accept
        write 1000
        > P. 1:1001(1000) ack 1
        +0.01 < . 1:1(0) ack 1 win 50000
        < . 1:1(0) ack 1 win 40000
        < . 1:1(0) ack 1 win 30000
        < . 1:1(0) ack 1 win 20000
        info retransmitted 0
        ",
    );
}

/// RFC 5681 section 2: data that carries the same ack number is no duplicate ack either.
#[test]
fn data_is_no_duplicate_ack() {
    check(
        "
        listen
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1000>
        +0.01 < . 1:1(0) ack 1
        accept
        write 1000
        > P. 1:1001(1000) ack 1
        +0.01 < P. 1:11(10) ack 1
        < P. 11:21(10) ack 1
        < P. 21:31(10) ack 1
        < P. 31:41(10) ack 1
        info retransmitted 0
        ",
    );
}

/// RFC 6582 section 3.2: in fast recovery without SACK a partial ack shows the next hole, which
/// goes again at once; the full ack ends it with the window at the threshold.
#[test]
fn without_sack_a_partial_ack_repeats_the_next_hole() {
    check(
        "
        listen
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1000>
        +0.01 < . 1:1(0) ack 1
        accept
        write 6000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > . 4001:5001(1000) ack 1
        > P. 5001:6001(1000) ack 1
        +0.01 < . 1:1(0) ack 1
        < . 1:1(0) ack 1
        < . 1:1(0) ack 1
        > . 1:1001(1000) ack 1
        info ssthresh 3000
        < . 1:1(0) ack 1
        +0.01 < . 1:1(0) ack 3001
        > . 3001:4001(1000) ack 1
        +0.01 < . 1:1(0) ack 6001
        info ssthresh 3000
        info in_recovery 0
        ",
    );
}
