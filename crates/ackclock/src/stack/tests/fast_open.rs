//! TCP Fast Open (RFC 7413) between two stacks.

use super::*;
use crate::tcp::{Error, FastOpenMode, State};
use crate::wire::FastOpenCookie;

const TO: &str = "10.0.0.2:80";

fn asking() -> Config {
    Config { fast_open: FastOpenMode::On, ..Config::default() }
}

/// A server that has at most `most` connections opened fast and not finished.
fn listen(pair: &mut Pair, most: usize) -> Listener {
    let mut config = ListenConfig::new(addr("0.0.0.0:80"));
    config.fast_open = most;
    pair.server.listen(config).unwrap()
}

/// A connection whose SYN takes as much of `data` as may go with it.
fn connect_with(pair: &mut Pair, data: &[u8]) -> Handle {
    let client = pair.client.connect(pair.now, addr(TO), None, &asking()).unwrap();
    assert_eq!(pair.client.send(pair.now, client, data), Ok(data.len()));
    client
}

/// A client that has a cookie of the server, and all connections closed.
fn with_cookie(most: usize) -> (Pair, Listener) {
    let mut pair = Pair::new();
    let listener = listen(&mut pair, most);
    let client = connect_with(&mut pair, b"first");
    pair.run();
    let server = pair.server.accept(listener).unwrap();
    pair.client.abort(pair.now, client).unwrap();
    pair.run();
    assert!(pair.server.readiness(server).unwrap().closed);
    pair.server.close(pair.now, server).unwrap();
    (pair, listener)
}

fn only(packets: &[Vec<u8>]) -> Segment<'_> {
    let [packet] = packets else { panic!("{} packets", packets.len()) };
    segment(packet)
}

/// The client's packets reach the server.
fn to_server(pair: &mut Pair) -> Vec<Vec<u8>> {
    let sent = packets(pair.now, &mut pair.client);
    sent.iter().for_each(|packet| {
        pair.server.on_packet(pair.now, packet);
    });
    sent
}

fn to_client(pair: &mut Pair) -> Vec<Vec<u8>> {
    let sent = packets(pair.now, &mut pair.server);
    sent.iter().for_each(|packet| {
        pair.client.on_packet(pair.now, packet);
    });
    sent
}

fn read(pair: &mut Pair, server: Handle) -> Vec<u8> {
    let mut data = [0; 4_000];
    let n = pair.server.receive(pair.now, server, &mut data).unwrap();
    data[..n].to_vec()
}

/// Section 4.2.1.
#[test]
fn the_first_syn_asks_for_a_cookie() {
    let mut pair = Pair::new();
    let listener = listen(&mut pair, 10);
    let client = connect_with(&mut pair, b"first");
    let syn = to_server(&mut pair);
    assert_eq!(only(&syn).header.options.fast_open(), Some(FastOpenCookie::REQUEST));
    assert_eq!(only(&syn).payload, b"", "no data without a cookie");
    let syn_ack = to_client(&mut pair);
    let cookie = only(&syn_ack).header.options.fast_open().unwrap();
    assert_eq!(cookie.as_slice().len(), 8);
    pair.run();
    let server = pair.server.accept(listener).unwrap();
    assert_eq!(read(&mut pair, server), b"first");
    assert_eq!(pair.client.info(pair.now, client).unwrap().syn_data, 0);
    assert_eq!(pair.server.statistics().fast_opens, 0);
}

/// Section 4.2.2: request and response in one round trip.
#[test]
fn data_with_a_syn_and_its_cookie_is_answered_in_one_round_trip() {
    let (mut pair, listener) = with_cookie(10);
    let client = connect_with(&mut pair, b"request");
    let syn = to_server(&mut pair);
    assert_eq!((only(&syn).payload, only(&syn).header.flags), (&b"request"[..], Flags::SYN));
    let server = pair.server.accept(listener).unwrap();
    assert_eq!(read(&mut pair, server), b"request");
    assert_eq!(pair.server.info(pair.now, server).unwrap().state, State::SynReceived);
    assert_eq!(pair.server.send(pair.now, server, b"response"), Ok(8));
    let answers = to_client(&mut pair);
    let kinds = [
        (Flags::SYN | Flags::ACK, "".to_string()),
        (Flags::ACK | Flags::PSH, "response".to_string()),
    ];
    assert_eq!(shape(&answers), kinds);
    let SynAck { ack, cookie } = SynAck::of(&answers[0]);
    assert_eq!((ack - 8, cookie), (only(&syn).header.seq, None), "the data too");
    let mut data = [0; 100];
    assert_eq!(pair.client.receive(pair.now, client, &mut data), Ok(8));
    let acks = to_server(&mut pair);
    assert_eq!(shape(&acks), [(Flags::ACK, "".into())]);
    for (host, handle) in [(&pair.client, client), (&pair.server, server)] {
        let info = host.info(pair.now, handle).unwrap();
        assert_eq!((info.state, info.syn_data), (State::Established, 7));
        assert_eq!((info.bytes_retransmitted, info.send_queue), (0, 0));
    }
    assert_eq!(pair.server.statistics().fast_opens, 1);
    assert_eq!(packets(pair.now, &mut pair.server), Vec::<Vec<u8>>::new());
}

struct SynAck {
    ack: crate::seq::SeqNumber,
    cookie: Option<FastOpenCookie>,
}

impl SynAck {
    fn of(packet: &[u8]) -> Self {
        let header = segment(packet).header;
        SynAck { ack: header.ack, cookie: header.options.fast_open() }
    }
}

#[test]
fn what_does_not_fit_into_the_syn_follows_the_handshake() {
    let (mut pair, listener) = with_cookie(10);
    let data: Vec<u8> = (0..3_000).map(|n| n as u8).collect();
    connect_with(&mut pair, &data);
    let syn = to_server(&mut pair);
    assert_eq!(only(&syn).payload, &data[..1420], "the MSS of the server, less all options");
    pair.run();
    let server = pair.server.accept(listener).unwrap();
    assert_eq!(read(&mut pair, server), data);
}

/// Section 4.2: MUST be turned on explicitly; otherwise cookies are ignored.
#[test]
fn a_listener_without_fast_open_ignores_cookies() {
    let (mut pair, listener) = with_cookie(10);
    let mut config = ListenConfig::new(addr("0.0.0.0:80"));
    config.fast_open = 0;
    pair.server.set_listener(listener, config).unwrap();
    let client = connect_with(&mut pair, b"request");
    to_server(&mut pair);
    assert_eq!(pair.server.accept(listener), None);
    let syn_ack = to_client(&mut pair);
    assert_eq!(SynAck::of(&syn_ack[0]).cookie, None);
    // Section 4.2.2: the data go again with the ack of the SYN-ACK.
    let again = to_server(&mut pair);
    assert_eq!(shape(&again), [(Flags::ACK | Flags::PSH, "request".into())]);
    let server = pair.server.accept(listener).unwrap();
    assert_eq!(read(&mut pair, server), b"request");
    let info = pair.client.info(pair.now, client).unwrap();
    assert_eq!((info.syn_data, info.bytes_retransmitted), (0, 7));
    assert_eq!(info.cwnd, 20_000, "that says nothing of congestion");
    // Section 4.1.3.1: a negative answer is remembered.
    connect_with(&mut pair, b"request");
    let syn = to_server(&mut pair);
    assert_eq!((only(&syn).payload, only(&syn).header.options.fast_open()), (&b""[..], None));
}

/// Section 4.1.3.1.
#[test]
fn an_icmp_error_is_a_negative_answer() {
    use crate::wire::{IcmpErrorKind, write_icmp_error};

    let (mut pair, _) = with_cookie(10);
    connect_with(&mut pair, b"request");
    let syn = packets(pair.now, &mut pair.client);
    let router = IpAddr::from([10, 0, 0, 254]).into();
    let ip = IpInfo { source: router, destination: only(&syn).ip.source, ..only(&syn).ip };
    let mut header = [0; MAX_HEADER];
    let quote = &syn[0][..28];
    let len = write_icmp_error(&mut header, &ip, IcmpErrorKind::Unreachable, quote);
    pair.client.on_packet(pair.now, &[&header[..len], quote].concat());
    connect_with(&mut pair, b"request");
    let syn = packets(pair.now, &mut pair.client);
    assert_eq!(only(&syn).header.options.fast_open(), None);
}

/// Section 4.1.2: whoever has another address has no right to the cookie.
#[test]
fn a_cookie_of_another_address_is_refused_and_a_right_one_given() {
    let (mut pair, listener) = with_cookie(10);
    let mut stranger = host_with("10.0.0.9", config());
    let thief = stranger.connect(pair.now, addr(TO), None, &asking()).unwrap();
    connect_with(&mut pair, b"request");
    let stolen = segment(&packets(pair.now, &mut pair.client)[0]).header.options.fast_open();
    let own = packets(pair.now, &mut stranger);
    let syn = with_header(&own[0], |header| header.options.set_fast_open(stolen));
    pair.server.on_packet(pair.now, &syn);
    assert_eq!(pair.server.accept(listener), None);
    assert_eq!(pair.server.statistics().fast_open_refused, 1);
    let syn_ack = packets(pair.now, &mut pair.server);
    let given = SynAck::of(&syn_ack[0]).cookie.unwrap();
    assert_ne!(Some(given), stolen);
    stranger.on_packet(pair.now, &syn_ack[0]);
    assert!(stranger.readiness(thief).unwrap().established);
}

/// Section 4.2: PendingFastOpenRequests.
#[test]
fn as_many_as_the_listener_allows_are_pending() {
    let (mut pair, _) = with_cookie(10);
    // Of any port: whoever was refused at one port does not try there for a while.
    let mut config = ListenConfig::new(addr("10.0.0.2:0"));
    config.fast_open = 2;
    let listener = pair.server.listen(config).unwrap();
    let request = |pair: &mut Pair, port: u16| {
        let to = SocketAddr::new(SERVER.parse().unwrap(), port);
        let client = pair.client.connect(pair.now, to, None, &asking()).unwrap();
        pair.client.send(pair.now, client, b"request").unwrap();
        to_server(pair);
        client
    };
    let clients = [1, 2, 3].map(|port| request(&mut pair, port));
    let counted = |pair: &Pair| {
        let statistics = pair.server.statistics();
        (statistics.fast_opens, statistics.fast_open_overflow)
    };
    assert_eq!(counted(&pair), (2, 1));
    pair.run();
    let accepted = core::iter::from_fn(|| pair.server.accept(listener)).count();
    assert_eq!(accepted, 3, "the third goes the ordinary way");
    assert!(clients.iter().all(|client| pair.client.readiness(*client).unwrap().established));
    // All are finished: there is room again.
    let _ = [4, 5].map(|port| request(&mut pair, port));
    assert_eq!(counted(&pair), (4, 1));
    request(&mut pair, 6);
    assert_eq!(counted(&pair), (4, 2));
    // So is there when they are given up.
    while let Some(server) = pair.server.accept(listener) {
        pair.server.abort(pair.now, server).unwrap();
    }
    packets(pair.now, &mut pair.server);
    request(&mut pair, 7);
    assert_eq!(counted(&pair), (5, 2));
}

/// Section 4.2.2: a SYN that nobody answers goes again without data and option, and 4.1.3.1: after that no
/// Fast Open is tried for a while.
#[test]
fn where_such_syns_get_lost_plain_ones_follow() {
    let (mut pair, listener) = with_cookie(10);
    let client = connect_with(&mut pair, b"request");
    let lost = packets(pair.now, &mut pair.client);
    assert_eq!(pair.client.info(pair.now, client).unwrap().syn_data, 0, "nothing is taken yet");
    assert_eq!(only(&lost).payload, b"request");
    pair.wait();
    let syn = to_server(&mut pair);
    let Segment { payload, header, .. } = only(&syn);
    assert_eq!((payload, header.options.fast_open()), (&b""[..], None));
    pair.run();
    let server = pair.server.accept(listener).unwrap();
    assert_eq!(read(&mut pair, server), b"request");
    assert_eq!(pair.client.info(pair.now, client).unwrap().syn_data, 0);
    connect_with(&mut pair, b"request");
    let syn = to_server(&mut pair);
    assert_eq!(only(&syn).header.options.fast_open(), None, "not tried");
    pair.run();
    pair.now += Duration::from_secs(61);
    connect_with(&mut pair, b"request");
    let syn = to_server(&mut pair);
    assert_eq!(only(&syn).payload, b"request", "tried again");
}

#[test]
fn who_never_answers_gets_no_fast_open_for_a_while() {
    let (mut pair, _) = with_cookie(10);
    let client = connect_with(&mut pair, b"request");
    while !pair.client.readiness(client).unwrap().closed {
        packets(pair.now, &mut pair.client);
        pair.wait();
    }
    assert_eq!(pair.client.info(pair.now, client).unwrap().error, Some(Error::TimedOut));
    connect_with(&mut pair, b"request");
    let syn = packets(pair.now, &mut pair.client);
    assert_eq!(only(&syn).header.options.fast_open(), None);
}

/// Section 4.2.2: the SYN-ACK goes again without option; what was sent after it waits for the handshake.
#[test]
fn a_lost_syn_ack_goes_again() {
    let (mut pair, listener) = with_cookie(10);
    let client = connect_with(&mut pair, b"request");
    to_server(&mut pair);
    let server = pair.server.accept(listener).unwrap();
    pair.server.send(pair.now, server, b"response").unwrap();
    assert_eq!(packets(pair.now, &mut pair.server).len(), 2, "both are lost");
    pair.wait();
    let again = to_client(&mut pair);
    assert_eq!(shape(&again), [(Flags::SYN | Flags::ACK, "".into())]);
    to_server(&mut pair);
    let info = pair.server.info(pair.now, server).unwrap();
    assert_eq!((info.state, info.send_queue), (State::Established, 8));
    pair.run();
    while pair.server.info(pair.now, server).unwrap().send_queue > 0 {
        pair.wait();
        pair.run();
    }
    let mut data = [0; 100];
    assert_eq!(pair.client.receive(pair.now, client, &mut data), Ok(8));
    assert_eq!(pair.server.info(pair.now, server).unwrap().syn_data, 7);
}

/// A client whose SYN-ACK was lost repeats its SYN, without data: it makes no second connection.
#[test]
fn a_repeated_syn_makes_no_second_connection() {
    let (mut pair, listener) = with_cookie(10);
    connect_with(&mut pair, b"request");
    to_server(&mut pair);
    let server = pair.server.accept(listener).unwrap();
    assert_eq!(read(&mut pair, server), b"request");
    packets(pair.now, &mut pair.server);
    pair.now = pair.now.max(pair.client.poll_at());
    pair.client.on_timeout(pair.now);
    let syn = to_server(&mut pair);
    assert_eq!(only(&syn).payload, b"");
    let again = to_client(&mut pair);
    assert_eq!(SynAck::of(&again[0]).ack - 8, only(&syn).header.seq, "what was taken is not lost");
    pair.run();
    assert_eq!(pair.server.accept(listener), None);
    assert_eq!(pair.server.info(pair.now, server).unwrap().state, State::Established);
}

/// The server has said all before the handshake is finished.
#[test]
fn a_fin_may_follow_the_syn_ack_at_once() {
    let (mut pair, listener) = with_cookie(10);
    let client = connect_with(&mut pair, b"request");
    to_server(&mut pair);
    let server = pair.server.accept(listener).unwrap();
    pair.server.send(pair.now, server, b"bye").unwrap();
    pair.server.shutdown(pair.now, server).unwrap();
    let sent = to_client(&mut pair);
    let kinds = [
        (Flags::SYN | Flags::ACK, "".into()),
        (Flags::ACK | Flags::PSH | Flags::FIN, "bye".to_string()),
    ];
    assert_eq!(shape(&sent), kinds);
    to_server(&mut pair);
    assert_eq!(pair.server.info(pair.now, server).unwrap().state, State::FinWait2);
    assert_eq!(pair.client.info(pair.now, client).unwrap().state, State::CloseWait);
}

#[test]
fn a_reset_ends_a_connection_that_was_opened_fast() {
    let (mut pair, listener) = with_cookie(1);
    let client = connect_with(&mut pair, b"request");
    to_server(&mut pair);
    let server = pair.server.accept(listener).unwrap();
    to_client(&mut pair);
    pair.client.abort(pair.now, client).unwrap();
    let sent = packets(pair.now, &mut pair.client);
    let reset = sent.iter().find(|packet| segment(packet).header.flags.contains(Flags::RST));
    pair.server.on_packet(pair.now, reset.unwrap());
    assert_eq!(pair.server.info(pair.now, server).unwrap().error, Some(Error::Reset));
    connect_with(&mut pair, b"request");
    to_server(&mut pair);
    assert_eq!(pair.server.statistics().fast_opens, 2, "its place is free");
}

/// RFC 9293 section 3.5.2: the peer knows no number of the server's.
#[test]
fn a_reset_before_the_syn_ack_is_as_from_a_closed_port() {
    let (mut pair, listener) = with_cookie(1);
    let client = connect_with(&mut pair, b"request");
    let syn = packets(pair.now, &mut pair.client);
    pair.server.on_packet(pair.now, &syn[0]);
    let server = pair.server.accept(listener).unwrap();
    pair.server.abort(pair.now, server).unwrap();
    let sent = to_client(&mut pair);
    let header = only(&sent).header;
    assert_eq!((header.flags, header.seq.0), (Flags::RST | Flags::ACK, 0));
    assert_eq!(header.ack, segment(&syn[0]).header.seq + 8);
    assert_eq!(pair.client.info(pair.now, client).unwrap().error, Some(Error::Refused));
}

/// Section 7.3.
#[test]
fn without_cookies_both_sides_can_agree() {
    let mut pair = Pair::new();
    let mut config = ListenConfig::new(addr("0.0.0.0:80"));
    (config.fast_open, config.fast_open_without_cookie) = (10, true);
    let listener = pair.server.listen(config).unwrap();
    let ask = Config { fast_open: FastOpenMode::WithoutCookie, ..Config::default() };
    let client = pair.client.connect(pair.now, addr(TO), None, &ask).unwrap();
    pair.client.send(pair.now, client, &[7; 2_000]).unwrap();
    let syn = to_server(&mut pair);
    assert_eq!(only(&syn).header.options.fast_open(), None);
    assert_eq!(only(&syn).payload.len(), 536 - 40, "the MSS of the server is not known");
    let server = pair.server.accept(listener).unwrap();
    assert_eq!(read(&mut pair, server).len(), 496);
}

/// Section 4.1.2: keys change, and cookies of the last one are right for a while.
#[test]
fn keys_change_and_the_last_one_counts_for_a_while() {
    let fast_opens = |wait: u64| {
        let (mut pair, _) = with_cookie(10);
        pair.now += Duration::from_secs(wait);
        connect_with(&mut pair, b"request");
        to_server(&mut pair);
        let syn_ack = packets(pair.now, &mut pair.server);
        (pair.server.statistics().fast_opens, SynAck::of(&syn_ack[0]).cookie.is_some())
    };
    let day = 24 * 60 * 60;
    assert_eq!(fast_opens(10), (1, false));
    assert_eq!(fast_opens(day), (1, true), "with the new one for the next time");
    assert_eq!(fast_opens(2 * day), (0, true));
}

/// SipHash-2-4 of both addresses, the client's first, in the order of the network (as Linux has it).
#[test]
fn a_key_that_was_set_gives_the_cookies_of_linux() {
    use siphasher::sip::SipHasher24;

    let (mut pair, _) = with_cookie(10);
    let key: [u8; 16] = core::array::from_fn(|n| n as u8 * 17);
    pair.server.set_fast_open_keys(key, None);
    connect_with(&mut pair, b"request");
    to_server(&mut pair);
    let given = SynAck::of(&to_client(&mut pair)[0]).cookie.unwrap();
    let hash = SipHasher24::new_with_key(&key).hash(&[10, 0, 0, 1, 10, 0, 0, 2]);
    assert_eq!(given.as_slice(), hash.to_le_bytes());
    // A new key: the old one still checks.
    pair.server.set_fast_open_keys([1; 16], Some(key));
    pair.run();
    connect_with(&mut pair, b"request");
    pair.run();
    connect_with(&mut pair, b"request");
    to_server(&mut pair);
    assert_eq!(pair.server.statistics().fast_opens, 2);
    pair.server.set_fast_open_keys([2; 16], None);
    connect_with(&mut pair, b"request");
    to_server(&mut pair);
    assert_eq!(pair.server.statistics().fast_opens, 2);
}

/// A SYN with text, of a client that needs no cookie.
fn without_cookie(client: &mut Host, now: Instant, text: usize) -> Vec<u8> {
    let ask = Config { fast_open: FastOpenMode::WithoutCookie, ..Config::default() };
    let handle = client.connect(now, addr(TO), None, &ask).unwrap();
    assert_eq!(client.send(now, handle, &std::vec![7; text]), Ok(text));
    packets(now, client).remove(0)
}

/// Section 4.2.2, step 6 of the server: the initial window, which RFC 6928 has made larger.
#[test]
fn the_window_bounds_what_is_sent_before_the_handshake_is_finished() {
    let now = millis(1_000);
    let reno = crate::congestion::Reno::default();
    let mut server = Stack::<_>::new(config(), reno, Storage::growing()).unwrap();
    server.add_address(Cidr { address: SERVER.parse().unwrap(), prefix: 24 }).unwrap();
    let mut listen = ListenConfig::new(addr(TO));
    listen.set_fast_open(FastOpenMode::WithoutCookie);
    let listener = server.listen(listen).unwrap();
    let mut client = host_with(CLIENT, config());
    let syn = without_cookie(&mut client, now, 100);
    server.on_packet(now, &syn);
    let handle = server.accept(listener).unwrap();
    // Another law goes on from the window of the last one.
    server.set_controller(now, handle, reno).unwrap();
    assert_eq!(server.send(now, handle, &[7; 60_000]), Ok(60_000));
    let sent: Vec<usize> =
        packets(now, &mut server).iter().map(|p| segment(p).payload.len()).collect();
    assert_eq!(sent, [&[0][..], &[1_448; 10]].concat(), "ten segments less their timestamps");
}

/// Section 4.1.3: of a larger MSS no more is remembered than what is usual.
#[test]
fn a_syn_is_no_longer_than_usual() {
    let wide = StackConfig::new(Capabilities::with_mtu(9_000), [7, 11]);
    let mut pair = Pair::with(wide, wide);
    let listener = listen(&mut pair, 10);
    connect_with(&mut pair, b"first");
    pair.run();
    pair.server.accept(listener).unwrap();
    connect_with(&mut pair, &[7; 8_000]);
    let syn = packets(pair.now, &mut pair.client);
    assert_eq!(only(&syn).payload.len(), 1_460 - 40);
}
