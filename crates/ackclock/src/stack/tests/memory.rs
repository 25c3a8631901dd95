//! The memory of all queues together: who gets how much of it, and what nobody gets.

use super::syn_cookies::flood;
use super::*;
use crate::tcp::{BufferTuning, Error, ReceiveError};
use std::collections::HashMap;
use std::vec;

const KILOBYTE: u64 = 1024;

/// A client with all the memory that it wants, and a server with `memory` bytes.
fn pair(memory: u64) -> Pair {
    Pair::with(config(), StackConfig { memory, ..config() })
}

#[test]
fn connections_get_less_as_memory_runs_out_and_then_none() {
    let mut pair = pair(40_000);
    let listener = pair.listen();
    let windows: Vec<_> = (0..3)
        .map(|_| {
            let client = pair.connect();
            pair.run();
            pair.server.accept(listener).map(|_| pair.client.info(pair.now, client).unwrap())
        })
        .map(|info| info.map(|info| info.send_window))
        .collect();
    // A half of what is free, rounded down to a power of two, and 4 KiB each for what is sent.
    assert_eq!(windows, [Some(16_384), Some(8_192), None]);
    assert_eq!(pair.server.memory_in_use(), 32 * KILOBYTE);
    assert!(pair.server.statistics().memory_refused > 0);
}

#[test]
fn memory_comes_back_when_connections_end() {
    let mut pair = pair(40_000);
    let (client, server) = pair.established();
    assert_eq!(pair.server.memory_in_use(), 20 * KILOBYTE);
    pair.server.send(pair.now, server, &[1; 30_000]).unwrap();
    pair.client.close(pair.now, client).unwrap();
    pair.server.close(pair.now, server).unwrap();
    pair.run();
    assert_eq!(pair.server.memory_in_use(), 0);
}

#[test]
fn a_send_queue_takes_what_it_holds_and_what_it_may() {
    let mut pair = pair(64 * KILOBYTE);
    let (_, server) = pair.established();
    // 32 KiB were granted to the receive queue.
    assert_eq!(pair.server.memory_in_use(), 36 * KILOBYTE);
    let data = vec![7; 100_000];
    // A half of what is left beside the reserve, rounded down to a power of two.
    assert_eq!(pair.server.send_room(server), 8_192);
    assert_eq!(pair.server.send(pair.now, server, &data), Ok(8_192));
    assert_eq!(pair.server.memory_in_use(), 40 * KILOBYTE);
    pair.run();
    // All was delivered; the queue keeps its memory as long as few others become empty after it.
    assert_eq!(pair.server.memory_in_use(), 40 * KILOBYTE);
}

#[test]
fn a_smaller_receive_buffer_goes_back_as_its_promise_is_used_up() {
    let mut pair = pair(1 << 30);
    let (client, server) = pair.established();
    assert_eq!(pair.server.memory_in_use(), 260 * KILOBYTE);
    pair.server.set_receive_buffer(pair.now, server, 5_000).unwrap();
    let data = vec![3; 250_000];
    let mut sent = 0;
    while sent < data.len() {
        sent += pair.client.send(pair.now, client, &data[sent..]).unwrap();
        pair.run();
        let mut read = vec![0; data.len()];
        pair.server.receive(pair.now, server, &mut read).unwrap();
        pair.run();
    }
    // What is left of the window that the handshake told, and 4 KiB to send with.
    let promised = pair.client.info(pair.now, client).unwrap().send_window;
    let in_use = pair.server.memory_in_use();
    assert!(
        (4_096 + 5_000..=4_096 + 2 * u64::from(promised.max(5_000))).contains(&in_use),
        "{in_use}"
    );
}

#[test]
fn a_receive_buffer_set_before_the_handshake_is_reserved_too() {
    let mut pair = Pair::with(StackConfig { memory: 64 * KILOBYTE, ..config() }, config());
    pair.listen();
    let client = pair.connect();
    pair.client.set_receive_buffer(pair.now, client, 1 << 20).unwrap();
    pair.run();
    assert!(pair.client.memory_in_use() <= 64 * KILOBYTE);
    let window = pair.client.info(pair.now, client).unwrap().receive_window;
    assert!(u64::from(window) + 4_096 <= pair.client.memory_in_use(), "{window}");
}

/// The number that the peer's SYN begins with is not mistaken for bytes that were read.
#[test]
fn a_buffer_that_follows_the_need_does_not_grow_by_the_handshake() {
    for secret in 0..8 {
        let server = StackConfig { secret: [secret, 9], ..config() };
        let mut pair = Pair::with(config(), server);
        pair.listen();
        let mut settings = Config { buffer_tuning: BufferTuning::Automatic, ..Config::default() };
        settings.receive_buffer = 1 << 24;
        let to = addr("10.0.0.2:80");
        let client = pair.client.connect(pair.now, to, None, &settings).unwrap();
        pair.run();
        for _ in 0..3 {
            pair.now += Duration::from_millis(100);
            let read = pair.client.receive(pair.now, client, &mut [0; 10]);
            assert_eq!(read, Err(ReceiveError::WouldBlock));
        }
        assert_eq!(pair.client.memory_in_use(), 20 * KILOBYTE, "{secret}");
    }
}

#[test]
fn where_memory_is_lent_there_is_no_budget() {
    let mut memory = StackMemory::<Window, Full, 1, 1, 1, 1, 4>::new();
    let (mut send, mut receive) = ([0; 1000], [0; 1000]);
    let (mut flight, mut reassembly) = ([Default::default(); 4], [Default::default(); 4]);
    let buffers = Buffers {
        send: Buffer::lent(&mut send),
        receive: Buffer::lent(&mut receive),
        flight: Buffer::lent(&mut flight),
        delivery: Buffer::default(),
        reassembly: Buffer::lent(&mut reassembly),
    };
    let config = StackConfig { memory: 1, ..config() };
    let mut host = Stack::new(config, Window, memory.storage([buffers])).unwrap();
    host.add_address(Cidr { address: CLIENT.parse().unwrap(), prefix: 24 }).unwrap();
    let to = addr("10.0.0.2:80");
    let handle = host.connect(millis(0), to, None, &Config::default()).unwrap();
    assert_eq!((host.send_room(handle), host.memory_in_use()), (1000, 0));
}

#[test]
fn handshakes_that_begin_together_share_what_there_is() {
    let mut pair = pair(80_000);
    let listener = pair.listen();
    let clients: Vec<_> = (0..4).map(|_| pair.connect()).collect();
    pair.run();
    let accepted = core::iter::from_fn(|| pair.server.accept(listener)).count();
    let windows = clients.iter().map(|client| pair.client.info(pair.now, *client).unwrap());
    let windows: Vec<_> = windows.map(|info| info.send_window).collect();
    assert_eq!((accepted, windows), (4, vec![32_768, 4_096, 4_096, 4_096]));
}

/// Eight clients send through a server that has memory for less than two of them want, and that
/// reads now and then.
#[test]
fn under_pressure_no_window_shrinks_and_all_arrives() {
    const EACH: usize = 300_000;
    const MEMORY: u64 = 400_000;
    let mut pair = pair(MEMORY);
    let listener = pair.listen();
    // Unscaled windows tell each byte.
    let settings = Config { window_scaling: false, ..Config::default() };
    let to = addr("10.0.0.2:80");
    let connect = |_| pair.client.connect(pair.now, to, None, &settings).unwrap();
    let clients: Vec<_> = (0..8).map(connect).collect();
    pair.run();
    let mut servers: Vec<_> = core::iter::from_fn(|| pair.server.accept(listener)).collect();
    servers.sort_by_key(|server| pair.server.remote_addr(*server));
    let mut unsent = HashMap::new();
    for (client, server) in clients.iter().zip(&servers) {
        assert_eq!(pair.client.local_addr(*client), pair.server.remote_addr(*server));
        unsent.insert(*client, EACH);
    }
    let mut read = vec![0; servers.len()];
    let mut edges = HashMap::new();
    let mut random = crate::test_random::Random(3);
    for _ in 0..20_000 {
        pair.now += STEP;
        for (client, left) in unsent.iter_mut() {
            *left -= pair.client.send(pair.now, *client, &vec![5; *left]).unwrap_or(0);
        }
        let to_server = packets(pair.now, &mut pair.client);
        to_server.iter().for_each(|packet| {
            pair.server.on_packet(pair.now, packet);
        });
        for (server, read) in servers.iter().zip(&mut read) {
            let mut data = vec![0; random.below(20_000) as usize];
            match pair.server.receive(pair.now, *server, &mut data) {
                Ok(n) => *read += n,
                Err(error) => assert_eq!(error, ReceiveError::WouldBlock),
            }
        }
        assert!(pair.server.memory_in_use() <= MEMORY);
        for packet in packets(pair.now, &mut pair.server) {
            let Segment { header, .. } = segment(&packet);
            let edge = header.ack + u32::from(header.window);
            let before = edges.insert(header.destination_port, edge).unwrap_or(edge);
            assert!(!edge.before(before), "{edge:?} after {before:?}");
            pair.client.on_packet(pair.now, &packet);
        }
        pair.client.on_timeout(pair.now);
        pair.server.on_timeout(pair.now);
    }
    assert_eq!(servers.len(), 8);
    assert_eq!(read, vec![EACH; servers.len()]);
}

/// The segment that tells of the room is the last one, and nobody answers it.
#[test]
fn what_was_read_in_one_piece_leaves_no_memory_behind() {
    const CONNECTIONS: usize = 40;
    let mut pair = pair(1 << 30);
    let listener = pair.listen();
    let servers: Vec<_> = (0..CONNECTIONS)
        .map(|_| {
            let client = pair.connect();
            pair.run();
            pair.client.send(pair.now, client, &[7; 10_000]).unwrap();
            pair.run();
            pair.server.accept(listener).unwrap()
        })
        .collect();
    for server in servers {
        assert_eq!(pair.server.receive(pair.now, server, &mut [0; 20_000]), Ok(10_000));
        pair.run();
    }
    let holding = |slot: &Slot<'_, _, _>| slot.connection.receive_queue_memory() > 0;
    let holding = pair.server.connections.iter().filter(|(_, slot)| holding(slot)).count();
    assert!(holding <= crate::stack::memory::idle::MOST as usize, "{holding} of {CONNECTIONS}");
}

/// The first one has taken a half before the others come.
#[test]
fn connections_that_all_want_more_than_there_is_come_to_like_shares() {
    const MEMORY: u64 = 600_000;
    let mut pair = pair(MEMORY);
    let listener = pair.listen();
    let mut ends = Vec::new();
    for round in 0..400 {
        if round % 20 == 0 && ends.len() < 6 {
            let client = pair.connect();
            pair.run();
            ends.push((client, pair.server.accept(listener).unwrap()));
        }
        for &(client, server) in &ends {
            pair.client.send(pair.now, client, &[6; 100_000]).unwrap();
            pair.run();
            pair.server.receive(pair.now, server, &mut vec![0; 100_000]).unwrap();
        }
        pair.run();
        assert!(pair.server.memory_in_use() <= MEMORY);
    }
    let shares = ends.iter().map(|(_, server)| pair.server.info(pair.now, *server).unwrap());
    let shares: Vec<_> = shares.map(|info| info.receive_window + info.receive_queue).collect();
    // Only who holds twice its share gives back.
    let (least, most) = (shares.iter().min().unwrap(), shares.iter().max().unwrap());
    assert!(*least > 50_000 && most <= &(2 * least), "{shares:?}");
}

/// Settings of a server whose queues follow the need.
fn following() -> ListenConfig {
    let mut config = ListenConfig::new(addr("0.0.0.0:80"));
    config.backlog = 1_000;
    config.connection.buffer_tuning = BufferTuning::Automatic;
    config
}

/// Opens `count` connections, a second after one another.
fn open_slowly(pair: &mut Pair, listener: Listener, count: usize) -> Vec<(Handle, Option<Handle>)> {
    let open = |_| {
        pair.now += Duration::from_secs(1);
        pair.client.on_timeout(pair.now);
        pair.server.on_timeout(pair.now);
        let client = pair.connect();
        pair.run();
        (client, pair.server.accept(listener))
    };
    (0..count).map(open).collect()
}

/// Ends what is over at the server, as its application does.
fn close_what_is_over(pair: &mut Pair) -> usize {
    let is_over = |event: &Event| match event {
        Event::Connection { handle, readiness } => readiness.closed.then_some(*handle),
        Event::Acceptable(_) => None,
    };
    let over: Vec<_> = events(&mut pair.server).iter().filter_map(is_over).collect();
    over.iter().for_each(|handle| pair.server.close(pair.now, *handle).unwrap());
    over.len()
}

#[test]
fn an_idle_connection_takes_little_of_the_memory() {
    let mut pair = pair(1 << 30);
    let listener = pair.server.listen(following()).unwrap();
    assert!(open_slowly(&mut pair, listener, 10).iter().all(|(_, server)| server.is_some()));
    assert_eq!(pair.server.memory_in_use(), 10 * 20 * KILOBYTE);
}

#[test]
fn a_newcomer_finds_memory_and_the_longest_idle_give_way() {
    const MEMORY: u64 = 1 << 20;
    let mut pair = pair(MEMORY);
    let listener = pair.server.listen(following()).unwrap();
    let first = open_slowly(&mut pair, listener, 1)[0];
    for _ in 0..200 {
        let (client, server) = open_slowly(&mut pair, listener, 1)[0];
        let server = server.expect("a newcomer is served at once");
        for (client, server) in [(client, server), (first.0, first.1.unwrap())] {
            pair.client.send(pair.now, client, b"echo").unwrap();
            pair.run();
            assert_eq!(pair.server.receive(pair.now, server, &mut [0; 10]), Ok(4));
        }
        close_what_is_over(&mut pair);
        assert!(pair.server.memory_in_use() <= MEMORY);
    }
    let statistics = pair.server.statistics();
    assert_eq!((statistics.memory_refused, statistics.accept_overflow), (0, 0));
    // 48 of 20 KiB each fill all but the reserve, and each makes two give way.
    let open = pair.server.connections(pair.now).count() as u64;
    assert_eq!((open, statistics.gave_way), (47, 154));
    let ended =
        pair.client.connections(pair.now).filter(|(_, info)| info.error == Some(Error::Reset));
    assert_eq!(ended.count() as u64, 201 - open);
}

#[test]
fn a_newcomer_finds_a_place() {
    let limits = StackConfig { max_connections: 32, ..config() };
    let mut pair = Pair::with(config(), limits);
    let listener = pair.server.listen(following()).unwrap();
    for _ in 0..100 {
        assert!(open_slowly(&mut pair, listener, 1)[0].1.is_some());
        close_what_is_over(&mut pair);
    }
    assert_eq!(pair.server.statistics().gave_way, 70);
}

/// Until the application has noticed who gave way their places are not free, but more need not go.
#[test]
fn no_more_give_way_than_newcomers_need() {
    let limits = StackConfig { max_connections: 64, ..config() };
    let mut pair = Pair::with(config(), limits);
    let listener = pair.server.listen(following()).unwrap();
    for _ in 0..60 {
        assert!(open_slowly(&mut pair, listener, 1)[0].1.is_some());
    }
    assert_eq!(pair.server.statistics().gave_way, 0);
    for number in 1..=4 {
        assert!(open_slowly(&mut pair, listener, 1)[0].1.is_some());
        assert_eq!(pair.server.statistics().gave_way, number);
    }
}

#[test]
fn who_was_closed_gives_way_before_who_was_not() {
    let limits = StackConfig { max_connections: 32, ..config() };
    let mut pair = Pair::with(config(), limits);
    let listener = pair.server.listen(following()).unwrap();
    let ends = open_slowly(&mut pair, listener, 20);
    // The clients do not answer any more.
    for (_, server) in &ends[12..] {
        pair.server.close(pair.now, server.unwrap()).unwrap();
    }
    packets(pair.now, &mut pair.server);
    for _ in 0..18 {
        assert!(open_slowly(&mut pair, listener, 1)[0].1.is_some());
        assert_eq!(close_what_is_over(&mut pair), 0);
    }
    assert_eq!(pair.server.statistics().gave_way, 8);
}

/// One place in four may have one; the client never acknowledges the FIN.
#[test]
fn of_too_many_closed_connections_the_oldest_is_ended() {
    let limits = StackConfig { max_connections: 32, ..config() };
    let mut pair = Pair::with(config(), limits);
    let listener = pair.server.listen(following()).unwrap();
    let ends = open_slowly(&mut pair, listener, 20);
    let closed_in_turn = |pair: &mut Pair, ends: &[(Handle, Option<Handle>)], pause| {
        let each = ends.iter().map(|(client, server)| {
            pair.now += pause;
            pair.server.close(pair.now, server.unwrap()).unwrap();
            let port = pair.client.local_addr(*client).unwrap().port();
            let sent = packets(pair.now, &mut pair.server);
            let reset = sent
                .iter()
                .map(|packet| segment(packet).header)
                .find(|header| header.flags.contains(Flags::RST));
            reset.map(|header| header.destination_port.wrapping_sub(port) as i16)
        });
        each.collect::<Vec<_>>()
    };
    let second = Duration::from_secs(1);
    let resets = closed_in_turn(&mut pair, &ends[..12], second);
    // From the ninth on the one that was closed eight before.
    assert_eq!(resets, [[None; 8].as_slice(), &[Some(-8); 4]].concat());
    // None was closed a second ago or more but those that were there before.
    let resets = closed_in_turn(&mut pair, &ends[12..14], Duration::ZERO);
    assert_eq!(resets, [Some(-8), Some(-8)]);
    assert_eq!(pair.server.connections(pair.now).count(), 14);
    assert_eq!(pair.server.statistics().gave_way, 6);
}

#[test]
fn of_too_many_that_are_closed_at_once_the_first_are_ended() {
    let limits = StackConfig { max_connections: 16, ..config() };
    let mut pair = Pair::with(config(), limits);
    let listener = pair.server.listen(following()).unwrap();
    let ends = open_slowly(&mut pair, listener, 6);
    for (_, server) in &ends {
        pair.server.close(pair.now, server.unwrap()).unwrap();
    }
    pair.run();
    let errors = ends.iter().map(|(client, _)| pair.client.info(pair.now, *client).unwrap().error);
    let reset = Some(Error::Reset);
    assert_eq!(errors.collect::<Vec<_>>(), [reset, reset, None, None, None, None]);
}

#[test]
fn a_flood_of_syns_makes_nobody_give_way_and_leaves_newcomers_memory() {
    // 47 leave the reserve alone, and who comes next makes two give way.
    for (idle, gave_way) in [(10, 0), (60, 13)] {
        let mut pair = pair(1 << 20);
        let listener = pair.server.listen(following()).unwrap();
        for _ in 0..idle {
            assert!(open_slowly(&mut pair, listener, 1)[0].1.is_some());
            close_what_is_over(&mut pair);
        }
        assert_eq!(pair.server.statistics().gave_way, gave_way);
        flood(pair.now, &mut pair.server, 1_000);
        assert_eq!(pair.server.statistics().gave_way, gave_way);
        assert!(open_slowly(&mut pair, listener, 1)[0].1.is_some());
        assert_eq!(pair.server.statistics().memory_refused, 0);
    }
}

/// What SYNs in the name of others were promised is no more than newcomers' part.
#[test]
fn under_a_flood_of_syns_those_who_are_there_can_grow() {
    let mut pair = pair(1 << 20);
    let (_, server) = pair.established();
    flood(pair.now, &mut pair.server, 1_000);
    assert_eq!(pair.server.send(pair.now, server, &vec![7; 300_000]), Ok(256 * 1_024));
}

/// The first SYN was promised all that may be: the second gets a cookie, whose ack comes first.
#[test]
fn a_cookie_needs_no_promise() {
    let mut pair = pair(1 << 20);
    let listener = pair.listen();
    let mut acks = [(); 2].map(|()| {
        pair.connect();
        let syn = packets(pair.now, &mut pair.client).remove(0);
        pair.server.on_packet(pair.now, &syn);
        let syn_ack = packets(pair.now, &mut pair.server).remove(0);
        pair.client.on_packet(pair.now, &syn_ack);
        packets(pair.now, &mut pair.client).remove(0)
    });
    assert_eq!(pair.server.statistics().syn_cookies_sent, 1);
    acks.reverse();
    acks.iter().for_each(|ack| {
        pair.server.on_packet(pair.now, ack);
    });
    assert_eq!(pair.server.acceptable(listener), 2);
}

/// It is not for want of memory or of a place that it is refused.
#[test]
fn who_finds_no_room_to_be_accepted_makes_nobody_give_way() {
    let limits = StackConfig { max_connections: 32, ..config() };
    let mut pair = Pair::with(config(), limits);
    let one = ListenConfig { backlog: 1, ..following() };
    let listener = pair.server.listen(one).unwrap();
    for _ in 0..30 {
        pair.connect();
        pair.run();
        assert!(pair.server.accept(listener).is_some());
    }
    let now = pair.now;
    for _ in 0..2 {
        pair.connect();
    }
    packets(now, &mut pair.client).iter().for_each(|syn| {
        pair.server.on_packet(now, syn);
    });
    let syn_acks = packets(now, &mut pair.server);
    syn_acks.iter().for_each(|syn_ack| {
        pair.client.on_packet(now, syn_ack);
    });
    let acks = packets(now, &mut pair.client);
    pair.server.on_packet(now, &acks[0]);
    pair.server.on_packet(now + Duration::from_secs(2), &acks[1]);
    let statistics = pair.server.statistics();
    assert_eq!((statistics.accept_overflow, statistics.gave_way), (1, 0));
}

/// It takes some kilobytes each second of what was queued before its connection was closed.
#[test]
fn a_closed_connection_that_its_peer_drains_is_not_idle() {
    let limits = StackConfig { max_connections: 32, ..config() };
    let mut pair = Pair::with(config(), limits);
    let listener = pair.listen();
    open_slowly(&mut pair, listener, 29);
    let slow = Config { receive_buffer: 8_192, ..Config::default() };
    let client = pair.client.connect(pair.now, addr("10.0.0.2:80"), None, &slow).unwrap();
    pair.run();
    let server = pair.server.accept(listener).unwrap();
    assert!(pair.server.send(pair.now, server, &[7; 60_000]).unwrap() > 40_000);
    pair.server.close(pair.now, server).unwrap();
    pair.run();
    let drain = |pair: &mut Pair| {
        pair.now += Duration::from_millis(500);
        pair.client.on_timeout(pair.now);
        pair.server.on_timeout(pair.now);
        assert_eq!(pair.client.receive(pair.now, client, &mut [0; 2_000]), Ok(2_000));
        pair.run();
    };
    for gave_way in 1..=6 {
        (0..2).for_each(|_| drain(&mut pair));
        pair.connect();
        pair.run();
        assert!(pair.server.accept(listener).is_some());
        assert_eq!(pair.server.statistics().gave_way, gave_way);
        close_what_is_over(&mut pair);
    }
    assert_eq!(pair.client.info(pair.now, client).unwrap().error, None);
}

/// Wherever they are among the others.
#[test]
fn of_many_closed_connections_the_one_closed_first_is_ended() {
    let limits = StackConfig { max_connections: 512, ..config() };
    let mut pair = Pair::with(config(), limits);
    let listener = pair.server.listen(following()).unwrap();
    let mut ends = open_slowly(&mut pair, listener, 140);
    // Not in the order of their places.
    ends.sort_by_key(|(client, _)| client.slot * 37 % 140);
    let ports: Vec<_> =
        ends.iter().map(|(client, _)| pair.client.local_addr(*client).unwrap().port()).collect();
    let mut reset = Vec::new();
    for (_, server) in &ends {
        pair.now += Duration::from_millis(10);
        pair.server.close(pair.now, server.unwrap()).unwrap();
        for packet in packets(pair.now, &mut pair.server) {
            let header = segment(&packet).header;
            if header.flags.contains(Flags::RST) {
                reset.push(header.destination_port);
            }
        }
    }
    assert_eq!(reset, ports[..12]);
}

#[test]
fn connections_that_were_idle_too_long_are_ended() {
    let mut pair = Pair::new();
    let listener = pair.listen();
    let ends = open_slowly(&mut pair, listener, 3);
    pair.now += Duration::from_secs(9);
    pair.client.send(pair.now, ends[0].0, b"here I am").unwrap();
    pair.run();
    pair.server.receive(pair.now, ends[0].1.unwrap(), &mut [0; 10]).unwrap();
    assert_eq!(pair.server.end_idle(pair.now, Duration::from_secs(10)), 1);
    pair.run();
    let errors = ends.iter().map(|(client, _)| pair.client.info(pair.now, *client).unwrap().error);
    assert_eq!(errors.collect::<Vec<_>>(), [None, Some(Error::Reset), None]);
    assert_eq!(close_what_is_over(&mut pair), 1);
}

#[test]
fn one_connection_is_ended_when_it_was_idle_as_long_as_it_may() {
    let mut pair = Pair::new();
    let listener = pair.listen();
    let ends = open_slowly(&mut pair, listener, 2);
    let (client, server) = (ends[0].0, ends[0].1.unwrap());
    let most = Duration::from_secs(10);
    pair.now += Duration::from_secs(9);
    pair.client.send(pair.now, client, b"here I am").unwrap();
    pair.run();
    pair.server.receive(pair.now, server, &mut [0; 10]).unwrap();
    let used_at = pair.now;
    pair.now += Duration::from_secs(4);
    assert_eq!(pair.server.end_if_idle(pair.now, server, most), Some(used_at + most));
    pair.now = used_at + most;
    assert_eq!(pair.server.end_if_idle(pair.now, server, most), None);
    assert_eq!(pair.server.end_if_idle(pair.now, server, most), None, "it is over");
    pair.run();
    let errors = ends.iter().map(|(client, _)| pair.client.info(pair.now, *client).unwrap().error);
    assert_eq!(errors.collect::<Vec<_>>(), [Some(Error::Reset), None]);
    assert_eq!(pair.server.info(pair.now, server).unwrap().error, Some(Error::Idle));
}
