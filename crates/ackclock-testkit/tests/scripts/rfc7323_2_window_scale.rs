//! RFC 7323 section 2: the window scale option.

use ackclock_testkit::script::check;

#[test]
fn windows_of_syns_are_not_scaled_all_others_are() {
    check(
        "
        set window_scaling on
        set receive_buffer 262144
        connect
        > S 0:0(0) win 65535 <mss 1000,sackOK,wscale 3>
        < S. 0:0(0) ack 1 win 50000 <mss 1000,sackOK,wscale 2>
        > . 1:1(0) ack 1 win 32768
        info send_window 50000
        < . 1:1(0) ack 1 win 50000
        info send_window 200000
        ",
    );
}

#[test]
fn in_a_passive_open_the_ack_of_the_handshake_is_scaled() {
    check(
        "
        set window_scaling on
        set receive_buffer 262144
        listen
        < S 0:0(0) win 1000 <mss 1000,wscale 7>
        > S. 0:0(0) ack 1 win 65535 <mss 1000,wscale 3>
        < . 1:1(0) ack 1 win 1000
        accept
        info send_window 128000
        < P. 1:11(10) ack 1 win 1000
        +0.04 > . 1:1(0) ack 11 win 32766   # more than a SYN could promise
        ",
    );
}

#[test]
fn without_the_option_in_both_syns_nothing_is_scaled() {
    check(
        "
        set window_scaling on
        set receive_buffer 262144
        connect
        > S 0:0(0) win 65535 <mss 1000,sackOK,wscale 3>
        < S. 0:0(0) ack 1 win 50000 <mss 1000,sackOK>
        > . 1:1(0) ack 1 win 65535
        < . 1:1(0) ack 1 win 40000
        info send_window 40000
        ",
    );
    check(
        "
        connect
        > S 0:0(0) win 10000 <mss 1000,sackOK>
        < S. 0:0(0) ack 1 win 50000 <mss 1000,wscale 4>
        > . 1:1(0) ack 1 win 10000
        < . 1:1(0) ack 1 win 40000
        info send_window 40000
        ",
    );
}

#[test]
fn both_syns_carry_it_in_a_simultaneous_open() {
    check(
        "
        set window_scaling on
        set receive_buffer 262144
        connect
        > S 0:0(0) win 65535 <mss 1000,sackOK,wscale 3>
        < S 0:0(0) win 900 <mss 1000,wscale 1>
        > S. 0:0(0) ack 1 win 65535 <mss 1000,wscale 3>
        < . 1:1(0) ack 1 win 900
        info send_window 1800
        < P. 1:11(10) ack 1 win 900
        +0.04 > . 1:1(0) ack 11 win 32766   # more than a SYN could promise
        ",
    );
}

#[test]
fn the_edge_does_not_move_back_although_the_window_is_rounded() {
    // Section 2.4: with a shift of 3 the window counts in units of 8 bytes.
    check(
        "
        set window_scaling on
        set receive_buffer 262144
        set ack_policy every
        set sack off
        connect
        > S 0:0(0) win 65535 <mss 1000,wscale 3>
        < S. 0:0(0) ack 1 <mss 1000,wscale 0>
        > . 1:1(0) ack 1 win 32768
        < P. 1:4(3) ack 1
        > . 1:1(0) ack 4 win 32767
        < P. 262144:262145(1) ack 1         # the last byte that was promised
        > . 1:1(0) ack 4
        info out_of_order 1
        ",
    );
}

#[test]
fn a_shift_above_fourteen_counts_as_fourteen() {
    // Section 2.3.
    check(
        "
        set window_scaling on
        listen
        < S 0:0(0) <mss 1000,wscale 15>
        > S. 0:0(0) ack 1 <mss 1000,wscale 0>
        < . 1:1(0) ack 1 win 1
        accept
        info send_window 16384
        ",
    );
}
