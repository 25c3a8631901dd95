//! RFC 4898, `tcpEStatsPerfSndLim...`: for how long what has limited a sender, in milliseconds. Segments have 1,000
//! bytes, and the initial window is ten of them.

use ackclock_testkit::script::check;

#[test]
fn the_receiver_limits_while_its_window_is_full_or_closed() {
    // SndLimTimeRwin.
    check(
        "
        established win 2000
        write 5000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        < . 1:1(0) ack 2001 win 0
        +0.2 > . 2001:2002(1) ack 1
        +0.4 > . 2001:2002(1) ack 1
        +0.4 < . 1:1(0) ack 2001 win 10000
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > P. 4001:5001(1000) ack 1
        +0.01 < . 1:1(0) ack 5001 win 10000
        info rwnd_limited 1000
        info cwnd_limited 0
        info sndbuf_limited 0
        info busy_time 1010
        ",
    );
}

#[test]
fn a_sender_whose_application_has_no_more_is_busy_and_limited_by_nothing_else() {
    // SndLimTimeSnd.
    check(
        "
        established win 20000
        write 1000
        > P. 1:1001(1000) ack 1
        +0.03 < . 1:1(0) ack 1001 win 20000
        +0.5 write 1000
        > P. 1001:2001(1000) ack 1
        +0.03 < . 1:1(0) ack 2001 win 20000
        info busy_time 60
        info rwnd_limited 0
        info cwnd_limited 0
        info sndbuf_limited 0
        ",
    );
}

#[test]
fn a_small_send_buffer_limits_until_it_has_room() {
    check(
        "
        set send_buffer 2000
        established win 20000
        write 3000 takes 2000
        > . 1:1001(1000) ack 1
        > P. 1001:2001(1000) ack 1
        +0.04 < . 1:1(0) ack 2001 win 20000
        info sndbuf_limited 40
        info busy_time 40
        ",
    );
}
