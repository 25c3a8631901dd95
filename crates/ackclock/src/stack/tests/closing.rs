//! Closing, TIME-WAIT, and addresses that go.

use super::*;
use crate::tcp::{Error, State};

#[test]
fn who_closes_first_waits_two_msl() {
    let mut pair = Pair::new();
    let (client, server) = pair.established();
    pair.client.close(pair.now, client).unwrap();
    pair.run();
    assert!(pair.server.readiness(server).unwrap().finished);
    pair.server.close(pair.now, server).unwrap();
    pair.run();
    assert_eq!(pair.server.poll_at(), Instant::FAR_FUTURE, "the passive side is done");
    let waits = pair.client.poll_at().saturating_since(pair.now);
    // It has acknowledged the FIN a step ago.
    assert_eq!(waits + STEP, Duration::from_secs(60));
    pair.wait();
    assert_eq!(pair.client.poll_at(), Instant::FAR_FUTURE);
}

#[test]
fn what_was_received_can_be_read_after_time_wait() {
    let mut pair = Pair::new();
    let (client, server) = pair.established();
    pair.client.shutdown(pair.now, client).unwrap();
    pair.run();
    pair.server.send(pair.now, server, b"last words").unwrap();
    pair.server.close(pair.now, server).unwrap();
    pair.run();
    pair.wait();
    let mut buffer = [0; 20];
    assert!(pair.client.readiness(client).unwrap().closed);
    assert_eq!(pair.client.receive(pair.now, client, &mut buffer), Ok(10));
    assert_eq!(pair.client.info(pair.now, client).unwrap().error, None);
    assert_eq!(pair.client.close(pair.now, client), Ok(()));
    assert_eq!(packets(pair.now, &mut pair.client), Vec::<Vec<u8>>::new());
}

#[test]
fn abort_resets_the_peer_and_frees_the_slot() {
    let one = StackConfig { max_connections: 1, ..config() };
    let mut pair = Pair::with(one, config());
    let (client, server) = pair.established();
    let connect = |pair: &mut Pair| {
        pair.client.connect(pair.now, addr("10.0.0.2:80"), None, &Config::default())
    };
    assert_eq!(connect(&mut pair), Err(ConnectError::NoResources));
    pair.client.abort(pair.now, client).unwrap();
    pair.run();
    let info = pair.server.info(pair.now, server).unwrap();
    assert_eq!((info.state, info.error), (State::Closed, Some(Error::Reset)));
    assert_eq!(pair.client.statistics().resets_sent, 1);
    let next = connect(&mut pair).unwrap();
    assert_ne!(next, client);
}

#[test]
fn a_refused_connection_says_so() {
    let mut pair = Pair::new();
    let client = pair.connect();
    pair.run();
    let readiness = pair.client.readiness(client).unwrap();
    assert!(readiness.closed);
    assert_eq!(pair.client.info(pair.now, client).unwrap().error, Some(Error::Refused));
    assert_eq!(events(&mut pair.client), [Event::Connection { handle: client, readiness }]);
    let server = pair.server.statistics();
    assert_eq!((server.no_connection, server.resets_sent), (1, 1));
}

#[test]
fn closing_a_listener_resets_whom_nobody_accepted() {
    let mut pair = Pair::new();
    let listener = pair.listen();
    let client = pair.connect();
    pair.run();
    pair.server.close_listener(pair.now, listener);
    assert_eq!(pair.server.accept(listener), None);
    pair.run();
    assert_eq!(pair.client.info(pair.now, client).unwrap().error, Some(Error::Reset));
}

#[test]
fn connections_of_a_removed_address_end_without_a_word() {
    let mut pair = Pair::new();
    let (client, server) = pair.established();
    let listener = pair.server.listen(ListenConfig::new(addr("0.0.0.0:81"))).unwrap();
    let half_open = addr("10.0.0.2:81");
    pair.client.connect(pair.now, half_open, None, &Config::default()).unwrap();
    let syn = packets(pair.now, &mut pair.client);
    pair.server.on_packet(pair.now, &syn[0]);
    let cidr = Cidr { address: SERVER.parse().unwrap(), prefix: 24 };
    assert_eq!(pair.server.remove_address(pair.now, cidr), Ok(()));
    let info = pair.server.info(pair.now, server).unwrap();
    assert_eq!(info.error, Some(Error::AddressRemoved));
    assert_eq!(packets(pair.now, &mut pair.server), Vec::<Vec<u8>>::new());
    assert_eq!(pair.server.poll_at(), Instant::FAR_FUTURE);
    pair.client.send(pair.now, client, b"anybody?").unwrap();
    pair.run();
    assert_eq!(pair.server.statistics().not_for_us, 1);
    assert_eq!(pair.server.accept(listener), None);
}

#[test]
fn a_later_syn_takes_the_place_of_time_wait() {
    let mut pair = Pair::new();
    let listener = pair.listen();
    let from = Some(addr("10.0.0.1:4000"));
    let connect = |pair: &mut Pair| {
        let to = addr("10.0.0.2:80");
        let client = pair.client.connect(pair.now, to, from, &Config::default()).unwrap();
        pair.run();
        (client, pair.server.accept(listener).unwrap())
    };
    let (client, server) = connect(&mut pair);
    pair.server.close(pair.now, server).unwrap();
    pair.run();
    pair.client.close(pair.now, client).unwrap();
    pair.run();
    assert!(!pair.server.poll_at().is_never(), "the server waits");
    pair.now += Duration::from_secs(1);
    let (client, server) = connect(&mut pair);
    assert_eq!(pair.server.statistics().time_wait_reused, 1);
    pair.client.send(pair.now, client, b"new").unwrap();
    pair.run();
    assert_eq!(pair.server.received(server), Ok([&b"new"[..], &[]]));
}

/// RFC 9293 section 3.6.1: TIME-WAIT ends early only for a connection that takes its place.
#[test]
fn time_wait_stays_while_there_is_no_room_for_the_later_syn() {
    let mut pair = Pair::new();
    let one = ListenConfig { backlog: 1, ..ListenConfig::new(addr("0.0.0.0:80")) };
    let listener = pair.server.listen(one).unwrap();
    let (to, from) = (addr("10.0.0.2:80"), Some(addr("10.0.0.1:4000")));
    let client = pair.client.connect(pair.now, to, from, &Config::default()).unwrap();
    pair.run();
    let server = pair.server.accept(listener).unwrap();
    pair.server.close(pair.now, server).unwrap();
    pair.run();
    pair.client.close(pair.now, client).unwrap();
    let fin = packets(pair.now, &mut pair.client);
    pair.server.on_packet(pair.now, &fin[0]);
    packets(pair.now, &mut pair.server);
    // Somebody else waits to be accepted, where one may.
    pair.connect();
    let syn = packets(pair.now, &mut pair.client);
    pair.server.on_packet(pair.now, syn.last().unwrap());
    let syn_ack = packets(pair.now, &mut pair.server);
    pair.client.on_packet(pair.now, &syn_ack[0]);
    let ack = packets(pair.now, &mut pair.client);
    pair.server.on_packet(pair.now, ack.last().unwrap());
    let later = with_header(&syn[0], |header| {
        header.source_port = 4_000;
        header.seq = segment(&fin[0]).header.seq + 100_000;
        header.options.timestamps = None;
    });
    packets(pair.now, &mut pair.server);
    pair.server.on_packet(pair.now, &later);
    assert_eq!(pair.server.statistics().time_wait_reused, 0);
    assert_eq!(pair.server.statistics().accept_overflow, 1);
    pair.server.on_packet(pair.now, &fin[0]);
    assert_eq!(shape(&packets(pair.now, &mut pair.server)), [(Flags::ACK, "".into())]);
    // The other one is accepted: there is room.
    assert!(pair.server.accept(listener).is_some());
    pair.server.on_packet(pair.now, &later);
    assert_eq!(pair.server.statistics().time_wait_reused, 1);
    let answer = packets(pair.now, &mut pair.server);
    assert_eq!(shape(&answer), [(Flags::SYN | Flags::ACK, "".into())]);
}

#[test]
fn at_the_limit_the_oldest_time_wait_gives_way() {
    let few = StackConfig { max_time_wait: 2, ..config() };
    let mut pair = Pair::with(few, config());
    let listener = pair.listen();
    for _ in 0..3 {
        let client = pair.connect();
        pair.run();
        let server = pair.server.accept(listener).unwrap();
        pair.client.close(pair.now, client).unwrap();
        pair.run();
        pair.server.close(pair.now, server).unwrap();
        pair.run();
    }
    assert_eq!(pair.client.statistics().time_wait_recycled, 1);
}

#[test]
fn who_watches_sees_a_connection_until_it_is_over_whoever_closed_it() {
    let mut pair = Pair::new();
    let (client, server) = pair.established();
    let seen = |pair: &Pair| {
        pair.client.connections(pair.now).map(|(ends, info)| (ends, info.state)).collect::<Vec<_>>()
    };
    let [local, remote] = [pair.client.local_addr(client), pair.client.remote_addr(client)];
    let ends_of_client = [local.unwrap(), remote.unwrap()];
    assert_eq!(seen(&pair), [(ends_of_client, State::Established)]);
    pair.client.close(pair.now, client).unwrap();
    pair.run();
    assert_eq!(seen(&pair), [(ends_of_client, State::FinWait2)]);
    pair.server.close(pair.now, server).unwrap();
    pair.run();
    assert_eq!(seen(&pair), []);
}
