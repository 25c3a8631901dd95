//! Flags for what scripts set by `sysctl`.

use crate::player::check;

/// net.ipv4.tcp_keepalive_time, _intvl and _probes: what sockets do that set none.
#[test]
fn keepalive_has_defaults() {
    check(
        "
        flags keepidle=3,keepintvl=2,keepcnt=2
        established
        get c TCP_KEEPIDLE = 3
        get c TCP_KEEPINTVL = 2
        get c TCP_KEEPCNT = 2
        set c SO_KEEPALIVE 1
        start read c 1
        +3 > . 0:0(0) ack 1
        +2 > . 0:0(0) ack 1
        +2 > R. 1:1(0) ack 1
        done = ETIMEDOUT
        ",
    );
}

/// Ten segments, whose acks open the window to more than fourteen; of fourteen that are written after two seconds ten go at
/// least, and then `last` happens.
fn after_two_seconds(restart: &str, last: &str) {
    let sent: String = (0..10)
        .map(|n| {
            format!(
                "> {} {}:{}(1000) ack 1\n",
                if n == 9 { "P." } else { "." },
                n * 1000 + 1,
                n * 1000 + 1001
            )
        })
        .collect();
    let acked: String =
        (1..=10).map(|n| format!("+0.001 < . 1:1(0) ack {}\n", n * 1000 + 1)).collect();
    let later: String = (10..20)
        .map(|n| format!("> . {}:{}(1000) ack 1\n", n * 1000 + 1, n * 1000 + 1001))
        .collect();
    check(&format!(
        "flags restart={restart}\nestablished\nwrite c 10000\n{sent}+0.1 quiet\n{acked}+2 write c 14000\n{later}{last}"
    ));
}

/// net.ipv4.tcp_slow_start_after_idle 0 and 1 (RFC 5681 section 4.1).
#[test]
fn an_idle_time_closes_the_window_or_not() {
    after_two_seconds("rfc5681", "+0.05 quiet\n");
    after_two_seconds(
        "never",
        "> . 20001:21001(1000) ack 1\n> . 21001:22001(1000) ack 1\n> . 22001:23001(1000) ack 1\n\
         > P. 23001:24001(1000) ack 1\n",
    );
}

/// net.ipv4.tcp_wmem: buffers have the middle one.
#[test]
fn buffers_have_the_middle_of_three_sizes() {
    check(
        "
        flags wmem=4096:18000:90000
        socket = fd s
        get s SO_SNDBUF = 18000
        ",
    );
}

/// net.ipv4.tcp_mtu_probing 2: segments begin with tcp_base_mss, and one that is longer asks the path (RFC 4821).
#[test]
fn the_path_is_asked_for_longer_segments() {
    check(
        "
        flags mtu_probing=always
        socket = fd s
        bind s
        listen s 5
        < S 0:0(0) <mss 1460,sackOK>
        > S. 0:0(0) ack 1 <mss 1460,sackOK>
        +0.01 < . 1:1(0) ack 1
        accept s = fd c
        write c 7384
        > . 1:1241(1240) ack 1
        > . 1241:2265(1024) ack 1
        > . 2265:3289(1024) ack 1
        > . 3289:4313(1024) ack 1
        > . 4313:5337(1024) ack 1
        > . 5337:6361(1024) ack 1
        > P. 6361:7385(1024) ack 1
        +0.01 < . 1:1(0) ack 7385
        info c snd_mss = 1240
        ",
    );
}

/// What `tc qdisc … fq` asks for: twice the window in a round trip (`tcp_pacing_ss_ratio`), so two segments of ten in a
/// millisecond where it takes ten.
#[test]
fn segments_are_paced() {
    check(
        "
        flags pacing=always
        established
        write c 10000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        +0.001 > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        +0.001 > . 4001:5001(1000) ack 1
        > . 5001:6001(1000) ack 1
        +0.001 > . 6001:7001(1000) ack 1
        > . 7001:8001(1000) ack 1
        +0.001 > . 8001:9001(1000) ack 1
        > P. 9001:10001(1000) ack 1
        ",
    );
}
