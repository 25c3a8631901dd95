//! Socket options and TCP_INFO.

use crate::player::check;

/// socket(7), tcp(7), ip(7): values, defaults and what they become.
#[test]
fn options_are_told_as_a_kernel_tells_them() {
    check(
        "
        socket = fd s
        set s SO_RCVBUF 10000
        get s SO_RCVBUF = 20000
        set s SO_RCVBUF 1
        get s SO_RCVBUF = 2304
        set s TCP_NODELAY 1
        get s TCP_NODELAY = 1
        set s TCP_KEEPIDLE 7
        get s TCP_KEEPIDLE = 7
        get s TCP_KEEPINTVL = 75
        get s TCP_KEEPCNT = 9
        set s TCP_USER_TIMEOUT 3000
        get s TCP_USER_TIMEOUT = 3000
        set s IP_TOS 184
        get s IP_TOS = 184
        get s IP_TTL = 64
        get s IPV6_UNICAST_HOPS = EOPNOTSUPP
        get s SO_TYPE = 1
        get s SO_ACCEPTCONN = 0
        bind s
        listen s 1
        get s SO_ACCEPTCONN = 1
        ",
    );
}

/// Nine numbers: what is received and what it may be, the same of what is queued, and what only a kernel knows.
#[test]
fn the_memory_of_a_socket_is_told() {
    check(
        "
        socket nonblock = fd c
        set c SO_RCVBUF 10000
        set c SO_SNDBUF 9000
        size c SO_MEMINFO = 36
        memory c 0 = 0
        memory c 1 = 20000
        memory c 2 = 0
        memory c 3 = 18000
        memory c 8 = 0
        connect c = EINPROGRESS
        > S 0:0(0) <mss 1460,sackOK>
        +0.1 < S. 0:0(0) ack 1 win 60000 <mss 1460,sackOK>
        > . 1:1(0) ack 1
        size c SO_MEMINFO = 36
        memory c 0 = 0
        memory c 2 = 0
        ",
    );
}

/// tcp(7): CUBIC tells nothing that TCP_INFO does not.
#[test]
fn cubic_tells_nothing_of_its_own() {
    check(
        "
        flags cc=cubic
        socket nonblock = fd c
        size c TCP_CC_INFO = 0
        connect c = EINPROGRESS
        > S 0:0(0) <mss 1460,sackOK>
        +0.1 < S. 0:0(0) ack 1 win 60000 <mss 1460,sackOK>
        > . 1:1(0) ack 1
        size c TCP_CC_INFO = 0
        ",
    );
}

/// socket(7); without scaling the buffer is the window.
#[test]
fn a_receive_buffer_is_the_window() {
    check(
        "
        socket nonblock = fd c
        set c SO_RCVBUF 5840
        connect c = EINPROGRESS
        > S 0:0(0) win 5840 <mss 1460,sackOK>
        ",
    );
}

/// tcp(7): TCP_MAXSEG; RFC 9293 section 3.7.1.
#[test]
fn a_segment_size_is_announced_and_kept() {
    check(
        "
        socket nonblock = fd c
        set c TCP_MAXSEG 700
        connect c = EINPROGRESS
        > S 0:0(0) <mss 700,sackOK>
        < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        write c 1400
        > . 1:701(700) ack 1
        > P. 701:1401(700) ack 1
        get c TCP_MAXSEG = 700
        ",
    );
}

/// tcp(7): TCP_INFO.
#[test]
fn info_says_what_is_in_flight() {
    check(
        "
        established
        info s state = 10
        info c state = 1
        info c options = 2
        info c snd_mss = 1000
        info c snd_cwnd = 10
        info c snd_ssthresh = 2147483647
        info c snd_wnd = 60000
        write c 2500
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > P. 2001:2501(500) ack 1
        write c 500
        info c unacked = 3
        info c notsent_bytes = 500
        +0.03 < . 1:1(0) ack 2501
        > P. 2501:3001(500) ack 1
        info c bytes_acked = 2500
        info c data_segs_out = 4
        info c unacked = 1
        +0.2125 > P. 2501:3001(500) ack 1
        info c total_retrans = 1
        info c backoff = 1
        info c ca_state = 4
        ",
    );
}

/// tcp(7): SIOCINQ, SIOCOUTQ; Linux's SIOCOUTQNSD.
#[test]
fn queues_can_be_asked_for() {
    check(
        "
        established
        < P. 1:301(300) ack 1
        ioctl c SIOCINQ = 300
        read c 300
        ioctl c SIOCINQ = 0
        write c 1500
        > . 1:1001(1000) ack 301
        > P. 1001:1501(500) ack 301
        write c 500
        ioctl c SIOCOUTQ = 2000
        ioctl c SIOCOUTQNSD = 500
        ioctl s SIOCINQ = EINVAL
        ",
    );
}

/// RFC 9293 section 3.8.4; tcp(7) for the options.
#[test]
fn keepalive_asks_an_idle_peer() {
    check(
        "
        established
        set c TCP_KEEPIDLE 10
        set c TCP_KEEPINTVL 2
        set c TCP_KEEPCNT 2
        set c SO_KEEPALIVE 1
        start read c 1
        +10 > . 0:0(0) ack 1
        +2 > . 0:0(0) ack 1
        +2 > R. 1:1(0) ack 1
        done = ETIMEDOUT
        read c 1 = 0
        ",
    );
}

/// tcp(7): TCP_CORK.
#[test]
fn a_cork_holds_small_segments_back() {
    check(
        "
        established
        set c TCP_CORK 1
        write c 300
        write c 300
        +0.1 set c TCP_CORK 0
        > P. 1:601(600) ack 1
        ",
    );
}

/// send(2): MSG_MORE.
#[test]
fn more_to_come_holds_a_small_segment_back() {
    check(
        "
        established
        write c 300 more
        +0.1 write c 300
        > P. 1:601(600) ack 1
        ",
    );
}

/// RFC 9293 section 3.7.4 (MUST-17).
#[test]
fn without_delay_small_segments_follow_each_other() {
    check(
        "
        established
        set c TCP_NODELAY 1
        write c 10
        > P. 1:11(10) ack 1
        write c 10
        > P. 11:21(10) ack 1
        ",
    );
}

/// RFC 9293 section 3.8.5 (MUST-62): the pointer names the byte after it.
#[test]
fn urgent_data_is_marked() {
    check(
        "
        established
        write c 10 oob
        > PU. 1:11(10) ack 1 urg 10
        < PU. 1:11(10) ack 11 urg 10
        poll c in|pri 0 = in|pri
        ",
    );
}

/// tcp(7): TCP_NOTSENT_LOWAT.
#[test]
fn what_is_not_sent_yet_can_be_kept_low() {
    check(
        "
        established
        set c TCP_NOTSENT_LOWAT 1000
        poll c out 0 = out
        write c 11000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > . 4001:5001(1000) ack 1
        > . 5001:6001(1000) ack 1
        > . 6001:7001(1000) ack 1
        > . 7001:8001(1000) ack 1
        > . 8001:9001(1000) ack 1
        > . 9001:10001(1000) ack 1
        poll c out 0 = 0
        < . 1:1(0) ack 1001
        > P. 10001:11001(1000) ack 1
        poll c out 0 = out
        ",
    );
}
