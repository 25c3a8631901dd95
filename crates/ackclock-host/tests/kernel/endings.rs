//! Tests of how connections end, and of what may delay that.

use crate::applications::{Client, Script, Server, Turn, Until, Waiting};
use crate::kernel_side;
use crate::namespace::in_namespace;
use crate::pattern::Content;
use crate::world::{Family, World};
use ackclock::tcp::{Config, Error, Keepalive};
use ackclock::time::Duration;
use ackclock_host::run_loop::{Ended, RunError};
use ackclock_host::tun::TunError;
use std::io::Read;
use std::process::Command;
use std::thread;

const FIRST: Content = Content::new(1, 1 << 20);
const SECOND: Content = Content::new(2, 1 << 20);

/// A content longer than any test sends.
const ENDLESS: Content = Content::new(3, u64::MAX);

const PORT: u16 = 7007;

/// A script that sends this content and receives nothing.
fn sending(content: Content) -> Script {
    Script { sends: content, receives: Content::NOTHING, turn: Turn::AtOnce }
}

#[test]
fn a_kernel_reader_that_pauses_for_3_s_gets_every_byte() {
    for family in Family::BOTH {
        in_namespace(|| {
            let content = Content::new(1, 32 << 20);
            let mut world = World::new();
            let (listener, address) = kernel_side::listen(family);
            let mut client = Client::new(address, sending(content));
            world.run_against(&mut client, move || {
                let stream = kernel_side::accept(&listener);
                thread::sleep(std::time::Duration::from_secs(3));
                kernel_side::receive(&stream, content);
            });
            let outcome = client.outcomes()[0];
            assert_eq!(outcome.error, None);
            assert!(outcome.info.probes_sent > 0, "the window was never probed");
            let limits = outcome.info.limits;
            assert!(limits.receiver.as_millis() >= 1_000, "the reader paused: {limits:?}");
            assert!(limits.busy >= limits.receiver + limits.congestion + limits.buffer);
        });
    }
}

#[test]
fn data_arrives_after_we_ended_our_side() {
    for family in Family::BOTH {
        in_namespace(|| {
            let mut world = World::new();
            let (listener, address) = kernel_side::listen(family);
            let script = Script { sends: FIRST, receives: SECOND, turn: Turn::AtOnce };
            let mut client = Client::new(address, script);
            world.run_against(&mut client, move || {
                let stream = kernel_side::accept(&listener);
                kernel_side::receive(&stream, FIRST);
                kernel_side::send(&stream, SECOND);
            });
            assert_eq!(client.outcomes()[0].error, None);
        });
    }
}

#[test]
fn data_is_sent_after_the_kernel_ended_its_side() {
    for family in Family::BOTH {
        in_namespace(|| {
            let mut world = World::new();
            let (listener, address) = kernel_side::listen(family);
            let script = Script { sends: SECOND, receives: FIRST, turn: Turn::AfterPeersEnd };
            let mut client = Client::new(address, script);
            world.run_against(&mut client, move || {
                let stream = kernel_side::accept(&listener);
                kernel_side::send(&stream, FIRST);
                kernel_side::receive(&stream, SECOND);
            });
            assert_eq!(client.outcomes()[0].error, None);
        });
    }
}

#[test]
fn a_reset_by_the_kernel_in_mid_stream_is_reported() {
    for family in Family::BOTH {
        in_namespace(|| {
            let mut world = World::new();
            let (listener, address) = kernel_side::listen(family);
            let mut client = Client::new(address, sending(ENDLESS));
            world.run_against(&mut client, move || {
                let mut stream = kernel_side::accept(&listener);
                stream.read_exact(&mut [0; 100_000]).expect("data");
                kernel_side::reset(stream);
            });
            assert_eq!(client.outcomes()[0].error, Some(Error::Reset));
        });
    }
}

#[test]
fn a_port_on_which_the_kernel_does_not_listen_refuses() {
    for family in Family::BOTH {
        in_namespace(|| {
            let mut world = World::new();
            let (listener, address) = kernel_side::listen(family);
            drop(listener);
            let mut client = Client::new(address, sending(FIRST));
            world.run(&mut client);
            assert_eq!(client.outcomes()[0].error, Some(Error::Refused));
        });
    }
}

#[test]
fn keepalive_finds_out_that_the_peer_has_vanished() {
    in_namespace(|| {
        let mut world = World::new();
        let (_listener, address) = kernel_side::listen(Family::V4);
        let mut config = Config::default();
        config.keepalive = Some(Keepalive {
            idle: Duration::from_millis(300),
            interval: Duration::from_millis(100),
            count: 3,
        });
        let mut waiting = Waiting::new(address, config);
        world.run(&mut waiting);
        world.run_loop.link_mut().cut();
        waiting.until = Until::Closed;
        world.resume(&mut waiting);
        assert_eq!(waiting.error, Some(Error::KeepaliveTimeout));
    });
}

/// Our server ends the connection first, so that our stack is in TIME-WAIT when the kernel's next
/// SYN comes from the same port (RFC 6191).
#[test]
fn our_time_wait_gives_way_to_a_new_connection_of_the_kernel() {
    for family in Family::BOTH {
        in_namespace(|| {
            let mut world = World::new();
            let address = family.our_port(PORT);
            let mut server = Server::new(address, sending(FIRST), 2);
            world.run_against(&mut server, move || {
                for _ in 0..2 {
                    let stream = kernel_side::connect_from(family, 5005, address);
                    kernel_side::receive(&stream, FIRST);
                }
            });
            assert!(server.outcomes().iter().all(|each| each.error.is_none()));
            assert_eq!(world.stack.statistics().time_wait_reused, 1);
        });
    }
}

/// The kernel ends the connection first, so that it is in TIME-WAIT when our next SYN comes from
/// the same port.
#[test]
fn the_kernels_time_wait_gives_way_to_a_new_connection_of_ours() {
    for family in Family::BOTH {
        in_namespace(|| {
            let mut world = World::new();
            let (listener, address) = kernel_side::listen(family);
            let script =
                Script { sends: Content::NOTHING, receives: FIRST, turn: Turn::AfterPeersEnd };
            let mut client = Client::many(address, script, 2, 1);
            client.local = Some(family.our_port(5005));
            world.run_against(&mut client, move || {
                for _ in 0..2 {
                    let stream = kernel_side::accept(&listener);
                    kernel_side::send(&stream, FIRST);
                    kernel_side::receive(&stream, Content::NOTHING);
                }
            });
            assert_eq!(client.outcomes().len(), 2);
            assert!(client.outcomes().iter().all(|each| each.error.is_none()));
        });
    }
}

#[test]
fn a_run_that_sleeps_is_stopped_from_another_thread() {
    in_namespace(|| {
        let mut world = World::new();
        let waker = world.run_loop.waker();
        let mut server = Server::new(Family::V4.our_port(PORT), sending(FIRST), 1);
        let ended = world.drive_against(&mut server, move || waker.stop());
        assert_eq!(ended.expect("a working device"), Ended::Stopped);
    });
}

#[test]
fn a_deleted_interface_ends_a_run_with_an_error() {
    in_namespace(|| {
        let mut world = World::new();
        let mut server = Server::new(Family::V4.our_port(PORT), sending(FIRST), 1);
        let ended = world.drive_against(&mut server, || {
            let deleted = Command::new("ip").args(["link", "delete", "tun0"]).status();
            assert!(deleted.expect("ip").success());
        });
        assert!(
            matches!(ended, Err(RunError::Gone | RunError::Device(TunError::Gone(_)))),
            "{ended:?}"
        );
    });
}
