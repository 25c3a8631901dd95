//! RFC 6298: the retransmission timer and its backoff.

use crate::states::FIVE_IN_FLIGHT;
use ackclock_testkit::script::check;

/// RFC 6298 rules 5.4 to 5.6.
#[test]
fn the_retransmission_timer_backs_off() {
    check(
        "
        established
        write 100
        > P. 1:101(100) ack 1
        +0.2 > P. 1:101(100) ack 1
        +0.4 > P. 1:101(100) ack 1
        +0.8 > P. 1:101(100) ack 1
        info backoff 3
        < . 1:1(0) ack 101
        info unacked 0
        info in_recovery 0
        ",
    );
}

/// RFC 6298 rule 2.4, with another bound.
#[test]
fn the_least_timeout_can_be_set() {
    check(
        "
        set rto 1 0.5 120
        established
        write 100
        > P. 1:101(100) ack 1
        +0.5 > P. 1:101(100) ack 1
        ",
    );
}

/// RFC 6298 section 3 (Karn) and the end of section 5, as Linux reads them: an ack of what was
/// retransmitted is no measurement, so that the next segment starts with the backed-off timeout;
/// the first measurement ends the backoff.
#[test]
fn the_backoff_ends_with_the_next_measurement() {
    check(
        "
        established
        write 100
        > P. 1:101(100) ack 1
        +0.2 > P. 1:101(100) ack 1
        +0.4 > P. 1:101(100) ack 1
        +0.01 < . 1:1(0) ack 101
        info backoff 2
        write 100
        > P. 101:201(100) ack 1
        +0.8 > P. 101:201(100) ack 1
        +0.01 < . 1:1(0) ack 201
        write 100
        > P. 201:301(100) ack 1
        +0.01 < . 1:1(0) ack 301
        info backoff 0
        write 100
        > P. 301:401(100) ack 1
        +0.2 > P. 301:401(100) ack 1
        ",
    );
}

/// RFC 6298 rule 5.3: an ack of new data restarts the timer.
#[test]
fn an_ack_of_new_data_restarts_the_timer() {
    check(
        "
        established
        write 2000
        > . 1:1001(1000) ack 1
        > P. 1001:2001(1000) ack 1
        +0.05 < . 1:1(0) ack 1001
        +0.2 > P. 1001:2001(1000) ack 1
        ",
    );
}

/// RFC 6298 rule 5.2: with everything acknowledged nothing is sent again.
#[test]
fn with_everything_acknowledged_the_timer_stops() {
    check(
        "
        established
        write 1000
        > P. 1:1001(1000) ack 1
        +0.05 < . 1:1(0) ack 1001
        +10 quiet
        ",
    );
}

/// RFC 6298 rule 5.4 and RFC 5681 section 3.1: only the first segment goes again, into a window of
/// one; the threshold is half of what was in flight.
#[test]
fn a_timeout_starts_again_with_one_segment() {
    check(&format!(
        "{FIVE_IN_FLIGHT}
        +0.2 > . 1:1001(1000) ack 1
        info cwnd 1000
        info ssthresh 2500
        +0.4 > . 1:1001(1000) ack 1
        info ssthresh 2500
        "
    ));
}

/// RFC 5681 section 3.1: after the timeout slow start sends two for each that is acknowledged.
/// The first two acks after the timeout bring no news of the originals, so that F-RTO (RFC 5682)
/// lets retransmission go on: nothing new is there to be sent.
#[test]
fn after_a_timeout_slow_start_repairs_the_rest() {
    check(&format!(
        "{FIVE_IN_FLIGHT}
        +0.2 > . 1:1001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        +0.01 < . 1:1(0) ack 3001
        > . 3001:4001(1000) ack 1
        > P. 4001:5001(1000) ack 1
        +0.01 < . 1:1(0) ack 5001
        info in_recovery 0
        "
    ));
}

/// RFC 6298 rule 2.1 and 5.5: before any measurement one second, doubled each time, for a SYN.
#[test]
fn a_syn_starts_with_one_second() {
    check(
        "
        connect
        > S 0:0(0) <mss 1000,sackOK>
        +1 > S 0:0(0) <mss 1000,sackOK>
        +2 > S 0:0(0) <mss 1000,sackOK>
        +4 > S 0:0(0) <mss 1000,sackOK>
        ",
    );
}

/// RFC 6298 rule 5.7: after a SYN that had to go again, data starts with three seconds.
#[test]
fn after_a_lost_syn_data_starts_with_three_seconds() {
    check(
        "
        connect
        > S 0:0(0) <mss 1000,sackOK>
        +1 > S 0:0(0) <mss 1000,sackOK>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        write 100
        > P. 1:101(100) ack 1
        +3 > P. 1:101(100) ack 1
        +6 > P. 1:101(100) ack 1
        ",
    );
}

/// RFC 6298 rules 2.2 and 2.3 with no least timeout in the way: SRTT + 4 RTTVAR. The handshake's
/// 10 ms give 10 + 4 * 5; then 50 ms: RTTVAR = 0.75 * 5 + 0.25 * 40 = 13.75, SRTT = 15, so 70 ms.
#[test]
fn the_timeout_follows_the_measurements() {
    check(
        "
        set rto 1 0.001 120
        established
        write 100
        > P. 1:101(100) ack 1
        +0.03 > P. 1:101(100) ack 1
        +0.01 < . 1:1(0) ack 101
        write 100
        > P. 101:201(100) ack 1
        +0.05 < . 1:1(0) ack 201
        write 100
        > P. 201:301(100) ack 1
        +0.07 > P. 201:301(100) ack 1
        ",
    );
}

/// RFC 6298 rules 2.5 and 5.5: the timeout doubles up to two minutes, as in Linux; RFC 9293 section
/// 3.8.3 (R2, MUST-20): the connection is given up, here after 924.6 s, when the timer expires that
/// Linux gives up at as well.
#[test]
fn a_silent_peer_is_given_up_after_fifteen_minutes() {
    check(
        "
        established
        write 100
        > P. 1:101(100) ack 1
        +0.2 > P. 1:101(100) ack 1
        +0.4 > P. 1:101(100) ack 1
        +0.8 > P. 1:101(100) ack 1
        +1.6 > P. 1:101(100) ack 1
        +3.2 > P. 1:101(100) ack 1
        +6.4 > P. 1:101(100) ack 1
        +12.8 > P. 1:101(100) ack 1
        +25.6 > P. 1:101(100) ack 1
        +51.2 > P. 1:101(100) ack 1
        +102.4 > P. 1:101(100) ack 1
        +120 > P. 1:101(100) ack 1
        +120 > P. 1:101(100) ack 1
        +120 > P. 1:101(100) ack 1
        +120 > P. 1:101(100) ack 1
        +120 > P. 1:101(100) ack 1
        state ESTABLISHED
        924.61 > R. 101:101(0) ack 1
        error TimedOut
        ",
    );
}

/// RFC 6298 rules 5.1 and 5.5: in a simultaneous open the SYN's timer runs on when the SYN-ACK goes,
/// and only its expiry backs it off.
#[test]
fn the_syn_ack_of_a_simultaneous_open_is_repeated() {
    check(
        "
        connect
        > S 0:0(0) <mss 1000,sackOK>
        +0.5 < S 0:0(0) <mss 1000,sackOK>
        > S. 0:0(0) ack 1 <mss 1000,sackOK>
        state SYN-RECEIVED
        +0.5 > S. 0:0(0) ack 1 <mss 1000,sackOK>
        +2 > S. 0:0(0) ack 1 <mss 1000,sackOK>
        < . 1:1(0) ack 1
        state ESTABLISHED
        ",
    );
}

/// RFC 6298 rule 5.7 and section 3: where no timer has expired no SYN was lost, so that data begins
/// with one second; SYN and SYN-ACK being acknowledged together, nothing was measured.
#[test]
fn a_simultaneous_open_begins_with_the_initial_timeout() {
    check(
        "
        connect
        > S 0:0(0) <mss 1000,sackOK>
        +0.01 < S 0:0(0) <mss 1000,sackOK>
        > S. 0:0(0) ack 1 <mss 1000,sackOK>
        +0.01 < . 1:1(0) ack 1
        write 100
        > P. 1:101(100) ack 1
        +1 > P. 1:101(100) ack 1
        ",
    );
}
