//! What FreeBSD does otherwise, by the sources of its release 14 (`sys/netinet`): there is no FreeBSD here to ask.

use crate::player::check;

/// `tcp_timer_rexmt`, TCPT_RANGESET: the first timeout is `tcp.rexmit_initial`, and those that follow are twice as long
/// each, and 200 ms (`tcp.rexmit_slop`). TCPTV_KEEP_INIT: 75 s for a handshake.
#[test]
fn a_syn_goes_again_by_backoff_and_slop() {
    check(
        "
        flags profile=freebsd
        socket = fd c
        start connect c
        > S 0:0(0) <mss 1460,sackOK>
        +1 > S 0:0(0) <mss 1460,sackOK>
        +2.2 > S 0:0(0) <mss 1460,sackOK>
        +4.2 > S 0:0(0) <mss 1460,sackOK>
        +8.2 > S 0:0(0) <mss 1460,sackOK>
        +16.2 > S 0:0(0) <mss 1460,sackOK>
        +32.2 > S 0:0(0) <mss 1460,sackOK>
        +11 done = ETIMEDOUT
        ",
    );
}

/// `syncache_timeout`, `tcp.syncache.rexmtlimit`: a SYN-ACK goes again three times, by the same timeouts.
#[test]
fn a_syn_ack_goes_again_three_times() {
    check(
        "
        flags profile=freebsd
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        +1 > S. 0:0(0) ack 1 <mss 1460>
        +2.2 > S. 0:0(0) ack 1 <mss 1460>
        +4.2 > S. 0:0(0) ack 1 <mss 1460>
        +8.4 < . 1:1(0) ack 1
        > R 1:1(0)
        ",
    );
}

/// `tcp_timer_rexmt`: the slop is added once to what was backed off.
#[test]
fn the_slop_is_not_backed_off() {
    check(
        "
        flags profile=freebsd
        established
        write c 100
        > P. 1:101(100) ack 1
        +0.23 > P. 1:101(100) ack 1            # 10 + 4 * 5 + 200 ms
        +0.26 > P. 1:101(100) ack 1            # 2 * 30 + 200 ms
        +0.32 > P. 1:101(100) ack 1
        ",
    );
}

/// `tcp_output`: in CLOSING an ack has the FIN that was not acknowledged yet, and its number.
#[test]
fn the_ack_in_closing_repeats_the_fin() {
    check(
        "
        flags profile=freebsd,habits=freebsd
        established
        shutdown c wr
        > F. 1:1(0) ack 1
        < F. 1:1(0) ack 1
        > F. 1:1(0) ack 2
        info c state = 11
        < F. 1:1(0) ack 1
        > F. 1:1(0) ack 2
        < . 2:2(0) ack 2
        read c 1 = 0
        ",
    );
}

/// `tcp_output`, `tcp_respond`: so have acks of data in FIN-WAIT-1, also after `close` has gone before, but no challenge
/// and none once the FIN was acknowledged.
#[test]
fn acks_repeat_a_fin_until_it_is_acknowledged() {
    check(
        "
        flags profile=freebsd,habits=freebsd
        established
        shutdown c wr
        > F. 1:1(0) ack 1
        < P. 1:1001(1000) ack 1
        < P. 1001:2001(1000) ack 1
        > F. 1:1(0) ack 2001
        < S 5000:5000(0)
        > . 2:2(0) ack 2001
        < P. 2001:3001(1000) ack 2
        < P. 3001:4001(1000) ack 2
        > . 2:2(0) ack 4001
        ",
    );
    check(
        "
        flags profile=freebsd,habits=freebsd
        established
        close c
        > F. 1:1(0) ack 1
        < F. 1:1(0) ack 1
        > F. 1:1(0) ack 2
        < . 2:2(0) ack 2
        ",
    );
}

/// `tcp.recvspace`, `sb_max`: a buffer of 64 KiB, whose window of a SYN is all that a header holds, and a shift for the
/// largest buffer (2 MiB).
const OPEN: &str = "
    flags profile=freebsd,wscale=on,rmem=2097152,buffers=freebsd
    socket = fd s
    bind s
    listen s 5
    < S 0:0(0) win 60000 <mss 1000,sackOK,wscale 0>
    > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK,wscale 6>
    +0.01 < . 1:1(0) ack 1
    accept s = fd c
";

/// `tcp_output`: what is not read is not told as room.
#[test]
fn the_window_is_a_buffer_of_64_kib() {
    check(&format!(
        "{OPEN}
        < . 1:1001(1000) ack 1
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 2001 win 992
        read c 2000
        < . 2001:3001(1000) ack 1
        < . 3001:4001(1000) ack 1
        > . 1:1(0) ack 4001 win 992
        "
    ));
}

/// `tcp_autorcvbuf`: more than 3/8 of the buffer within half a round trip make it half as large again.
#[test]
fn the_buffer_grows_by_half_while_much_comes() {
    let burst = |begin: u32| -> String {
        (0..30)
            .map(|n| begin + 1_000 * n)
            .map(|at| match at / 1_000 % 2 {
                0 => format!("< . {at}:{}(1000) ack 1\n", at + 1_000),
                _ => format!(
                    "< . {at}:{}(1000) ack 1\n> . 1:1(0) ack {}\nread c 2000\n",
                    at + 1_000,
                    at + 1_000
                ),
            })
            .collect()
    };
    check(&format!(
        "{OPEN}
        {}
        +0.01 < . 30001:31001(1000) ack 1
        < . 31001:32001(1000) ack 1
        > . 1:1(0) ack 32001 win 992
        read c 2000
        > . 1:1(0) ack 32001 win 1536              # 96 KiB: by a quarter of it more
        ",
        burst(1)
    ));
}
