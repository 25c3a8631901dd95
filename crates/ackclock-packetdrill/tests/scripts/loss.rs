//! Losses and how they are found.

use crate::player::check;

const FIVE_IN_FLIGHT: &str = "
        established
        write c 5000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > P. 4001:5001(1000) ack 1
";

/// RFC 5681 section 3.2.
#[test]
fn three_duplicate_acks_repeat_the_first_segment() {
    check(&format!(
        "{FIVE_IN_FLIGHT}
        +0.05 < . 1:1(0) ack 1 <sack 1001:2001>
        < . 1:1(0) ack 1 <sack 1001:3001>
        < . 1:1(0) ack 1 <sack 1001:4001>
        > . 1:1001(1000) ack 1
        info c ca_state = 3
        "
    ));
}

/// RFC 6675 section 5.
#[test]
fn sack_repeats_what_is_missing_and_nothing_else() {
    check(&format!(
        "flags recovery=rfc6675
        {FIVE_IN_FLIGHT}
        +0.05 < . 1:1(0) ack 1 <sack 1001:2001>
        < . 1:1(0) ack 1 <sack 1001:2001 3001:4001>
        < . 1:1(0) ack 1 <sack 1001:2001 3001:5001>
        > . 1:1001(1000) ack 1
        +0.05 < . 1:1(0) ack 2001 <sack 3001:5001>
        > . 2001:3001(1000) ack 1
        +0.05 < . 1:1(0) ack 5001
        info c ca_state = 0
        "
    ));
}

/// RFC 3042 section 2.
#[test]
fn two_duplicate_acks_send_new_data() {
    check(
        "
        flags iw=2
        established
        write c 5000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        < . 1:1(0) ack 1 <sack 1001:2001>
        > . 2001:3001(1000) ack 1
        ",
    );
}

/// RFC 6298 rules 5.4 to 5.6.
#[test]
fn the_retransmission_timer_backs_off() {
    check(
        "
        established
        write c 100
        > P. 1:101(100) ack 1
        +0.2 > P. 1:101(100) ack 1
        +0.4 > P. 1:101(100) ack 1
        +0.8 > P. 1:101(100) ack 1
        info c backoff = 3
        < . 1:1(0) ack 101
        info c unacked = 0
        info c ca_state = 0
        ",
    );
}

/// RFC 6298 rule 2.4, with another bound.
#[test]
fn the_least_timeout_can_be_set() {
    check(
        "
        flags rto_min=500
        established
        write c 100
        > P. 1:101(100) ack 1
        +0.5 > P. 1:101(100) ack 1
        ",
    );
}

/// RFC 8985 section 7.
#[test]
fn a_probe_shows_a_loss_at_the_tail() {
    check(
        "
        flags recovery=rack
        established
        write c 2000
        > . 1:1001(1000) ack 1
        > P. 1001:2001(1000) ack 1
        +0.02 > P. 1001:2001(1000) ack 1
        +0.01 < . 1:1(0) ack 1 <sack 1001:2001>
        > . 1:1001(1000) ack 1
        ",
    );
}
