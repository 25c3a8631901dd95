//! The peer's window and ours: closed, small, and what goes wrong with them.

use crate::player::check;

/// RFC 9293 section 3.8.6.1 (SHLD-29, SHLD-30): the first probe after one RTO, the next ones twice
/// as far apart each time, answered or not.
#[test]
fn probes_of_a_closed_window_go_further_and_further_apart() {
    check(
        "
        established
        < . 1:1(0) ack 1 win 0
        write c 100
        +0.2 > . 1:2(1) ack 1
        +0.01 < . 1:1(0) ack 1 win 0
        +0.39 > . 1:2(1) ack 1
        +0.01 < . 1:1(0) ack 1 win 0
        +0.79 > . 1:2(1) ack 1
        +1.6 > . 1:2(1) ack 1
        info c total_retrans = 3
        ",
    );
}

/// RFC 9293 section 3.8.6.1 (MUST-37): as long as the peer answers, its window may stay closed; the
/// probes are two minutes apart in the end.
#[test]
fn a_peer_that_answers_probes_is_not_given_up() {
    check(
        "
        established
        < . 1:1(0) ack 1 win 0
        write c 100
        +0.2 > . 1:2(1) ack 1
        < . 1:1(0) ack 1 win 0
        +0.4 > . 1:2(1) ack 1
        < . 1:1(0) ack 1 win 0
        +0.8 > . 1:2(1) ack 1
        < . 1:1(0) ack 1 win 0
        +1.6 > . 1:2(1) ack 1
        < . 1:1(0) ack 1 win 0
        +3.2 > . 1:2(1) ack 1
        < . 1:1(0) ack 1 win 0
        +6.4 > . 1:2(1) ack 1
        < . 1:1(0) ack 1 win 0
        +12.8 > . 1:2(1) ack 1
        < . 1:1(0) ack 1 win 0
        +25.6 > . 1:2(1) ack 1
        < . 1:1(0) ack 1 win 0
        +51.2 > . 1:2(1) ack 1
        < . 1:1(0) ack 1 win 0
        +102.4 > . 1:2(1) ack 1
        < . 1:1(0) ack 1 win 0
        +120 > . 1:2(1) ack 1
        < . 1:1(0) ack 1 win 0
        +120 > . 1:2(1) ack 1
        < . 1:1(0) ack 1 win 0
        +120 > . 1:2(1) ack 1
        < . 1:1(0) ack 1 win 0
        +120 > . 1:2(1) ack 1
        < . 1:1(0) ack 1 win 0
        +120 > . 1:2(1) ack 1
        < . 1:1(0) ack 1 win 0
        +120 > . 1:2(1) ack 1
        < . 1:1(0) ack 1 win 0
        +120 > . 1:2(1) ack 1
        < . 1:1(0) ack 1 win 0
        info c state = 1
        +1 < . 1:1(0) ack 1 win 5000
        > . 1:2(1) ack 1
        +0.01 < . 1:1(0) ack 2
        > P. 2:101(99) ack 1
        ",
    );
}

/// RFC 9293 section 3.8.6.1: the byte of a probe that was taken counts.
#[test]
fn a_probe_that_was_taken_is_acknowledged() {
    check(
        "
        established
        < . 1:1(0) ack 1 win 0
        write c 100
        +0.2 > . 1:2(1) ack 1
        +0.01 < . 1:1(0) ack 2 win 5000
        > P. 2:101(99) ack 1
        info c unacked = 1
        info c bytes_acked = 1
        ",
    );
}

/// RFC 9293 section 3.8.6.2.1: a window of less than half of the largest ever, and less than a
/// segment, is waited out; after the override time (here one RTO) it is used all the same.
#[test]
fn a_silly_window_is_used_only_after_a_while() {
    check(
        "
        established
        < . 1:1(0) ack 1 win 300
        write c 1000
        +0.2 > . 1:301(300) ack 1
        ",
    );
}

/// RFC 9293 section 3.8.6.2.1 (3): half of the largest window is good enough for an idle sender.
#[test]
fn half_of_the_largest_window_is_used_at_once() {
    check(
        "
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) win 800 <mss 1000,sackOK>
        > S. 0:0(0) ack 1 <mss 1460,sackOK>
        +0.01 < . 1:1(0) ack 1 win 800
        accept s = fd c
        write c 1000
        > . 1:801(800) ack 1
        +0.01 < . 1:1(0) ack 801 win 400
        > P. 801:1001(200) ack 1
        ",
    );
}

/// RFC 9293 section 3.10.7.4: what the window takes goes; the rest waits for the ack.
#[test]
fn the_peers_window_bounds_what_is_in_flight() {
    check(
        "
        established
        < . 1:1(0) ack 1 win 2500
        write c 5000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        +0.01 < . 1:1(0) ack 1001 win 2500
        > . 2001:3001(1000) ack 1
        +0.01 < . 1:1(0) ack 3001 win 2500
        > . 3001:4001(1000) ack 1
        > P. 4001:5001(1000) ack 1
        ",
    );
}

/// RFC 9293 section 3.10.7.4 (SND.WL1, SND.WL2): a segment that was overtaken does not bring its
/// old window back.
#[test]
fn an_old_segments_window_is_not_taken() {
    check(
        "
        established
        write c 2000
        > . 1:1001(1000) ack 1
        > P. 1001:2001(1000) ack 1
        +0.01 < . 1:1(0) ack 2001 win 9000
        info c snd_wnd = 9000
        < . 1:1(0) ack 1001 win 500
        info c snd_wnd = 9000
        < . 1:1(0) ack 2001 win 7000
        info c snd_wnd = 7000
        ",
    );
}

/// RFC 9293 section 3.8.6 (SHLD-15, SHLD-16): a window that shrinks below what is in flight: no new
/// data; what lies beyond it is not given up.
#[test]
fn a_window_that_shrinks_stops_new_data() {
    check(
        "
        established
        write c 2000
        > . 1:1001(1000) ack 1
        > P. 1001:2001(1000) ack 1
        +0.01 < . 1:1(0) ack 1 win 500
        write c 1000
        +0.01 < . 1:1(0) ack 2001 win 500
        < . 1:1(0) ack 2001 win 5000
        > P. 2001:3001(1000) ack 1
        ",
    );
}

/// RFC 9293 section 3.8.6.2.2: a receiver's window opens by a segment or half of its buffer, not by
/// crumbs; what it has closed to stays closed.
#[test]
fn our_window_does_not_open_by_crumbs() {
    check(
        "
        flags rmem=4000
        established
        < . 1:2001(2000) ack 1
        < . 2001:4001(2000) ack 1
        > . 1:1(0) ack 4001 win 0
        +1 read c 1000
        read c 400
        +0.1 read c 60
        > . 1:1(0) ack 4001 win 1460
        ",
    );
}

/// RFC 9293 section 3.8.6 (SHLD-14): our window never moves back: what is in the buffer is taken off
/// it.
#[test]
fn our_window_closes_as_data_waits() {
    check(
        "
        flags rmem=8000
        established
        < . 1:1001(1000) ack 1
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 2001 win 6000
        < . 2001:3001(1000) ack 1
        < . 3001:4001(1000) ack 1
        > . 1:1(0) ack 4001 win 4000
        read c 4000
        > . 1:1(0) ack 4001 win 8000
        ",
    );
}

/// RFC 7323 section 2.3: our window is scaled down by the shift, and the peer's up.
#[test]
fn a_window_of_a_megabyte_is_told_in_units() {
    check(
        "
        flags wscale=on,rmem=1048576
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) win 65535 <mss 1000,sackOK,wscale 3>
        > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK,wscale 5>
        +0.01 < . 1:1(0) ack 1 win 1000
        accept s = fd c
        info c snd_wnd = 8000
        < . 1:1001(1000) ack 1 win 1000
        < . 1001:2001(1000) ack 1 win 1000
        > . 1:1(0) ack 2001 win 32705
        ",
    );
}

/// RFC 7323 section 2.2: one side alone scales nothing.
#[test]
fn without_the_peers_offer_no_window_is_scaled() {
    check(
        "
        flags wscale=on,rmem=1048576
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000,sackOK>
        > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
        +0.01 < . 1:1(0) ack 1 win 1000
        accept s = fd c
        info c snd_wnd = 1000
        < . 1:1001(1000) ack 1
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 2001 win 65535
        ",
    );
}

/// RFC 7323 section 2.3: a shift above 14 counts as 14.
#[test]
fn a_shift_above_fourteen_counts_as_fourteen() {
    check(
        "
        flags wscale=on
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000,sackOK,wscale 15>
        > S. 0:0(0) ack 1 <mss 1460,sackOK,wscale 0>
        +0.01 < . 1:1(0) ack 1 win 1
        accept s = fd c
        info c snd_wnd = 16384
        ",
    );
}
