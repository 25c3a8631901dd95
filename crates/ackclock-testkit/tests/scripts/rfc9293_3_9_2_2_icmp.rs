//! RFC 9293 section 3.9.2.2: ICMP errors, with the checks of RFC 5927 section 4.1. What calls of sockets
//! say of them is tested behind packetdrill's interface.

use crate::states::*;

#[test]
fn a_source_quench_is_discarded() {
    // MUST-55, RFC 6633.
    ESTABLISHED.then(
        "
        write 1000
        > P. 1:1001(1000) ack 1
        icmp source_quench 1
        info cwnd 10000
        info retransmitted 0
        {same}
        ",
    );
}

#[test]
fn a_hard_error_about_a_syn_ack_returns_to_listen() {
    // SHLD-26.
    SYN_RECEIVED.then(
        "
        icmp port_unreachable 0
        +2 < . 1:1(0) ack 1
        > R 1:1(0)
        ",
    );
}

#[test]
fn other_errors_about_a_syn_ack_leave_the_opening_alone() {
    // MUST-56; the second is about a number that was not sent.
    SYN_RECEIVED.then(
        "
        icmp host_unreachable 0
        icmp port_unreachable 77
        < . 1:1(0) ack 1
        accept
        state ESTABLISHED
        ",
    );
}
