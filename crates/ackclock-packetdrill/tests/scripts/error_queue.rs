//! What the error queue tells of data that was sent, and control messages beside data that is read.

use crate::player::check;

/// The kernel's documentation of MSG_ZEROCOPY: calls are numbered from 0, and one notice tells of all that follow each
/// other.
#[test]
fn lent_memory_is_given_back_when_it_was_acknowledged() {
    check(
        "
        established
        write c 10 zerocopy
        > P. 1:11(10) ack 1
        set c SO_ZEROCOPY 1
        write c 1000 zerocopy
        > P. 11:1011(1000) ack 1
        notice c = EAGAIN
        poll c out 0 = out
        +0.01 < . 1:1(0) ack 1011
        poll c out 0 = out|err
        notice c = 0
        notice c = EAGAIN
        write c 1000 zerocopy
        write c 1000 zerocopy
        > P. 1011:2011(1000) ack 1
        > P. 2011:3011(1000) ack 1
        +0.01 < . 1:1(0) ack 3011
        notice c = 100002
        ",
    );
}

/// Of an edge there is news each time that something comes.
#[test]
fn a_notice_is_an_edge() {
    check(
        "
        established
        set c SO_ZEROCOPY 1
        epoll = fd e
        watch e c out|et
        epoll_wait e 0 = out
        write c 1000 zerocopy
        > P. 1:1001(1000) ack 1
        < . 1:1(0) ack 1001
        epoll_wait e 0 = out|err
        epoll_wait e 0 = 0
        write c 1000 zerocopy
        > P. 1001:2001(1000) ack 1
        < . 1:1(0) ack 2001
        epoll_wait e 0 = out|err
        ",
    );
}

/// The kernel's documentation of timestamping: TX_SCHED (256), TX_SOFTWARE (2) and TX_ACK (512), told with SOFTWARE (16)
/// and the number of the last byte with OPT_ID (128).
#[test]
fn times_of_the_last_byte_are_told() {
    check(
        "
        established
        write c 100
        > P. 1:101(100) ack 1
        < . 1:1(0) ack 101
        set c SO_TIMESTAMPING 914
        get c SO_TIMESTAMPING = 914
        write c 2000
        > . 101:1101(1000) ack 1
        > P. 1101:2101(1000) ack 1
        notice c = 101999
        notice c = 1999
        notice c = EAGAIN
        +0.01 < . 1:1(0) ack 1101
        notice c = EAGAIN
        +0.01 < . 1:1(0) ack 2101
        notice c = 201999
        ",
    );
}

/// TCP_INQ: how much is left beside what was read; one byte that is not there stands for the end.
#[test]
fn what_is_left_is_told_beside_data() {
    check(
        "
        established
        set c TCP_INQ 1
        get c TCP_INQ = 1
        < . 1:1001(1000) ack 1
        left c 400 = 600
        left c 600 = 0
        < FP. 1001:1101(100) ack 1
        > . 1:1(0) ack 1102
        left c 100 = 1
        ",
    );
}
