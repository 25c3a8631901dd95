//! ICMP errors and the path MTU.

use crate::player::check;

/// A passive open by a peer that takes as much as an Ethernet carries.
const LARGE_SEGMENTS_V6: &str = "
        v6
        socket v6 = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1440,sackOK>
        > S. 0:0(0) ack 1 <mss 1440,sackOK>
        +0.01 < . 1:1(0) ack 1
        accept s = fd c
";

/// RFC 9293 section 3.9.2.2 (SHLD-26) with RFC 5927 section 5.2: a hard error ends an open.
#[test]
fn a_closed_port_refuses_an_open() {
    check(
        "
        socket nonblock = fd c
        connect c = EINPROGRESS
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 icmp port_unreachable 0
        poll c out 0 = out|err|hup
        get c SO_ERROR = 111
        +2 quiet
        ",
    );
}

/// RFC 9293 section 3.9.2.2: "protocol unreachable" is hard, too; the call that waits hears of it.
#[test]
fn a_missing_protocol_refuses_a_call_that_waits() {
    check(
        "
        socket = fd c
        start connect c
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 icmp protocol_unreachable 0
        done = ECONNREFUSED
        ",
    );
}

/// RFC 1812 section 5.2.7.1: code 13 is as hard as a closed port.
#[test]
fn an_administrator_refuses_an_open() {
    check(
        "
        socket = fd c
        start connect c
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 icmp admin_prohibited 0
        done = ECONNREFUSED
        ",
    );
}

/// Linux ends an open by soft errors, too, and has an errno for each code (`icmp_err_convert`).
#[test]
fn linux_ends_an_open_by_any_error() {
    let errors = [
        ("protocol_unreachable", "ENOPROTOOPT"),
        ("port_unreachable", "ECONNREFUSED"),
        ("admin_prohibited", "EHOSTUNREACH"),
        ("net_unreachable", "ENETUNREACH"),
        ("host_unreachable", "EHOSTUNREACH"),
        ("source_route_failed", "EOPNOTSUPP"),
        ("time_exceeded", "EHOSTUNREACH"),
        ("parameter_problem", "EPROTO"),
    ];
    for (name, errno) in errors {
        check(&format!(
            "
            flags habits=linux
            socket = fd c
            start connect c
            > S 0:0(0) <mss 1460,sackOK>
            +0.01 icmp {name} 0
            done = {errno}
            +2 quiet
            "
        ));
    }
    let errors = [
        ("no_route", "ENETUNREACH"),
        ("address_unreachable", "EHOSTUNREACH"),
        ("admin_prohibited", "EACCES"),
        ("time_exceeded", "EHOSTUNREACH"),
        ("parameter_problem", "EPROTO"),
    ];
    for (name, errno) in errors {
        check(&format!(
            "
            flags habits=linux
            v6
            socket v6 = fd c
            start connect c
            > S 0:0(0) <mss 1440,sackOK>
            +0.01 icmp {name} 0
            done = {errno}
            +2 quiet
            "
        ));
    }
}

/// RFC 9293 section 3.9.2.2 (SHLD-25): what a router said is what Linux tells when the peer was waited for in vain,
/// unless the peer was heard since.
#[test]
fn a_router_explains_why_an_open_connection_ends() {
    let ends = |heard: &str, errno: &str| {
        check(&format!(
            "
            flags habits=linux
            established
            set c TCP_USER_TIMEOUT 700
            write c 100
            > P. 1:101(100) ack 1
            icmp port_unreachable 1
            {heard}
            +0.21 > P. 1:101(100) ack 1
            +0.42 > P. 1:101(100) ack 1
            +1 read c 10 = {errno}
            "
        ));
    };
    ends("", "ECONNREFUSED");
    ends("< . 1:1(0) ack 1", "ETIMEDOUT");
}

/// RFC 9293 section 3.9.2.2 (MUST-56): no route, source route failed, time exceeded and a parameter
/// problem are soft; the SYN goes on. (Linux ends the open.)
#[test]
fn soft_errors_do_not_end_an_open() {
    check(
        "
        socket = fd c
        start connect c
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 icmp net_unreachable 0
        icmp host_unreachable 0
        icmp source_route_failed 0
        icmp time_exceeded 0
        icmp parameter_problem 0
        +0.99 > S 0:0(0) <mss 1460,sackOK>
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        done
        ",
    );
}

/// RFC 9293 section 3.9.2.2 (SHLD-25): the soft error is what the caller hears in the end, as in
/// Linux, rather than that time was up.
#[test]
fn a_soft_error_explains_why_an_open_was_given_up() {
    check(
        "
        socket = fd c
        set c TCP_SYNCNT 1
        start connect c
        > S 0:0(0) <mss 1460,sackOK>
        +0.01 icmp host_unreachable 0
        +0.99 > S 0:0(0) <mss 1460,sackOK>
        +2 done = EHOSTUNREACH
        ",
    );
}

/// RFC 5927 section 4.1: an error that quotes what is not in flight was made up.
#[test]
fn an_error_about_a_number_that_was_not_sent_is_ignored() {
    check(
        "
        socket nonblock = fd c
        connect c = EINPROGRESS
        > S 0:0(0) <mss 1460,sackOK>
        icmp port_unreachable 1
        icmp port_unreachable -1
        icmp port_unreachable 1000000
        poll c out 0 = 0
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        get c SO_ERROR = 0
        ",
    );
}

/// RFC 5927 section 5.2: on a connection that is open, hard errors are soft, whatever they say.
#[test]
fn no_error_ends_an_open_connection() {
    check(
        "
        established
        write c 1000
        > P. 1:1001(1000) ack 1
        icmp port_unreachable 1
        icmp protocol_unreachable 1
        icmp admin_prohibited 1
        poll c in|out 0 = out
        info c state = 1
        +0.01 < . 1:1(0) ack 1001
        write c 1000
        > P. 1001:2001(1000) ack 1
        ",
    );
}

/// RFC 8201 section 4 with RFC 4443 section 3.2.
#[test]
fn too_big_makes_segments_of_ipv6_smaller() {
    check(&format!(
        "{LARGE_SEGMENTS_V6}
        write c 2880
        > . 1:1441(1440) ack 1
        > P. 1441:2881(1440) ack 1
        +0.01 icmp too_big 1 mtu 1280
        > . 1:1221(1220) ack 1
        > . 1221:2441(1220) ack 1
        > P. 2441:2881(440) ack 1
        info c pmtu = 1280
        "
    ));
}

/// RFC 8201 section 4: every link of IPv6 carries 1,280 bytes; an error that tells less is
/// discarded.
#[test]
fn too_big_below_what_ipv6_promises_is_discarded() {
    check(&format!(
        "{LARGE_SEGMENTS_V6}
        write c 1440
        > P. 1:1441(1440) ack 1
        icmp too_big 1 mtu 1279
        icmp too_big 1
        info c snd_mss = 1440
        info c pmtu = 1500
        "
    ));
}

/// RFC 4443 section 3.1: over IPv6 the port is code 4, and prohibited is code 1.
#[test]
fn a_closed_port_refuses_an_open_over_ipv6() {
    check(
        "
        v6
        socket v6 = fd c
        start connect c
        > S 0:0(0) <mss 1440,sackOK>
        +0.01 icmp port_unreachable 0
        done = ECONNREFUSED
        socket v6 = fd d
        ",
    );
}

/// RFC 4443 section 3 with RFC 9293 section 3.9.2.2: no route, no such address, the hop limit and a
/// parameter problem are soft over IPv6 as well.
#[test]
fn soft_errors_over_ipv6_do_not_end_an_open() {
    check(
        "
        v6
        socket v6 = fd c
        start connect c
        > S 0:0(0) <mss 1440,sackOK>
        +0.01 icmp no_route 0
        icmp address_unreachable 0
        icmp time_exceeded 0
        icmp parameter_problem 0
        +0.01 < S. 0:0(0) ack 1 <mss 1000,sackOK>
        > . 1:1(0) ack 1
        done
        ",
    );
}
