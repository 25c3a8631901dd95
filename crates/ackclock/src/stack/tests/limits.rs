//! What happens when something is used up, and memory that is lent.

use super::*;
use crate::profile::Least;
use crate::seq::SeqNumber;
use crate::tcp::ConfigError;
use crate::wire::Ecn;
use std::boxed::Box;

#[test]
fn a_flood_of_syns_costs_records_only() {
    let mut pair = Pair::new();
    let few = ListenConfig { half_open: 2, ..ListenConfig::new(addr("0.0.0.0:80")) };
    let listener = pair.server.listen(few).unwrap();
    for _ in 0..5 {
        pair.connect();
    }
    let syns = packets(pair.now, &mut pair.client);
    syns.iter().for_each(|syn| {
        pair.server.on_packet(pair.now, syn);
    });
    assert_eq!(pair.server.statistics().half_open_overflow, 3);
    let answers = packets(pair.now, &mut pair.server);
    // Two have records, and three got cookies.
    assert_eq!(shape(&answers), [(); 5].map(|()| (Flags::SYN | Flags::ACK, "".into())));
    assert_eq!(pair.server.statistics().syn_cookies_sent, 3);
    // Nobody answers: both are repeated after 1 s, 2 s, ... and given up after 3 minutes.
    let mut repeated = 0;
    let began = pair.now;
    while !pair.server.poll_at().is_never() {
        pair.now = pair.server.poll_at();
        pair.server.on_timeout(pair.now);
        repeated += packets(pair.now, &mut pair.server).len();
    }
    assert_eq!(repeated, 14);
    assert_eq!(pair.now, began + Duration::from_secs(180));
    assert_eq!(pair.server.statistics().half_open_timeouts, 2);
    assert_eq!(pair.server.accept(listener), None);
}

#[test]
fn a_full_accept_queue_delays_the_handshake() {
    let mut pair = Pair::new();
    let one = ListenConfig { backlog: 1, ..ListenConfig::new(addr("0.0.0.0:80")) };
    let listener = pair.server.listen(one).unwrap();
    let clients = [pair.connect(), pair.connect()];
    pair.run();
    assert_eq!(pair.server.statistics().accept_overflow, 1);
    assert_eq!(pair.server.acceptable(listener), 1);
    assert!(pair.server.accept(listener).is_some());
    assert_eq!(pair.server.acceptable(listener), 0);
    assert_eq!(pair.server.accept(listener), None);
    let second = clients[1];
    pair.client.send(pair.now, second, b"here I am").unwrap();
    pair.run();
    let server = pair.server.accept(listener).unwrap();
    assert_eq!(pair.server.received(server), Ok([&b"here I am"[..], &[]]));
}

/// An ack from `source` to port 80 of the server that acknowledges what nobody has sent.
fn stray_ack(source: (IpAddr, u16), number: u32) -> Vec<u8> {
    let (address, source_port) = source;
    let destination: IpAddr = SERVER.parse().unwrap();
    let (source, destination) = (address.into(), destination.into());
    let ip = IpInfo { source, destination, hop_limit: 64, dscp: 0, ecn: Ecn::NotEct };
    let seq = SeqNumber(number);
    let header =
        Header { source_port, destination_port: 80, seq, flags: Flags::ACK, ..Header::default() };
    packet_of(&ip, &header)
}

/// Sends so many acks from `source`, and counts the resets that they get.
fn count_resets(now: Instant, host: &mut Host, source: (IpAddr, u16), acks: u32) -> usize {
    let mut resets = 0;
    for number in 0..acks {
        host.on_packet(now, &stray_ack(source, number << 16));
        let answers = packets(now, host);
        resets +=
            answers.iter().filter(|packet| segment(packet).header.flags == Flags::RST).count();
    }
    resets
}

#[test]
fn resets_to_one_address_are_limited_by_rate() {
    let few = StackConfig { resets_per_second: 100, ..config() };
    let mut host = host_with(SERVER, few);
    let source = (CLIENT.parse().unwrap(), 9);
    let rounds = [0, 999, 1_000, 1_999, 2_000, 100_000, 101_000];
    let resets = rounds.map(|at| count_resets(millis(1_000 + at), &mut host, source, 200));
    // At least a half of 100 each second, and nobody knows how many.
    assert_eq!(resets, [86, 0, 53, 0, 85, 96, 79]);
    let sent = resets.iter().sum::<usize>() as u64;
    let statistics = host.statistics();
    assert_eq!((statistics.resets_sent, statistics.resets_suppressed), (sent, 7 * 200 - sent));
}

#[test]
fn one_address_that_asks_for_all_resets_leaves_others_theirs() {
    let mut host = host_with(SERVER, config());
    let (loud, others) = ("10.0.0.66".parse().unwrap(), 100_u8..200);
    for second in 1..4 {
        count_resets(millis(second * 1_000), &mut host, (loud, 1), 2_000);
        let answered = others.clone().map(|last| {
            let other = ([10, 0, 0, last].into(), 1);
            count_resets(millis(second * 1_000), &mut host, other, 1)
        });
        assert_eq!(answered.sum::<usize>(), others.len());
    }
}

/// The side channel of CVE-2016-5696 and its like: somebody who sends in another's name counts the
/// resets that are left, to learn whether those acks got any, and so whether the other is connected.
#[test]
fn the_resets_that_are_left_do_not_tell_who_is_connected() {
    const TRIALS: u64 = 100;
    let spy = ("10.0.0.66".parse().unwrap(), 1);
    let told_apart = (0..TRIALS).filter(|trial| {
        let left = [false, true].map(|connected| {
            let server = StackConfig { secret: [*trial, 3], resets_per_second: 100, ..config() };
            let mut pair = Pair::with(config(), server);
            let (client, _) = pair.established();
            let port = pair.client.local_addr(client).unwrap().port();
            let port = if connected { port } else { port - 1 };
            let now = pair.now;
            count_resets(now, &mut pair.server, (CLIENT.parse().unwrap(), port), 100);
            count_resets(now, &mut pair.server, spy, 100)
        });
        left[0] != left[1]
    });
    // By chance both have their limit in common: one of 256 has.
    assert_eq!(told_apart.count(), 1, "of {TRIALS}");
}

#[test]
fn a_rejected_packet_is_offered_again_unchanged() {
    let mut pair = Pair::new();
    pair.connect();
    let mut seen = Vec::new();
    let mut full = |transmit: &Transmit<'_>| {
        seen.push(transmit.header.to_vec());
        Err(Rejected)
    };
    assert_eq!(pair.client.transmit(pair.now, &mut full), Offered::Rejected);
    assert_eq!(pair.client.transmit(pair.now, &mut full), Offered::Rejected);
    assert_eq!(pair.client.statistics().packets_sent, 0);
    assert_eq!(seen[0], seen[1]);
    assert_eq!(packets(pair.now, &mut pair.client), seen[..1]);
    assert_eq!(pair.client.statistics().packets_sent, 1);
}

#[test]
fn time_that_goes_back_is_counted_and_ignored() {
    let mut pair = Pair::new();
    pair.client.on_timeout(millis(2_000));
    pair.client.on_timeout(millis(1_000));
    assert_eq!(pair.client.statistics().time_went_back, 1);
    pair.connect();
    packets(millis(500), &mut pair.client);
    assert_eq!(pair.client.poll_at(), millis(3_000), "1 s after the latest time given");
}

#[test]
fn two_busy_connections_share_the_link_by_bytes() {
    let mut pair = Pair::new();
    let listener = pair.listen();
    let clients = [pair.connect(), pair.connect()];
    pair.run();
    while pair.server.accept(listener).is_some() {}
    for client in clients {
        pair.client.send(pair.now, client, &[0; 14_480]).unwrap();
    }
    let sent = packets(pair.now, &mut pair.client);
    let ports: Vec<u16> = sent.iter().map(|p| segment(p).header.source_port).collect();
    assert!(ports.len() >= 10 && ports.windows(2).all(|two| two[0] != two[1]), "{ports:?}");
}

fn lives_in_lent_memory<const BUCKETS: usize>() {
    let mut lent = [const { ConnectionMemory::<Full, 1000, 8, 4>::new() }; 2];
    let mut memory: StackMemory<'_, Window, Full, 2, 2, 1, 1, BUCKETS> = StackMemory::new();
    let storage = memory.storage(lent.each_mut());
    let mut server = Stack::new(config(), Window, storage).unwrap();
    let address = SERVER.parse().unwrap();
    server.add_address(Cidr { address, prefix: 24 }).unwrap();
    let listener = server.listen(ListenConfig::new(addr("0.0.0.0:80"))).unwrap();
    let mut client = host_with(CLIENT, StackConfig { secret: [1, 2], ..config() });
    let mut now = millis(0);
    // Three connections one after another in two slots: memory is used again.
    for round in 0..3_u8 {
        let handle = client.connect(now, addr("10.0.0.2:80"), None, &Config::default()).unwrap();
        client.send(now, handle, &[round; 2_500]).unwrap();
        let (mut accepted, mut received) = (None, Vec::new());
        for _ in 0..40 {
            now += STEP;
            packets(now, &mut client).iter().for_each(|packet| {
                server.on_packet(now, packet);
            });
            accepted = accepted.or_else(|| server.accept(listener));
            let mut buffer = [0; 600];
            while let Some(Ok(n @ 1..)) = accepted.map(|s| server.receive(now, s, &mut buffer)) {
                received.extend_from_slice(&buffer[..n]);
            }
            packets(now, &mut server).iter().for_each(|packet| {
                client.on_packet(now, packet);
            });
            client.on_timeout(now);
            server.on_timeout(now);
        }
        assert_eq!(received, [round; 2_500]);
        server.abort(now, accepted.unwrap()).unwrap();
        packets(now, &mut server).iter().for_each(|packet| {
            client.on_packet(now, packet);
        });
        client.close(now, handle).unwrap();
    }
    for _ in 0..2 {
        server.connect(now, addr("10.0.0.1:9"), None, &Config::default()).unwrap();
    }
    let third = server.connect(now, addr("10.0.0.1:9"), None, &Config::default());
    assert_eq!(third, Err(ConnectError::NoResources));
    assert!(ConnectError::NoResources.to_string().contains("CONNECTIONS of StackMemory"));
    assert_eq!(server.statistics().calls_refused, 1);
    let second = server.listen(ListenConfig::new(addr("0.0.0.0:81")));
    assert_eq!(second, Err(ListenError::NoResources));
    assert!(ListenError::NoResources.to_string().contains("LISTENERS of StackMemory"));
    assert_eq!(server.statistics().calls_refused, 2);
    let add = |last| server.add_address(Cidr { address: [10, 0, 1, last].into(), prefix: 24 });
    let refused = (0..100).map(add).find(Result::is_err);
    assert_eq!(refused, Some(Err(AddressError::NoResources)));
    assert!(AddressError::NoResources.to_string().contains("ADDRESSES of StackMemory"));
    assert_eq!(server.statistics().calls_refused, 3);
}

#[test]
fn a_stack_lives_in_lent_memory() {
    lives_in_lent_memory::<0>();
    lives_in_lent_memory::<8>();
}

#[test]
fn a_link_must_carry_a_header() {
    let config = StackConfig::new(Capabilities::with_mtu(67), [0, 0]);
    let stack: Result<Host, _> = Stack::new(config, Window, Storage::growing());
    assert_eq!(stack.err(), Some(ConfigError::Mtu));
}

/// What a stack says of memory for two connections where `leave_out` has emptied buffers of the second.
fn refusal<P: Profile>(leave_out: impl FnOnce(&mut Buffers<'_, P>)) -> Option<ConfigError> {
    type Memory<P> = StackMemory<'static, Window, P, 2, 1, 1, 1, 0, 1, 1, 64>;
    let memory = Box::leak(Box::new(Memory::<P>::new()));
    let lent = Box::leak(Box::new([const { ConnectionMemory::<P, 1000, 8, 4>::new() }; 2]));
    let mut buffers = lent.each_mut().map(Buffers::from);
    leave_out(&mut buffers[1]);
    Stack::new(config(), Window, memory.storage(buffers)).err()
}

#[test]
fn a_buffer_that_was_left_out_is_named() {
    let named = [
        refusal::<Full>(|buffers| buffers.send = Buffer::default()),
        refusal::<Full>(|buffers| buffers.receive = Buffer::default()),
        refusal::<Full>(|buffers| buffers.flight = Buffer::default()),
    ];
    let errors =
        [ConfigError::NoSendBuffer, ConfigError::NoReceiveBuffer, ConfigError::NoFlightBuffer];
    assert_eq!(named, errors.map(Some));
    let fields = ["field send", "field receive", "field flight"];
    assert!(errors.iter().zip(fields).all(|(error, field)| error.to_string().contains(field)));
    assert_eq!(refusal::<Full>(|buffers| buffers.reassembly = Buffer::default()), None);
    assert_eq!(refusal::<Least>(|buffers| buffers.flight = Buffer::default()), None);
}
