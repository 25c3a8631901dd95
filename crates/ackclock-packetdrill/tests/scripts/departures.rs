//! What Linux sends in place of what the standards have.

use crate::player::check;

/// Linux's `tcp_v4_send_reset`, and RFC 9293 section 3.10.7.1 of closed ports: the number of a reset is that of the ack
/// that it answers.
#[test]
fn data_for_a_closed_socket_is_reset_by_its_ack() {
    check(
        "
        flags habits=linux
        established
        close c
        > F. 1:1(0) ack 1
        +0.01 < . 1:1(0) ack 2
        +0.01 < P. 1:101(100) ack 2
        > R 2:2(0)
        ",
    );
}

/// Linux's `tcp_send_active_reset`: data that nobody has read make a close a reset with the next number.
#[test]
fn a_close_with_unread_data_acknowledges_as_ever() {
    check(
        "
        flags habits=linux
        established
        < P. 1:11(10) ack 1
        close c
        > R. 1:1(0) ack 11
        ",
    );
}

/// Linux's `tcp_xmit_probe_skb`: a closed window is probed with an old number and no data. (RFC 9293 section 3.8.6.1
/// sends a byte.)
#[test]
fn a_closed_window_is_probed_without_data() {
    check(
        "
        flags habits=linux
        established
        +0.01 < . 1:1(0) ack 1 win 0
        write c 100
        +0.21 > . 0:0(0) ack 1
        +0.01 < . 1:1(0) ack 1 win 0
        +0.41 > . 0:0(0) ack 1
        +0.01 < . 1:1(0) ack 1 win 5000
        > P. 1:101(100) ack 1
        ",
    );
}

/// Linux's `tcp_write_err`: who has waited in vain tells nobody.
#[test]
fn a_user_timeout_sends_no_reset() {
    check(
        "
        flags habits=linux
        established
        set c TCP_USER_TIMEOUT 500
        write c 100
        > P. 1:101(100) ack 1
        +0.21 > P. 1:101(100) ack 1
        +1 quiet
        read c 1 = ETIMEDOUT
        ",
    );
}

/// Linux's `tcp_rcv_synsent_state_process`: TCP_DEFER_ACCEPT of a socket that connects leaves the ack of the handshake to
/// the data, for 200 ms at most.
#[test]
fn the_first_ack_waits_for_data() {
    let opened = "
        flags habits=linux
        socket = fd c
        set c TCP_DEFER_ACCEPT 1
        start connect c
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        done
        ";
    check(&format!(
        "{opened}+0.05 write c 100\n> P. 1:101(100) ack 1\n+0.1 < . 1:1(0) ack 101\n+1 quiet"
    ));
    check(&format!("{opened}+0.2 > . 1:1(0) ack 1\n+1 quiet"));
}

/// tcp(7), TCP_MAXSEG: of an open connection it is the size of what is sent, and setting it changes nothing.
#[test]
fn a_size_of_segments_is_for_the_syn() {
    check(
        "
        established
        set c TCP_MAXSEG 600
        get c TCP_MAXSEG = 1000
        write c 1000
        > P. 1:1001(1000) ack 1
        ",
    );
}
