//! TCP Fast Open of listeners (RFC 7413, tcp(7)).

use crate::player::check;

/// RFC 7413 section 4.2.1: a cookie for who asks, the one that Linux gives for this key.
#[test]
fn a_listener_gives_a_cookie() {
    check(
        "
        socket = fd s
        set s SO_REUSEADDR 1
        set s TCP_FASTOPEN 5
        set s TCP_FASTOPEN_KEY a1a1a1a1b2b2b2b2c3c3c3c3d4d4d4d4
        get s TCP_FASTOPEN = 5
        bind s
        listen s 1
        < S 0:0(0) win 32792 <mss 1000,sackOK,FO>
        > S. 0:0(0) ack 1 <mss 1460,sackOK,FO 3021b9d889017eeb>
        +0.1 < . 1:1(0) ack 1 win 32792
        accept s = fd c
        ",
    );
}

/// RFC 7413 section 4.2.2: with the cookie the connection can be accepted, read and written at once.
#[test]
fn data_with_the_cookie_are_read_and_answered_before_the_handshake_is_finished() {
    check(
        "
        socket = fd s
        set s SO_REUSEADDR 1
        set s TCP_FASTOPEN 5
        set s TCP_FASTOPEN_KEY a1a1a1a1b2b2b2b2c3c3c3c3d4d4d4d4
        bind s
        listen s 1
        < S 0:500(500) win 32792 <mss 1000,sackOK,FO 3021b9d889017eeb>
        > S. 0:0(0) ack 501 <mss 1460,sackOK>
        accept s = fd c
        read c 1000 = 500
        write c 300
        > P. 1:301(300) ack 501
        +0.1 < . 501:501(0) ack 301 win 32792
        write c 200
        > P. 301:501(200) ack 501
        ",
    );
}

/// RFC 7413 section 4.2.2, step 3: a wrong cookie means an ordinary handshake, and another cookie.
#[test]
fn a_wrong_cookie_opens_nothing() {
    check(
        "
        socket nonblock = fd s
        set s SO_REUSEADDR 1
        set s TCP_FASTOPEN 5
        set s TCP_FASTOPEN_KEY a1a1a1a1b2b2b2b2c3c3c3c3d4d4d4d4
        bind s
        listen s 1
        < S 0:500(500) win 32792 <mss 1000,sackOK,FO 0011223344556677>
        > S. 0:0(0) ack 1 <mss 1460,sackOK,FO 3021b9d889017eeb>
        accept s = EAGAIN
        +0.1 < P. 1:501(500) ack 1 win 32792
        +0.04 > . 1:1(0) ack 501
        accept s = fd c
        read c 1000 = 500
        ",
    );
}

/// The flag `early_data`, as `net.ipv4.tcp_fastopen` without its bits for listeners.
#[test]
fn without_leave_the_option_does_nothing() {
    check(
        "
        flags early_data=off
        socket = fd s
        set s SO_REUSEADDR 1
        set s TCP_FASTOPEN 5
        bind s
        listen s 1
        < S 0:0(0) win 32792 <mss 1000,sackOK,FO>
        > S. 0:0(0) ack 1 <mss 1460,sackOK>
        ",
    );
}

/// RFC 7413 section 7.3.
#[test]
fn a_listener_may_do_without_cookies() {
    check(
        "
        flags early_data=without-cookie
        socket = fd s
        set s SO_REUSEADDR 1
        set s TCP_FASTOPEN 5
        bind s
        listen s 1
        < S 0:500(500) win 32792 <mss 1000,sackOK>
        > S. 0:0(0) ack 501 <mss 1460,sackOK>
        accept s = fd c
        read c 1000 = 500
        ",
    );
}

/// RFC 7413 section 5.1, `TCP_FASTOPEN`: of those whose handshakes are not finished there are so many; others are
/// opened as ever.
#[test]
fn as_many_as_were_asked_for_are_pending() {
    check(
        "
        socket nonblock = fd s
        set s SO_REUSEADDR 1
        set s TCP_FASTOPEN 1
        set s TCP_FASTOPEN_KEY a1a1a1a1b2b2b2b2c3c3c3c3d4d4d4d4
        bind s
        listen s 5
        < S 0:500(500) win 32792 <mss 1000,sackOK,FO 3021b9d889017eeb>
        > S. 0:0(0) ack 501 <mss 1460,sackOK>
        peer 1
        < S 0:500(500) win 32792 <mss 1000,sackOK,FO 3021b9d889017eeb>
        > S. 0:0(0) ack 1 <mss 1460,sackOK,FO 3021b9d889017eeb>
        peer 0
        +0.1 < . 501:501(0) ack 1 win 32792
        peer 2
        < S 0:500(500) win 32792 <mss 1000,sackOK,FO 3021b9d889017eeb>
        > S. 0:0(0) ack 501 <mss 1460,sackOK>
        ",
    );
}
