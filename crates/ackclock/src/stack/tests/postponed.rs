//! Packets whose next hop is not known yet.

use super::*;

#[test]
fn what_resumes_is_what_was_postponed() {
    let mut pair = Pair::new();
    let (waiting, server) = pair.established();
    let other = pair.connect();
    pair.run();
    let now = pair.now;
    assert_eq!(pair.client.send(now, waiting, b"hello"), Ok(5));
    let refused = pair.client.transmit(now, &mut |_| Err(Rejected));
    assert_eq!(refused, Offered::Rejected);
    pair.client.postpone(now);
    assert_eq!(packets(now, &mut pair.client), Vec::<Vec<u8>>::new());

    pair.client.resume();
    assert_eq!(pair.client.ready.front(), Some(waiting.slot));
    assert!(pair.client.ready.is_alone(waiting.slot), "not {}", other.slot);
    pair.run();
    let mut heard = [0; 10];
    assert_eq!(pair.server.receive(pair.now, server, &mut heard), Ok(5));

    pair.client.resume();
    assert_eq!(pair.client.ready.front(), None, "nobody waits any more");
}

/// Has what is sent next wait for its next hop.
fn postpone(now: Instant, client: &mut Stack<'static, Window>) {
    assert_eq!(client.transmit(now, &mut |_| Err(Rejected)), Offered::Rejected);
    client.postpone(now);
}

/// Nobody is looked for: they are found in the order in which they were postponed.
#[test]
fn those_who_have_waited_longest_resume_first() {
    let mut pair = Pair::new();
    let handles = [pair.established().0, pair.connect(), pair.connect()];
    pair.run();
    let now = pair.now;
    for nth in [2, 0, 1] {
        assert_eq!(pair.client.send(now, handles[nth], b"hello"), Ok(5));
        postpone(now, &mut pair.client);
    }
    // It waits all the same.
    assert_eq!(pair.client.send(now, handles[1], b"again"), Ok(5));
    assert_eq!(pair.client.ready.front(), None);
    pair.client.resume();
    for nth in [2, 0, 1] {
        assert_eq!(pair.client.ready.front(), Some(handles[nth].slot));
        assert_eq!(pair.client.transmit(now, &mut |_| Ok(())), Offered::Taken);
    }
}

/// A new connection in the place of one that has waited does not wait.
#[test]
fn a_place_that_becomes_free_waits_no_more() {
    let mut pair = Pair::new();
    let (waiting, server) = pair.established();
    let now = pair.now;
    assert_eq!(pair.client.send(now, waiting, b"hello"), Ok(5));
    postpone(now, &mut pair.client);
    pair.server.abort(now, server).unwrap();
    pair.run();
    pair.client.close(now, waiting).unwrap();
    let next = pair.connect();
    assert_eq!(next.slot, waiting.slot);
    assert!(!packets(now, &mut pair.client).is_empty(), "its SYN");
}

/// A server with so many half-open connections whose SYN-ACKs all wait for their next hops, and their
/// SYNs.
fn half_open(now: Instant, count: u16) -> (Host, Vec<Vec<u8>>) {
    let mut server = host_with(SERVER, config());
    server.listen(ListenConfig::new(addr("0.0.0.0:80"))).unwrap();
    let mut client = host_with(CLIENT, StackConfig { secret: [1, 2], ..config() });
    client.connect(now, addr("10.0.0.2:80"), None, &Config::default()).unwrap();
    let syn = packets(now, &mut client).remove(0);
    let from = |port| with_header(&syn, |header| header.source_port = 1_000 + port);
    let syns: Vec<_> = (0..count).map(from).collect();
    for syn in &syns {
        server.on_packet(now, syn);
        postpone(now, &mut server);
    }
    (server, syns)
}

/// The reset that takes a SYN back.
fn taking_back(syn: &[u8]) -> Vec<u8> {
    with_header(syn, |header| {
        header.seq += 1;
        header.flags = Flags::RST;
        header.options = Default::default();
    })
}

#[test]
fn a_handshake_that_ends_lets_the_others_wait() {
    let now = millis(1_000);
    let (mut server, syns) = half_open(now, 10);
    syns[..9].iter().for_each(|syn| {
        server.on_packet(now, &taking_back(syn));
    });
    assert_eq!(packets(now, &mut server).len(), 0);
    server.resume();
    assert_eq!(packets(now, &mut server).len(), 1);
}

#[test]
fn a_handshake_in_the_place_of_one_that_has_waited_does_not_wait() {
    let now = millis(1_000);
    let (mut server, syns) = half_open(now, 10);
    server.on_packet(now, &taking_back(&syns[4]));
    server.on_packet(now, &with_header(&syns[4], |header| header.source_port = 7));
    let ports = packets(now, &mut server);
    let ports: Vec<_> =
        ports.iter().map(|packet| segment(packet).header.destination_port).collect();
    assert!(ports.contains(&7), "{ports:?}");
}

/// The others are sent again when their timers fire.
#[test]
fn of_many_syn_acks_a_few_wait_for_their_next_hops() {
    let mut now = millis(1_000);
    let (mut server, syns) = half_open(now, 100);
    server.resume();
    assert_eq!(packets(now, &mut server).len(), 64);
    now += Duration::from_secs(1);
    server.on_timeout(now);
    assert_eq!(packets(now, &mut server).len(), syns.len());
}

#[test]
fn a_connection_that_ends_lets_the_others_wait() {
    let mut pair = Pair::new();
    let handles = [pair.established().0, pair.connect()];
    pair.run();
    let now = pair.now;
    assert_eq!(pair.client.send(now, handles[0], b"hello"), Ok(5));
    postpone(now, &mut pair.client);
    pair.client.abort(now, handles[1]).unwrap();
    assert_eq!(packets(now, &mut pair.client).len(), 1, "its reset");
}
