//! Transfers of 64 MiB in either role, over either version of IP; every byte is verified at both
//! ends.

use crate::applications::{Client, Script, Server, Turn};
use crate::kernel_side;
use crate::namespace::in_namespace;
use crate::pattern::Content;
use crate::world::{Family, World};

const CONTENT: Content = Content::new(1, 64 << 20);

const PORT: u16 = 7007;

/// Our client sends and the kernel discards.
fn our_client_discard(family: Family) {
    in_namespace(|| {
        let mut world = World::new();
        let (listener, address) = kernel_side::listen(family);
        let script = Script { sends: CONTENT, receives: Content::NOTHING, turn: Turn::AtOnce };
        let mut client = Client::new(address, script);
        world.run_against(&mut client, move || {
            let stream = kernel_side::accept(&listener);
            kernel_side::receive(&stream, CONTENT);
        });
        assert_eq!(client.outcomes()[0].error, None);
        assert_eq!(client.outcomes()[0].info.bytes_acked, CONTENT.length);
    });
}

/// Our client sends, the kernel echoes.
fn our_client_echo(family: Family) {
    in_namespace(|| {
        let mut world = World::new();
        let (listener, address) = kernel_side::listen(family);
        let script = Script { sends: CONTENT, receives: CONTENT, turn: Turn::AtOnce };
        let mut client = Client::new(address, script);
        world.run_against(&mut client, move || {
            kernel_side::echo(&kernel_side::accept(&listener), CONTENT)
        });
        assert_eq!(client.outcomes()[0].error, None);
        assert_eq!(client.outcomes()[0].info.bytes_received, CONTENT.length);
    });
}

/// The kernel sends and our server discards.
fn our_server_discard(family: Family) {
    in_namespace(|| {
        let mut world = World::new();
        let script =
            Script { sends: Content::NOTHING, receives: CONTENT, turn: Turn::AfterPeersEnd };
        let mut server = Server::new(family.our_port(PORT), script, 1);
        world.run_against(&mut server, move || {
            let stream = kernel_side::connect_to(family.our_port(PORT));
            kernel_side::exchange(&stream, CONTENT, Content::NOTHING);
        });
        assert_eq!(server.outcomes()[0].error, None);
        assert_eq!(server.outcomes()[0].info.bytes_received, CONTENT.length);
    });
}

/// The kernel sends, our server echoes.
fn our_server_echo(family: Family) {
    in_namespace(|| {
        let mut world = World::new();
        let script = Script { sends: CONTENT, receives: CONTENT, turn: Turn::AsReceived };
        let mut server = Server::new(family.our_port(PORT), script, 1);
        world.run_against(&mut server, move || {
            let stream = kernel_side::connect_to(family.our_port(PORT));
            kernel_side::exchange(&stream, CONTENT, CONTENT);
        });
        assert_eq!(server.outcomes()[0].error, None);
        assert_eq!(server.outcomes()[0].info.bytes_acked, CONTENT.length);
    });
}

#[test]
fn our_client_sends_64_mib_to_a_kernel_discard_server_over_ipv4() {
    our_client_discard(Family::V4);
}

#[test]
fn our_client_sends_64_mib_to_a_kernel_discard_server_over_ipv6() {
    our_client_discard(Family::V6);
}

#[test]
fn our_client_gets_64_mib_back_from_a_kernel_echo_server_over_ipv4() {
    our_client_echo(Family::V4);
}

#[test]
fn our_client_gets_64_mib_back_from_a_kernel_echo_server_over_ipv6() {
    our_client_echo(Family::V6);
}

#[test]
fn our_server_discards_64_mib_of_a_kernel_client_over_ipv4() {
    our_server_discard(Family::V4);
}

#[test]
fn our_server_discards_64_mib_of_a_kernel_client_over_ipv6() {
    our_server_discard(Family::V6);
}

#[test]
fn our_server_echoes_64_mib_to_a_kernel_client_over_ipv4() {
    our_server_echo(Family::V4);
}

#[test]
fn our_server_echoes_64_mib_to_a_kernel_client_over_ipv6() {
    our_server_echo(Family::V6);
}
