//! Connecting, listening and accepting.

use super::*;
use crate::tcp::{ReceiveError, SendError};

#[test]
fn a_stream_flows_both_ways() {
    let mut pair = Pair::new();
    let listener = pair.listen();
    let client = pair.connect();
    pair.run();
    assert_eq!(events(&mut pair.server), [Event::Acceptable(listener)]);
    let server = pair.server.accept(listener).unwrap();
    assert_eq!(pair.server.accept(listener), None);
    assert_eq!(pair.client.remote_addr(client), Some(addr("10.0.0.2:80")));
    assert_eq!(pair.server.local_addr(server), Some(addr("10.0.0.2:80")));
    assert_eq!(pair.server.remote_addr(server), pair.client.local_addr(client));

    assert_eq!(pair.client.send(pair.now, client, b"ping"), Ok(4));
    pair.run();
    let mut buffer = [0; 10];
    assert_eq!(pair.server.received(server), Ok([&b"ping"[..], &[]]));
    assert_eq!(pair.server.receive(pair.now, server, &mut buffer), Ok(4));
    assert_eq!(pair.server.send(pair.now, server, b"pong!"), Ok(5));
    pair.run();
    assert_eq!(pair.client.receive(pair.now, client, &mut buffer), Ok(5));
    assert_eq!(&buffer[..5], b"pong!");
    let (client, server) = (pair.client.statistics(), pair.server.statistics());
    assert_eq!((client.active_opens, server.passive_opens), (1, 1));
}

#[test]
fn ipv6_works_as_ipv4() {
    let mut client = host_with("2001:db8::1", config());
    let mut server = host_with("2001:db8::2", config());
    let listener = server.listen(ListenConfig::new(addr("[::]:80"))).unwrap();
    let now = millis(5);
    let to = addr("[2001:db8::2]:80");
    client.connect(now, to, None, &Config::default()).unwrap();
    for _ in 0..2 {
        packets(now, &mut client).iter().for_each(|packet| {
            server.on_packet(now, packet);
        });
        packets(now, &mut server).iter().for_each(|packet| {
            client.on_packet(now, packet);
        });
    }
    let accepted = server.accept(listener).unwrap();
    assert_eq!(server.remote_addr(accepted).unwrap().ip(), addr("[2001:db8::1]:0").ip());
}

#[test]
fn an_event_tells_what_is_new_and_is_merged() {
    let mut pair = Pair::new();
    let (client, server) = pair.established();
    events(&mut pair.client);
    events(&mut pair.server);
    for data in ["a", "b", "c"] {
        pair.client.send(pair.now, client, data.as_bytes()).unwrap();
        pair.run();
    }
    let readiness = pair.server.readiness(server).unwrap();
    assert!(readiness.readable);
    assert_eq!(events(&mut pair.server), [Event::Connection { handle: server, readiness }]);
    pair.client.send(pair.now, client, b"d").unwrap();
    pair.run();
    let again = events(&mut pair.server);
    assert_eq!(again.len(), 1, "more data behind unread data is news: {again:?}");
    assert_eq!(events(&mut pair.server), []);
}

#[test]
fn a_void_handle_is_refused() {
    let mut pair = Pair::new();
    let (client, _) = pair.established();
    let now = pair.now;
    assert_eq!(pair.client.close(now, client), Ok(()));
    assert_eq!(pair.client.close(now, client), Err(InvalidHandle));
    assert_eq!(pair.client.send(now, client, b"x"), Err(SendError::InvalidHandle));
    let received = pair.client.receive(now, client, &mut [0]);
    assert_eq!(received, Err(ReceiveError::InvalidHandle));
    assert_eq!(pair.client.info(now, client), None);
    assert_eq!(pair.client.readiness(client), None);
}

#[test]
fn who_cannot_be_reached_is_said_at_once() {
    let mut host = host_with(CLIENT, config());
    let config = Config::default();
    let mut connect = |to, from| host.connect(millis(0), addr(to), from, &config);
    let from = |text| Some(addr(text));
    for to in ["10.0.0.2:0", "224.0.0.1:80", "255.255.255.255:80", "10.0.0.255:80", "0.0.0.0:80"] {
        assert_eq!(connect(to, None), Err(ConnectError::InvalidRemote), "{to}");
    }
    assert_eq!(connect("[2001:db8::1]:80", None), Err(ConnectError::NoSourceAddress));
    assert_eq!(connect("10.0.0.2:80", from("10.0.0.9:0")), Err(ConnectError::NoSourceAddress));
    let own = connect("10.0.0.2:80", from("0.0.0.0:4000")).unwrap();
    assert_eq!(connect("10.0.0.2:80", from("10.0.0.1:4000")), Err(ConnectError::AddressInUse));
    assert!(connect("10.0.0.2:81", from("10.0.0.1:4000")).is_ok());
    assert_eq!(host.local_addr(own), from("10.0.0.1:4000"));
}

#[test]
fn ephemeral_ports_end() {
    let config =
        StackConfig { first_ephemeral_port: 50_000, last_ephemeral_port: 50_001, ..config() };
    let mut host = host_with(CLIENT, config);
    let mut connect = |to| {
        let handle = host.connect(millis(0), addr(to), None, &Config::default())?;
        Ok(host.local_addr(handle).unwrap().port())
    };
    let mut ports = [connect("10.0.0.2:80").unwrap(), connect("10.0.0.2:80").unwrap()];
    ports.sort_unstable();
    assert_eq!(ports, [50_000, 50_001]);
    assert_eq!(connect("10.0.0.2:80"), Err(ConnectError::NoPort));
    assert!(connect("10.0.0.2:81").is_ok(), "another destination has its own");
}

#[test]
fn a_listener_must_make_sense() {
    let mut host = host_with(SERVER, config());
    let listen = |text| ListenConfig::new(addr(text));
    let none = ListenConfig { backlog: 0, ..listen("0.0.0.0:80") };
    assert_eq!(host.listen(none), Err(ListenError::Backlog));
    assert_eq!(host.listen(listen("10.0.0.9:80")), Err(ListenError::NoSuchAddress));
    let listener = host.listen(listen("10.0.0.2:80")).unwrap();
    assert_eq!(host.listen(listen("10.0.0.2:80")), Err(ListenError::AddressInUse));
    host.close_listener(millis(0), listener);
    host.close_listener(millis(0), listener);
    assert!(host.listen(listen("10.0.0.2:80")).is_ok());
}

#[test]
fn a_wildcard_listener_tells_the_original_destination() {
    let mut pair = Pair::new();
    let any = ListenConfig { any_destination: true, ..ListenConfig::new(addr("0.0.0.0:0")) };
    let listener = pair.server.listen(any).unwrap();
    let to = addr("192.0.2.77:4711");
    let client = pair.client.connect(pair.now, to, None, &Config::default()).unwrap();
    pair.run();
    assert!(pair.client.readiness(client).unwrap().established);
    let server = pair.server.accept(listener).unwrap();
    assert_eq!(pair.server.local_addr(server), Some(to));
}

#[test]
fn accepted_connections_inherit_the_settings_of_their_listener() {
    let mut pair = Pair::new();
    let mut listen = ListenConfig::new(addr("0.0.0.0:80"));
    listen.connection.hop_limit = 7;
    listen.connection.dscp = 46;
    listen.connection.timestamps = false;
    let listener = pair.server.listen(listen).unwrap();
    pair.connect();
    let syn = packets(pair.now, &mut pair.client);
    pair.server.on_packet(pair.now, &syn[0]);
    let syn_ack = packets(pair.now, &mut pair.server);
    let seen = segment(&syn_ack[0]);
    assert_eq!((seen.ip.hop_limit, seen.ip.dscp), (7, 46));
    assert_eq!(seen.header.options.timestamps, None);
    pair.client.on_packet(pair.now, &syn_ack[0]);
    pair.run();
    let server = pair.server.accept(listener).unwrap();
    pair.server.send(pair.now, server, b"x").unwrap();
    let data = packets(pair.now, &mut pair.server);
    let seen = segment(&data[0]);
    assert_eq!((seen.ip.hop_limit, seen.ip.dscp, seen.payload), (7, 46, &b"x"[..]));
}

/// MUST-10.
#[test]
fn both_sides_may_open_at_once() {
    let mut pair = Pair::new();
    let (here, there) = (addr("10.0.0.1:4000"), addr("10.0.0.2:5000"));
    let settings = Config::default();
    let client = pair.client.connect(pair.now, there, Some(here), &settings).unwrap();
    let server = pair.server.connect(pair.now, here, Some(there), &settings).unwrap();
    // Figure 7: both SYNs are on their way before either arrives.
    let syn = packets(pair.now, &mut pair.client).remove(0);
    let other = packets(pair.now, &mut pair.server).remove(0);
    pair.client.on_packet(pair.now, &other);
    pair.server.on_packet(pair.now, &syn);
    let answer = packets(pair.now, &mut pair.client);
    assert_eq!(shape(&answer), [(Flags::SYN | Flags::ACK, "".into())]);
    pair.server.on_packet(pair.now, &answer[0]);
    pair.run();
    pair.client.send(pair.now, client, b"ping").unwrap();
    pair.server.send(pair.now, server, b"pong").unwrap();
    pair.run();
    assert_eq!(pair.server.received(server), Ok([&b"ping"[..], &[]]));
    assert_eq!(pair.client.received(client), Ok([&b"pong"[..], &[]]));
}

/// MUST-41.
#[test]
fn listening_touches_no_connection() {
    let mut pair = Pair::new();
    let listener = pair.listen();
    let client = pair.connect();
    pair.run();
    let server = pair.server.accept(listener).unwrap();
    pair.server.close_listener(pair.now, listener);
    let again = pair.listen();
    let second = pair.server.listen(ListenConfig::new(addr("0.0.0.0:80")));
    assert_eq!(second, Err(ListenError::AddressInUse));
    pair.client.send(pair.now, client, b"still here").unwrap();
    pair.run();
    assert_eq!(pair.server.received(server), Ok([&b"still here"[..], &[]]));
    assert_eq!(pair.server.accept(again), None);
}

/// MUST-42: in SYN-SENT and in SYN-RECEIVED.
#[test]
fn one_can_listen_on_the_port_of_a_connection_that_is_being_opened() {
    let mut pair = Pair::new();
    let (here, there) = (addr("10.0.0.1:80"), addr("10.0.0.2:80"));
    let own = pair.server.connect(pair.now, here, Some(there), &Config::default()).unwrap();
    let specific = ListenConfig::new(there);
    let first = pair.server.listen(specific).unwrap();
    let other = pair.connect();
    let syn = packets(pair.now, &mut pair.client);
    pair.server.on_packet(pair.now, &syn[0]);
    let second = pair.server.listen(ListenConfig::new(addr("0.0.0.0:80"))).unwrap();
    pair.now += STEP;
    let sent = packets(pair.now, &mut pair.server);
    sent.iter().for_each(|packet| {
        pair.client.on_packet(pair.now, packet);
    });
    pair.run();
    assert!(pair.client.readiness(other).unwrap().established);
    assert!(pair.server.accept(first).is_some());
    assert_eq!(pair.server.accept(second), None);
    assert!(pair.server.readiness(own).unwrap().closed, "nobody listened at the other end");
}
