//! Connections that are opened with data in the SYN.

use crate::player::check;

/// A connection to learn a cookie and an MSS by, which is reset so that its port can be used again.
const WITH_A_COOKIE: &str = "
        socket nonblock = fd f
        set f SO_REUSEADDR 1
        bind f
        sendto f 500 fastopen = EINPROGRESS
        > S 0:0(0) <mss 1460,sackOK,FO>
        +0.01 < S. 0:0(0) ack 1 <mss 940,sackOK,FO abcd1234>
        > . 1:1(0) ack 1
        < R. 1:1(0) ack 1
        close f
        again
        socket nonblock = fd c
        bind c
    ";

fn with_a_cookie(script: &str) {
    check(&format!("{WITH_A_COOKIE}\n{script}"));
}

/// RFC 7413 section 4.1.3: what goes with the SYN is as much as the peer's MSS lets; that much is answered.
#[test]
fn data_goes_with_the_syn_once_there_is_a_cookie() {
    with_a_cookie(
        "
        sendto c 2000 fastopen = 900
        > S 0:900(900) <mss 1460,sackOK,FO abcd1234>
        +0.01 < S. 0:0(0) ack 901 <mss 940,sackOK>
        > . 901:901(0) ack 1
        info c options = 34
        set c TCP_NODELAY 1
        write c 100
        > P. 901:1001(100) ack 1
        sendto c 100 fastopen
        > P. 1001:1101(100) ack 1
        ",
    );
}

/// A router's error about the SYN ends the open, with data as without.
#[test]
fn an_error_about_a_syn_with_data_ends_the_open() {
    check(&format!(
        "
        flags habits=linux
        {WITH_A_COOKIE}
        sendto c 500 fastopen = 500
        > S 0:500(500) <mss 1460,sackOK,FO abcd1234>
        +0.01 icmp host_unreachable 0
        write c 100 = EHOSTUNREACH
        +2 quiet
        "
    ));
}

/// TCP_MAXSEG counts for the SYN too.
#[test]
fn the_segment_size_bounds_the_data_of_a_syn() {
    with_a_cookie(
        "
        set c TCP_MAXSEG 540
        sendto c 2000 fastopen = 500
        > S 0:500(500) <mss 540,sackOK,FO abcd1234>
        ",
    );
}

/// As in Linux TCPI_OPT_SYN_DATA tells that all of the data was taken.
#[test]
fn data_that_was_not_taken_is_sent_again() {
    with_a_cookie(
        "
        sendto c 200 fastopen = 200
        > S 0:200(200) <mss 1460,sackOK,FO abcd1234>
        +0.01 < S. 0:0(0) ack 101 <mss 940,sackOK>
        > P. 101:201(100) ack 1
        info c options = 2
        ",
    );
}

/// TCP_FASTOPEN_CONNECT: with a cookie the connection is opened by the first write.
#[test]
fn connect_can_be_put_off_until_there_is_data() {
    with_a_cookie(
        "
        set c TCP_FASTOPEN_CONNECT 1
        get c TCP_FASTOPEN_CONNECT = 1
        connect c
        connect c = EISCONN
        set c TCP_FASTOPEN_CONNECT 0 = EINVAL
        poll c in|out 0 = out
        read c 1 = EAGAIN
        info c state = 2
        write c 100
        > S 0:100(100) <mss 1460,sackOK,FO abcd1234>
        +0.01 < S. 0:0(0) ack 101 <mss 940,sackOK>
        > . 101:101(0) ack 1
        ",
    );
}

#[test]
fn without_a_cookie_connect_asks_for_one() {
    check(
        "
        socket nonblock = fd c
        set c TCP_FASTOPEN_CONNECT 1
        bind c
        connect c = EINPROGRESS
        > S 0:0(0) <mss 1460,sackOK,FO>
        ",
    );
}

/// RFC 7413 section 7.3; TCP_FASTOPEN_NO_COOKIE.
#[test]
fn a_socket_may_do_without_a_cookie() {
    check(
        "
        socket nonblock = fd c
        set c TCP_FASTOPEN_NO_COOKIE 1
        bind c
        sendto c 100 fastopen
        > S 0:100(100) <mss 1460,sackOK>
        ",
    );
}

/// net.ipv4.tcp_fastopen without its lowest bit.
#[test]
fn fast_open_can_be_forbidden() {
    check(
        "
        flags fastopen=2
        socket nonblock = fd c
        sendto c 100 fastopen = EOPNOTSUPP
        set c TCP_FASTOPEN_CONNECT 1 = EOPNOTSUPP
        ",
    );
}

/// A call that waits returns when all was queued.
#[test]
fn a_write_that_waits_opens_and_goes_on() {
    with_a_cookie(
        "
        nonblock c off
        start sendto c 1900 fastopen
        > S 0:900(900) <mss 1460,sackOK,FO abcd1234>
        +0.01 < S. 0:0(0) ack 901 <mss 1000,sackOK>
        > . 901:901(0) ack 1
        > P. 901:1901(1000) ack 1
        done
        ",
    );
}

/// The option of before RFC 7413 (kind 254, RFC 6994) is of no concern to the script's reader of options; what
/// is read here is that its cookie counts.
#[test]
fn listeners_may_take_fast_opens_without_being_asked() {
    check(
        "
        flags fastopen=0x402,fastopen_key=a1a1a1a1-b2b2b2b2-c3c3c3c3-d4d4d4d4
        socket = fd s
        bind s
        listen s 1
        < S 0:500(500) win 32792 <mss 1000,sackOK,FO 3021b9d889017eeb>
        > S. 0:0(0) ack 501 <mss 1460,sackOK>
        accept s = fd c
        read c 1000 = 500
        ",
    );
}
