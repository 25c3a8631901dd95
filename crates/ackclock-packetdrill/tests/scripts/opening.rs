//! What SYNs agree on, and openings that go wrong.

use crate::library::Library;
use crate::player::check;
use ackclock::wire::{Checksums, parse_packet};

/// RFC 9293 section 3.7.1 (MUST-15): over IPv6 it means 1,220.
#[test]
fn without_an_mss_option_segments_over_ipv6_have_1220_bytes() {
    check(
        "
        v6
        socket v6 = fd s
        bind s
        listen s 1
        < S 0:0(0)
        > S. 0:0(0) ack 1 <mss 1440>
        +0.01 < . 1:1(0) ack 1
        accept s = fd c
        write c 2440
        > . 1:1221(1220) ack 1
        > P. 1221:2441(1220) ack 1
        ",
    );
}

/// RFC 9293 section 3.7.1 (MUST-67): what is announced fits the link.
#[test]
fn the_mss_announced_fits_the_link() {
    check(
        "
        flags mtu=1280
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1460>
        > S. 0:0(0) ack 1 <mss 1240>
        +0.01 < . 1:1(0) ack 1
        accept s = fd c
        write c 1240
        > P. 1:1241(1240) ack 1
        ",
    );
}

/// RFC 6691 section 2 with RFC 7323: the MSS option does not count options, the segments do.
#[test]
fn timestamps_make_segments_shorter_than_the_mss() {
    check(
        "
        flags timestamps=on
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000,sackOK,TS val 100 ecr 0>
        > S. 0:0(0) ack 1 <mss 1460,sackOK,TS val 1000 ecr 100>
        +0.01 < . 1:1(0) ack 1 <TS val 110 ecr 1000>
        accept s = fd c
        write c 1976
        > . 1:989(988) ack 1 <TS val 1010 ecr 110>
        > P. 989:1977(988) ack 1 <TS val 1010 ecr 110>
        info c options = 3
        ",
    );
}

/// RFC 7323 section 1.3, RFC 2018 section 2: a SYN-ACK has only the options that the SYN had.
#[test]
fn a_syn_ack_has_no_option_that_the_syn_had_not() {
    check(
        "
        flags timestamps=on,wscale=on
        socket = fd s
        bind s
        listen s 5
        < S 0:0(0) <mss 1000,wscale 2>
        > S. 0:0(0) ack 1 <mss 1460,wscale 0>
        peer 1
        < S 0:0(0) <mss 1000,TS val 5 ecr 0>
        > S. 0:0(0) ack 1 <mss 1460,TS val 1000 ecr 5>
        ",
    );
}

/// RFC 9293 section 3.5 over IPv6.
#[test]
fn a_simultaneous_open_over_ipv6() {
    check(
        "
        v6
        socket v6 nonblock = fd c
        connect c = EINPROGRESS
        > S 0:0(0) <mss 1440,sackOK>
        < S 0:0(0) <mss 1000,sackOK>
        > S. 0:0(0) ack 1 <mss 1440,sackOK>
        < . 1:1(0) ack 1
        connect c
        ",
    );
}

/// RFC 9293 section 3.8.3 (MUST-23): a SYN-ACK that nobody acknowledges is given up in the end.
#[test]
fn a_half_open_connection_is_given_up() {
    check(
        "
        flags syn_retries=2
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        +1 > S. 0:0(0) ack 1 <mss 1460>
        +2 > S. 0:0(0) ack 1 <mss 1460>
        +4.8 < . 1:1(0) ack 1
        > R 1:1(0)
        ",
    );
}

/// Linux's `tcp_synack_retries` is 5, and 6 its `tcp_syn_retries`.
#[test]
fn a_syn_ack_goes_again_five_times() {
    check(
        "
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        +1 > S. 0:0(0) ack 1 <mss 1460>
        +2 > S. 0:0(0) ack 1 <mss 1460>
        +4 > S. 0:0(0) ack 1 <mss 1460>
        +8 > S. 0:0(0) ack 1 <mss 1460>
        +16 > S. 0:0(0) ack 1 <mss 1460>
        +48 < . 1:1(0) ack 1
        > R 1:1(0)
        ",
    );
}

/// RFC 2018 section 2: no blocks without the permission of both sides.
#[test]
fn sack_is_not_agreed_on_where_it_is_off() {
    check(
        "
        flags sack=off
        socket = fd s
        bind s
        listen s 1
        < S 0:0(0) <mss 1000,sackOK>
        > S. 0:0(0) ack 1 <mss 1460>
        < . 1:1(0) ack 1
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 1
        ",
    );
}

/// The bytes of the options of a SYN that connects.
fn options_of_syn(flags: &str) -> Vec<u8> {
    let library = Library::new(flags);
    let fd = library.socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_NONBLOCK, 0);
    let family = (libc::AF_INET as u16).to_ne_bytes();
    let parts = [&family[..], &6_000_u16.to_be_bytes(), &[192, 0, 2, 1], &[0; 8]];
    let address = parts.concat();
    let fd = fd.expect("a socket") as libc::c_int;
    let started = library.connect(fd, address.as_ptr(), address.len() as u32);
    assert_eq!(started, Err(libc::EINPROGRESS));
    let (_, syn) = library.receive_packet().expect("a SYN");
    parse_packet(&syn, Checksums::default()).expect("checksums are right");
    syn[40..].to_vec()
}

/// `tcp_addoptions`: MSS, window scale, SACK-permitted and timestamps, with zeros behind the last.
#[test]
fn freebsd_has_its_own_order_of_options() {
    let all = options_of_syn("profile=freebsd");
    assert_eq!(all[..12], [2, 4, 5, 180, 1, 3, 3, all[7], 4, 2, 8, 10]);
    assert_eq!(all.len(), 20);
    let without = options_of_syn("profile=freebsd,timestamps=off");
    assert_eq!(without, [2, 4, 5, 180, 1, 3, 3, all[7], 4, 2, 0, 0]);
    let linux = options_of_syn("profile=freebsd,syn_options=linux,timestamps=off");
    assert_eq!(linux, [2, 4, 5, 180, 1, 1, 4, 2, 1, 3, 3, all[7]]);
}
