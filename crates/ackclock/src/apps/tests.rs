//! Clients and services against each other, over a wire that delays each packet by a millisecond.

mod bursts;
mod requests;

use super::*;
use crate::congestion::BuiltIn;
use crate::stack::{Capabilities, Cidr, Handle, ListenConfig, StackConfig, Storage};
use crate::storage::Buffer;
use crate::tcp::{self, State};
use crate::time::Duration;
use core::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::collections::VecDeque;
use std::vec::Vec;

const DELAY: Duration = Duration::from_millis(1);
const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const SERVER: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));

/// Any application; the services too.
type Client<'x> = dyn Application<'static, BuiltIn> + 'x;

/// Two stacks; what one sends the other receives.
struct World {
    now: Instant,
    stacks: [Stack<'static>; 2],
    /// Packets on their way to each stack.
    wires: [VecDeque<(Instant, Vec<u8>)>; 2],
}

impl World {
    fn new() -> Self {
        let stack = |address, secret| {
            let config = StackConfig::new(Capabilities::with_mtu(1500), secret);
            let mut stack = Stack::new(config, BuiltIn::default(), Storage::growing()).unwrap();
            let cidr = Cidr { address, prefix: 24 };
            stack.add_address(cidr).unwrap();
            stack
        };
        World {
            now: Instant::ZERO,
            stacks: [stack(CLIENT, [1, 2]), stack(SERVER, [3, 4])],
            wires: [VecDeque::new(), VecDeque::new()],
        }
    }

    /// Drives both sides until the clients are done, for a minute at most, and then until no packet
    /// is on its way.
    fn run(&mut self, clients: &mut [&mut Client], server: &mut Client) {
        server.start(self.now, &mut self.stacks[1]).unwrap();
        for client in &mut *clients {
            client.start(self.now, &mut self.stacks[0]).unwrap();
        }
        while !clients.iter().all(|client| client.is_done())
            || !self.wires.iter().all(VecDeque::is_empty)
        {
            assert!(self.now < Instant::from_secs(60), "still not done");
            self.step(clients, server);
        }
    }

    /// Does all there is to do now, and goes on to when there is more.
    fn step(&mut self, clients: &mut [&mut Client], server: &mut Client) {
        let now = self.now;
        for (stack, wire) in self.stacks.iter_mut().zip(&mut self.wires) {
            while wire.front().is_some_and(|(due, _)| *due <= now) {
                let (_, packet) = wire.pop_front().unwrap();
                stack.on_packet(now, &packet);
            }
            stack.on_timeout(now);
        }
        let [client_stack, server_stack] = &mut self.stacks;
        for client in &mut *clients {
            if client.wake_at() <= now {
                client.on_wake(now, client_stack);
            }
        }
        while let Some(event) = client_stack.poll_event() {
            for client in &mut *clients {
                client.on_event(now, client_stack, &event);
            }
        }
        while let Some(event) = server_stack.poll_event() {
            server.on_event(now, server_stack, &event);
        }
        for (from, to) in [(0, 1), (1, 0)] {
            let wire = &mut self.wires[to];
            let mut sink = |transmit: &crate::stack::Transmit<'_>| {
                let mut packet = std::vec![0; transmit.len()];
                transmit.copy_to(&mut packet).unwrap();
                wire.push_back((now + DELAY, packet));
                Ok(())
            };
            while self.stacks[from].transmit(now, &mut sink).is_taken() {}
        }
        let arrivals = self.wires.iter().filter_map(|wire| wire.front()).map(|(due, _)| *due);
        let deadlines = self.stacks.iter().map(Stack::poll_at);
        let wakes = clients.iter().map(|client| client.wake_at());
        self.now = arrivals.chain(deadlines).chain(wakes).min().unwrap().max(now);
    }
}

fn over(client: &Source) -> bool {
    Application::<BuiltIn>::is_done(client)
}

fn server(service: Service) -> Server<'static> {
    let local = SocketAddr::new(SERVER, service.port());
    Server::new(service, ListenConfig::new(local), Buffer::growing())
}

fn source(service: Service, amount: Amount, echo: bool) -> Source {
    let mut config = SourceConfig::new(SocketAddr::new(SERVER, service.port()));
    config.amount = amount;
    config.echo = echo;
    config.seed = 5;
    Source::new(config)
}

#[test]
fn discard_takes_every_byte_and_both_sides_end_without_error() {
    let mut server = server(Service::Discard);
    let mut client = source(Service::Discard, Amount::Bytes(1_000_003), false);
    World::new().run(&mut [&mut client], &mut server);
    assert_eq!((client.error(), client.sent(), client.received()), (None, 1_000_003, 0));
    assert_eq!(client.last_info().unwrap().bytes_acked, 1_000_003);
    assert_eq!(
        *server.statistics(),
        ServerStatistics {
            accepted: 1,
            completed: 1,
            bytes_received: 1_000_003,
            ..ServerStatistics::default()
        }
    );
    let info = server.last_info().unwrap();
    assert_eq!((info.state, info.bytes_received), (State::Closed, 1_000_003));
}

#[test]
fn nothing_at_all_can_be_sent() {
    let mut server = server(Service::Echo);
    let mut client = source(Service::Echo, Amount::Bytes(0), true);
    World::new().run(&mut [&mut client], &mut server);
    assert_eq!((client.error(), client.sent(), client.received()), (None, 0, 0));
}

#[test]
fn echo_brings_every_byte_back_in_order() {
    let mut server = server(Service::Echo);
    let mut client = source(Service::Echo, Amount::Bytes(700_001), true);
    World::new().run(&mut [&mut client], &mut server);
    assert_eq!((client.error(), client.sent(), client.received()), (None, 700_001, 700_001));
    assert_eq!(server.statistics().bytes_sent, 700_001);
    assert_eq!(server.statistics().completed, 1);
}

#[test]
fn sending_stops_when_the_time_is_over() {
    let time = Duration::from_millis(250);
    let mut server = server(Service::Discard);
    let mut client = source(Service::Discard, Amount::Time(time), false);
    World::new().run(&mut [&mut client], &mut server);
    assert_eq!(client.error(), None);
    assert!(client.sent() > 0);
    assert_eq!(server.statistics().bytes_received, client.sent());
    // The last of it is delivered, acknowledged and closed within a few round trips.
    let lasted = client.ended().unwrap().saturating_since(client.established().unwrap());
    assert!((250..350).contains(&lasted.as_millis()), "{lasted}");
}

#[test]
fn several_connections_are_served_at_once() {
    let mut server = server(Service::Echo);
    let mut clients: Vec<_> =
        (0..20).map(|nth| source(Service::Echo, Amount::Bytes(nth * 5_000), true)).collect();
    let mut all: Vec<&mut Client> = Vec::new();
    all.extend(clients.iter_mut().map(|client| client as &mut Client));
    World::new().run(&mut all, &mut server);
    for (nth, client) in (0..).zip(&clients) {
        assert_eq!((client.error(), client.received()), (None, nth * 5_000));
    }
    assert_eq!(server.statistics().completed, 20);
}

#[test]
fn a_server_for_one_connection_refuses_the_second() {
    let mut server = server(Service::Discard).once();
    let mut world = World::new();
    let mut first = source(Service::Discard, Amount::Bytes(10), false);
    world.run(&mut [&mut first], &mut server);
    assert_eq!(first.error(), None);
    assert!(Application::<BuiltIn>::is_done(&server));

    let mut second = source(Service::Discard, Amount::Bytes(10), false);
    second.start(world.now, &mut world.stacks[0]).unwrap();
    while !over(&second) {
        world.step(&mut [&mut second], &mut server);
    }
    assert_eq!(second.error(), Some(SourceError::Connection(tcp::Error::Refused)));
}

#[test]
fn a_service_that_does_not_echo_is_found_out() {
    let mut discard = server(Service::Discard);
    let mut client = source(Service::Discard, Amount::Bytes(5_000), true);
    World::new().run(&mut [&mut client], &mut discard);
    let short = SourceError::Short { sent: 5_000, received: 0 };
    assert_eq!(client.error(), Some(short));

    let mut chargen = server(Service::Chargen);
    let mut client = source(Service::Chargen, Amount::Bytes(5_000), true);
    World::new().run(&mut [&mut client], &mut chargen);
    assert_eq!(client.error(), Some(SourceError::Mismatch { offset: 0 }));
    assert_eq!(chargen.statistics().failed, 1);
}

#[test]
fn chargen_sends_its_lines_until_the_client_closes() {
    let mut chargen = server(Service::Chargen);
    let mut world = World::new();
    chargen.start(world.now, &mut world.stacks[1]).unwrap();
    let remote = SocketAddr::new(SERVER, Service::Chargen.port());
    let config = tcp::Config::default();
    let handle = world.stacks[0].connect(world.now, remote, None, &config).unwrap();
    let mut text = Vec::new();
    let mut closed = false;
    while !world.stacks[0].readiness(handle).is_some_and(|ready| ready.finished) {
        assert!(world.now < Instant::from_secs(60));
        world.step(&mut [], &mut chargen);
        receive_all(&mut world, handle, &mut text);
        if text.len() > 20_000 && !closed {
            closed = true;
            let now = world.now;
            world.stacks[0].shutdown(now, handle).unwrap();
        }
    }
    assert!(text.len() > 20_000);
    let expected: Vec<u8> = (0..text.len() as u64).map(chargen_byte).collect();
    assert!(text == expected, "the stream is not that of RFC 864");
    assert_eq!(chargen.statistics().bytes_sent, text.len() as u64);
    assert_eq!(world.stacks[0].info(world.now, handle).unwrap().error, None);
}

fn receive_all(world: &mut World, handle: Handle, to: &mut Vec<u8>) {
    let (now, stack) = (world.now, &mut world.stacks[0]);
    if let Ok(parts) = stack.received(handle) {
        let bytes = parts.concat();
        to.extend_from_slice(&bytes);
        stack.consume(now, handle, bytes.len()).unwrap();
    }
}

/// A transfer of an hour of which something has arrived.
fn under_way() -> (World, Source, Server<'static>) {
    let mut discard = server(Service::Discard);
    let mut client = source(Service::Discard, Amount::Time(Duration::from_secs(3600)), false);
    let mut world = World::new();
    client.start(world.now, &mut world.stacks[0]).unwrap();
    discard.start(world.now, &mut world.stacks[1]).unwrap();
    while discard.statistics().bytes_received == 0 {
        world.step(&mut [&mut client], &mut discard);
    }
    (world, client, discard)
}

#[test]
fn an_aborted_transfer_resets_the_connection_and_is_over() {
    let (mut world, mut client, mut discard) = under_way();
    client.abort(world.now, &mut world.stacks[0]);
    assert!(over(&client));
    assert_eq!(client.last_info().unwrap().state, State::Established);
    while discard.statistics().failed == 0 {
        world.step(&mut [&mut client], &mut discard);
    }
    assert_eq!(discard.last_info().unwrap().error, Some(tcp::Error::Reset));
}

#[test]
fn a_server_that_aborts_resets_its_connections() {
    let (mut world, mut client, mut discard) = under_way();
    discard.abort(world.now, &mut world.stacks[1]);
    while !over(&client) {
        world.step(&mut [&mut client], &mut discard);
    }
    assert_eq!(client.error(), Some(SourceError::Connection(tcp::Error::Reset)));
}

#[test]
fn without_room_to_remember_it_a_connection_is_reset() {
    let mut places = [Served::default(); 1];
    let local = SocketAddr::new(SERVER, Service::Discard.port());
    let lent = Buffer::lent(&mut places);
    let mut server = Server::new(Service::Discard, ListenConfig::new(local), lent);
    let mut clients = [(); 2].map(|()| source(Service::Discard, Amount::Bytes(100_000), false));
    let [first, second] = &mut clients;
    World::new().run(&mut [first, second], &mut server);
    let errors = clients.map(|client| client.error());
    let reset = Some(SourceError::Connection(tcp::Error::Reset));
    assert_eq!(errors, [None, reset]);
    let statistics = server.statistics();
    assert_eq!((statistics.accepted, statistics.no_room), (1, 1));
}

#[test]
fn a_client_goes_on_sending_when_the_service_has_closed_its_side_early() {
    let mut world = World::new();
    let listen = ListenConfig::new(SocketAddr::new(SERVER, 9));
    let listener = world.stacks[1].listen(listen).unwrap();
    let mut idle = Server::new(Service::Echo, listen, Buffer::default());
    let mut client = source(Service::Discard, Amount::Bytes(400_000), false);
    client.start(world.now, &mut world.stacks[0]).unwrap();
    let mut accepted = None;
    let mut received = 0;
    while !over(&client) {
        assert!(world.now < Instant::from_secs(60));
        world.step(&mut [&mut client], &mut idle);
        let (now, stack) = (world.now, &mut world.stacks[1]);
        let Some(handle) = accepted.or_else(|| stack.accept(listener)) else {
            continue;
        };
        accepted = Some(handle);
        stack.shutdown(now, handle).unwrap();
        if let Ok(parts) = stack.received(handle) {
            let n = parts.map(<[u8]>::len).iter().sum();
            stack.consume(now, handle, n).unwrap();
            received += n;
        }
    }
    assert_eq!((client.error(), client.sent(), received), (None, 400_000, 400_000));
}

#[test]
fn a_service_is_known_by_the_name_and_port_of_iana() {
    let all = [Service::Echo, Service::Discard, Service::Chargen];
    let known = all.map(|service| (service.name(), service.port()));
    assert_eq!(known, [("echo", 7), ("discard", 9), ("chargen", 19)]);
}
