//! Pipes and splice, and the calls that read and write in parts.

use crate::player::check;

#[test]
fn splice_sends_what_is_in_a_pipe() {
    check(
        "
        established
        pipe p
        write p.w 2500
        splice p.r c 2500
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > P. 2001:2501(500) ack 1
        +0.01 < . 1:1(0) ack 2501
        splice p.r c 10 nonblock = EAGAIN
        close p.w
        splice p.r c 10 = 0
        ",
    );
}

#[test]
fn splice_can_say_that_more_follows() {
    check(
        "
        established
        pipe p
        write p.w 500
        splice p.r c 300 more
        +0.1 splice p.r c 300 = 200
        > P. 1:501(500) ack 1
        ",
    );
}

#[test]
fn splice_moves_what_arrives_into_a_pipe() {
    check(
        "
        established
        pipe p
        splice c p.w 1000 nonblock = EAGAIN
        start splice c p.w 1000
        +0.1 < P. 1:301(300) ack 1
        done = 300
        +0.04 > . 1:1(0) ack 301
        ioctl p.r SIOCINQ = 300
        read p.r 300
        < F. 301:301(0) ack 1
        > . 1:1(0) ack 302
        splice c p.w 1000 = 0
        ",
    );
}

#[test]
fn splice_goes_from_pipe_to_pipe() {
    check(
        "
        established
        pipe p
        pipe q
        write p.w 100
        splice p.r q.w 60
        splice q.r c 60
        > P. 1:61(60) ack 1
        splice p.r q.w 60 = 40
        splice p.r p.w 60 = EINVAL
        close q.r
        write p.w 1
        splice p.r q.w 60 = EPIPE
        ",
    );
}

#[test]
fn splice_fails_as_in_a_kernel() {
    check(
        "
        established
        pipe p
        splice c c 10 = EINVAL
        splice p.w c 10 = EBADF
        splice c p.r 10 = EBADF
        splice p.r c 10 offset = ESPIPE
        splice c p.w 10 offset = EINVAL
        splice 99 c 10 = EBADF
        splice p.r c 0
        socket = fd t
        splice t p.w 10 = ENOTCONN
        ",
    );
}

/// packetdrill gives the address of a zero where a script says NULL.
#[test]
fn an_offset_of_zero_is_none() {
    check(
        "
        established
        pipe p
        write p.w 10
        splice p.r c 10 zero
        > P. 1:11(10) ack 1
        ",
    );
}

/// As Linux does it: nothing is moved over the urgent byte, and nobody waits for it.
#[test]
fn splice_ends_at_the_urgent_byte() {
    check(
        "
        established
        pipe p
        < U. 1:101(100) ack 1 urg 100
        +0.04 > . 1:1(0) ack 101
        splice c p.w 99
        splice c p.w 1 = 0
        ",
    );
}

#[test]
fn a_pipe_is_no_socket() {
    check(
        "
        socket = fd s
        pipe p
        bind p.r = ENOTSOCK
        listen p.r 1 = ENOTSOCK
        connect p.r = ENOTSOCK
        read p.r 1 peek = ENOTSOCK
        write p.w 1 more = ENOTSOCK
        set p.w TCP_NODELAY 1 = ENOTSOCK
        get p.w TCP_NODELAY = ENOTSOCK
        ioctl p.w SIOCOUTQ = ENOTTY
        shutdown p.w wr = ENOTSOCK
        read p.w 1 = EBADF
        write p.r 1 = EBADF
        ",
    );
}

#[test]
fn a_pipe_waits_for_bytes_and_for_room() {
    check(
        "
        socket = fd s
        pipe p
        poll p.r in 0 = 0
        poll p.w out 0 = out
        start take p.r 5
        +0.1 write p.w 5
        done
        write p.w 65536
        poll p.w out 0 = 0
        start write p.w 10
        +0.1 take p.r 20
        done
        close p.w
        poll p.r in 0 = in|hup
        take p.r 65526
        take p.r 1 = 0
        close p.r
        pipe q
        close q.r
        poll q.w out 0 = out|err
        write q.w 1 = EPIPE
        ",
    );
}

#[test]
fn reads_and_writes_can_be_in_parts() {
    check(
        "
        established
        < P. 1:101(100) ack 1
        readv c 50
        recvmsg c 20
        recvfrom c 100 = 30
        +0.04 > . 1:1(0) ack 101
        writev c 30
        > P. 1:31(30) ack 101
        +0.01 < . 101:101(0) ack 31
        sendmsg c 30
        > P. 31:61(30) ack 101
        +0.01 < . 101:101(0) ack 61
        sendto c 30
        > P. 61:91(30) ack 101
        ",
    );
}
