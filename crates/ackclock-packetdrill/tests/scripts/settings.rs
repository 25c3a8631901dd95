//! Options that change connections and listeners while they are open.

use crate::library::Library;
use crate::player::check;

#[test]
fn quick_acks_can_be_asked_for() {
    check(
        "
        established
        get c TCP_QUICKACK = 0
        < . 1:1001(1000) ack 1
        set c TCP_QUICKACK 1
        > . 1:1(0) ack 1001
        get c TCP_QUICKACK = 1
        < . 1001:2001(1000) ack 1
        > . 1:1(0) ack 2001
        set c TCP_QUICKACK 0
        < . 2001:3001(1000) ack 1
        +0.04 > . 1:1(0) ack 3001
        ",
    );
}

#[test]
fn a_clamp_bounds_the_window_without_taking_it_back() {
    check(
        "
        established
        set c TCP_WINDOW_CLAMP 58000
        get c TCP_WINDOW_CLAMP = 58000
        < . 1:1461(1460) ack 1
        < . 1461:2921(1460) ack 1
        > . 1:1(0) ack 2921 win 57080
        read c 2920
        < . 2921:4381(1460) ack 1
        read c 1460
        +0.04 > . 1:1(0) ack 4381 win 58000
        set c TCP_WINDOW_CLAMP 0 = EINVAL
        set c TCP_WINDOW_CLAMP 1
        get c TCP_WINDOW_CLAMP = 1152
        < . 4381:5841(1460) ack 1
        < . 5841:7301(1460) ack 1
        > . 1:1(0) ack 7301 win 55080
        ",
    );
}

#[test]
fn a_clamp_set_before_is_told_by_the_syn() {
    check(
        "
        socket = fd s
        set s TCP_WINDOW_CLAMP 5840
        bind s
        listen s 1
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 win 5840 <mss 1460>
        +0.01 < . 1:1(0) ack 1
        accept s = fd c
        < P. 1:1001(1000) ack 1
        +0.04 > . 1:1(0) ack 1001 win 4840
        read c 1000
        ",
    );
}

#[test]
fn an_accept_can_wait_for_data() {
    check(
        "
        socket = fd s
        bind s
        set s TCP_DEFER_ACCEPT 2
        get s TCP_DEFER_ACCEPT = 3
        listen s 1
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        +0.01 < . 1:1(0) ack 1
        poll s in 0 = 0
        +0.5 < P. 1:101(100) ack 1
        accept s = fd c
        read c 100
        +0.04 > . 1:1(0) ack 101
        ",
    );
}

#[test]
fn an_accept_that_waits_for_data_does_not_wait_for_ever() {
    check(
        "
        socket = fd s
        bind s
        listen s 1
        set s TCP_DEFER_ACCEPT 2
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        < . 1:1(0) ack 1
        +3 > S. 0:0(0) ack 1 <mss 1460>
        poll s in 0 = 0
        < . 1:1(0) ack 1
        accept s = fd c
        write c 10
        > P. 1:11(10) ack 1
        ",
    );
}

#[test]
fn a_user_timeout_can_be_set_on_a_connection() {
    check(
        "
        established
        set c TCP_USER_TIMEOUT 1000
        write c 100
        > P. 1:101(100) ack 1
        +0.21 > P. 1:101(100) ack 1
        +0.42 > P. 1:101(100) ack 1
        +0.37 > R. 101:101(0) ack 1
        read c 1 = ETIMEDOUT
        ",
    );
}

#[test]
fn buffers_can_be_changed_on_a_connection() {
    check(
        "
        established
        set c SO_RCVBUF 65000
        get c SO_RCVBUF = 130000
        > . 1:1(0) ack 1 win 65000
        set c SO_SNDBUF 2500
        get c SO_SNDBUF = 5000
        nonblock c on
        write c 6000 = 5000
        > . 1:1001(1000) ack 1
        > . 1001:2001(1000) ack 1
        > . 2001:3001(1000) ack 1
        > . 3001:4001(1000) ack 1
        > P. 4001:5001(1000) ack 1
        write c 5000 = EAGAIN
        poll c out 0 = 0
        ",
    );
}

#[test]
fn a_law_can_be_changed_on_a_connection() {
    check(
        "
        established
        law c reno
        set c TCP_CONGESTION cubic
        law c cubic
        write c 2000
        > . 1:1001(1000) ack 1
        > P. 1001:2001(1000) ack 1
        info c snd_cwnd = 10
        set c TCP_CONGESTION fixed
        law c fixed
        set c TCP_CONGESTION vegas3 = ENOENT
        law c fixed
        ",
    );
}

#[test]
fn connections_inherit_the_law_of_their_listener() {
    check(
        "
        socket = fd s
        set s TCP_CONGESTION fixed
        bind s
        listen s 1
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        < . 1:1(0) ack 1
        accept s = fd c
        law c fixed
        info c snd_cwnd = 64
        ",
    );
}

#[test]
fn a_listener_can_be_changed() {
    check(
        "
        socket = fd s
        bind s
        listen s 0
        listen s 1
        set s TCP_MAXSEG 700
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 700>
        < . 1:1(0) ack 1
        peer 1
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 700>
        < . 1:1(0) ack 1
        peer 0
        accept s = fd c
        peer 1
        info s state = 10
        poll s in 0 = in
        ",
    );
}

#[test]
fn the_count_of_syns_can_be_changed_while_they_are_sent() {
    check(
        "
        socket nonblock = fd c
        connect c = EINPROGRESS
        > S 0:0(0) <mss 1460,sackOK>
        get c TCP_SYNCNT = 6
        set c TCP_SYNCNT 1
        get c TCP_SYNCNT = 1
        +1 > S 0:0(0) <mss 1460,sackOK>
        poll c out 0 = 0
        +2.3 poll c out 0 = out|err|hup
        get c SO_ERROR = 110
        set c TCP_SYNCNT 0 = EINVAL
        ",
    );
}

#[test]
fn the_backlog_has_a_limit() {
    check(
        "
        flags backlog=0
        socket = fd s
        bind s
        listen s 100
        < S 0:0(0) <mss 1000>
        > S. 0:0(0) ack 1 <mss 1460>
        < . 1:1(0) ack 1
        accept s = fd c
        ",
    );
}

#[test]
fn path_mtu_discovery_can_be_chosen() {
    check(
        "
        established
        get c IP_MTU_DISCOVER = 1
        set c IP_MTU_DISCOVER 0
        get c IP_MTU_DISCOVER = 0
        set c IP_MTU_DISCOVER 5
        set c IP_MTU_DISCOVER 6 = EINVAL
        get c IP_MTU = 1500
        get s IP_MTU = ENOTCONN
        set c IPV6_MTU_DISCOVER 1 = ENOPROTOOPT
        set c IP_FREEBIND 1
        get c IP_FREEBIND = 1
        ",
    );
}

/// IP_PMTUDISC_DONT: routers may cut what is sent (RFC 791 section 3.1).
#[test]
fn without_discovery_packets_may_be_fragmented() {
    let library = Library::new("profile=linux");
    let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK;
    let remote = [2, 0, 31, 144, 192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    for (discovery, dont_fragment) in [(libc::IP_PMTUDISC_WANT, 0x40), (libc::IP_PMTUDISC_DONT, 0)]
    {
        let socket = library.socket(libc::AF_INET, kind, 0).expect("a socket") as i32;
        let (value, name) = (discovery.to_ne_bytes(), libc::IP_MTU_DISCOVER);
        assert_eq!(library.setsockopt(socket, libc::IPPROTO_IP, name, value.as_ptr(), 4), Ok(0));
        assert_eq!(library.connect(socket, remote.as_ptr(), 16), Err(libc::EINPROGRESS));
        let (_, packet) = library.receive_packet().expect("a SYN");
        assert_eq!(packet[6], dont_fragment);
        let read = ackclock::wire::parse_packet(&packet, Default::default());
        assert!(read.is_ok(), "its checksums are right: {read:?}");
        assert_eq!(library.close(socket), Ok(0));
    }
    library.free();
}

#[test]
fn options_of_ipv6_are_those_of_ipv4_by_other_names() {
    check(
        "
        v6
        socket v6 = fd s
        get s IPV6_V6ONLY = 0
        socket v6 = fd t
        set t IPV6_V6ONLY 1
        get t IPV6_V6ONLY = 1
        bind t
        set t IPV6_V6ONLY 0 = EINVAL
        close t
        set s IPV6_TCLASS 184
        get s IPV6_TCLASS = 184
        set s IPV6_TCLASS -1
        get s IPV6_TCLASS = 0
        set s IPV6_UNICAST_HOPS 5
        get s IPV6_UNICAST_HOPS = 5
        set s IPV6_UNICAST_HOPS -1
        get s IPV6_UNICAST_HOPS = 64
        set s IPV6_MTU_DISCOVER 2
        get s IPV6_MTU_DISCOVER = 2
        get s IPV6_MTU = ENOTCONN
        set s IP_TTL 1
        ",
    );
}

#[test]
fn more_to_come_is_waited_for_a_fifth_of_a_second() {
    check(
        "
        established
        write c 300 more
        +0.2 > P. 1:301(300) ack 1
        +0.01 < . 1:1(0) ack 301
        set c TCP_CORK 1
        write c 100
        +0.2 > P. 301:401(100) ack 1
        +0.01 < . 1:1(0) ack 401
        write c 100
        +0.2 > P. 401:501(100) ack 1
        ",
    );
}

#[test]
fn only_options_that_concern_it_end_the_wait_for_more() {
    check(
        "
        established
        write c 300 more
        set c SO_KEEPALIVE 1
        set c TCP_KEEPIDLE 100
        +0.1 set c TCP_NODELAY 1
        > P. 1:301(300) ack 1
        ",
    );
}

#[test]
fn info_says_what_was_agreed_on_and_when_something_happened() {
    check(
        "
        established
        info c advmss = 1460
        info c rcv_mss = 536
        info c ato = 0                 # nothing came that could be acknowledged
        info c reordering = 3
        write c 100
        > P. 1:101(100) ack 1
        +0.01 < . 1:1(0) ack 101
        info c total_rto = 0
        < . 1:1001(1000) ack 101
        info c rcv_mss = 1000
        ",
    );
    // To the millisecond, which no kernel keeps in real time: it does not have this flag.
    check(
        "
        flags delack=40
        established
        write c 100
        > P. 1:101(100) ack 1
        +0.01 < . 1:1(0) ack 101
        +0.5 info c last_data_sent = 509
        info c last_ack_recv = 500
        ",
    );
}

/// RFC 4291 section 2.5.5.2: a socket of IPv6 takes connections over IPv4 at a mapped address, and opens them.
#[test]
fn addresses_of_ipv4_can_be_mapped_into_ipv6() {
    let library = Library::new("");
    let mapped = |port: u16, ip: [u8; 4]| {
        let [high, low] = port.to_be_bytes();
        let family = (libc::AF_INET6 as u16).to_ne_bytes();
        let prefix = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
        [&family[..], &[high, low, 0, 0, 0, 0], &prefix, &ip, &[0; 4]].concat()
    };
    let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK;
    let socket = library.socket(libc::AF_INET6, kind, 0).expect("a socket") as i32;
    let (own, peer) = (mapped(8080, [192, 168, 0, 1]), mapped(6000, [192, 0, 2, 1]));
    assert_eq!(library.bind(socket, own.as_ptr(), 28), Ok(0));
    assert_eq!(library.connect(socket, peer.as_ptr(), 28), Err(libc::EINPROGRESS));
    let (_, packet) = library.receive_packet().expect("a SYN");
    assert_eq!((packet[0] >> 4, &packet[12..20]), (4, &[192, 168, 0, 1, 192, 0, 2, 1][..]));
    let only = library.socket(libc::AF_INET6, kind, 0).expect("a socket") as i32;
    let (level, name) = (libc::IPPROTO_IPV6, libc::IPV6_V6ONLY);
    assert_eq!(library.setsockopt(only, level, name, 1_i32.to_ne_bytes().as_ptr(), 4), Ok(0));
    assert_eq!(library.connect(only, peer.as_ptr(), 28), Err(libc::ENETUNREACH));
    library.free();
}

/// ipv6(7), IPV6_V6ONLY: a listener at `::` takes connections of IPv4 too, whose peers it shows as mapped addresses.
#[test]
fn a_listener_of_all_addresses_takes_both_families() {
    let (ours, peers) = (Library::new(""), Library::new("local=192.0.2.1"));
    let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK;
    let family = |family: i32| (family as u16).to_ne_bytes();
    let any = [&family(libc::AF_INET6)[..], &8080_u16.to_be_bytes(), &[0; 24]].concat();
    let listener = ours.socket(libc::AF_INET6, kind, 0).expect("a socket") as i32;
    assert_eq!(ours.bind(listener, any.as_ptr(), 28), Ok(0));
    assert_eq!(ours.listen(listener, 5), Ok(0));
    let to =
        [&family(libc::AF_INET)[..], &8080_u16.to_be_bytes(), &[192, 168, 0, 1], &[0; 8]].concat();
    let client = peers.socket(libc::AF_INET, kind, 0).expect("a socket") as i32;
    assert_eq!(peers.connect(client, to.as_ptr(), 16), Err(libc::EINPROGRESS));
    let carry = |from: &Library, to: &Library| {
        let (_, packet) = from.receive_packet().expect("a packet");
        to.netdev_send(packet.as_ptr(), packet.len()).expect("taken");
    };
    carry(&peers, &ours);
    carry(&ours, &peers);
    carry(&peers, &ours);
    let (mut address, mut len) = ([0; 28], 28);
    assert!(ours.accept(listener, address.as_mut_ptr(), &mut len).is_ok());
    assert_eq!(address[8..24], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 1]);
    ours.free();
    peers.free();
}
