//! What poll, epoll and TCP_INFO say.

use crate::player::check;

/// Linux's `tcp_poll`: that the peer has finished is told at once, however much there is to be read before.
#[test]
fn the_end_is_told_before_all_is_read() {
    check(
        "
        established
        shutdown c wr
        > F. 1:1(0) ack 1
        < P. 1:101(100) ack 1
        +0.04 > . 2:2(0) ack 101
        poll c in|out|rdhup 0 = in|out
        +0.01 < F. 101:101(0) ack 1
        > . 2:2(0) ack 102
        +0.01 poll c in|out|rdhup 0 = in|out|hup|rdhup
        read c 100
        read c 100 = 0
        poll c in|out|rdhup 0 = in|out|hup|rdhup
        ",
    );
}

/// poll(2): a listener is readable while a connection waits.
#[test]
fn a_listener_is_readable_while_a_connection_waits() {
    check(
        "
        socket nonblock = fd s
        bind s
        listen s 5
        poll s in|out 0 = 0
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        poll s in 0 = 0
        < . 1:1(0) ack 1
        poll s in|out 0 = in
        accept s = fd c
        poll s in 0 = 0
        ",
    );
}

/// epoll(7): an edge for each connection that comes, not for each look.
#[test]
fn a_listener_tells_edges() {
    check(
        "
        socket nonblock = fd s
        bind s
        listen s 5
        epoll = fd e
        watch e s in|et
        epoll_wait e 0 = 0
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        < . 1:1(0) ack 1
        epoll_wait e 0 = in
        epoll_wait e 0 = 0
        accept s = fd c
        epoll_wait e 0 = 0
        peer 1
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        < . 1:1(0) ack 1
        epoll_wait e 0 = in
        ",
    );
}

/// connect(2): the end of an open that does not wait is told as writable; a failed one with an
/// error, too.
#[test]
fn epoll_tells_how_an_open_ended() {
    check(
        "
        socket nonblock = fd c
        epoll = fd e
        connect c = EINPROGRESS
        > S 0:0(0) <mss 1460,sackOK>
        watch e c out|et
        epoll_wait e 0 = 0
        start epoll_wait e 5000
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        done = out
        epoll_wait e 0 = 0
        ",
    );
}

/// As before, refused.
#[test]
fn epoll_tells_that_an_open_was_refused() {
    check(
        "
        socket nonblock = fd c
        epoll = fd e
        connect c = EINPROGRESS
        > S 0:0(0) <mss 1460,sackOK>
        watch e c out
        start epoll_wait e 5000
        +0.01 < R. 0:0(0) ack 1
        done = out|err|hup
        get c SO_ERROR = 111
        epoll_wait e 0 = out|hup
        ",
    );
}

/// epoll(7) and Linux's rule: writable again when a third of the buffer is free.
#[test]
fn epoll_tells_that_there_is_room_again() {
    check(
        "
        flags wmem=3000
        established
        nonblock c on
        epoll = fd e
        watch e c out|et
        epoll_wait e 0 = out
        write c 5000 = 3000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > P. 2001:3001(1000) ack 1
        write c 1 = EAGAIN
        epoll_wait e 0 = 0
        +0.01 < . 1:1(0) ack 1001
        epoll_wait e 0 = out
        epoll_wait e 0 = 0
        ",
    );
}

/// epoll_ctl(2): EPOLLRDHUP and EPOLLIN for the peer's FIN; EPOLLHUP when both have finished.
#[test]
fn epoll_tells_the_end_of_the_peers_data_and_of_both() {
    check(
        "
        established
        epoll = fd e
        watch e c in|rdhup
        epoll_wait e 0 = 0
        < F. 1:1(0) ack 1
        > . 1:1(0) ack 2
        epoll_wait e 0 = in|rdhup
        shutdown c wr
        > F. 1:1(0) ack 2
        epoll_wait e 0 = in|rdhup|hup
        ",
    );
}

/// epoll_ctl(2): closing a descriptor takes it off the list.
#[test]
fn a_closed_descriptor_is_watched_no_more() {
    check(
        "
        established
        epoll = fd e
        watch e c in
        < P. 1:11(10) ack 1
        epoll_wait e 0 = in
        read c 10
        close c
        > F. 1:1(0) ack 11
        epoll_wait e 0 = 0
        unwatch e c = EBADF
        ",
    );
}

/// tcp(7): TCP_INFO through the life of a connection, in Linux's numbers for the states.
#[test]
fn info_tells_the_states() {
    check(
        "
        socket nonblock = fd c
        info c state = 7
        connect c = EINPROGRESS
        info c state = 2
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        info c state = 1
        shutdown c wr
        info c state = 4
        > F. 1:1(0) ack 1
        +0.01 < . 1:1(0) ack 2
        info c state = 5
        +0.01 < F. 1:1(0) ack 2
        > . 2:2(0) ack 2
        ",
    );
}

/// tcp(7): what is SACKed and lost, and the state of recovery (TCP_CA_Disorder, TCP_CA_Recovery).
#[test]
fn info_tells_what_recovery_knows() {
    check(
        "
        flags recovery=rfc6675
        established
        write c 5000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > P. 4001:5001(1000) ack 1
        +0.01 < . 1:1(0) ack 1 <sack 1001:2001>
        info c ca_state = 1
        info c sacked = 1
        < . 1:1(0) ack 1 <sack 1001:4001>
        > . 1:1001(1000) ack 1
        info c ca_state = 3
        info c sacked = 3
        info c unacked = 5
        info c total_retrans = 1
        +0.01 < . 1:1(0) ack 5001
        info c ca_state = 0
        info c sacked = 0
        ",
    );
}

/// tcp(7): D-SACKs that came, bytes that were read or not.
#[test]
fn info_counts_bytes_and_duplicates() {
    check(
        "
        flags recovery=rfc6675
        established
        write c 1000
        > P. 1:1001(1000) ack 1
        +0.21 > P. 1:1001(1000) ack 1
        +0.01 < P. 1:101(100) ack 1001
        < . 101:101(0) ack 1001 <sack 1:1001>
        info c dsack_dups = 1
        info c bytes_acked = 1000
        info c bytes_received = 100
        info c data_segs_out = 2
        ",
    );
}

/// poll(2) over IPv6.
#[test]
fn poll_over_ipv6() {
    check(
        "
        v6
        established
        poll c in|out 0 = out
        < P. 1:11(10) ack 1
        poll c in|out 0 = in|out
        ",
    );
}
