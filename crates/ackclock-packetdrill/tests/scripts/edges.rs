//! What poll and epoll say, by the kernel's rules.

use crate::player::check;

#[test]
fn each_connection_that_comes_is_an_edge() {
    check(
        "
        socket = fd s
        bind s
        listen s 5
        epoll = fd e
        watch e s in|et
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        < . 1:1(0) ack 1
        epoll_wait e 0 = in
        epoll_wait e 0 = none
        peer 1
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        < . 1:1(0) ack 1
        epoll_wait e 0 = in
        epoll_wait e 0 = none
        ",
    );
}

#[test]
fn a_pipe_is_watched_as_a_socket_is() {
    check(
        "
        socket = fd s
        pipe p
        epoll = fd e
        watch e p.r in
        epoll_wait e 0 = none
        write p.w 5
        epoll_wait e 0 = in
        take p.r 5
        epoll_wait e 0 = none
        close p.w
        epoll_wait e 0 = hup
        ",
    );
}

#[test]
fn more_bytes_are_an_edge_also_while_some_are_unread() {
    check(
        "
        established
        epoll = fd e
        watch e c in|et
        < P. 1:11(10) ack 1
        epoll_wait e 0 = in
        epoll_wait e 0 = none
        < P. 11:21(10) ack 1
        epoll_wait e 0 = in
        read c 5
        epoll_wait e 0 = none
        ",
    );
}

#[test]
fn all_that_are_ready_get_their_turn_in_the_order_in_which_they_came() {
    check(
        "
        socket = fd s
        pipe p
        pipe q
        epoll = fd e
        watch e q.w out
        watch e p.w out
        first e is q.w
        first e is p.w
        first e is q.w
        ",
    );
}
