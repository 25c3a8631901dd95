//! Tests of many connections, one after another and at once.

use crate::applications::{Client, Outcome, Script, Server, Turn};
use crate::kernel_side;
use crate::namespace::in_namespace;
use crate::pattern::Content;
use crate::world::{Family, World};
use std::thread;

const ONE_AFTER_ANOTHER: usize = 1000;
const AT_ONCE: usize = 200;

const SHORT: Content = Content::new(1, 1000);
const LONG: Content = Content::new(2, 64 << 10);

const PORT: u16 = 7007;

fn echo(content: Content, turn: Turn) -> Script {
    Script { sends: content, receives: content, turn }
}

#[track_caller]
fn assert_all_succeeded(outcomes: &[Outcome], number: usize) {
    let succeeded = outcomes.iter().filter(|each| each.error.is_none());
    assert_eq!(succeeded.count(), number, "{outcomes:?}");
}

#[test]
fn our_client_opens_1000_connections_one_after_another() {
    in_namespace(|| {
        let mut world = World::new();
        let (listener, address) = kernel_side::listen(Family::V4);
        let script = echo(SHORT, Turn::AtOnce);
        let mut client = Client::many(address, script, ONE_AFTER_ANOTHER, 1);
        world.run_against(&mut client, move || {
            for _ in 0..ONE_AFTER_ANOTHER {
                kernel_side::echo(&kernel_side::accept(&listener), SHORT);
            }
        });
        assert_all_succeeded(client.outcomes(), ONE_AFTER_ANOTHER);
    });
}

#[test]
fn our_server_accepts_1000_connections_one_after_another() {
    in_namespace(|| {
        let mut world = World::new();
        let address = Family::V6.our_port(PORT);
        let mut server = Server::new(address, echo(SHORT, Turn::AsReceived), ONE_AFTER_ANOTHER);
        world.run_against(&mut server, move || {
            for _ in 0..ONE_AFTER_ANOTHER {
                kernel_side::exchange(&kernel_side::connect_to(address), SHORT, SHORT);
            }
        });
        assert_all_succeeded(server.outcomes(), ONE_AFTER_ANOTHER);
    });
}

#[test]
fn our_client_holds_200_connections_at_once() {
    in_namespace(|| {
        let mut world = World::new();
        let (listener, address) = kernel_side::listen(Family::V6);
        let mut client = Client::many(address, echo(LONG, Turn::AtOnce), AT_ONCE, AT_ONCE);
        world.run_against(&mut client, move || {
            let all: Vec<_> = (0..AT_ONCE).map(|_| kernel_side::accept(&listener)).collect();
            thread::scope(|scope| {
                for stream in &all {
                    scope.spawn(|| kernel_side::echo(stream, LONG));
                }
            });
        });
        assert_all_succeeded(client.outcomes(), AT_ONCE);
    });
}

#[test]
fn our_server_holds_200_connections_at_once() {
    in_namespace(|| {
        let mut world = World::new();
        let address = Family::V4.our_port(PORT);
        let mut server = Server::new(address, echo(LONG, Turn::AsReceived), AT_ONCE);
        world.run_against(&mut server, move || {
            let connect = || thread::spawn(move || kernel_side::connect_to(address));
            let connecting: Vec<_> = (0..AT_ONCE).map(|_| connect()).collect();
            let streams = connecting.into_iter().map(|each| each.join().expect("a connection"));
            let all: Vec<_> = streams.collect();
            thread::scope(|scope| {
                for stream in &all {
                    scope.spawn(|| kernel_side::exchange(stream, LONG, LONG));
                }
            });
        });
        assert_all_succeeded(server.outcomes(), AT_ONCE);
    });
}
