//! The states of a connection that ends.

use crate::player::check;

/// RFC 9293 section 3.6: a FIN goes behind the data that was queued before it, and with the last
/// of them.
#[test]
fn a_fin_goes_with_the_last_data() {
    check(
        "
        established
        write c 1500 more
        > . 1:1001(1000) ack 1
        close c
        > FP. 1001:1501(500) ack 1
        +0.01 < . 1:1(0) ack 1502
        ",
    );
}

/// RFC 9293 section 3.9.1.4 (CLOSE): what does not fit the window yet is sent before the FIN.
#[test]
fn a_close_sends_what_is_queued_first() {
    check(
        "
        flags iw=1
        established
        write c 2500
        > . 1:1001(1000) ack 1
        close c
        +0.01 < . 1:1(0) ack 1001
        > . 1001:2001(1000) ack 1
        > FP. 2001:2501(500) ack 1
        +0.01 < . 1:1(0) ack 2502
        +0.01 < F. 1:1(0) ack 2502
        > . 2502:2502(0) ack 2
        ",
    );
}

/// RFC 9293 section 3.6.1: while the peer only has finished, we go on sending.
#[test]
fn after_the_peers_fin_data_still_goes_out() {
    check(
        "
        established
        < F. 1:1(0) ack 1
        > . 1:1(0) ack 2
        write c 1000
        > P. 1:1001(1000) ack 2
        +0.01 < . 2:2(0) ack 1001
        info c bytes_acked = 1000
        shutdown c wr
        > F. 1001:1001(0) ack 2
        info c state = 9
        +0.01 < . 2:2(0) ack 1002
        info c state = 7
        ",
    );
}

/// RFC 9293 section 3.6.1 (SHLD-3): data for a socket that was closed is reset, so that the peer
/// does not believe that it was read.
#[test]
fn data_for_a_closed_socket_is_reset() {
    check(
        "
        established
        close c
        > F. 1:1(0) ack 1
        +0.01 < . 1:1(0) ack 2
        +0.01 < P. 1:101(100) ack 2
        > R. 2:2(0) ack 1
        ",
    );
}

/// RFC 9293 section 3.6.1 (MAY-2): a SYN above all that came before opens anew; our number is above
/// the old ones, too: by what section 3.4.1's clock of 4 microseconds has counted in 1.01 s. An
/// older SYN is an old duplicate, and answered with an ack.
#[test]
fn a_later_syn_takes_the_place_of_time_wait() {
    check(
        "
        established
        close c
        > F. 1:1(0) ack 1
        < F. 1:1(0) ack 2
        > . 2:2(0) ack 2
        +1 < S -100:-100(0) <mss 1000>
        > . 2:2(0) ack 2
        < S 1000:1000(0) <mss 1000>
        > S. 252499:252499(0) ack 1001 <mss 1460>
        < . 1001:1001(0) ack 252500
        accept s = fd d
        ",
    );
}

/// RFC 9293 section 3.10.5 (ABORT): what was not acknowledged is forgotten, and the RST has the next
/// number.
#[test]
fn an_abort_forgets_what_was_queued() {
    check(
        "
        flags iw=1
        established
        write c 2500
        > . 1:1001(1000) ack 1
        set c SO_LINGER 0
        close c
        > R. 1001:1001(0) ack 1
        +1 < . 1:1(0) ack 1001
        > R 1001:1001(0)
        ",
    );
}

/// POSIX: shutdown of both directions stops writing and reading; the connection ends in order.
#[test]
fn shut_down_both_ways_is_a_half_close_and_deafness() {
    check(
        "
        established
        shutdown c rdwr
        > F. 1:1(0) ack 1
        write c 1 = EPIPE
        read c 1 = 0
        poll c in|out|rdhup 0 = in|out|rdhup|hup
        +0.01 < F. 1:1(0) ack 2
        > . 2:2(0) ack 2
        ",
    );
}

/// RFC 9293 section 3.6 over IPv6.
#[test]
fn both_close_over_ipv6() {
    check(
        "
        v6
        established
        < F. 1:1(0) ack 1
        > . 1:1(0) ack 2
        close c
        > F. 1:1(0) ack 2
        +0.01 < . 2:2(0) ack 2
        ",
    );
}
