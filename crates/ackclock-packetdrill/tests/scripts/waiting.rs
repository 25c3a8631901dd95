//! Calls that wait, and those that do not.

use crate::player::check;

/// recv(2).
#[test]
fn a_read_returns_when_data_arrives() {
    check(
        "
        established
        start read c 1000
        +0.3 < P. 1:101(100) ack 1
        done = 100
        +0.04 > . 1:1(0) ack 101
        ",
    );
}

/// recv(2): MSG_DONTWAIT, MSG_PEEK; open(2): O_NONBLOCK.
#[test]
fn a_read_does_not_wait_if_it_must_not() {
    check(
        "
        established
        read c 10 dontwait = EAGAIN
        nonblock c on
        read c 10 = EAGAIN
        < P. 1:11(10) ack 1
        read c 4 peek
        read c 4
        read c 100 = 6
        ",
    );
}

/// socket(7): SO_RCVTIMEO.
#[test]
fn a_read_waits_no_longer_than_its_timeout() {
    check(
        "
        established
        set c SO_RCVTIMEO 1500
        start read c 10
        +1.5 done = EAGAIN
        read c 10 = EAGAIN
        +1.5 write c 10
        > P. 1:11(10) ack 1
        ",
    );
}

/// recv(2): MSG_WAITALL.
#[test]
fn a_read_can_wait_for_all() {
    check(
        "
        established
        start read c 300 waitall
        +0.1 < P. 1:201(200) ack 1
        +0.04 > . 1:1(0) ack 201
        +0.1 < P. 201:401(200) ack 1
        done
        read c 100
        ",
    );
}

/// accept(2).
#[test]
fn an_accept_returns_when_the_handshake_is_finished() {
    check(
        "
        socket = fd s
        bind s
        listen s 1
        start accept s
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        +0.2 < . 1:1(0) ack 1
        done = fd c
        write c 5
        > P. 1:6(5) ack 1
        ",
    );
}

/// send(2).
#[test]
fn a_write_waits_for_room() {
    check(
        "
        flags wmem=3000
        established
        start write c 5000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > P. 2001:3001(1000) ack 1
        +0.01 < . 1:1(0) ack 2001
        > . 3001:4001(1000) ack 1
        > P. 4001:5001(1000) ack 1
        done
        ",
    );
}

/// poll(2).
#[test]
fn a_poll_waits_until_something_happens_or_its_time_is_over() {
    check(
        "
        established
        start poll c in 500
        +0.5 done = 0
        start poll c in|rdhup 10000
        +0.1 < F. 1:1(0) ack 1
        done = in|rdhup
        > . 1:1(0) ack 2
        ",
    );
}

/// Of the library: where one thread does all, its waiting is what moves time.
#[test]
fn a_wait_of_the_only_thread_moves_time() {
    check(
        "
        established
        write c 10
        > P. 1:11(10) ack 1
        poll c in 300 = 0
        +0.21 > P. 1:11(10) ack 1       # while the poll waited
        ",
    );
}

/// socket(7): SO_LINGER.
#[test]
fn a_close_can_wait_for_the_peers_ack() {
    check(
        "
        established
        set c SO_LINGER 5
        start close c
        > F. 1:1(0) ack 1
        +0.1 < . 1:1(0) ack 2
        done
        ",
    );
}

/// socket(7): SO_LINGER with no time; RFC 9293 section 3.10.5.
#[test]
fn a_close_with_no_time_to_linger_resets() {
    check(
        "
        established
        set c SO_LINGER 0
        close c
        > R. 1:1(0) ack 1
        close c = EBADF
        ",
    );
}

/// epoll(7), epoll_ctl(2).
#[test]
fn epoll_tells_levels_or_edges() {
    check(
        "
        established
        epoll = fd e
        watch e c in
        watch e c in = EEXIST
        epoll_wait e 0 = 0
        < P. 1:11(10) ack 1
        epoll_wait e 0 = in
        epoll_wait e 0 = in
        watch e again c in|et
        epoll_wait e 0 = in
        epoll_wait e 0 = 0
        < P. 11:21(10) ack 1
        epoll_wait e 0 = in
        epoll_wait e 0 = 0
        watch e again c in|oneshot
        epoll_wait e 0 = in
        epoll_wait e 0 = 0
        unwatch e c
        unwatch e c = ENOENT
        ",
    );
}

/// epoll_wait(2).
#[test]
fn epoll_wait_wakes_up() {
    check(
        "
        established
        epoll = fd e
        watch e c in|et
        start epoll_wait e 2000
        +0.7 < P. 1:11(10) ack 1
        done = in
        start epoll_wait e 2000
        +0.04 > . 1:1(0) ack 11
        +1.96 done = 0
        ",
    );
}

/// epoll_ctl(2): lists may watch one another, but not in a circle, nor more than four deep.
#[test]
fn lists_of_epoll_watch_each_other() {
    check(
        "
        established
        epoll = fd e
        epoll = fd d
        watch e c in
        watch d e in|et
        epoll_wait d 0 = none
        < P. 1:11(10) ack 1
        epoll_wait d 0 = in
        epoll_wait d 0 = none
        +0.01 < P. 11:21(10) ack 1
        epoll_wait d 0 = in            # more has come
        watch e d in = ELOOP
        watch d d in = EINVAL
        watch d 99 in = EBADF
        epoll = fd f
        watch f d in
        epoll = fd g
        watch g f in
        epoll = fd h
        watch h g in
        epoll = fd i
        watch i h in = ELOOP
        +0.03 > . 1:1(0) ack 21
        ",
    );
}
