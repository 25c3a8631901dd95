//! RFC 8985: RACK and tail loss probes. The handshake takes 10 ms; a reordering window is a quarter
//! of that.

use crate::states::FIVE_IN_FLIGHT;
use ackclock_testkit::script::check;

/// RFC 8985 section 6.2 step 4: three segments beyond a hole, and no reordering seen: lost at once.
#[test]
fn three_segments_beyond_a_hole_make_a_loss_at_once() {
    check(&format!(
        "set recovery rack
        {FIVE_IN_FLIGHT}
        +0.01 < . 1:1(0) ack 1 <sack 1001:4001>
        > . 1:1001(1000) ack 1
        info in_recovery 1
        "
    ));
}

/// RFC 8985 section 6.2 step 5: with fewer, a quarter of the least round trip is waited for
/// reordered segments.
#[test]
fn a_hole_is_given_a_quarter_of_a_round_trip() {
    check(&format!(
        "set recovery rack
        {FIVE_IN_FLIGHT}
        +0.01 < . 1:1(0) ack 1 <sack 1001:2001>
        +0.0025 > . 1:1001(1000) ack 1
        "
    ));
}

/// RFC 8985 section 6.2: a segment that comes within that time was not lost.
#[test]
fn what_comes_within_the_reordering_window_is_not_sent_again() {
    check(&format!(
        "set recovery rack
        {FIVE_IN_FLIGHT}
        +0.01 < . 1:1(0) ack 1 <sack 1001:2001>
        +0.002 < . 1:1(0) ack 2001
        +0.002 < . 1:1(0) ack 5001
        +1 info retransmitted 0
        info ssthresh 4294967295
        "
    ));
}

/// RFC 8985 section 6.2 step 4: once reordering was seen, three segments do not hurry it any more.
#[test]
fn after_reordering_three_segments_make_no_loss() {
    check(&format!(
        "set recovery rack
        {FIVE_IN_FLIGHT}
        +0.01 < . 1:1(0) ack 1 <sack 1001:2001>
        +0.001 < . 1:1(0) ack 2001
        < . 1:1(0) ack 5001
        write 4000
        > . 5001:6001(1000) ack 1
        > . 6001:7001(1000) ack 1
        > . 7001:8001(1000) ack 1
        > P. 8001:9001(1000) ack 1
        +0.01 < . 1:1(0) ack 5001 <sack 6001:9001>
        +0.0025 > . 5001:6001(1000) ack 1
        "
    ));
}

/// RFC 8985 section 6.2 step 4: a D-SACK, the sign of a needless retransmission, widens the
/// reordering window by another quarter.
#[test]
fn a_duplicate_widens_the_reordering_window() {
    check(&format!(
        "set recovery rack
        {FIVE_IN_FLIGHT}
        +0.01 < . 1:1(0) ack 1 <sack 1001:2001>
        +0.0025 > . 1:1001(1000) ack 1
        +0.001 < . 1:1(0) ack 5001
        +0.009 < . 1:1(0) ack 5001 <sack 1:1001>
        info ssthresh 4294967295
        write 2000
        > . 5001:6001(1000) ack 1
        > P. 6001:7001(1000) ack 1
        +0.01 < . 1:1(0) ack 5001 <sack 6001:7001>
        +0.005 > . 5001:6001(1000) ack 1
        "
    ));
}

/// RFC 8985 section 3.1: the loss of a retransmission is found by what was sent after it.
#[test]
fn a_lost_retransmission_is_found_by_what_followed_it() {
    check(&format!(
        "set recovery rack
        {FIVE_IN_FLIGHT}
        +0.01 < . 1:1(0) ack 1 <sack 1001:4001>
        > . 1:1001(1000) ack 1
        +0.001 < . 1:1(0) ack 1 <sack 1001:5001>
        write 1000
        > P. 5001:6001(1000) ack 1
        +0.01 < . 1:1(0) ack 1 <sack 1001:6001>
        > . 1:1001(1000) ack 1
        +0.01 < . 1:1(0) ack 6001
        info in_recovery 0
        "
    ));
}

/// RFC 8985 section 7.2: two round trips after the last segment the probe goes, the last segment
/// once more; section 7.4: the D-SACK tells that it was needless, and the window stays.
#[test]
fn a_needless_probe_costs_nothing() {
    check(
        "
        set recovery rack
        established
        write 2000
        > . 1:1001(1000) ack 1
        > P. 1001:2001(1000) ack 1
        +0.02 > P. 1001:2001(1000) ack 1
        +0.001 < . 1:1(0) ack 2001
        +0.009 < . 1:1(0) ack 2001 <sack 1001:2001>
        info cwnd 10000
        info ssthresh 4294967295
        +5 quiet
        ",
    );
}

/// RFC 8985 section 7.4.2: no D-SACK came, and more was acknowledged: the probe has repaired a
/// loss, which the window has to pay for.
#[test]
fn a_probe_that_repairs_a_loss_reduces_the_window() {
    check(
        "
        set recovery rack
        set rto 1 1 120
        established
        write 2000
        > . 1:1001(1000) ack 1
        > P. 1001:2001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001
        +0.22 > P. 1001:2001(1000) ack 1
        +0.01 < . 1:1(0) ack 2001
        write 1000
        > P. 2001:3001(1000) ack 1
        +0.01 < . 1:1(0) ack 3001
        info ssthresh 2000
        ",
    );
}

/// RFC 8985 section 7.2: a single segment may wait for a delayed ack: two round trips and 200 ms.
#[test]
fn the_probe_of_a_single_segment_waits_for_a_delayed_ack() {
    check(
        "
        set recovery rack
        set rto 1 1 120
        established
        write 1000
        > P. 1:1001(1000) ack 1
        +0.22 > P. 1:1001(1000) ack 1
        ",
    );
}

/// RFC 8985 section 7.3: the probe is new data where there is some, whatever the congestion window.
#[test]
fn a_probe_is_new_data_if_there_is_some() {
    check(
        "
        set recovery rack
        set initial_window 2
        established
        write 3000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        +0.02 > P. 2001:3001(1000) ack 1
        ",
    );
}

/// RFC 8985 section 7.3: also what Nagle's rule holds back is unsent data.
#[test]
fn a_probe_is_the_small_segment_that_waits() {
    check(
        "
        set recovery rack
        established
        write 1010
        > . 1:1001(1000) ack 1
        > P. 1001:1011(10) ack 1
        write 10
        +0.02 > P. 1011:1021(10) ack 1
        +0.01 < . 1:1(0) ack 1021
        info retransmitted 0
        ",
    );
}

/// RFC 8985 section 7.3: "if one exists and the receive window allows"; a part of it would be a silly segment
/// (RFC 9293 section 3.8.6.2.1).
#[test]
fn a_probe_is_no_part_of_the_small_segment_that_waits() {
    check(
        "
        set recovery rack
        established
        write 1010
        > . 1:1001(1000) ack 1
        > P. 1001:1011(10) ack 1
        write 10
        < . 1:1(0) ack 1 win 1015
        +0.02 > . 1001:1011(10) ack 1
        ",
    );
}

/// RFC 8985 section 7.3: one probe, then the retransmission timer decides.
#[test]
fn one_probe_is_followed_by_the_timeout() {
    check(
        "
        set recovery rack
        established
        write 2000
        > . 1:1001(1000) ack 1
        > P. 1001:2001(1000) ack 1
        +0.02 > P. 1001:2001(1000) ack 1
        +0.2 > . 1:1001(1000) ack 1
        info cwnd 1000
        ",
    );
}

/// RFC 8985 section 7.4.1 with 6.2: the probe's SACK shows a loss before it, and recovery begins.
#[test]
fn a_probe_shows_losses_at_the_tail() {
    check(&format!(
        "set recovery rack
        {FIVE_IN_FLIGHT}
        +0.01 < . 1:1(0) ack 3001
        +0.02 > P. 4001:5001(1000) ack 1
        +0.01 < . 1:1(0) ack 3001 <sack 4001:5001>
        > . 3001:4001(1000) ack 1
        info in_recovery 1
        "
    ));
}
