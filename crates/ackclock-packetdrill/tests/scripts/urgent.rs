//! Urgent data, both ways.

use crate::player::check;

#[test]
fn the_urgent_byte_is_read_beside_the_stream() {
    check(
        "
        established
        < PU. 1:11(10) ack 1 urg 10
        +0.04 > . 1:1(0) ack 11
        poll c in|pri 0 = in|pri
        ioctl c SIOCINQ = 9
        ioctl c SIOCATMARK = 0
        read c 100 = 9
        ioctl c SIOCATMARK = 1
        poll c in|pri 0 = pri
        read c 1 oob peek
        read c 1 oob
        poll c in|pri 0 = 0
        read c 1 oob = EINVAL
        read c 1 dontwait = EAGAIN
        < P. 11:21(10) ack 1
        +0.04 > . 1:1(0) ack 21
        read c 10
        ",
    );
}

#[test]
fn an_urgent_byte_that_nobody_asks_for_is_left_out() {
    check(
        "
        established
        < PU. 1:11(10) ack 1 urg 5
        +0.04 > . 1:1(0) ack 11
        read c 100 = 4
        skipped c 1
        read c 100 = 5
        read c 1 oob = EINVAL
        ",
    );
}

#[test]
fn an_urgent_byte_can_stay_in_the_stream() {
    check(
        "
        established
        set c SO_OOBINLINE 1
        get c SO_OOBINLINE = 1
        < PU. 1:11(10) ack 1 urg 5
        +0.04 > . 1:1(0) ack 11
        read c 1 oob = EINVAL
        read c 100 = 10
        ",
    );
}

#[test]
fn an_urgent_byte_that_is_on_its_way_cannot_be_read() {
    check(
        "
        established
        read c 1 oob = EINVAL
        < U. 1:1(0) ack 1 urg 4
        read c 1 oob = EAGAIN
        poll c in|pri 0 = 0
        < P. 1:5(4) ack 1
        +0.04 > . 1:1(0) ack 5
        poll c in|pri 0 = in|pri
        read c 3
        read c 1 oob
        ",
    );
}

#[test]
fn the_pointer_goes_with_what_is_sent() {
    check(
        "
        established
        write c 10 oob
        > PU. 1:11(10) ack 1 urg 10
        +0.01 < . 1:1(0) ack 11
        write c 10
        > P. 11:21(10) ack 1
        ",
    );
}
