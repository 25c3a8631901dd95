//! RFC 4015: what a false alarm took is given back, as F-RTO (RFC 5682), Eifel (RFC 3522) and
//! D-SACK (RFC 3708) find it.

use ackclock_testkit::script::check;

/// Three segments in flight and three that the window holds back.
const THREE_OF_SIX: &str = "
        established
        write 6000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
";

/// RFC 5682 section 2.1: after a timeout the first ack of new data is answered with new data; when
/// the second one acknowledges what was not sent again, the timeout was spurious, and RFC 4015
/// gives the window back.
#[test]
fn a_spurious_timeout_is_found_by_two_acks() {
    check(&format!(
        "set initial_window 3
        {THREE_OF_SIX}
        +0.2 > . 1:1001(1000) ack 1
        info cwnd 1000
        +0.01 < . 1:1(0) ack 1001
        > . 3001:4001(1000) ack 1
        > . 4001:5001(1000) ack 1
        +0.01 < . 1:1(0) ack 2001
        > P. 5001:6001(1000) ack 1
        info in_recovery 0
        info ssthresh 4294967295
        "
    ));
}

/// RFC 5682 section 2.1 step 3a: a duplicate ack instead means that the rest was lost.
#[test]
fn a_duplicate_ack_confirms_the_timeout() {
    check(&format!(
        "set initial_window 3
        {THREE_OF_SIX}
        +0.2 > . 1:1001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001
        > . 3001:4001(1000) ack 1
        > . 4001:5001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001
        > . 1001:2001(1000) ack 1
        info ssthresh 2000
        "
    ));
}

/// RFC 5682 section 3.1 step 3a with SACK: the new data arrived, what was before them did not.
#[test]
fn a_block_of_new_data_confirms_the_timeout() {
    check(&format!(
        "set initial_window 3
        set recovery rfc6675
        {THREE_OF_SIX}
        +0.2 > . 1:1001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001
        > . 3001:4001(1000) ack 1
        > . 4001:5001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001 <sack 3001:4001>
        > . 1001:2001(1000) ack 1
        info ssthresh 2000
        "
    ));
}

/// RFC 5682 section 3.1 step 3b with SACK: a block of what was not sent again shows the originals.
#[test]
fn a_block_of_an_original_shows_a_spurious_timeout() {
    check(&format!(
        "set initial_window 3
        set recovery rfc6675
        {THREE_OF_SIX}
        +0.2 > . 1:1001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001
        > . 3001:4001(1000) ack 1
        > . 4001:5001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001 <sack 2001:3001>
        info in_recovery 0
        info sacked 1000
        info cwnd 3000
        info ssthresh 4294967295
        "
    ));
}

/// RFC 3522 section 3.2 (Eifel): the first ack after the timeout echoes the timestamp of the
/// original, so that no second one is needed; RFC 4015 gives the window back.
#[test]
fn a_timestamp_shows_a_spurious_timeout_at_once() {
    check(
        "
        set timestamps on
        set initial_window 3
        set mss 1012
        listen
        < S 0:0(0) <mss 1012,sackOK,TS val 100 ecr 0>
        > S. 0:0(0) ack 1 <mss 1012,sackOK,TS val 1000 ecr 100>
        +0.01 < . 1:1(0) ack 1 <TS val 110 ecr 1000>
        accept
        write 3000
        > . 1:1001(1000) ack 1 <TS val 1010 ecr 110>
        > . 1001:2001(1000) ack 1 <TS val 1010 ecr 110>
        > P. 2001:3001(1000) ack 1 <TS val 1010 ecr 110>
        +0.2 > . 1:1001(1000) ack 1 <TS val 1210 ecr 110>
        info ssthresh 2000
        +0.01 < . 1:1(0) ack 1001 <TS val 320 ecr 1010>
        info ssthresh 4294967295
        info in_recovery 0
        +0.01 < . 1:1(0) ack 3001 <TS val 330 ecr 1010>
        info cwnd 6000
        ",
    );
}

/// RFC 3522: an ack for the retransmission echoes the retransmission's timestamp, and proves
/// nothing.
#[test]
fn a_timestamp_confirms_a_timeout() {
    check(
        "
        set timestamps on
        set mss 1012
        listen
        < S 0:0(0) <mss 1012,sackOK,TS val 100 ecr 0>
        > S. 0:0(0) ack 1 <mss 1012,sackOK,TS val 1000 ecr 100>
        +0.01 < . 1:1(0) ack 1 <TS val 110 ecr 1000>
        accept
        write 2000
        > . 1:1001(1000) ack 1 <TS val 1010 ecr 110>
        > P. 1001:2001(1000) ack 1 <TS val 1010 ecr 110>
        +0.2 > . 1:1001(1000) ack 1 <TS val 1210 ecr 110>
        +0.01 < . 1:1(0) ack 1001 <TS val 320 ecr 1210>
        > P. 1001:2001(1000) ack 1 <TS val 1220 ecr 320>
        info ssthresh 2000
        ",
    );
}

/// RFC 3708 with RFC 4015: all that fast recovery has sent again arrived twice, so that nothing
/// was lost; the window comes back.
#[test]
fn a_duplicate_of_all_that_went_again_gives_the_window_back() {
    check(
        "
        set recovery rfc6675
        established
        write 5000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > P. 4001:5001(1000) ack 1
        +0.01 < . 1:1(0) ack 1 <sack 1001:2001>
        < . 1:1(0) ack 1 <sack 1001:3001>
        < . 1:1(0) ack 1 <sack 1001:4001>
        > . 1:1001(1000) ack 1
        info ssthresh 2500
        +0.002 < . 1:1(0) ack 5001
        +0.008 < . 1:1(0) ack 5001 <sack 1:1001>
        info ssthresh 4294967295
        info cwnd 10000
        ",
    );
}

/// RFC 3708: as long as one retransmission was needed, the window stays as it is.
#[test]
fn one_loss_among_the_duplicates_keeps_the_reduction() {
    check(
        "
        set recovery rfc6675
        established
        write 5000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > P. 4001:5001(1000) ack 1
        +0.01 < . 1:1(0) ack 1 <sack 2001:3001>
        < . 1:1(0) ack 1 <sack 2001:4001>
        < . 1:1(0) ack 1 <sack 2001:5001>
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        +0.01 < . 1:1(0) ack 5001 <sack 1:1001>
        info ssthresh 2500
        ",
    );
}

/// RFC 4015 section 3.6: a spurious timeout leaves the timer backed off until something has been measured. A timeout
/// after it is a timeout as any other (RFC 6298 section 5); the ack of what it sent again is a measurement where
/// timestamps tell which copy it is of, and ends the backoff.
#[test]
fn a_measurement_ends_the_backoff_of_a_timeout_after_a_spurious_one() {
    check(
        "
        set timestamps on
        set initial_window 3
        set mss 1012
        listen
        < S 0:0(0) <mss 1012,sackOK,TS val 100 ecr 0>
        > S. 0:0(0) ack 1 <mss 1012,sackOK,TS val 1000 ecr 100>
        +0.01 < . 1:1(0) ack 1 <TS val 110 ecr 1000>
        accept
        write 3000
        > . 1:1001(1000) ack 1 <TS val 1010 ecr 110>
        > . 1001:2001(1000) ack 1 <TS val 1010 ecr 110>
        > P. 2001:3001(1000) ack 1 <TS val 1010 ecr 110>
        +0.2 > . 1:1001(1000) ack 1 <TS val 1210 ecr 110>
        +0.01 < . 1:1(0) ack 1001 <TS val 320 ecr 1010>
        info ssthresh 4294967295
        info backoff 1
        +0.4 > . 1001:2001(1000) ack 1 <TS val 1620 ecr 320>
        info backoff 2
        +0.01 < . 1:1(0) ack 2001 <TS val 730 ecr 1620>
        > P. 2001:3001(1000) ack 1 <TS val 1630 ecr 730>
        info backoff 0
        ",
    );
}
