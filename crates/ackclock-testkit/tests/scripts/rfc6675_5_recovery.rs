//! RFC 6675 section 5: loss recovery by SACK.

use crate::states::FIVE_IN_FLIGHT;
use ackclock_testkit::script::check;

/// RFC 6675 section 5.
#[test]
fn sack_repeats_what_is_missing_and_nothing_else() {
    check(&format!(
        "set recovery rfc6675
        {FIVE_IN_FLIGHT}
        +0.05 < . 1:1(0) ack 1 <sack 1001:2001>
        < . 1:1(0) ack 1 <sack 1001:2001 3001:4001>
        < . 1:1(0) ack 1 <sack 1001:2001 3001:5001>
        > . 1:1001(1000) ack 1
        +0.05 < . 1:1(0) ack 2001 <sack 3001:5001>
        > . 2001:3001(1000) ack 1
        +0.05 < . 1:1(0) ack 5001
        info in_recovery 0
        "
    ));
}

/// RFC 6675 section 5 (A), (C): holes with three segments above them go first; the pipe bounds what
/// goes with each ack.
#[test]
fn the_pipe_bounds_recovery() {
    check(
        "
        set recovery rfc6675
        established
        write 20000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > . 4001:5001(1000) ack 1
        > . 5001:6001(1000) ack 1
        > . 6001:7001(1000) ack 1
        > . 7001:8001(1000) ack 1
        > . 8001:9001(1000) ack 1
        > . 9001:10001(1000) ack 1
        +0.01 < . 1:1(0) ack 1 <sack 1001:2001>
        > . 10001:11001(1000) ack 1
        < . 1:1(0) ack 1 <sack 1001:3001>
        > . 11001:12001(1000) ack 1
        < . 1:1(0) ack 1 <sack 1001:4001>
        > . 1:1001(1000) ack 1
        info ssthresh 5000
        < . 1:1(0) ack 1 <sack 1001:5001>
        < . 1:1(0) ack 1 <sack 1001:6001>
        < . 1:1(0) ack 1 <sack 1001:7001>
        < . 1:1(0) ack 1 <sack 1001:8001>
        < . 1:1(0) ack 1 <sack 1001:9001>
        > . 12001:13001(1000) ack 1
        +0.01 < . 1:1(0) ack 13001
        > . 13001:14001(1000) ack 1
        > . 14001:15001(1000) ack 1
        > . 15001:16001(1000) ack 1
        > . 16001:17001(1000) ack 1
        > . 17001:18001(1000) ack 1
        info cwnd 5000
        ",
    );
}

/// RFC 6675 section 4, NextSeg: rule 3 is for what lies below the highest SACKed number. Where nothing is SACKed only the
/// rescue of rule 4 is left.
#[test]
fn nothing_but_a_rescue_goes_again_where_nothing_is_sacked() {
    check(
        "
        set recovery rfc6675
        established
        write 8000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > . 4001:5001(1000) ack 1
        > . 5001:6001(1000) ack 1
        > . 6001:7001(1000) ack 1
        > P. 7001:8001(1000) ack 1
        +0.05 < . 1:1(0) ack 1 <sack 1001:2001>
        < . 1:1(0) ack 1 <sack 1001:3001>
        < . 1:1(0) ack 1 <sack 1001:4001>
        > . 1:1001(1000) ack 1
        +0.05 < . 1:1(0) ack 6001
        > P. 7001:8001(1000) ack 1
        +0.05 < . 1:1(0) ack 8001
        info in_recovery 0
        ",
    );
}

/// RFC 6675 section 5: an episode is over with its RecoveryPoint, and what a rescue has sent again beyond that begins no other.
#[test]
fn a_rescue_is_no_loss_of_the_next_episode() {
    check(
        "
        set recovery rfc6675
        established
        write 12000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > . 4001:5001(1000) ack 1
        > . 5001:6001(1000) ack 1
        > . 6001:7001(1000) ack 1
        > . 7001:8001(1000) ack 1
        > . 8001:9001(1000) ack 1
        > . 9001:10001(1000) ack 1
        +0.05 < . 1:1(0) ack 1 <sack 1001:2001>
        > . 10001:11001(1000) ack 1
        < . 1:1(0) ack 1 <sack 1001:3001>
        > P. 11001:12001(1000) ack 1
        < . 1:1(0) ack 1 <sack 1001:4001>
        > . 1:1001(1000) ack 1
        write 1000
        < . 1:1(0) ack 1 <sack 1001:9001>
        > P. 12001:13001(1000) ack 1
        < . 1:1(0) ack 1 <sack 1001:12001>
        > P. 12001:13001(1000) ack 1
        +0.05 < . 1:1(0) ack 12001
        info in_recovery 0
        +0.01 < . 1:1(0) ack 13001
        ",
    );
}

/// An ack of a part of what was sent again, which a peer makes up that divides its acks (Savage et al., "TCP congestion control
/// with a misbehaving receiver", section 3.1), brings no more of it.
#[test]
fn a_divided_ack_brings_nothing_again() {
    check(
        "
        set recovery rfc6675
        established
        write 3000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > P. 2001:3001(1000) ack 1
        +0.2 > . 1:1001(1000) ack 1
        +0.1 < . 1:1(0) ack 101
        < . 1:1(0) ack 201
        < . 1:1(0) ack 301
        < . 1:1(0) ack 1001
        > . 1001:2001(1000) ack 1
        > P. 2001:3001(1000) ack 1
        ",
    );
}
